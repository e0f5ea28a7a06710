"""A judge over a run: what it is asked, what is kept, and what its numbers are."""

from __future__ import annotations

import hashlib
import json
import uuid
from pathlib import Path

import pytest
from click.testing import CliRunner

from chat_server import REFUSAL, ChatServer
from i2s_sdk.cli.main import group
from i2s_sdk.errors import ModelError, UsageError
from i2s_sdk.models.completion import ModelAccessError, ModelFailedError, ModelRefusedError
from i2s_sdk.models.model import Completion, Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.registry import open_model
from i2s_sdk.report.page import write_report
from i2s_sdk.report.paper_tables import table
from i2s_sdk.run.judge import human_scores, judge
from i2s_sdk.run.storage.codec import record_line
from i2s_sdk.run.storage.folder import RunFolder, read_run
from i2s_sdk.run.storage.interface import open_storage
from i2s_sdk.run.storage.judgements import read_judges
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Failure, Outcome
from i2s_sdk.settings import Settings
from i2s_wire.render.rendering import Verdict
from run_folders import keep_picture, options, picture, write_run
from sample_records import changed, flat_record

SETTINGS = Settings(like_failures=0)


def scores(first: float, second: float, third: float) -> str:
    return json.dumps({"correctness": first, "relevance": second, "scientific": third})


def make_run(path: Path, images: int = 4) -> Path:
    """Write a run with images, one sample that did not compile, and one that a service has lost."""
    planned = [PlannedInstance(f"a_1_{at}-tikz", "scimage", "en-tikz") for at in range(images + 2)]
    records = {}
    for at, one in enumerate(planned):
        detail = {"scimage": {"prompt": f"Figure {at}."}}
        record = flat_record(
            one.id, "scimage", "en-tikz", "", outcome=Outcome.SCORED, detail=detail, metrics={"compiled": 0.0}
        )
        if at < images:
            digest = keep_picture(path, picture(one.id))
            record = changed(
                record,
                usable=True,
                verdict=Verdict.RENDERED,
                rendering_sha256=digest,
                metrics={"compiled": 1.0, "labels": at / 4, "colors": None, "objects": None},
            )
        elif at == images + 1:
            failure = Failure("ServiceUnavailableError", "nobody there")
            record = changed(record, outcome=Outcome.RENDER_FAILURE, failure=failure, metrics={})
        records[one.id] = record
    metrics = {"compiled": "1", "labels": "1", "colors": "1", "objects": "1"}
    given = options(tasks=("scimage",), metrics=metrics, model="secret-system", engines={})
    return write_run(path, planned, records, given)


class Answering:
    """A judge that says what it is given, by sample."""

    name, fingerprint, concurrency = "test/judge", "", 2

    def __init__(self, said: dict[str, object]) -> None:
        self.said, self.asked = said, []

    async def complete(self, instance, question):
        text, image = question.parts
        self.asked.append((instance.id, text.text, image.path.read_bytes()))
        said = self.said[instance.id]
        if isinstance(said, Exception):
            raise said
        return Completion(said, Finish.STOP, attempts=1, cost=0.25)


def names(images: int) -> list[str]:
    return [f"a_1_{at}-tikz" for at in range(images)]


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run")


def test_means_are_over_images_and_over_all_samples(run):
    model = Answering(
        dict(zip(names(4), [scores(5, 4, 3), scores(3, 4, 1), scores(1, 1, 1), "No."], strict=True))
    )
    (found,) = judge(run, model, settings=SETTINGS)
    assert (found.planned, found.images, found.without_image, found.unfinished) == (6, 4, 1, 1)
    assert found.scores[names(1)[0]] == (5.0, 4.0, 3.0)
    assert found.image_means["correctness"].value == pytest.approx(3.0)
    assert found.image_means["correctness"].n == 3
    assert found.means["correctness"].value == pytest.approx(9 / 4)
    assert found.means["relevance"].n == 4
    assert found.bad == {"no JSON object": 1}
    assert (found.unanswered, found.calls, found.cost) == (0, 4, 1.0)


def test_the_judge_sees_prompt_and_image_and_not_whose_they_are(run):
    model = Answering(dict.fromkeys(names(4), scores(1, 1, 1)))
    judge(run, model, settings=SETTINGS)
    assert sorted(one for one, _, _ in model.asked) == names(4)
    for sample, text, image in model.asked:
        assert f"Figure {sample[4]}." in text
        assert "secret" not in text
        assert image == picture(sample)


def test_what_is_answered_is_not_asked_again_and_what_failed_is(run):
    said = dict.fromkeys(names(4), scores(2, 2, 2))
    first = Answering({**said, "a_1_2-tikz": ModelFailedError("busy", 3)})
    (found,) = judge(run, first, settings=SETTINGS)
    assert (found.unanswered, len(found.scores)) == (1, 3)
    second = Answering(said)
    (found,) = judge(run, second, settings=SETTINGS)
    assert [one for one, _, _ in second.asked] == ["a_1_2-tikz"]
    assert (found.unanswered, len(found.scores), found.calls) == (0, 4, 5)


def test_refusals_and_bad_answers_are_kept_and_counted(run):
    refused = ModelRefusedError("would not", Completion("", Finish.REFUSED, attempts=1))
    said = dict(zip(names(4), [refused, scores(0, 1, 1), "{}", scores(2, 2, 2)], strict=True))
    judge(run, Answering(said), settings=SETTINGS)
    again = Answering({})
    (found,) = judge(run, again, settings=SETTINGS)
    assert again.asked == []
    assert found.bad == {
        "no score of correctness": 1,
        "refused": 1,
        "score of correctness is not from 1 to 5 in steps of 0.5": 1,
    }
    assert found.faults["a_1_0-tikz"] == "refused"
    (manifest,) = read_judges(open_storage(run))
    kept = [json.loads(line) for line in (run / manifest.answers).read_text().splitlines()]
    assert {one["id"]: one["completion"] for one in kept}["a_1_1-tikz"] == scores(0, 1, 1)


def test_the_values_of_the_run_stay_as_they_are(run):
    before = {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()}
    judge(run, Answering(dict.fromkeys(names(4), scores(1, 1, 1))), settings=SETTINGS)
    after = {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()}
    assert {name: after[name] for name in before} == before
    new = set(after) - set(before) - {".lock"}
    (manifest,) = read_judges(open_storage(run))
    assert new == {manifest.name, manifest.answers, manifest.calls}
    assert manifest.rubric_sha256 in after[manifest.name].decode()


def test_an_image_that_has_changed_is_asked_about_again(run):
    said = dict.fromkeys(names(4), scores(1, 1, 1))
    judge(run, Answering(said), settings=SETTINGS)
    stored = read_run(run)
    lines = [stored.with_texts(one) for one in stored.ordered()]
    lines[0] = changed(lines[0], rendering_sha256=keep_picture(run, picture("another")))
    (run / "records.jsonl").write_text("".join(json.dumps(record_line(line)) + "\n" for line in lines))
    model = Answering(said)
    (found,) = judge(run, model, settings=SETTINGS)
    assert [(one, image) for one, _, image in model.asked] == [("a_1_0-tikz", picture("another"))]
    assert len(found.scores) == 4


def test_judges_are_told_apart_by_model_and_parameters(run):
    said = dict.fromkeys(names(4), scores(1, 1, 1))
    for fingerprint in ("", "warm"):
        model = Answering(said)
        model.fingerprint = fingerprint
        judge(run, model, settings=SETTINGS)
        assert len(model.asked) == 4
    assert len(read_judges(open_storage(run))) == 2


def test_a_judge_that_always_fails_ends_with_one_error(run):
    model = Answering({name: ModelFailedError("no such path", 1, "HTTP 404") for name in names(4)})
    with pytest.raises(ModelError, match="failed alike"):
        judge(run, model, settings=Settings(like_failures=2))


@pytest.mark.parametrize("name", ["oracle", "baseline/chance"])
def test_models_that_cannot_judge_are_refused(run, name):
    with pytest.raises(UsageError, match="cannot judge"):
        judge(run, name, settings=SETTINGS)


def test_a_run_of_other_tasks_is_refused(tmp_path):
    run = write_run(tmp_path / "other", [PlannedInstance("a", "latex", "equation")], {})
    with pytest.raises(UsageError, match="no samples of a task with a rubric"):
        judge(run, "openai/x", settings=SETTINGS)


def test_a_run_in_a_store_is_judged(tmp_path):
    local = read_run(make_run(tmp_path / "run"))
    store = f"memory://{uuid.uuid4().hex}/run"
    with RunFolder.open(store) as folder:
        folder.begin(local.manifest, local.planned)
        for record in local.ordered():
            folder.append(local.with_texts(record))
        for name in names(4):
            folder.put_image(picture(name))
    said = dict.fromkeys(names(4), scores(1, 2, 3))
    (found,) = judge(store, Answering(said), settings=SETTINGS)
    again = Answering({})
    assert judge(store, again, settings=SETTINGS) == [found]
    assert found.image_means["relevance"].value == 2.0


@pytest.mark.slow
def test_a_server_is_asked_once_and_told_apart_from_the_run(run, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    digests = {hashlib.sha256(picture(name)).hexdigest(): name for name in names(4)}
    said = dict(zip(names(4), [scores(5, 4, 3), REFUSAL, "I like it.", scores(1, 1, 1)], strict=True))
    with ChatServer(said, digests).serving() as server:
        for _ in range(2):
            model = open_model("openai/tiny-1", ModelOptions(base_url=server.base, cache=None))
            (found,) = judge(run, model, settings=SETTINGS)
        assert dict(server.came) == dict.fromkeys(names(4), 1)
    assert found.bad == {"no JSON object": 1, "refused": 1}
    assert len(found.scores) == 2
    (manifest,) = read_judges(open_storage(run))
    calls = (run / manifest.calls).read_text().splitlines()
    assert sorted(json.loads(line)["id"] for line in calls) == names(4)


def write_scores(path: Path, rows: list[tuple[str, str, float, float, float]]) -> Path:
    lines = [",".join(map(str, row)) for row in rows]
    path.write_text("\n".join(["ID,Model,Correctness,Relevance,Scientific", *lines]) + "\n")
    return path


def test_judges_and_metrics_are_compared_with_people(run, tmp_path):
    said = dict(
        zip(names(4), [scores(5, 1, 3), scores(4, 2, 3), scores(2, 3, 3), scores(1, 4, 3)], strict=True)
    )
    judge(run, Answering(said), settings=SETTINGS)
    rows = [(f"a_1_{at}", "x_tikz", 5 - at, 5 - at, 3) for at in range(4)] + [("a_1_4", "x_tikz", 0, 0, 0)]
    found = human_scores(run, [write_scores(tmp_path / "h.csv", rows)])
    by_name = {(one.of, one.judge, one.criterion): one.correlation for one in found}
    assert by_name["correctness", "test/judge", "correctness"].spearman == pytest.approx(1.0)
    assert by_name["relevance", "test/judge", "relevance"].kendall == pytest.approx(-1.0)
    assert by_name["scientific", "test/judge", "scientific"].spearman is None
    assert by_name["correctness", "test/judge", "correctness"].n == 4
    assert by_name["compiled", "", "correctness"].n == 5
    assert by_name["compiled", "", "correctness"].spearman == pytest.approx(0.7071068, abs=1e-6)
    assert by_name["labels", "", "correctness"].spearman == pytest.approx(-1.0)
    assert by_name["colors", "", "correctness"].n == 0


def test_tables_and_report_show_them_beside_the_run(run, tmp_path):
    judge(run, Answering(dict.fromkeys(names(4), scores(5, 4, 3))), settings=SETTINGS)
    rows = [(name, "x", 4, 4, 4) for name in names(4)]
    human_scores(run, [write_scores(tmp_path / "h.csv", rows)])
    titles = [one.title for one in table([run])]
    assert titles == [
        "ScImage",
        "ScImage, scores of judge models",
        "ScImage, scores of people",
        "ScImage, rank correlation with scores of people",
    ]
    (judged,) = [one for one in table([run]) if "judge models" in one.title]
    assert judged.lines[0].values[:4] == ("test/judge", judged.lines[0].values[1], "4 of 4", "0")
    assert judged.lines[0].values[4:] == pytest.approx((4.0, 3.2, 2.4, 5.0, 4.0, 3.0))
    report = write_report([run])
    assert [one.title for one in report.beside] == [*titles[1:], "ScImage, scores of people as published"]
    page = Path(report.path).read_text()
    assert "scores of judge models" in page
    assert "test/judge" in page


def test_published_scores_are_never_among_the_runs(run):
    ours, theirs = table([run], published=True)
    assert not any(line.published for line in ours.lines)
    assert all(line.published for line in theirs.lines)
    assert theirs.title == "ScImage, scores of people as published"


def test_scores_of_several_raters_are_averaged(run, tmp_path):
    rows = [("a_1_0-tikz", "x", 4, 4, 4), ("a_1_0-tikz", "x", 5, 2, 4)]
    human_scores(run, [write_scores(tmp_path / "h.csv", rows)])
    kept = json.loads((run / "human-scores.json").read_text())
    assert kept["scores"] == {"a_1_0-tikz": [4.5, 3.0, 4.0]}
    assert kept["rows"] == 2


@pytest.mark.parametrize(
    ("rows", "system", "reason"),
    [
        (
            [("a_1_0", "x", 1, 1, 1), ("a_1_0", "y", 1, 1, 1)],
            None,
            "name the system of this run with --system",
        ),
        ([("a_1_0", "x", 1, 1, 1)], "z", "have no system 'z'; they have 'x'"),
        ([("b_1_0", "x", 1, 1, 1)], None, "none of the 1 rows"),
    ],
)
def test_scores_that_are_not_of_the_run_are_refused(run, tmp_path, rows, system, reason):
    with pytest.raises(UsageError, match=reason):
        human_scores(run, [write_scores(tmp_path / "h.csv", rows)], system=system)
    assert not (run / "human-scores.json").exists()


def test_the_output_kind_tells_samples_of_one_prompt_apart(tmp_path):
    planned = [PlannedInstance(f"a_1_1-{output}", "scimage", f"en-{output}") for output in ("python", "tikz")]
    given = options(tasks=("scimage",), metrics={"compiled": "1"}, engines={})
    run = write_run(tmp_path / "both", planned, {}, given)
    plain = write_scores(tmp_path / "plain.csv", [("a_1_1", "x", 1, 1, 1)])
    with pytest.raises(UsageError, match="may be of 'a_1_1-python', 'a_1_1-tikz'"):
        human_scores(run, [plain])
    human_scores(run, [write_scores(tmp_path / "named.csv", [("a_1_1", "x_tikz", 1, 1, 1)])])
    assert list(json.loads((run / "human-scores.json").read_text())["scores"]) == ["a_1_1-tikz"]


def test_a_judge_that_was_stopped_has_kept_what_was_said(run):
    class Stopping(Answering):
        concurrency = 1

        async def complete(self, instance, question):
            if len(self.asked) == 2:
                raise ModelAccessError("the key is not valid any more")
            return await super().complete(instance, question)

    said = dict.fromkeys(names(4), scores(1, 1, 1))
    with pytest.raises(ModelAccessError, match="key"):
        judge(run, Stopping(said), settings=SETTINGS)
    model = Answering(said)
    (found,) = judge(run, model, settings=SETTINGS)
    assert (len(model.asked), len(found.scores)) == (2, 4)


@pytest.mark.parametrize("as_json", [False, True])
def test_the_commands_print_what_they_found(run, tmp_path, monkeypatch, as_json):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    digests = {hashlib.sha256(picture(name)).hexdigest(): name for name in names(4)}
    more = ["--json"] if as_json else []
    with ChatServer(dict.fromkeys(names(4), scores(5, 4, 3)), digests).serving() as server:
        words = ["judge", str(run), "--model", "openai/tiny-1", "--base-url", server.base, "--cache", "none"]
        judged = CliRunner().invoke(group, [*words, *more], standalone_mode=False)
    assert judged.return_value == 0, judged.output
    file = write_scores(tmp_path / "h.csv", [(name, "x", 4, 4, 4) for name in names(4)])
    people = CliRunner().invoke(group, ["human-scores", str(file), "--run", str(run), *more])
    assert people.exit_code == 0
    if as_json:
        (found,) = json.loads(judged.stdout)
        assert (found["judged"], found["bad_answers"], found["means"]["relevance"]["value"]) == (4, {}, 3.2)
        document = json.loads(people.stdout)
        assert document["human"]["rows"] == 4
        assert {one["judge"] for one in document["agreement"]} == {"openai/tiny-1", ""}
    else:
        assert "openai/tiny-1" in judged.stdout
        assert "4 calls of the judge" in judged.stdout
        assert "4 rows of 'x', of 4 samples of the run" in people.stdout


def test_system_needs_a_run(tmp_path):
    file = write_scores(tmp_path / "h.csv", [("a", "x", 4, 4, 4)])
    refused = CliRunner().invoke(group, ["human-scores", str(file), "--system", "x"])
    assert refused.exit_code == 2
    assert "--system has a meaning with --run alone" in refused.output
