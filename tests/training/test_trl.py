"""Rewards in TRL's own trainer, with a tiny random model on the CPU."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from i2s_sdk import Settings
from i2s_sdk.data import Instance
from i2s_training import RoundTripReward
from tiny_language_model import tiny_language_model, tiny_tokenizer

GENERATIONS = 2


@pytest.fixture(scope="module")
def reward(running: Settings) -> Iterator[RoundTripReward]:
    made = RoundTripReward(floor=0.5, normalize=True, on_data_fault="none", settings=running)
    yield made
    made.close()


def trainer_of(rewards: list[object], images: list[str | None], folder: Path) -> GRPOTrainer:
    rows = {"prompt": [f"read {number}" for number in range(len(images))], "reference": images}
    return GRPOTrainer(
        model=tiny_language_model(),
        processing_class=tiny_tokenizer(),
        args=GRPOConfig(
            output_dir=str(folder),
            use_cpu=True,
            bf16=False,
            report_to="none",
            logging_steps=1,
            max_steps=1,
            max_completion_length=8,
            num_generations=GENERATIONS,
            per_device_train_batch_size=GENERATIONS * len(images),
            shuffle_dataset=False,
            save_strategy="no",
        ),
        reward_funcs=rewards,
        train_dataset=Dataset.from_dict(rows),
    )


def test_a_step_of_training_logs_both_forms_under_their_own_names(
    reward: RoundTripReward, posterior: Instance, tmp_path: Path
) -> None:
    trainer = trainer_of([reward, reward.as_async()], [str(posterior.image)] * 2, tmp_path)
    assert trainer.reward_func_names == ["latex_ems", "latex_ems_async"]
    trainer.train()
    logged = {name: value for entry in trainer.state.log_history for name, value in entry.items()}
    # What eight random bytes render to is unknown; both forms must say the same of it.
    assert logged["rewards/latex_ems/mean"] == pytest.approx(logged["rewards/latex_ems_async/mean"])
    assert logged["reward"] == pytest.approx(2 * logged["rewards/latex_ems/mean"])
    assert logged["latex_ems/without_reward"] == 0.0
    assert 0.0 <= logged["latex_ems/usable"] <= 1.0


def test_rewards_become_numbers_and_a_data_fault_becomes_nothing(
    reward: RoundTripReward, posterior: Instance, truth: str, broken: str, tmp_path: Path
) -> None:
    images = [str(posterior.image), str(tmp_path / "missing.png")]
    trainer = trainer_of([reward, reward.as_async(), reward.round_trip_async], images, tmp_path)
    inputs = [{"prompt": "read", "reference": image} for image in images for _ in range(GENERATIONS)]
    completions = [truth, broken, truth, broken]
    found = trainer._calculate_rewards(inputs, ["read"] * 4, completions, [[1]] * 4)
    assert found.shape == (4, 3)
    for column in found.T:
        assert column[0].item() == pytest.approx(1.0)
        assert column[1].item() == pytest.approx(-1.0)  # (0 - 0.5) / (1 - 0.5)
        assert torch.isnan(column[2:]).all()


def test_trl_gives_a_completion_without_reward_no_advantage(
    running: Settings, posterior: Instance, tmp_path: Path
) -> None:
    lenient = RoundTripReward(on_data_fault="none", settings=running)
    try:
        trainer = trainer_of([lenient], [str(tmp_path / "missing.png")], tmp_path)
        trainer.train()
        assert all(advantage == 0.0 for advantage in trainer._logs["advantages"])
        assert all(math.isnan(value) for value in trainer._logs["rewards"]["latex_ems"])
    finally:
        lenient.close()


def test_a_reward_that_raises_ends_the_training_and_says_why(running: Settings, tmp_path: Path) -> None:
    strict = RoundTripReward(settings=running)
    try:
        trainer = trainer_of([strict], [str(tmp_path / "missing.png")], tmp_path)
        with pytest.raises(Exception, match=r"missing\.png: cannot be read"):
            trainer.train()
    finally:
        strict.close()
