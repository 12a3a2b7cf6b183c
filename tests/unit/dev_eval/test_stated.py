"""The checker's rule, on sentences that are stated and on those that are not."""

import pytest

from dev.eval.stated import states

ANSWER = (
    'Job orders fails: the message is “unexpected \\"fi\\"”; database operations take too long; a host '
    "was not resolved; nodes lack nvidia.com/gpu."
)


@pytest.mark.parametrize(
    "wanted",
    [
        "The `orders` job fails",
        "Database operations take long",
        "`ORDERS` says: `unexpected 'fi'`",
        "either http://a.example/x or `orders` could not be resolved",
        "It looks healthy in one respect (may mention databases): operations of orders take long",
        "GPU resources lack",
    ],
)
def test_stated(wanted: str) -> None:
    assert states(ANSWER, wanted)


@pytest.mark.parametrize(
    "wanted",
    [
        "The `stock` job fails",
        "`orders` and `stock` take long",
        "http://a.example/x could not be resolved by orders",
        "Network policies forbid traffic",
        "The `orders` job waits behind network policies",
        "TPU resources lack",
    ],
)
def test_not_stated(wanted: str) -> None:
    assert not states(ANSWER, wanted)
