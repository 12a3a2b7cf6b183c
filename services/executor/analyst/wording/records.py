"""The exception that a record of several lines ends with: what a stack trace says, in one line."""

from services.executor.analyst.reading.stated import stated_by
from services.executor.analyst.reading.views import Template
from services.executor.analyst.reading.words import mechanism_clause, quotation
from services.executor.analyst.wording.findings import Part, line_quote


def named_exception(template: Template) -> list[Part]:
    """Quote the line that names the exception of the first record: a clause; empty without one."""
    detail = template.spot.at("detail")
    text = detail.at("text").told
    excerpt = quotation(text)
    if stated_by(text) and not stated_by(excerpt):
        excerpt = mechanism_clause(text)
    return ["its first record names ", line_quote(detail, excerpt)] if excerpt else []
