"""What the released evaluation answers, recorded: letters and texts in profile ``helm``."""

import json
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.profile import Profile
from i2s_sdk.scoring.scorer import Scorable
from i2s_sdk.tasks.visualwebbench.letters import index_of, released_letter
from i2s_sdk.tasks.visualwebbench.rouge import rouge_scores
from i2s_sdk.tasks.visualwebbench.text_scorers import QuestionScorer, RougeScorer

SHARED = Path(__file__).parents[6] / "shared/companions/vectors"


def shared(name: str) -> list[dict[str, Any]]:
    path = SHARED / name
    if not path.exists():
        pytest.skip("no shared folder beside this checkout")
    vectors: list[dict[str, Any]] = json.loads(path.read_text())
    return vectors


def test_letters_are_those_of_the_released_evaluation() -> None:
    for vector in shared("vwb_choice_vectors.json"):
        letter = released_letter(vector["response"])
        assert (letter or "z", index_of(letter or "")) == (vector["parsed"], vector["index"]), vector


def test_texts_have_the_values_of_the_released_evaluation() -> None:
    for vector in shared("vwb_rouge_vectors.json"):
        (answer,), (gold,) = vector["pred"], vector["gold"]
        found: dict[str, float] = {}
        if vector["fn"] == "raw_rouge":
            scores = rouge_scores(answer, gold)
            found = {"rouge-1": scores.rouge_1, "rouge-2": scores.rouge_2, "rouge-l": scores.rouge_l}
        else:
            least = 2 if vector["fn"] == "eval_element_ocr" else 1
            question = vector["fn"] == "eval_webqa"
            scorer = QuestionScorer(Profile.HELM) if question else RougeScorer(Profile.HELM, least)
            values = scorer.score(Scorable("a", answer, target=gold))
            if "raises" in vector["out"]:
                assert set(values.metrics.values()) == {None}
                assert all(reason.endswith(vector["out"]["raises"]) for reason in values.undefined.values())
                continue
            found = {name: 100 * value for name, value in values.metrics.items() if value is not None}
        assert found == pytest.approx(vector["out"], rel=1e-13), vector
