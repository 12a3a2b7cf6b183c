"""Bounds that the contracts state: who sends keeps them, and who receives refuses what is beyond."""

from typing import Final

MAX_QUESTION_CHARS: Final = 4096
MAX_BUNDLE_CHARS: Final = 1024
# Ids of runs, and of invocations and claims as documents name them.
MAX_ID_CHARS: Final = 256
# Of one plan.
MAX_STEPS: Final = 64
# Of one invocation.
MAX_ARGUMENT_BYTES: Final = 64 * 1024
# Four for each line of the longest document.
MAX_OUTSIDER_SPANS: Final = 4096
