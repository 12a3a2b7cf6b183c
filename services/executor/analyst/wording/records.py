"""The error that a record names beside its message: at the end of a stack trace, or in a field of its own."""

from services.executor.analyst.reading.stated import stated_by
from services.executor.analyst.reading.views import Template
from services.executor.analyst.reading.words import error_of, mechanism_clause, quotation
from services.executor.analyst.wording.findings import Part, line_quote


def named_exception(template: Template) -> list[Part]:
    """Quote what names the error of the first record: a clause; empty without one that adds anything."""
    if not template.spot.at("detail").members():
        error = error_of(template.first_text)
        new = error and error not in template.quote and template.quote not in error
        return ["its first record names ", line_quote(template.first, error)] if new else []
    detail = template.spot.at("detail")
    text = detail.at("text").told
    excerpt = quotation(text)
    if stated_by(text) and not stated_by(excerpt):
        excerpt = mechanism_clause(text)
    return ["its first record names ", line_quote(detail, excerpt)] if excerpt else []
