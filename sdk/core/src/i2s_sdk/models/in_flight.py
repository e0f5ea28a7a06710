"""How long an attempt may last, so that no server gets the same call twice while it works on the first.

A client that stops waiting does not stop the server. A server that works on one call at a time (a local model
behind a simple HTTP server, a program) would go on with the first, have the second in its queue, and answer
neither in time. Whether a server works on several calls at once can be seen: such a server answers calls that
were sent later. So an attempt ends after ``call_seconds`` only if a call that was sent after it has been
answered; until then it is waited for, as long as all attempts of the call together may take. After that the
call has failed and is not sent again.

A server that works on one call at a time and takes the latest first looks like one that works on several;
there ``call_seconds`` has to be above the longest time in its queue. A provider with ``ends_when_left`` ends
its work when it is not waited for any more (a program that is started for one picture is killed), so its
attempts always end after ``call_seconds``.
"""

from __future__ import annotations

import asyncio
import itertools

from i2s_sdk.models.provider import Answer, FaultError, Provider
from i2s_sdk.models.question import ReadQuestion


class CallsInFlight:
    """Calls of one server that were sent and not answered yet, in the order in which they were sent.

    Args:
        call_seconds: Seconds after which an attempt ends, if a later one has been answered.
    """

    def __init__(self, call_seconds: float) -> None:
        self._call_seconds = call_seconds
        self._numbers = itertools.count()
        self._waiting: dict[int, _Limit] = {}

    async def answer(self, provider: Provider, question: ReadQuestion, seconds_left: float) -> Answer:
        """Make one attempt and return its answer.

        Args:
            provider: The provider that is asked.
            question: Question for it.
            seconds_left: Seconds that are left of all attempts of this call. One attempt may take
                ``call_seconds`` in any case.

        Raises:
            FaultError: There was none in time.
            AttemptError: As of the provider.
        """
        loop, number = asyncio.get_running_loop(), next(self._numbers)
        began = loop.time()
        longest = self._call_seconds if provider.ends_when_left else max(self._call_seconds, seconds_left)
        timeout = asyncio.timeout_at(began + longest)
        try:
            async with timeout:
                self._waiting[number] = _Limit(timeout, began + self._call_seconds)
                try:
                    found = await provider.ask(question)
                finally:
                    del self._waiting[number]
        except TimeoutError:
            allowed = (timeout.when() or began) - began
            raise FaultError(f"no answer within {round(allowed, 3):g} s") from None
        for earlier, limit in self._waiting.items():
            if earlier < number:
                limit.shorten()
        return found


class _Limit:
    """The time at which an attempt ends."""

    def __init__(self, timeout: asyncio.Timeout, overtaken: float) -> None:
        self._timeout, self._overtaken, self._short = timeout, overtaken, False

    def shorten(self) -> None:
        """End the attempt after ``call_seconds``: the server has answered a later one."""
        if not self._short:
            self._short = True
            self._timeout.reschedule(self._overtaken)
