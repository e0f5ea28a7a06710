"""Objects that stand for models: what they have is used, and what they lack has a default."""

from __future__ import annotations

from collections.abc import Sequence

from i2s_sdk.instances.instance import Instance
from i2s_sdk.models import Completion, close_model, open_model
from i2s_sdk.tasks.question import Question

INSTANCE = Instance("a", "latex", "s", None)


class Plain:
    """The least that a model has."""

    name = "own"
    fingerprint = "1"

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the id of the instance."""
        return Completion(instance.id)


class Rich(Plain):
    """A model that has all that is looked for."""

    whole = True
    concurrency = 3
    on_call = None
    on_wait = None

    def __init__(self) -> None:
        self.done: list[object] = []

    def prepare(self, instances: Sequence[Instance]) -> None:
        """Note it."""
        self.done += [instance.id for instance in instances]

    async def close(self) -> None:
        """Note it."""
        self.done.append("closed")


async def test_an_object_with_a_name_a_fingerprint_and_completions_is_a_model() -> None:
    model = open_model(Plain())
    assert (model.name, model.fingerprint, model.sampling_fingerprint) == ("own", "1", "1")
    assert (model.whole, model.concurrency, model.options, model.takes_kept_answers) == (
        False,
        0,
        None,
        False,
    )
    assert (await model.complete(INSTANCE, Question(()))).text == "a"
    model.prepare([INSTANCE])
    model.on_call, model.on_wait = None, None
    await model.preflight(False)
    assert not await model.is_kept(INSTANCE, Question(()))
    await close_model(Plain())


async def test_what_an_object_has_of_a_model_is_used() -> None:
    rich = Rich()
    model = open_model(rich)
    assert (model.whole, model.concurrency) == (True, 3)
    model.prepare([INSTANCE])
    await close_model(rich)
    assert rich.done == ["a", "closed"]
    said: list[str] = []
    model.on_wait = said.append
    assert rich.on_wait == said.append
    assert model.on_wait == said.append


def test_a_model_stays_what_it_is() -> None:
    oracle = open_model("oracle")
    assert open_model(oracle) is oracle
