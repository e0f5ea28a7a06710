"""A model of the user: a function of a question in a Python file.

::

    def model(question):             # question.text, question.system, question.images[0].path, …
        return "the answer"
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
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
        self._one_at_a_time = threading.Lock()

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
                text = await asyncio.to_thread(self._called_alone, question)
        except Exception as error:  # the code of a user may raise anything
            raise RejectedError(fault_of(self._function, error)) from error
        if not isinstance(text, str):
            raise RejectedError(f"{self.model} returned no text but {type(text).__name__}")
        return Answer(text, Finish.STOP)

    def _called_alone(self, question: ReadQuestion) -> object:
        with self._one_at_a_time:
            return self._call(question)

    async def close(self) -> None:
        """Do nothing: a function holds nothing."""
