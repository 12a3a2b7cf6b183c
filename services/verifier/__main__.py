"""The verifier process."""

from collections.abc import Callable, Mapping
from typing import Final

import grpc.aio
from assay.verifier.v1 import verifier_pb2, verifier_pb2_grpc

from services.common.rpc.service import Service, run
from services.verifier.domain import Reasoner
from services.verifier.offline.adapter import OfflineReasoner
from services.verifier.servicer import VerifierServicer
from services.verifier.settings import VerifierSettings

NAME: Final = verifier_pb2.DESCRIPTOR.services_by_name["VerifierService"].full_name
REASONERS: Final[Mapping[str, Callable[[], Reasoner]]] = {"offline": OfflineReasoner}


async def build(settings: VerifierSettings) -> Service:
    """Put the process together."""
    servicer = VerifierServicer(REASONERS[settings.reasoner]())

    def register(server: grpc.aio.Server) -> None:
        verifier_pb2_grpc.add_VerifierServiceServicer_to_server(servicer, server)

    return Service(names=(NAME,), register=register)


if __name__ == "__main__":
    raise SystemExit(run(VerifierSettings, build))
