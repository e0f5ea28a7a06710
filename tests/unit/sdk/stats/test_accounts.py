"""What became of samples beside their values."""

from __future__ import annotations

import random

import pytest

from i2s_sdk.models.completion import BudgetSpentError
from i2s_sdk.models.model import Finish
from i2s_sdk.run.storage.codec import read_record, record_line
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Failure, Outcome, Record, without_texts
from i2s_sdk.stats.accounts import (
    Account,
    SameAnswer,
    account_samples,
    accounts_of,
    same_answers,
    total_accounts,
)
from i2s_wire.render.rendering import Verdict
from sample_records import changed, flat_record


def sample(name: str = "a", outcome: Outcome = Outcome.SCORED, **changes: object) -> Record:
    plain = flat_record(name, "latex", "equation", "", outcome=outcome, completion=f"answer {name}")
    return changed(plain, **{"reference_sha256": f"r{name}", **changes})  # type: ignore[arg-type]


RENDERED = {"usable": True, "verdict": Verdict.RENDERED, "verdict_before_repair": Verdict.RENDERED}
BROKEN = {"verdict": Verdict.COMPILE_ERROR, "verdict_before_repair": Verdict.COMPILE_ERROR}


@pytest.mark.parametrize(
    ("record", "accounts"),
    [
        (sample(**RENDERED), ()),
        (sample(**RENDERED, finish="length"), (Account.CUT_OFF,)),
        (sample(**BROKEN, finish="length"), (Account.CUT_OFF, Account.NOT_RENDERED)),
        (sample(outcome=Outcome.NO_STRUCTURE, finish="length"), (Account.CUT_OFF, Account.NO_STRUCTURE)),
        (
            sample(outcome=Outcome.ENDED_IN_REASONING, finish="length"),
            (Account.CUT_OFF, Account.ENDED_IN_REASONING),
        ),
        (sample(outcome=Outcome.REFUSED), (Account.REFUSED,)),
        (sample(outcome=Outcome.INPUT_REJECTED), (Account.INPUT_REJECTED,)),
        (sample(**RENDERED | {"verdict_before_repair": Verdict.COMPILE_ERROR}), (Account.REPAIRED,)),
        (sample(**RENDERED | {"usable": False}), (Account.NOT_USABLE,)),
        (sample(), (Account.NOT_USABLE,)),
        (sample(usable=True), ()),
        (sample(outcome=Outcome.METRIC_FAILURE, **RENDERED), (Account.OTHER_FAILURE,)),
        (sample(outcome=Outcome.CANCELLED), (Account.NOT_ASKED,)),
    ],
)
def test_a_sample_is_in_each_account_that_is_true_of_it(
    record: Record, accounts: tuple[Account, ...]
) -> None:
    assert accounts_of(record) == accounts
    assert accounts_of(without_texts(record)) == accounts


def test_every_outcome_that_has_no_value_of_a_rendering_is_in_an_account() -> None:
    without = [outcome for outcome in Outcome if outcome is not Outcome.SCORED]
    assert all(accounts_of(sample(outcome=one)) for one in without)


def test_the_sum_of_a_task_holds_every_planned_sample_and_kinds_by_name() -> None:
    failed = {"completion": None, "outcome": Outcome.MODEL_FAILURE}
    spent = Failure(BudgetSpentError.__name__, "spent")
    records = [
        sample("a", **BROKEN),
        sample("b", **BROKEN | {"verdict": Verdict.TIME_LIMIT}),
        sample("c", **failed, failure=Failure("ModelFailedError", "HTTP 500")),
        sample("d", **failed, failure=spent),
        sample("e", Outcome.RENDER_FAILURE, failure=Failure("ServiceUnavailableError", "gone")),
        sample("f", Outcome.INPUT_REJECTED, completion=None),
    ]
    planned = [PlannedInstance(name, "latex", "equation") for name in "abcdefg"]
    found = account_samples(planned, {record.instance.id: record for record in records}, 2000)
    assert (found.planned, found.max_tokens) == (7, 2000)
    assert found.counts == {
        "input_rejected": 1,
        "failed_call": 1,
        "other_failure": 1,
        "not_asked": 2,
        "not_rendered": 2,
    }
    assert found.kinds == {
        "failed_call": {"ModelFailedError": 1},
        "other_failure": {"render_failure ServiceUnavailableError": 1},
        "not_asked": {"BudgetSpentError": 1},
        "not_rendered": {"COMPILE_ERROR": 1, "TIME_LIMIT": 1},
    }
    random.Random(1).shuffle(records)
    again = account_samples(planned[::-1], {record.instance.id: record for record in records}, 2000)
    assert list(again.counts.items()) == list(found.counts.items())
    assert again == found


def test_the_accounts_of_tasks_are_added_up_and_a_limit_is_that_of_all() -> None:
    planned = [PlannedInstance("a", "latex", "equation"), PlannedInstance("b", "latex", "equation")]
    one = account_samples(planned, {"a": sample(finish="length", **BROKEN)}, 2000)
    other = account_samples(planned[:1], {"a": sample(**BROKEN)}, 512)
    found = total_accounts([one, other])
    assert (found.planned, found.max_tokens, found.same_answer) == (3, None, None)
    assert found.counts == {"cut_off": 1, "not_asked": 1, "not_rendered": 2}
    assert found.kinds == {"not_rendered": {"COMPILE_ERROR": 2}}
    assert total_accounts([one, one]).max_tokens == 2000


def alike(count: int, others: int, **changes: object) -> list[Record]:
    same = [sample(f"s{at}", **{"completion": f" x^2\n{' ' * at}", **changes}) for at in range(count)]
    return [*same, *(sample(f"o{at}") for at in range(others))]


def test_answers_to_different_images_that_are_one_text_are_found_without_their_texts() -> None:
    records = alike(38, 2)
    planned = [PlannedInstance(record.instance.id, "latex", "equation") for record in records]
    kept = {record.instance.id: without_texts(record) for record in records}
    assert account_samples(planned, kept).same_answer == SameAnswer(38, 40)
    assert {same_answer.instance.id for same_answer in same_answers(kept.values())} == {
        record.instance.id for record in records[:38]
    }


@pytest.mark.parametrize(
    "records",
    [
        alike(2, 0),  # two may be chance
        alike(3, 3),  # half is not more than half
        alike(5, 0, reference_sha256="one"),  # one image has one answer
        alike(5, 0, finish=Finish.MISSING),  # predictions that are not there
        alike(5, 0, completion=None, outcome=Outcome.MODEL_FAILURE),
    ],
)
def test_few_answers_or_answers_to_one_image_may_be_alike(records: list[Record]) -> None:
    assert same_answers(records) == ()


def test_a_digest_of_a_completion_is_not_written() -> None:
    record = sample(completion=" x ")
    assert record.answer.completion_digest == without_texts(record).answer.completion_digest
    assert record.answer.completion_digest == sample(completion="x").answer.completion_digest
    assert "kept_digest" not in record_line(without_texts(record))
    assert read_record(record_line(record) | {"kept_digest": "made up"}) == record
    assert read_record(record_line(record) | {"kept_digest": "made up"}).answer.completion_digest != "made up"
    assert sample(completion=None).answer.completion_digest == ""
    assert sample(completion="\ud800").answer.completion_digest
