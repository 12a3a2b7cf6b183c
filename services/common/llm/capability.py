"""In which form an endpoint answers: assumed to be the strictest, looked for when that is in doubt."""

import asyncio
from collections.abc import Awaitable, Callable

from services.common.llm.forms import MODES, STRICTEST, Dialect, Form, Mode

# Asks for something tiny in a form. False: the endpoint does not take it, or does not keep to it. Raises
# whatever says nothing about the form.
Fits = Callable[[Form], Awaitable[bool]]


class Capability:
    """The form for one kind of answer."""

    def __init__(self, fits: Fits, first: Form = STRICTEST) -> None:
        self._fits = fits
        self._finding: asyncio.Task[Form | None] | None = None
        self.form = first
        self.proven = False

    async def find(self) -> Form:
        """Look for the strictest form that works, once for all who ask meanwhile; raises as `fits` does.

        Whoever leaves early ends nothing; a search that found nothing is begun again by the next.
        """
        if self._finding is None:
            self._finding = asyncio.create_task(self._found(), name="form of answers")
            self._finding.add_done_callback(self._ended)
        return await asyncio.shield(self._finding) or self.form

    def confirm(self, form: Form) -> None:
        """Note that a form gave a legal answer."""
        if form == self.form:
            self.proven = True

    def lower(self, form: Form) -> None:
        """Note that the endpoint does not keep to a form, though it takes it."""
        if form == self.form and form.mode is not Mode.TEXT:
            self.form, self.proven = form.lower(), False

    async def aclose(self) -> None:
        """End a search."""
        if self._finding is not None:
            self._finding.cancel()
            await asyncio.wait([self._finding])

    async def _found(self) -> Form | None:
        """Return the form; None when nothing works, so that the form is not what is wrong.

        A mode above the present one has been tried before.
        """
        first = self.form
        if await self._fits(first):
            return first
        dialect = await self._dialect()
        if dialect is None:
            return None
        for mode in MODES[MODES.index(first.mode) : -1]:
            form = Form(mode, dialect)
            if form != first and await self._fits(form):
                return form
        return Form(Mode.TEXT, dialect)

    async def _dialect(self) -> Dialect | None:
        """Return the dialect in which a plain question is answered."""
        for dialect in Dialect:
            if await self._fits(Form(Mode.TEXT, dialect)):
                return dialect
        return None

    def _ended(self, task: asyncio.Task[Form | None]) -> None:
        self._finding = None
        # Asking for the exception keeps one that nobody waits for out of the log.
        if not task.cancelled() and task.exception() is None and (found := task.result()):
            self.form, self.proven = found, True
