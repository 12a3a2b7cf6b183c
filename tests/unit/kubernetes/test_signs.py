"""What the words of Kubernetes, of containers and of ages state."""

import pytest

from services.executor.tools.kubernetes.ages import seconds_of
from services.executor.tools.kubernetes.container_log import fault_of_line
from services.executor.tools.kubernetes.signs import MAX_MESSAGE, fault_of


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("failed to pull: pull again: 401", "image.pull_secret_missing"),
        ("first\nfailed to pull: 401\nlast", "image.pull_secret_missing"),
        ("failed to pull\n401", ""),
        ("401 before the pull", ""),
        ("get /v2/: dial tcp: no such host", "image.registry_unreachable"),
        ("Failed to pull image: rate limit", "image.rate_limited"),
        ("failed to resolve reference: a: not found", "image.tag_missing"),
    ],
)
def test_a_line_states_a_fault_where_one_text_stands_behind_another(message: str, fault: str) -> None:
    assert fault_of("Pod", "", message) == fault


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ('the HPA: deployments.apps "web" not found', "hpa.target_missing"),
        ('a"b" not found', "hpa.target_missing"),
        ('"a b" not found', ""),
        ('"" not found', ""),
    ],
)
def test_an_autoscalers_target_is_quoted_in_one_word(message: str, fault: str) -> None:
    assert fault_of("HorizontalPodAutoscaler", "", message) == fault


def test_a_containers_message_is_looked_through_as_far_as_kubelets_write_them() -> None:
    told = "out of memory"
    assert fault_of_line(" " * (MAX_MESSAGE - len(told)) + told)
    assert not fault_of_line(" " * MAX_MESSAGE + told)


@pytest.mark.parametrize(
    ("age", "seconds"),
    [("2m30s", 150), ("3d4h", 273_600), ("5", None), ("5x", None), ("9" * 5000 + "s", None)],
)
def test_ages(age: str, seconds: int | None) -> None:
    assert seconds_of(age) == seconds
