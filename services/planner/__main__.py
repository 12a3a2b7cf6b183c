"""The planner process."""

import grpc.aio
from assay.planner.v1 import planner_pb2, planner_pb2_grpc

from services.common.llm.parts import open_model
from services.common.rpc.service import Service, run
from services.planner.domain import Planner, Reasoner
from services.planner.offline.adapter import OfflineReasoner
from services.planner.openai.reasoner import OpenAIReasoner
from services.planner.servicer import PlannerServicer
from services.planner.settings import PlannerSettings

NAME = planner_pb2.DESCRIPTOR.services_by_name["PlannerService"].full_name


async def build(settings: PlannerSettings) -> Service:
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
    servicer = PlannerServicer(Planner(reasoner))

    def register(server: grpc.aio.Server) -> None:
        planner_pb2_grpc.add_PlannerServiceServicer_to_server(servicer, server)

    return Service(names=(NAME,), register=register)


if __name__ == "__main__":
    raise SystemExit(run(PlannerSettings, build))
