"""Episodes in TRL's own trainer, as environments: what the model says is written down here."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_chat_template

from i2s_sdk import Settings
from i2s_sdk.data import Instance
from i2s_training import EpisodeEnvironment, RoundTripReward
from tiny_language_model import tiny_language_model, tiny_tokenizer

GENERATIONS = 2


def submits(answer: str) -> str:
    call = json.dumps({"name": "submit", "arguments": {"answer": answer}})
    return f"<tool_call>\n{call}\n</tool_call>"


class Scripted(GRPOTrainer):
    """The trainer, whose model says what a test has written down."""

    scripts: list[list[str]]
    shown: list[str]

    def _generate_single_turn(
        self, prompt_ids: list[list[int]], *args: Any, **kwargs: Any
    ) -> tuple[list[list[int]], None]:
        tokenizer = self.processing_class
        self.shown += tokenizer.batch_decode(prompt_ids)
        texts = [script.pop(0) for script in self.scripts if script]
        assert len(texts) == len(prompt_ids), "who has called a tool is asked again"
        return [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts], None


@pytest.fixture(scope="module")
def reward(running: Settings) -> Iterator[RoundTripReward]:
    made = RoundTripReward(floor=0.5, normalize=True, clip=True, settings=running)
    yield made
    made.close()


def trained(
    reward: RoundTripReward, rows: dict[str, list[Any]], scripts: list[list[str]], folder: Path
) -> Scripted:
    tokenizer = tiny_tokenizer()
    tokenizer.chat_template = qwen3_chat_template
    trainer = Scripted(
        model=tiny_language_model(),
        processing_class=tokenizer,
        args=GRPOConfig(
            output_dir=str(folder),
            use_cpu=True,
            bf16=False,
            report_to="none",
            logging_steps=1,
            max_steps=1,
            max_completion_length=3000,
            num_generations=GENERATIONS,
            per_device_train_batch_size=GENERATIONS,
            shuffle_dataset=False,
            save_strategy="no",
        ),
        environment_factory=EpisodeEnvironment.factory(reward, turns=3, images=False),
        train_dataset=Dataset.from_dict(rows),
    )
    trainer.scripts, trainer.shown = scripts, []
    trainer.train()
    return trainer


def test_a_step_of_training_rewards_the_last_answer_that_was_submitted(
    reward: RoundTripReward, posterior: Instance, truth: str, broken: str, tmp_path: Path
) -> None:
    scripts = [[submits(broken), submits(truth), "That is it."], ["I cannot see an image."]]
    trainer = trained(reward, {"instance": [posterior.id]}, scripts, tmp_path)
    (rewards,) = trainer._logs["rewards"].values()
    assert list(rewards) == pytest.approx([1.0, 0.0])
    assert "LaTeX" in trainer.shown[0]
    assert '"name": "submit"' in trainer.shown[0]
    seen = "".join(trainer.shown)
    assert "could not be rendered" in seen
    assert "The first error is" in seen
    logged = {name: value for entry in trainer.state.log_history for name, value in entry.items()}
    assert logged["rewards/EpisodeEnvironment/mean"] == pytest.approx(0.5)
    assert logged["tools/failure_frequency"] == 0.0


def test_an_episode_that_a_service_failed_has_no_advantage(
    posterior: Instance, truth: str, tmp_path: Path
) -> None:
    nobody = "127.0.0.1:9"
    gone = RoundTripReward(
        settings=Settings(render_latex=nobody, metrics=nobody, retry_seconds=0.1, start_seconds=0.1)
    )
    rows = {"prompt": [[{"role": "user", "content": "read"}]], "reference": [str(posterior.image)]}
    scripts = [[submits(truth), "done"] for _ in range(GENERATIONS)]
    trainer = trained(gone, rows, scripts, tmp_path)
    (rewards,) = trainer._logs["rewards"].values()
    assert all(math.isnan(one) for one in rewards)
    assert list(trainer._logs["advantages"]) == [0.0] * GENERATIONS
    assert "was not judged because of a failure of the machine" in "".join(trainer.shown)
