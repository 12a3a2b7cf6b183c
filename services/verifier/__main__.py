"""The verifier process."""

import grpc.aio
from assay.verifier.v1 import verifier_pb2, verifier_pb2_grpc

from services.common.llm.parts import open_model
from services.common.rpc.service import Service, run
from services.verifier.domain import Reasoner
from services.verifier.offline.adapter import OfflineReasoner
from services.verifier.openai.reasoner import OpenAIReasoner
from services.verifier.servicer import VerifierServicer
from services.verifier.settings import VerifierSettings

NAME = verifier_pb2.DESCRIPTOR.services_by_name["VerifierService"].full_name


async def build(settings: VerifierSettings) -> Service:
    """Put the process together; a model is opened only where one is asked."""
    offline = OfflineReasoner()
    match settings.reasoner:
        case "offline":
            return serve(offline)
        case "openai":
            opened = open_model(settings)
            instead = offline if settings.fallback_reasoner == "offline" else None
            return opened.beside(serve(OpenAIReasoner(opened.model, settings.model_context_tokens, instead)))


def serve(reasoner: Reasoner) -> Service:
    """Return the service of a reasoner."""
    servicer = VerifierServicer(reasoner)

    def register(server: grpc.aio.Server) -> None:
        verifier_pb2_grpc.add_VerifierServiceServicer_to_server(servicer, server)

    return Service(names=(NAME,), register=register)


if __name__ == "__main__":
    raise SystemExit(run(VerifierSettings, build))
