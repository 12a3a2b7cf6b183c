"""The whole answer, section by section."""

from assay.common.v1 import answer_pb2
from assay.composer.v1 import composer_pb2

from services.common.evidence.templates import gap_sentences, restate
from services.composer.offline import ordering
from services.composer.offline.next_checks import next_checks
from services.composer.offline.summary import summary


def compose(request: composer_pb2.ComposeRequest) -> answer_pb2.Answer:
    """Restate the allowed claims in order of importance and fill fixed sentences. Pure."""
    return answer_pb2.Answer(
        summary=summary(request),
        confirmed=map(restate, ordering.confirmed(request.claims)),
        possible_directions=map(restate, ordering.directions(request.claims)),
        evidence_gaps=gap_sentences(request.gaps),
        next_checks=next_checks(request),
    )
