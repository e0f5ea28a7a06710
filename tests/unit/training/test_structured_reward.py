"""The reward of the paper of SO-Bench."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from i2s_sdk.errors import UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.sobench.reward import structured_output_reward
from i2s_training import StructuredOutputReward

pytestmark = pytest.mark.slow
GOLD = {"a": 1, "b": "x"}
SCHEMA = {"type": "object", "required": ["a", "b"]}


@pytest.fixture(scope="module")
def reward() -> Iterator[StructuredOutputReward]:
    made = StructuredOutputReward(profile="paper", settings=Settings())
    yield made
    made.close()


def test_the_square_of_the_field_match_accuracy_counts_less_if_the_schema_does_not_hold() -> None:
    assert structured_output_reward(0.5, True) == 0.25
    assert structured_output_reward(0.5, False) == pytest.approx(0.2)
    assert structured_output_reward(1.0, True) == 1.0


def test_a_batch_has_a_reward_for_each_completion(reward: StructuredOutputReward) -> None:
    completions = [
        '```json\n{"a": 1, "b": "x"}\n```',
        [{"role": "assistant", "content": '{"a": 1, "b": "y"}'}],
        '{"a": 1}',
        "I cannot.",
        "{}",
    ]
    n = len(completions)
    found = reward(None, completions, schema=[SCHEMA] * n, answer=[GOLD] * n, prompt_id=list(range(n)))
    # Three fields count: the root, a and b.
    assert found == [1.0, pytest.approx(1 / 9), pytest.approx(0.8 / 9), -0.1, 0.0]


def test_labels_and_instances_decide_as_in_a_run(reward: StructuredOutputReward) -> None:
    ignored = {"a": "ignore", "b": "ignore"}
    columns = {
        "schema": [SCHEMA] * 2,
        "answer": [GOLD] * 2,
        "labels": [{"a": "ignore", "b": "exact"}, ignored],
    }
    assert reward(completions=['{"a": 7, "b": "x"}'] * 2, **columns) == [1.0, None]
    instance = Instance(
        "i", "sobench", "s", None, inputs={"schema": {"type": "array"}}, target={"answer": GOLD}
    )
    assert reward(completions=['{"a": 1, "b": "x"}'], instance=[instance]) == [pytest.approx(0.8)]


def test_a_hostile_answer_has_the_reward_of_one_that_cannot_be_read(reward: StructuredOutputReward) -> None:
    schema = {"pattern": "^(a+)+$"}
    assert reward(completions=[f'"{"a" * 40}!"'], schema=[schema], answer=["a"]) == [-0.1]


def test_a_column_that_is_missing_or_too_short_is_named(reward: StructuredOutputReward) -> None:
    with pytest.raises(UsageError, match="'schema' and 'answer'"):
        reward(completions=["{}"], schema=[{}])
    with pytest.raises(UsageError, match="2 values for 1"):
        reward(completions=["{}"], schema=[{}], answer=[{}, {}])
    with pytest.raises(UsageError, match="on_failure"):
        StructuredOutputReward(on_failure="zero", settings=Settings())
