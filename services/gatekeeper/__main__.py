"""The gatekeeper process."""

import grpc.aio
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc

from services.common.rpc.service import Service, run
from services.gatekeeper.servicer import GatekeeperServicer
from services.gatekeeper.settings import GatekeeperSettings

NAME = gatekeeper_pb2.DESCRIPTOR.services_by_name["GatekeeperService"].full_name


async def build(_: GatekeeperSettings) -> Service:
    """Put the process together: the gate is pure, so there is nothing to wait for or to close."""

    def register(server: grpc.aio.Server) -> None:
        gatekeeper_pb2_grpc.add_GatekeeperServiceServicer_to_server(GatekeeperServicer(), server)

    return Service(names=(NAME,), register=register)


if __name__ == "__main__":
    raise SystemExit(run(GatekeeperSettings, build))
