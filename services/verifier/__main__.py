"""The verifier process."""

import grpc.aio
from assay.verifier.v1 import verifier_pb2, verifier_pb2_grpc

from services.common.errors import FailedPreconditionError
from services.common.rpc.service import Service, run
from services.verifier.domain import Reasoner
from services.verifier.offline.adapter import OfflineReasoner
from services.verifier.servicer import VerifierServicer
from services.verifier.settings import VerifierSettings

NAME = verifier_pb2.DESCRIPTOR.services_by_name["VerifierService"].full_name


def reasoner(settings: VerifierSettings) -> Reasoner:
    """Return the reasoner that the settings name."""
    match settings.reasoner:
        case "offline":
            return OfflineReasoner()
        case "openai":
            raise FailedPreconditionError("this verifier cannot ask a model yet; set its reasoner to offline")


async def build(settings: VerifierSettings) -> Service:
    """Put the process together."""
    servicer = VerifierServicer(reasoner(settings))

    def register(server: grpc.aio.Server) -> None:
        verifier_pb2_grpc.add_VerifierServiceServicer_to_server(servicer, server)

    return Service(names=(NAME,), register=register)


if __name__ == "__main__":
    raise SystemExit(run(VerifierSettings, build))
