"""The verifier process."""

import grpc.aio
from assay.verifier.v1 import verifier_pb2, verifier_pb2_grpc

from services.common.llm.parts import served_by_choice
from services.common.rpc.service import Service, run
from services.verifier.domain import Reasoner
from services.verifier.offline.adapter import OfflineReasoner
from services.verifier.openai.reasoner import OpenAIReasoner
from services.verifier.servicer import VerifierServicer
from services.verifier.settings import VerifierSettings

NAME = verifier_pb2.DESCRIPTOR.services_by_name["VerifierService"].full_name


async def build(settings: VerifierSettings) -> Service:
    """Put the process together."""
    offline: Reasoner = OfflineReasoner()
    return served_by_choice(settings, offline, OpenAIReasoner, serve)


def serve(reasoner: Reasoner) -> Service:
    """Return the service of a reasoner."""
    servicer = VerifierServicer(reasoner)

    def register(server: grpc.aio.Server) -> None:
        verifier_pb2_grpc.add_VerifierServiceServicer_to_server(servicer, server)

    return Service(names=(NAME,), register=register)


if __name__ == "__main__":
    raise SystemExit(run(VerifierSettings, build))
