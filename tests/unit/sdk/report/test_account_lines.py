"""The accounts of runs in words, wherever a mean stands."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from i2s_sdk.models.options import MAX_TOKENS_FACT
from i2s_sdk.report import print_overview, print_summary, write_report
from i2s_sdk.report.account_lines import account_lines
from i2s_sdk.report.analyses import compare_two, difficulty_tables
from i2s_sdk.report.paper_tables import table
from i2s_sdk.report.tables import markdown
from i2s_sdk.run.storage.folder import MANIFEST, read_run
from i2s_sdk.run.storage.manifest import Manifest, PlannedInstance
from i2s_sdk.run.storage.record import Failure, Outcome, Record
from i2s_sdk.stats.aggregate import Summary, summarize_run
from i2s_wire.render.rendering import Verdict
from run_folders import options, write_run
from sample_records import changed, flat_record

RENDERED = {"usable": True, "verdict": Verdict.RENDERED, "verdict_before_repair": Verdict.RENDERED}


def records(
    task: str, endings: dict[str, dict[str, object]], subset: str = "equation"
) -> tuple[list[PlannedInstance], dict[str, Record]]:
    planned = [PlannedInstance(f"{task}-{name}", task, subset, "easy") for name in endings]
    found = {}
    for one, changes in zip(planned, endings.values(), strict=True):
        plain = flat_record(
            one.id, task, subset, "easy", outcome=Outcome.SCORED, completion=f"answer {one.id}"
        )
        plain = changed(plain, reference_sha256=f"{one.id}", metrics={"ems": 0.5})
        found[one.id] = changed(plain, **{**RENDERED, **changes})  # type: ignore[arg-type]
    return planned, found


def ending(outcome: Outcome, **changes: object) -> dict[str, object]:
    return {"outcome": outcome, "usable": False, "verdict": None, "verdict_before_repair": None, **changes}


def run(
    path: Path,
    *tasks: tuple[list[PlannedInstance], dict[str, Record]],
    max_tokens: int | None = 2000,
    model: str = "m",
) -> Path:
    planned = [one for of_task, _ in tasks for one in of_task]
    samples = {name: one for _, of_task in tasks for name, one in of_task.items()}
    names = tuple(dict.fromkeys(one.task for one in planned))
    write_run(path, planned, samples, options(tasks=names, model=model, metrics={"ems": "1", "fma": "1"}))
    if max_tokens is not None:
        manifest = Manifest.parse((path / MANIFEST).read_bytes(), path)
        about = {**manifest.about, MAX_TOKENS_FACT: str(max_tokens)}
        (path / MANIFEST).write_text(replace(manifest, about=about).to_json())
    return path


def summary(path: Path) -> Summary:
    return summarize_run(read_run(path))


CUT = {"finish": "length"}
LATEX = records("latex", {str(at): CUT if at < 12 else {} for at in range(40)})


def test_the_first_line_says_how_many_were_cut_off_and_at_which_option(tmp_path: Path) -> None:
    stream = io.StringIO()
    print_summary(summary(run(tmp_path / "run", LATEX)), {}, stream)
    assert stream.getvalue().splitlines()[0] == "12 of 40 cut off at --max-tokens 2000"


def test_the_limit_of_a_replay_is_not_known_and_that_of_a_task_is_no_option(tmp_path: Path) -> None:
    unknown = summary(run(tmp_path / "a", LATEX, max_tokens=None))
    assert account_lines(unknown) == ["12 of 40 cut off at the limit of tokens"]
    both = summary(run(tmp_path / "b", LATEX, records("sobench", {"1": CUT, "2": {}}, "sobench")))
    assert account_lines(both) == [
        "12 of 42 cut off at --max-tokens 2000 (latex 12 of 40)",
        "1 of 42 cut off at 8192 tokens, the limit of the task (sobench 1 of 2)",
    ]


def test_a_server_that_refuses_everything_says_so_in_the_first_lines_and_stands_last(tmp_path: Path) -> None:
    zero = {"metrics": {"ems": 0.0}}
    refusing = records("latex", {str(at): ending(Outcome.REFUSED, **zero) for at in range(40)})
    refused = run(tmp_path / "a", refusing, model="refusing")
    working = run(tmp_path / "b", records("latex", {str(at): {} for at in range(40)}), model="working")
    assert account_lines(summary(refused)) == ["40 of 40 answers are refusals"]
    for one in table([refused, working]):
        assert [line.model for line in one.lines] == ["working", "refusing"]
        assert one.accounts == ("refusing: 40 of 40 answers are refusals.",)


def test_each_account_that_is_not_empty_has_a_line_in_the_order_of_the_run(tmp_path: Path) -> None:
    failure = Failure("ModelFailedError", "HTTP 500")
    gone = Failure("ServiceUnavailableError", "gone")
    broken = {"usable": False, "verdict_before_repair": Verdict.COMPILE_ERROR}
    planned, samples = records(
        "latex",
        {
            "a": ending(Outcome.REFUSED),
            "b": ending(Outcome.ENDED_IN_REASONING),
            "c": ending(Outcome.INPUT_REJECTED),
            "d": ending(Outcome.MODEL_FAILURE, failure=failure, completion=None),
            "e": ending(Outcome.RENDER_FAILURE, failure=gone),
            "f": ending(Outcome.NO_STRUCTURE),
            "g": {**broken, "verdict": Verdict.COMPILE_ERROR},
            "h": {**broken, "verdict": Verdict.TIME_LIMIT},
            "i": {**broken, "verdict": Verdict.COMPILE_ERROR},
            "j": {"verdict_before_repair": Verdict.COMPILE_ERROR},
            "k": {},
        },
    )
    del samples["latex-k"]
    assert account_lines(summary(run(tmp_path / "run", (planned, samples)))) == [
        "1 of 11 answers are refusals",
        "1 of 11 answers ended within their reasoning",
        "1 of 11 inputs were rejected by the server of the model",
        "1 of 11 have no answer, since calls of the model failed: 1 ModelFailedError",
        "1 of 11 were stopped by failures of services: 1 render_failure ServiceUnavailableError",
        "1 of 11 not asked, or not ended",
        "1 of 11 answers without structure",
        "3 of 11 not rendered: 2 compile error, 1 time limit",
        "1 of 11 rendered after repair",
    ]


def test_equal_answers_are_said_of_the_task(tmp_path: Path) -> None:
    same = records("latex", {str(at): {"completion": "x" if at < 38 else f"{at}"} for at in range(40)})
    assert account_lines(summary(run(tmp_path / "a", same))) == ["38 of 40 answers are the same text"]
    both = summary(run(tmp_path / "b", same, records("webpage", {"1": {}}, "css")))
    assert account_lines(both) == ["38 of 40 answers are the same text (latex)"]


def test_a_run_without_losses_has_no_line(tmp_path: Path) -> None:
    assert account_lines(summary(run(tmp_path / "run", records("latex", {"1": {}, "2": {}})))) == []


def lossy_and_whole(tmp_path: Path) -> list[Path]:
    """Return a run of 9 of 10 samples, of which the server rejected one, and a run of all ten."""
    endings: dict[str, dict[str, object]] = {str(at): {} for at in range(10)}
    whole = run(tmp_path / "whole", records("latex", endings), model="whole")
    endings["3"] = ending(Outcome.INPUT_REJECTED, metrics={}, completion=None)
    return [run(tmp_path / "lossy", records("latex", endings), model="lossy"), whole]


def test_each_run_of_a_table_has_its_own_n_of_all_its_samples(tmp_path: Path) -> None:
    runs = lossy_and_whole(tmp_path)
    for one in (*table(runs), *difficulty_tables(runs)):
        assert {line.model: line.values[-1] for line in one.lines} == {
            "lossy": "9 of 10",
            "whole": "10 of 10",
        }
        note = (
            "Values of latex are over the 9 instances that all runs scored (lossy 9 of 10, whole 10 of 10)."
        )
        assert note in one.notes
        assert one.accounts == ("lossy: 1 of 10 inputs were rejected by the server of the model.",)
        assert one.accounts[0] in markdown(one)
    report = write_report(runs, tmp_path / "both")
    assert {standing.label: standing.coverage for standing in report.standings} == {
        "lossy": {"latex": (9, 10)},
        "whole": {"latex": (10, 10)},
    }
    stream = io.StringIO()
    print_overview(report.overview, stream)
    for shown in (stream.getvalue(), (tmp_path / "both" / "index.html").read_text()):
        assert "9 of 10" in shown
        assert "10 of 10" in shown
    alone = table(runs[:1])[0]
    assert [line.values[-1] for line in alone.lines] == ["9 of 10"]


def test_a_comparison_has_the_accounts_of_all_samples_with_the_difference_of_the_shares(
    tmp_path: Path,
) -> None:
    found = compare_two(*lossy_and_whole(tmp_path))
    assert found.to_json()["accounts"] == [
        {
            "task": "latex",
            "account": "input_rejected",
            "first": {"count": 1, "of": 10},
            "second": {"count": 0, "of": 10},
            "difference": -0.1,
        }
    ]
    assert {comparison.difference.n for comparison in found.versus.comparisons} == {9}
    assert any("over the 9 instances" in note for note in found.notes)


def test_the_accounts_stand_at_the_top_of_the_report_and_in_its_comparison(tmp_path: Path) -> None:
    runs = lossy_and_whole(tmp_path)
    write_report(runs[:1])
    said = "1 of 10 inputs were rejected by the server of the model"
    overview, _, _ = (runs[0] / "index.html").read_text().partition('<section id="numbers">')
    assert f"<li>{said}</li>" in overview
    write_report(runs, tmp_path / "both")
    page = (tmp_path / "both" / "index.html").read_text()
    overview, _, rest = page.partition('<section id="numbers">')
    assert f"<li><b>lossy</b>: {said}</li>" in overview
    assert "<b>whole</b>:" not in overview
    assert "<td>input rejected</td><td>1 of 10</td><td>0 of 10</td><td>−0.100</td>" in rest


def test_results_have_the_accounts_of_each_task_and_of_all(tmp_path: Path) -> None:
    document = summary(run(tmp_path / "run", LATEX)).to_json()
    expected = {
        "planned": 40,
        "counts": {"cut_off": 12},
        "kinds": {},
        "max_tokens": 2000,
        "same_answer": None,
    }
    assert document["accounts"] == expected
    assert document["tasks"]["latex"]["accounts"] == expected
