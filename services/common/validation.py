"""Checks of a request that services share. Each raises InvalidArgumentError and names the field."""

from google.protobuf.descriptor import EnumDescriptor

from services.common.errors import InvalidArgumentError

MAX_QUESTION_CHARS = 4096


def required_text(value: str, field: str, max_chars: int) -> str:
    """Return a text that is not blank and at most `max_chars` long."""
    if not value.strip():
        raise InvalidArgumentError(f"{field} is empty", field=field)
    if len(value) > max_chars:
        raise InvalidArgumentError(
            f"{field} has {len(value)} characters; at most {max_chars} are allowed", field=field
        )
    return value


def specified(value: int, enum: EnumDescriptor, field: str) -> None:
    """Refuse UNSPECIFIED and numbers that the enum does not have."""
    if value == 0 or value not in enum.values_by_number:
        names = ", ".join(item.name for item in enum.values if item.number)
        raise InvalidArgumentError(f"{field} is not one of {names}", field=field)
