"""The offline reasoner behind the port."""

import asyncio
from collections.abc import Callable
from typing import Final

from assay.common.v1 import evidence_pb2
from assay.verifier.v1 import verifier_pb2

from services.common.reasoning import PromptId, Reasoned, offline
from services.verifier.offline.reasoner import verification

# The version changes when the rules say something else.
PROMPT: Final = PromptId("verifier_offline_rules", "2")


class OfflineReasoner:
    """Judges by rules, without a model, a network or a clock."""

    async def judge(
        self,
        request: verifier_pb2.VerifyRequest,
        remaining: Callable[[], float],  # noqa: ARG002 - rules need little time
    ) -> Reasoned[evidence_pb2.Verification]:
        """Judge off the event loop: much evidence would keep health from answering."""
        return Reasoned(await asyncio.to_thread(verification, request), offline(PROMPT))
