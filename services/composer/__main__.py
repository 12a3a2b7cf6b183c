"""The composer process."""

import asyncio

import grpc.aio
from assay.composer.v1 import composer_pb2, composer_pb2_grpc

from services.common.llm.parts import served_by_choice
from services.common.rpc.service import Service, run
from services.composer.domain import Composer, Reasoner
from services.composer.offline.adapter import OfflineReasoner
from services.composer.openai.reasoner import OpenAIReasoner
from services.composer.servicer import ComposerServicer
from services.composer.settings import ComposerSettings

NAME = composer_pb2.DESCRIPTOR.services_by_name["ComposerService"].full_name


async def build(settings: ComposerSettings) -> Service:
    """Put the process together."""
    offline: Reasoner = OfflineReasoner()
    return served_by_choice(settings, offline, OpenAIReasoner, serve)


def serve(reasoner: Reasoner) -> Service:
    """Return the service of a reasoner."""
    servicer = ComposerServicer(Composer(reasoner, asyncio.to_thread))

    def register(server: grpc.aio.Server) -> None:
        composer_pb2_grpc.add_ComposerServiceServicer_to_server(servicer, server)

    return Service(names=(NAME,), register=register)


if __name__ == "__main__":
    raise SystemExit(run(ComposerSettings, build))
