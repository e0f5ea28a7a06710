"""The accounts of samples: every loss of a run has one, beside the values. Pure functions of records.

A sample is in each account that is true of it: one that was cut off before any code is in CUT_OFF and in
NO_STRUCTURE. N is always the number of planned samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from i2s_sdk.models.completion import BudgetSpentError
from i2s_sdk.models.model import Finish
from i2s_sdk.run.storage.manifest import GroupedSample
from i2s_sdk.run.storage.record import Outcome, Record

#: Answers of the same text that are worth saying: as many of them, to as many references.
_LEAST_SAME = 3


class Account(StrEnum):
    """The accounts, in the order in which they are shown: what became of the call, then of the answer."""

    #: The limit of tokens was reached (``finish`` is "length"), whatever became of the answer.
    CUT_OFF = "cut_off"
    #: The model, or a filter before or behind it, would not answer.
    REFUSED = "refused"
    #: The answer ends within its reasoning.
    ENDED_IN_REASONING = "ended_in_reasoning"
    #: The server of the model rejected this one input.
    INPUT_REJECTED = "input_rejected"
    #: No call of the model brought an answer; by the kind of the error.
    FAILED_CALL = "failed_call"
    #: A renderer or the metric service did not answer; by outcome and kind of the error.
    OTHER_FAILURE = "other_failure"
    #: The budget was spent, or there is no record: the run was stopped before the sample had ended.
    NOT_ASKED = "not_asked"
    #: The answer holds no code, or is too long, and is neither refused nor ended within its reasoning.
    NO_STRUCTURE = "no_structure"
    #: The code was rendered and gave no image; by verdict.
    NOT_RENDERED = "not_rendered"
    #: Nothing was rendered, or what was rendered could not be scored, and that is the model's doing.
    NOT_USABLE = "not_usable"
    #: Usable, but not without a repair.
    REPAIRED = "repaired"


#: Name of the account of answers that are the same text; ``same_answers`` finds them.
SAME_ANSWER = "same_answer"


@dataclass(frozen=True, slots=True)
class SameAnswer:
    """The most frequent completion of a task."""

    #: Answers that are this text.
    count: int
    #: Answers of the task.
    answers: int


@dataclass(frozen=True, slots=True)
class Accounts:
    """How many samples are in which account."""

    #: Samples that there are.
    planned: int
    #: Samples by account, in the order of ``Account``; accounts without samples are left out.
    counts: Mapping[str, int] = field(default_factory=dict)
    #: Samples of an account by what stopped them, sorted by name; only of accounts that have kinds.
    kinds: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    #: The most tokens of a completion; None if that is not known or the model was not called.
    max_tokens: int | None = None
    #: The most frequent completion, if more than half of the answers, and at least three to different
    #: references, are this text; None otherwise, and of several tasks.
    same_answer: SameAnswer | None = None

    def count(self, account: Account) -> int:
        """Return the number of samples in an account."""
        return self.counts.get(account, 0)


def account_samples(
    planned: Sequence[GroupedSample], records: Mapping[str, Record], max_tokens: int | None = None
) -> Accounts:
    """Return the accounts of the samples of a task.

    Args:
        planned: All of its samples.
        records: Records by instance; those of no sample are left out.
        max_tokens: The most tokens of a completion; None if it is not known.
    """
    present = [records[grouped_sample.id] for grouped_sample in planned if grouped_sample.id in records]
    counts = Counter({Account.NOT_ASKED: len(planned) - len(present)})
    kinds: dict[Account, Counter[str]] = {}
    for record in present:
        for account in accounts_of(record):
            counts[account] += 1
            if kind := kind_of(record, account):
                kinds.setdefault(account, Counter())[kind] += 1
    same = len(same_answers(present))
    answer = SameAnswer(same, sum(map(_is_answer, present))) if same else None
    return _accounts(len(planned), counts, kinds, max_tokens, answer)


def total_accounts(tasks: Iterable[Accounts]) -> Accounts:
    """Return the accounts of several tasks together."""
    planned, counts, kinds = 0, Counter[Account](), dict[Account, Counter[str]]()
    limits = set()
    for task in tasks:
        planned += task.planned
        counts.update({Account(name): count for name, count in task.counts.items()})
        for name, by_kind in task.kinds.items():
            kinds.setdefault(Account(name), Counter()).update(by_kind)
        limits.add(task.max_tokens)
    return _accounts(planned, counts, kinds, limits.pop() if len(limits) == 1 else None)


def accounts_of(record: Record) -> tuple[Account, ...]:
    """Return the accounts that a sample is in, in their order."""
    accounts = {_BY_OUTCOME[record.outcome]} if record.outcome in _BY_OUTCOME else set[Account]()
    if _is_unpaid(record):
        accounts = {Account.NOT_ASKED}
    if record.answer.finish == Finish.LENGTH:
        accounts.add(Account.CUT_OFF)
    if record.outcome is Outcome.SCORED:
        if record.rendering.verdict is not None and not record.rendering.has_image:
            accounts.add(Account.NOT_RENDERED)
        elif not record.usable:
            accounts.add(Account.NOT_USABLE)
        elif not record.usable_before_repair:
            accounts.add(Account.REPAIRED)
    return tuple(account for account in Account if account in accounts)


_BY_OUTCOME = {
    Outcome.REFUSED: Account.REFUSED,
    Outcome.ENDED_IN_REASONING: Account.ENDED_IN_REASONING,
    Outcome.NO_STRUCTURE: Account.NO_STRUCTURE,
    Outcome.INPUT_REJECTED: Account.INPUT_REJECTED,
    Outcome.MODEL_FAILURE: Account.FAILED_CALL,
    Outcome.RENDER_FAILURE: Account.OTHER_FAILURE,
    Outcome.METRIC_FAILURE: Account.OTHER_FAILURE,
    Outcome.CANCELLED: Account.NOT_ASKED,
}


def _is_unpaid(record: Record) -> bool:
    """Return whether the sample was not asked since the budget was spent."""
    return record.failure is not None and record.failure.kind == BudgetSpentError.__name__


def kind_of(record: Record, account: Account) -> str:
    """Return what stopped a sample, as its account says it; empty for an account without kinds."""
    error = record.failure.kind if record.failure is not None else "unknown"
    match account:
        case Account.FAILED_CALL:
            return error
        case Account.NOT_ASKED if _is_unpaid(record):
            return error
        case Account.OTHER_FAILURE:
            return f"{record.outcome} {error}"
        case Account.NOT_RENDERED if record.rendering.verdict is not None:
            return record.rendering.verdict.name
    return ""


def same_answers(records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the answers of a task that are one text, if it looks as if the model did not see its inputs.

    That is if they are more than half of all answers, and are given to at least three different references.
    White space around a completion does not count; predictions that are missing are not answers.
    """
    answers = [one for one in records if _is_answer(one)]
    by_text: dict[str, list[Record]] = {}
    for record in answers:
        by_text.setdefault(record.answer.completion_digest, []).append(record)
    same = max(by_text.values(), key=len, default=[])
    references = {
        one.instance.reference_sha256 or one.instance.target_sha256 or one.instance.id for one in same
    }
    return tuple(same) if 2 * len(same) > len(answers) and len(references) >= _LEAST_SAME else ()


def _is_answer(record: Record) -> bool:
    return record.answer.completion is not None and record.answer.finish != Finish.MISSING


def _accounts(
    planned: int,
    counts: Mapping[Account, int],
    kinds: Mapping[Account, Mapping[str, int]],
    max_tokens: int | None,
    same: SameAnswer | None = None,
) -> Accounts:
    return Accounts(
        planned,
        {str(account): counts[account] for account in Account if counts.get(account)},
        {str(account): dict(sorted(kinds[account].items())) for account in Account if account in kinds},
        max_tokens,
        same,
    )
