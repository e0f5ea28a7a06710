"""Rewards as verl and OpenRLHF call them, with the scorer of SO-Bench, which needs no service."""

from __future__ import annotations

import inspect
import json
import logging
import pickle
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.errors import DataError, ServiceError, UsageError
from i2s_sdk.settings import Settings
from i2s_training import OpenRLHFReward, RoundTripReward, StructuredOutputReward, VerlReward
from i2s_training.openrlhf_reward import END_TOKENS, answer_of
from i2s_training.verl_reward import _frozen, _kept

SCHEMA = {"type": "object", "required": ["a", "b"]}
GOLD = {"a": 1, "b": "x"}
ROW = {"schema": SCHEMA, "answer": GOLD}
GOOD, HALF, BAD = '{"a": 1, "b": "x"}', '{"a": 1}', "I cannot."
NOT_DEFINED = {**ROW, "labels": {"a": "ignore", "b": "ignore"}}


@pytest.fixture(scope="module")
def reward() -> Iterator[StructuredOutputReward]:
    made = StructuredOutputReward(profile="paper", settings=Settings())
    yield made
    made.close()


@pytest.mark.slow
async def test_verl_gets_a_dictionary_for_each_completion(reward: StructuredOutputReward) -> None:
    verl = VerlReward(reward)
    assert inspect.iscoroutinefunction(verl.compute_score)
    truth = GOLD
    found = [
        await verl.compute_score("any", text, truth, {"schema": SCHEMA, "answer": GOLD, "index": 3})
        for text in (GOOD, BAD)
    ]
    assert found[0] == {"score": 1.0, "acc": 1.0, "usable": 1.0, "verdict": "SCORED"}
    assert found[1] == {"score": -0.1, "acc": -0.1, "usable": 0.0, "verdict": "NO_STRUCTURE"}


@pytest.mark.slow
def test_verl_gets_a_batch_in_its_order_with_the_same_names_for_all(reward: StructuredOutputReward) -> None:
    verl = VerlReward(reward)
    texts = [BAD, GOOD, HALF] * 3
    found = verl.compute_score_batch(
        data_sources=["any"] * 9,
        solution_strs=texts,
        ground_truths=[GOLD] * 9,
        extra_infos=[{"schema": SCHEMA, "answer": GOLD, "rollout_reward_scores": {}}] * 9,
    )
    assert [one["score"] for one in found] == pytest.approx([-0.1, 1.0, 0.8 / 9] * 3)
    assert len({tuple(one) for one in found}) == 1
    one = verl.compute_score_sync("any", GOOD, json.dumps(GOLD), {"schema": SCHEMA, "answer": GOLD})
    assert one["score"] == 1.0


@pytest.mark.slow
def test_verl_is_told_of_data_faults_and_gets_no_number(reward: StructuredOutputReward) -> None:
    verl = VerlReward(reward)
    with pytest.raises(DataError, match="none of the metrics of the reward is defined"):
        verl.compute_score_sync("any", GOOD, "", NOT_DEFINED)
    with pytest.raises(DataError, match="holds no instance 'nobody'"):
        verl.compute_score_sync("any", GOOD, "", {"instance": "nobody"})
    with pytest.raises(UsageError, match="'schema' and 'answer'"):
        verl.compute_score_sync("any", GOOD, "text", None)


def test_columns_of_verl_come_from_both_places_and_empty_ones_are_none() -> None:
    verl = VerlReward(RoundTripReward(settings=Settings()))
    columns = verl._columns(
        ["x^2", "", {"structure": "y"}, "z"],
        [
            {"image": "a.png", "floor": None},
            {"image": "b.png", "floor": 0.5},
            {"image": "c.png"},
            {"instance": "d"},
        ],
    )
    assert columns == {
        "instance": [None, None, None, "d"],
        "image": ["a.png", "b.png", "c.png", None],
        "structure": ["x^2", None, "y", None],
        "floor": [None, 0.5, None, None],
    }


def test_one_reward_is_kept_for_each_set_of_arguments() -> None:
    first = _kept(_frozen({"weights": {"ems": 0.8, "edit": 0.2}, "tasks": ["latex", "music"], "floor": 0.5}))
    again = _kept(_frozen({"tasks": ["latex", "music"], "floor": 0.5, "weights": {"edit": 0.2, "ems": 0.8}}))
    assert first is again
    assert first is not _kept(_frozen({"weights": {"ems": 0.8, "edit": 0.2}}))
    assert isinstance(first.reward, RoundTripReward)
    assert first.reward._weights == {"edit": 0.2, "ems": 0.8}


@pytest.mark.slow
def test_openrlhf_gets_numbers_for_one_completion_and_lists_for_several(
    reward: StructuredOutputReward,
) -> None:
    function = OpenRLHFReward(reward)
    label, prompt = json.dumps({**ROW, "note": "ignored"}), "<|im_start|>user\nread<|im_end|>\n"
    assert function([prompt + GOOD + "<|im_end|>\n"[:-1]], [prompt], [label]) == {
        "rewards": 1.0,
        "scores": 1.0,
        "extra_logs": {"structured_output/reward": 1.0, "structured_output/usable": 1.0},
    }
    both = function([prompt + GOOD, prompt + BAD], [prompt] * 2, [label, ROW])
    assert both["rewards"] == both["scores"] == [1.0, -0.1]


@pytest.mark.slow
def test_openrlhf_is_told_of_faults_in_the_log_since_it_catches_them(
    reward: StructuredOutputReward, caplog: pytest.LogCaptureFixture
) -> None:
    function = OpenRLHFReward(reward)
    for label, message in [
        ("nobody", "holds no instance 'nobody'"),
        ("{", "is not JSON"),
        ("", "--data.label_key"),
        (None, "--data.label_key"),
        (json.dumps(NOT_DEFINED), "none of the metrics"),
    ]:
        caplog.clear()
        with caplog.at_level(logging.ERROR), pytest.raises(UsageError, match=message):
            function(["p" + GOOD], ["p"], [label])
        assert message in caplog.text


@given(
    prompt=st.text("ab<|>\n", max_size=40),
    answer=st.text("ab{}\n", max_size=40),
    end=st.lists(st.sampled_from(END_TOKENS), max_size=2).map("".join),
)
def test_the_answer_is_what_follows_the_prompt_less_special_tokens(
    prompt: str, answer: str, end: str
) -> None:
    assert answer_of(prompt + answer + end, prompt) == answer


@given(cut=st.integers(0, 30), answer=st.text("xyz\n", max_size=40))
def test_a_prompt_whose_beginning_was_cut_off_or_changed_is_found_by_its_end(cut: int, answer: str) -> None:
    prompt = "<image>What is this? Answer with code.\nassistant:"
    shortened = "".join(["<pad>" * (cut % 3), prompt[cut:]])
    assert answer_of(shortened + answer, prompt) == answer


def test_an_answer_that_repeats_the_prompt_is_taken_whole() -> None:
    prompt = "<|user|>look: <|image|><|end|>read it\n<|assistant|>"
    answer = f"I repeat: {prompt} done, read it\n<|assistant|> again"
    expanded = prompt.replace("<|image|>", "<|image|>" * 5)
    for shown in (prompt, prompt[5:], expanded):
        assert answer_of(shown + answer, prompt) == answer


def test_a_text_without_its_prompt_is_refused() -> None:
    with pytest.raises(UsageError, match="does not hold the end of its prompt"):
        answer_of("something else", "a prompt of its own")


def test_each_reward_has_a_name_of_its_own() -> None:
    settings = Settings()
    rewards = [
        RoundTripReward(settings=settings),
        RoundTripReward("music", settings=settings),
        RoundTripReward(weights={"ems": 0.8, "edit": 0.2}, settings=settings),
        RoundTripReward(name="mine", settings=settings),
        StructuredOutputReward(settings=settings),
    ]
    names = [one.__name__ for one in rewards]
    assert names == ["latex_ems", "music_ems", "latex_ems_edit", "mine", "structured_output"]
    assert [one.as_async().__name__ for one in rewards] == [f"{name}_async" for name in names]
    assert VerlReward(rewards[0]).__name__ == "verl_latex_ems"
    assert OpenRLHFReward(rewards[0]).__name__ == "openrlhf_latex_ems"


def test_options_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="on_data_fault 'zero'"):
        RoundTripReward(on_data_fault="zero", settings=Settings())
    with pytest.raises(UsageError, match="below the ceiling"):
        RoundTripReward(floor=1.0, settings=Settings())


@pytest.mark.slow
def test_a_reward_can_be_sent_to_another_process() -> None:
    made = StructuredOutputReward(floor=0.5, name="sent", profile="paper", settings=Settings())
    assert made(completions=[GOOD], schema=[SCHEMA], answer=[GOLD]) == [0.5]
    again = pickle.loads(pickle.dumps(made))
    try:
        assert again.__name__ == "sent"
        assert again(completions=[GOOD], schema=[SCHEMA], answer=[GOLD]) == [0.5]
        assert pickle.loads(pickle.dumps(made.as_async())).__name__ == "sent_async"
    finally:
        made.close()
        again.close()


@pytest.mark.slow
async def test_batches_can_be_awaited_at_the_same_time_and_metrics_logged(
    reward: StructuredOutputReward,
) -> None:
    logged: dict[str, float] = {}
    columns = {"schema": [SCHEMA] * 2, "answer": [GOLD] * 2}
    found = await reward.as_async()(
        None, [GOOD, BAD], prompts_of_others=[1, 2], log_metric=logged.__setitem__, **columns
    )
    assert found == [1.0, -0.1]
    assert logged == {"structured_output/usable": 0.5, "structured_output/without_reward": 0.0}


@pytest.mark.slow
def test_a_data_fault_is_raised_or_none_and_never_a_number(
    reward: StructuredOutputReward, caplog: pytest.LogCaptureFixture
) -> None:
    columns = {"schema": [SCHEMA] * 3, "answer": [GOLD] * 3, "floor": [0.5, 2.0, None]}
    with pytest.raises(DataError, match="floor 2 must be below the ceiling"):
        reward(completions=[GOOD] * 3, **columns)
    lenient = StructuredOutputReward(on_data_fault="none", profile="paper", settings=Settings())
    try:
        with caplog.at_level(logging.WARNING):
            assert lenient(completions=[GOOD] * 3, **columns) == [0.5, None, 1.0]
        assert "1 of 3 completions have no reward" in caplog.text
        assert lenient(completions=[GOOD], instance=["nobody"]) == [None]
    finally:
        lenient.close()


def test_services_that_are_gone_are_an_error_for_verl_and_openrlhf_and_no_number() -> None:
    nobody = "127.0.0.1:9"
    settings = Settings(render_latex=nobody, metrics=nobody, retry_seconds=0.1, start_seconds=0.1)
    gone = RoundTripReward(settings=settings)
    about = {"image": b"\x89PNG"}
    with pytest.raises(ServiceError):
        VerlReward(gone).compute_score_batch(["any"] * 2, ["$x$"] * 2, [""] * 2, [about] * 2)
    with pytest.raises(ServiceError):
        OpenRLHFReward(gone)(["read: $x$"], ["read: "], [{"image": b"\x89PNG"}])
    gone.close()
