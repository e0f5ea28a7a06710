"""The accounts of a run in words: lines above its numbers, one sentence below a table, and comparisons."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from i2s_sdk.report.view import usable_word
from i2s_sdk.stats.accounts import SAME_ANSWER, Account, Accounts, total_accounts
from i2s_sdk.stats.aggregate import Summary
from i2s_sdk.tasks.registry import task_spec

#: What is said of the samples in an account, behind "12 of 40".
_WORDS = {
    Account.REFUSED: "answers are refusals",
    Account.ENDED_IN_REASONING: "answers ended within their reasoning",
    Account.INPUT_REJECTED: "inputs were rejected by the server of the model",
    Account.FAILED_CALL: "have no answer, since calls of the model failed",
    Account.OTHER_FAILURE: "were stopped by failures of services",
    Account.NOT_ASKED: "not asked, or not ended",
    Account.NO_STRUCTURE: "answers without structure",
    Account.NOT_RENDERED: "not rendered",
    Account.NOT_USABLE: "not usable",
}

#: The same in headings, where no number stands before it.
_TITLES = {
    Account.CUT_OFF: "cut off",
    Account.REFUSED: "refused",
    Account.ENDED_IN_REASONING: "ended within reasoning",
    Account.INPUT_REJECTED: "input rejected",
    Account.FAILED_CALL: "call failed",
    Account.OTHER_FAILURE: "stopped by a service",
    Account.NOT_ASKED: "not asked",
    Account.NO_STRUCTURE: "no structure",
    Account.NOT_RENDERED: "not rendered",
    Account.NOT_USABLE: "not usable",
    Account.REPAIRED: "usable after repair",
}


def account_lines(summary: Summary, tasks: Collection[str] = ()) -> list[str]:
    """Return what became of the samples of a run, as "12 of 40 cut off at --max-tokens 2000".

    Each account that is not empty has a line, in the order of ``Account``, with the share of each task if
    there are several. Cut-off answers come first; equal answers stand before those without structure.

    Args:
        summary: The numbers of the run.
        tasks: Names of the tasks that are counted; empty for all.
    """
    accounts = {
        task: task_result.accounts
        for task, task_result in summary.tasks.items()
        if not tasks or task in tasks
    }
    lines: list[str] = []
    for account in Account:
        if account is Account.NO_STRUCTURE:
            lines += _same_answers(accounts)
        groups: dict[str, dict[str, Accounts]] = {}
        for task, own in accounts.items():
            if own.count(account):
                groups.setdefault(_words(task, account, own), {})[task] = own
        planned = sum(own.planned for own in accounts.values())
        for words, group in groups.items():
            count = sum(own.count(account) for own in group.values())
            by_task = ", ".join(
                f"{task} {own.count(account)} of {own.planned}" for task, own in group.items()
            )
            kinds = _kinds(account, group.values())
            line = f"{count} of {planned} {words}{f': {kinds}' if kinds else ''}"
            lines.append(f"{line} ({by_task})" if len(accounts) > 1 else line)
    return lines


def loss_words(summary: Summary) -> tuple[str, ...]:
    """Return what was lost of the samples of a run in words, as "2 not rendered"; empty if nothing was."""
    accounts = total_accounts(result.accounts for result in summary.tasks.values())
    lost = (account for account in Account if account is not Account.REPAIRED and accounts.count(account))
    return tuple(f"{accounts.count(account)} {_TITLES[account]}" for account in lost)


def account_note(label: str, summary: Summary, tasks: Collection[str]) -> list[str]:
    """Return the accounts of a run in some tasks as one sentence below a table; none if all are empty."""
    lines = account_lines(summary, tasks)
    return [f"{label}: {'; '.join(lines)}."] if lines else []


@dataclass(frozen=True, slots=True)
class AccountDifference:
    """An account of a task in two runs, each of all its own samples."""

    #: Name of the task.
    task: str
    #: Name of the account; "same_answer" for the most frequent completion.
    account: str
    #: The name for people.
    title: str
    #: Samples of the first run, and of how many.
    first: tuple[int, int]
    #: The same of the second run.
    second: tuple[int, int]

    @property
    def difference(self) -> float | None:
        """The share of the second run less that of the first; None if a run has no samples."""
        if not (self.first[1] and self.second[1]):
            return None
        return self.second[0] / self.second[1] - self.first[0] / self.first[1]

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return {
            "task": self.task,
            "account": self.account,
            "first": {"count": self.first[0], "of": self.first[1]},
            "second": {"count": self.second[0], "of": self.second[1]},
            "difference": self.difference,
        }


def account_differences(first: Summary, second: Summary) -> list[AccountDifference]:
    """Return how the accounts of two runs differ in the tasks of both.

    Accounts that are empty in both are left out.
    """
    differences = []
    for task in (one for one in first.tasks if one in second.tasks):
        both = first.tasks[task].accounts, second.tasks[task].accounts
        for account in Account:
            counts = [(accounts.count(account), accounts.planned) for accounts in both]
            if any(count for count, _ in counts):
                differences.append(AccountDifference(task, str(account), _TITLES[account], *counts))
        if any(accounts.same_answer for accounts in both):
            same = [_same_of(accounts) for accounts in both]
            differences.append(AccountDifference(task, SAME_ANSWER, "the same text", *same))
    return differences


def _same_of(accounts: Accounts) -> tuple[int, int]:
    same = accounts.same_answer
    return (same.count, same.answers) if same is not None else (0, accounts.planned)


def _same_answers(accounts: Mapping[str, Accounts]) -> Iterator[str]:
    for task, own in accounts.items():
        if own.same_answer is not None:
            where = f" ({task})" if len(accounts) > 1 else ""
            yield f"{own.same_answer.count} of {own.same_answer.answers} answers are the same text{where}"


def _words(task: str, account: Account, own: Accounts) -> str:
    """Return what is said of the samples in an account of a task; samples of equal words share a line."""
    if account is Account.REPAIRED:
        return f"{usable_word(task)} after repair"
    if account is not Account.CUT_OFF:
        return _WORDS[account]
    if own.max_tokens is None:
        return "cut off at the limit of tokens"
    if task_spec(task).max_tokens is not None:
        return f"cut off at {own.max_tokens} tokens, the limit of the task"
    return f"cut off at --max-tokens {own.max_tokens}"


def _kinds(account: Account, group: Collection[Accounts]) -> str:
    """Return the kinds of an account with their counts, the most frequent first."""
    counts: dict[str, int] = {}
    for own in group:
        for kind, count in own.kinds.get(account, {}).items():
            counts[kind] = counts.get(kind, 0) + count
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count} {_kind(name)}" for name, count in ordered)


def _kind(name: str) -> str:
    """Return a verdict or an outcome for people; names of errors stay."""
    return name.lower().replace("_", " ") if name.isupper() else name
