"""The planner process."""

import grpc.aio
from assay.planner.v1 import planner_pb2, planner_pb2_grpc

from services.common.llm.parts import served_by_choice
from services.common.rpc.service import Service, run
from services.planner.domain import Planner, Reasoner
from services.planner.offline.adapter import OfflineReasoner
from services.planner.openai.reasoner import OpenAIReasoner
from services.planner.servicer import PlannerServicer
from services.planner.settings import PlannerSettings

NAME = planner_pb2.DESCRIPTOR.services_by_name["PlannerService"].full_name


async def build(settings: PlannerSettings) -> Service:
    """Put the process together."""
    offline: Reasoner = OfflineReasoner()
    return served_by_choice(settings, offline, OpenAIReasoner, serve)


def serve(reasoner: Reasoner) -> Service:
    """Return the service of a reasoner."""
    servicer = PlannerServicer(Planner(reasoner))

    def register(server: grpc.aio.Server) -> None:
        planner_pb2_grpc.add_PlannerServiceServicer_to_server(servicer, server)

    return Service(names=(NAME,), register=register)


if __name__ == "__main__":
    raise SystemExit(run(PlannerSettings, build))
