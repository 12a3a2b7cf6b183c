"""The composer process."""

import asyncio

import grpc.aio
from assay.composer.v1 import composer_pb2, composer_pb2_grpc

from services.common.errors import FailedPreconditionError
from services.common.rpc.service import Service, run
from services.composer.domain import Composer, Reasoner
from services.composer.offline.adapter import OfflineReasoner
from services.composer.servicer import ComposerServicer
from services.composer.settings import ComposerSettings

NAME = composer_pb2.DESCRIPTOR.services_by_name["ComposerService"].full_name


def reasoner(settings: ComposerSettings) -> Reasoner:
    """Return the reasoner that the settings name."""
    match settings.reasoner:
        case "offline":
            return OfflineReasoner()
        case "openai":
            raise FailedPreconditionError("this composer cannot ask a model yet; set its reasoner to offline")


async def build(settings: ComposerSettings) -> Service:
    """Put the process together."""
    servicer = ComposerServicer(Composer(reasoner(settings), asyncio.to_thread))

    def register(server: grpc.aio.Server) -> None:
        composer_pb2_grpc.add_ComposerServiceServicer_to_server(servicer, server)

    return Service(names=(NAME,), register=register)


if __name__ == "__main__":
    raise SystemExit(run(ComposerSettings, build))
