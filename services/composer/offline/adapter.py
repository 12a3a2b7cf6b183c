"""The offline reasoner behind the port."""

import asyncio
from collections.abc import Callable
from typing import Final

from assay.common.v1 import answer_pb2
from assay.composer.v1 import composer_pb2

from services.common.reasoning import PromptId, Reasoned, offline
from services.composer.offline.reasoner import compose

# The version changes when the rules say something else.
PROMPT: Final = PromptId("composer_offline_rules", "2")


class OfflineReasoner:
    """Writes by rules, without a model, a network or a clock."""

    async def compose(
        self,
        request: composer_pb2.ComposeRequest,
        remaining: Callable[[], float],  # noqa: ARG002 - rules need little time
    ) -> Reasoned[answer_pb2.Answer]:
        """Write off the event loop: a long answer would keep health from answering."""
        return Reasoned(await asyncio.to_thread(compose, request), offline(PROMPT))
