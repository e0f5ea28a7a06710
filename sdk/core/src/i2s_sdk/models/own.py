"""A model of the user: a function of a question in a Python file.

::

    def model(question):             # question.text, question.system, question.images[0].path, …
        return "the answer"
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import Answer, ModelProvider, RejectedError
from i2s_sdk.models.question import ReadQuestion, refuse_schema
from i2s_sdk.own_code import OwnFunction, fault_of


class FunctionModel(ModelProvider):
    """Calls a function for each question: one call at a time, or several of an ``async`` function.

    Args:
        function: The function.
        options: Options of the calls.

    Raises:
        UsageError: The file has no such function.
    """

    vendor = "python"
    decoding: frozenset[str] = frozenset()

    def __init__(self, function: OwnFunction, options: ModelOptions) -> None:
        self.model, self._function = str(function), function
        self._call: Callable[[ReadQuestion], Any] = function.load()
        self.parameters = {"digest": function.digest}
        self.concurrency = 0 if inspect.iscoroutinefunction(self._call) else 1
        self._thread = _one_thread()

    @property
    def name(self) -> str:
        """The name of the file and of the function."""
        return self.model

    async def ask(self, question: ReadQuestion) -> Answer:
        """Call the function.

        Raises:
            RejectedError: It raised an error, or returned something other than a text.
            ModelAccessError: The question wants JSON by a schema.
        """
        refuse_schema(question, self.model)
        try:
            if inspect.iscoroutinefunction(self._call):
                text = await self._call(question)
            else:
                text = await asyncio.get_running_loop().run_in_executor(self._thread, self._call, question)
        except Exception as error:  # the code of a user may raise anything
            raise RejectedError(fault_of(self._function, error)) from error
        if not isinstance(text, str):
            raise RejectedError(f"{self.model} returned no text but {type(text).__name__}")
        return Answer(text, Finish.STOP)

    async def close(self) -> None:
        """End the thread when its call has ended; a later call has another one."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._thread = _one_thread()


def _one_thread() -> ThreadPoolExecutor:
    """Return a thread in which calls wait for each other without taking the threads of others."""
    return ThreadPoolExecutor(1, "own-model")
