"""The planner process."""

import grpc.aio
from assay.planner.v1 import planner_pb2, planner_pb2_grpc

from services.common.errors import FailedPreconditionError
from services.common.rpc.service import Service, run
from services.planner.domain import Planner, Reasoner
from services.planner.offline.adapter import OfflineReasoner
from services.planner.servicer import PlannerServicer
from services.planner.settings import PlannerSettings

NAME = planner_pb2.DESCRIPTOR.services_by_name["PlannerService"].full_name


def reasoner(settings: PlannerSettings) -> Reasoner:
    """Return the reasoner that the settings name."""
    match settings.reasoner:
        case "offline":
            return OfflineReasoner()
        case "openai":
            raise FailedPreconditionError("this planner cannot ask a model yet; set its reasoner to offline")


async def build(settings: PlannerSettings) -> Service:
    """Put the process together."""
    servicer = PlannerServicer(Planner(reasoner(settings)))

    def register(server: grpc.aio.Server) -> None:
        planner_pb2_grpc.add_PlannerServiceServicer_to_server(servicer, server)

    return Service(names=(NAME,), register=register)


if __name__ == "__main__":
    raise SystemExit(run(PlannerSettings, build))
