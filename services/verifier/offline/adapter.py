"""The offline reasoner behind the port."""

import asyncio

from assay.common.v1 import evidence_pb2
from assay.verifier.v1 import verifier_pb2

from services.verifier.offline.reasoner import verification


class OfflineReasoner:
    """Judges by rules, without a model, a network or a clock."""

    async def judge(self, request: verifier_pb2.VerifyRequest) -> evidence_pb2.Verification:
        """Judge off the event loop: much evidence would keep health from answering."""
        return await asyncio.to_thread(verification, request)
