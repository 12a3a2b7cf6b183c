"""HTTP to one endpoint of the OpenAI protocol; the only module that imports its SDK, which is slow and large.

One call is one request: the SDK sends nothing again. Whatever goes wrong is one kind of failure, without a
word of the endpoint's own.
"""

import asyncio
import logging
from datetime import UTC, datetime
from typing import Any, Final

import httpx2
import openai

from services.common.errors import FailedPreconditionError
from services.common.llm.completion import Completion, read_completion
from services.common.llm.failures import RequestFailedError
from services.common.llm.limits import LimitedError, Limits, retry_after
from services.common.llm.port import Kind
from services.common.llm.settings import ReasonerSettings
from services.common.llm.transport import BoundedTransport, TooLargeError

# Their lines quote addresses, and what an endpoint says.
_QUOTING_LOGGERS: Final = ("openai", "httpx2", "httpcore2")


class EndpointClient:
    """The endpoint that the settings name; made inside the running event loop."""

    def __init__(self, settings: ReasonerSettings) -> None:
        for name in _QUOTING_LOGGERS:
            logging.getLogger(name).setLevel(logging.WARNING)
        self._now = asyncio.get_running_loop().time
        self._limits = Limits(settings.model_max_concurrent, settings.model_requests_per_minute, self._now)
        self._sdk = _sdk(settings)
        self._completions = self._sdk.chat.completions.with_raw_response
        # Its body stays unread: some endpoints list thousands of models.
        self._models = self._sdk.models.with_streaming_response

    async def complete(self, body: dict[str, Any], deadline: float) -> Completion:
        """Send one chat completion; `deadline` is on the event loop's clock. Raises RequestFailedError."""
        try:
            async with self._limits.place(deadline), asyncio.timeout_at(deadline):
                response = await self._completions.create(**body)
        except LimitedError:
            raise RequestFailedError(Kind.RATE_LIMITED, sent=False) from None
        except TooLargeError:
            raise RequestFailedError(Kind.TOO_LARGE) from None
        except (TimeoutError, openai.APITimeoutError):
            raise RequestFailedError(Kind.TIMED_OUT) from None
        except openai.APIStatusError as error:
            self._limits.pause(retry_after(error.response.headers.get("retry-after"), datetime.now(UTC)))
            raise RequestFailedError(kind_of(error.status_code), error.status_code) from None
        except openai.OpenAIError:
            raise RequestFailedError(Kind.UNREACHABLE) from None
        return read_completion(response.content)

    async def look(self, seconds: float) -> Kind | None:
        """Look whether the endpoint is there, without asking the model; returns what is wrong, or None.

        A status that only says that there is no list of models is none: not every endpoint has one.
        """
        try:
            async with asyncio.timeout(seconds), self._models.list():
                return None
        except (TimeoutError, openai.APITimeoutError):
            return Kind.TIMED_OUT
        except openai.APIStatusError as error:
            kind = kind_of(error.status_code)
            return kind if kind in (Kind.UNAUTHORIZED, Kind.OVERLOADED) else None
        except TooLargeError:
            # Only the body of an error is read.
            return Kind.OVERLOADED
        except openai.OpenAIError:
            return Kind.UNREACHABLE

    async def aclose(self) -> None:
        """Close the connections."""
        await self._sdk.close()


def kind_of(status: int) -> Kind:
    """Return the kind of failure that an HTTP status other than 2xx is."""
    match status:
        case 401 | 403:
            return Kind.UNAUTHORIZED
        case 408:
            return Kind.TIMED_OUT
        case 429:
            return Kind.RATE_LIMITED
        case _:
            return Kind.OVERLOADED if status >= 500 else Kind.REFUSED_REQUEST


def _http(settings: ReasonerSettings) -> httpx2.AsyncClient:
    key = settings.model_api_key.get_secret_value() if settings.model_api_key else ""
    # One connection more than calls, so that a look at the endpoint waits for none of them.
    transport = BoundedTransport(key, settings.model_max_answer_bytes, settings.model_max_concurrent + 1)
    return httpx2.AsyncClient(
        transport=transport,
        timeout=settings.model_timeout_seconds,
        follow_redirects=False,
        trust_env=False,
    )


def _sdk(settings: ReasonerSettings) -> openai.AsyncOpenAI:
    try:
        return openai.AsyncOpenAI(
            # The transport sends the key. Without one here the SDK would take what the environment holds.
            api_key="unused",
            base_url=settings.model_base_url,
            max_retries=0,
            http_client=_http(settings),
        )
    except httpx2.InvalidURL:
        raise FailedPreconditionError(
            "model_base_url names no host; write it as http://host:port/v1"
        ) from None
