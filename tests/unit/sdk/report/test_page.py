"""The page of a run or several, without a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pytest

from i2s_sdk.errors import UsageError
from i2s_sdk.report import write_report
from i2s_sdk.report.samples import CHUNK
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Failure, FirstError, Outcome, Record, RepairNote, TokenUsage
from i2s_sdk.tasks.registry import task_spec
from i2s_wire.render.rendering import Verdict
from run_folders import instances, keep_picture, make_run, options, picture, record_of, write_run
from sample_records import changed, flat_record

EVIL = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;<!--{{ 7 * 7 }}{% endraw %}"


class Reader(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.policy = ""
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.style = ""
        self.text = ""
        self._within = ""
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._within = tag
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
        if tag == "meta" and ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = dict(attrs)["content"] or ""

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within == "script":
            attributes, text = self.scripts[-1]
            self.scripts[-1] = (attributes, text + data)
        elif self._within == "style":
            self.style += data
        else:
            self.text += data

    @property
    def index(self) -> dict:
        return json.loads(next(text for attributes, text in self.scripts if attributes.get("id") == "index"))

    @property
    def details(self) -> list:
        packed = [
            text for attributes, text in self.scripts if (attributes.get("id") or "").startswith("chunk-")
        ]
        return [row for one in packed for row in json.loads(zlib.decompress(base64.b64decode(one)))]

    @property
    def code(self) -> list[str]:
        return [text for attributes, text in self.scripts if "type" not in attributes]


def _evil_record() -> Record:
    return flat_record(
        id=EVIL,
        task="latex",
        subset=EVIL,
        difficulty=EVIL,
        outcome=Outcome.SCORED,
        verdict=Verdict.COMPILE_ERROR,
        metrics={EVIL: 0.0, "ems": None},
        undefined={"ems": EVIL},
        repairs=(RepairNote(EVIL, EVIL, EVIL),),
        message=EVIL,
        error=FirstError(EVIL, EVIL, 3),
        completion=EVIL,
        assets=(EVIL,),
        structure=EVIL,
        failure=Failure(EVIL, EVIL),
        reference_sha256=EVIL,
        rendering_sha256="../../../etc/passwd",
        engine_digest=EVIL,
        finish=EVIL,
    )


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    given = options(
        model=EVIL, metrics={"ems": EVIL, EVIL: "1"}, engines={EVIL: EVIL}, sdk=EVIL, data_sha256=EVIL
    )
    return write_run(
        tmp_path / "evil", [PlannedInstance(EVIL, "latex", EVIL, EVIL)], {EVIL: _evil_record()}, given
    )


@pytest.mark.parametrize("single_file", [False, True])
def test_nothing_from_outside_becomes_markup(evil: Path, single_file: bool) -> None:
    page = Reader(write_report([evil, evil], evil / "out", single_file=single_file).path)
    own = Reader(write_report([make_run(evil.parent / "good", 1)]).path)
    assert set(page.tags) <= {*own.tags, "br", "details", "summary", "h3", "ol", "small"}
    assert "img" not in page.tags
    assert page.tags.count("script") == 3  # index, one chunk, the gallery
    assert not {name for name in page.attributes if name.startswith("on")}
    assert len(page.code) == 1
    assert page.code == own.code
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert page.index["samples"][0][0] == EVIL
    assert page.details[0][0]["completion"] == EVIL


def test_a_name_of_a_picture_that_is_none_is_no_path(evil: Path) -> None:
    page = Reader(write_report([evil]).path)
    assert page.index["pictures"] == []
    assert "passwd" not in (evil / "index.html").read_text("utf-8")


def test_only_the_script_and_the_style_of_the_page_are_allowed(evil: Path) -> None:
    page = Reader(write_report([evil]).path)
    rules = dict(part.strip().split(" ", 1) for part in page.policy.split(";"))
    digest = {
        name: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for name, text in (("script-src", page.code[0]), ("style-src", page.style))
    }
    assert rules == {
        "default-src": "'none'",
        "script-src": f"'sha256-{digest['script-src']}'",
        "style-src": f"'sha256-{digest['style-src']}'",
        "img-src": "'self' file: data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
    }


def test_the_page_asks_nobody_for_anything(tmp_path: Path) -> None:
    page = Reader(write_report([make_run(tmp_path / "run", 10)]).path)
    assert all(link.startswith("#") for link in page.links)
    assert "link" not in page.tags
    assert not re.search(r"url\(|@import|http", page.style)
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|https?:|fetch\(", page.code[0]
    )


def test_every_sample_is_in_the_index_and_has_its_details(tmp_path: Path) -> None:
    number = 2 * CHUNK + 3
    page = Reader(write_report([make_run(tmp_path / "run", number)]).path)
    assert [row[0] for row in page.index["samples"]] == [instance.id for instance in instances(number)]
    said = [record_of(instance).answer.completion for instance in instances(number)]
    assert [row[0]["completion"] for row in page.details] == said


def test_pictures_lie_beside_the_page_that_names_them(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / salt, 12, salt=salt, model=salt) for salt in "ab"]
    written = write_report(runs, tmp_path / "out")
    entries = Reader(written.path).index["pictures"]
    assert len(entries) > 12
    for shown, whole, width, height in entries:
        assert (tmp_path / "out" / shown).is_file()
        assert (tmp_path / "out" / whole).is_file()
        assert (width, height) in {(120, 48), (100, 52)}


def test_a_single_file_holds_its_pictures_shrunk(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", 2)
    one = instances(1)[0]
    large = keep_picture(run, picture("large", (1920, 1080)))
    write_run(run, [one], {one.id: changed(record_of(one), reference_sha256=large)})
    page = Reader(write_report([run], tmp_path / "alone.html", single_file=True).path)
    assert page.index["pictures"][0] == ["", "", 1920, 1080]
    embedded = [
        text for attributes, text in page.scripts if (attributes.get("id") or "").startswith("picture-")
    ]
    assert embedded[0].startswith("data:image/webp;base64,")
    assert len(embedded) == len(page.index["pictures"])


def test_several_runs_have_a_leaderboard_and_comparisons(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / salt, 40, salt=salt, model=f"model-{salt}") for salt in "abc"]
    written = write_report(runs, tmp_path / "out")
    assert {standing.label for standing in written.standings} == {"model-a", "model-b", "model-c"}
    assert [(one.first, one.second) for one in written.versus] == [
        ("model-a", "model-b"),
        ("model-a", "model-c"),
        ("model-b", "model-c"),
    ]
    document = json.loads(json.dumps(written.to_json()))
    assert document["leaderboard"][0]["values"]["latex"]["ems"]["n"] > 0
    text = Reader(written.path).text
    assert "model-b against model-a" in text
    assert "largest gains" in text


def test_runs_that_do_not_compare_are_said_to(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / "a", 5), make_run(tmp_path / "b", 5, model="b", profile="helm")]
    said = "latex is not ranked: the runs follow different profiles (paper: model-a; helm: b)."
    assert said in write_report(runs, tmp_path / "out").notices
    assert said in Reader(tmp_path / "out" / "index.html").text


def test_samples_of_another_reference_are_not_the_same(tmp_path: Path) -> None:
    first = make_run(tmp_path / "a", 1)
    one = instances(1)[0]
    second = write_run(tmp_path / "b", [one], {}, options(model="b"))
    other = keep_picture(second, picture("another"))
    write_run(second, [one], {one.id: changed(record_of(one), reference_sha256=other)}, options(model="b"))
    page = Reader(write_report([first, second], tmp_path / "out").path)
    assert [row[0] for row in page.index["samples"]] == [one.id, one.id]
    assert [[bool(end) for end in row[5]] for row in page.index["samples"]] == [[True, False], [False, True]]


def test_what_the_answers_took_is_told(tmp_path: Path) -> None:
    one = instances(1)[0]
    record = changed(record_of(one), usage=TokenUsage(1200, 340), cost=0.0123, attempts=2)
    text = Reader(write_report([write_run(tmp_path / "run", [one], {one.id: record})]).path).text
    assert "1 answers, 2 calls, 1200 tokens in, 340 out, $0.0123" in text


def test_the_seconds_of_answers_of_a_stored_run_are_told(tmp_path: Path) -> None:
    planned = instances(1)[0]
    record = changed(record_of(planned), seconds={"generate": 2.5}, attempts=1)
    page = Reader(write_report([write_run(tmp_path / "run", [planned], {planned.id: record})]).path)
    assert page.index["took"] == ["seconds"]
    assert page.index["samples"][0][5][0][-1] == [2.5]


def test_a_sample_has_a_value_of_a_main_metric_that_is_an_average(tmp_path: Path) -> None:
    spec = task_spec("chart")
    metrics = dict.fromkeys(spec.averages[0].of, 0.25)
    planned = PlannedInstance("a", "chart", "bar")
    record = changed(record_of(planned), outcome=Outcome.SCORED, metrics=metrics)
    given = options(tasks=("chart",), metrics=dict.fromkeys(metrics, "1"))
    index = Reader(write_report([write_run(tmp_path / "run", [planned], {"a": record}, given)]).path).index
    values = dict(zip(index["metrics"]["chart"], index["samples"][0][5][0][3], strict=True))
    assert values[spec.main_metric] == 0.25


def test_a_run_without_any_record_has_a_page(tmp_path: Path) -> None:
    page = Reader(write_report([write_run(tmp_path / "run", instances(3), {})]).path)
    assert "0 of 3 samples scored" in " ".join(page.text.split())


def test_several_runs_need_a_place(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / salt, 1, salt=salt) for salt in "ab"]
    with pytest.raises(UsageError, match="--out"):
        write_report(runs)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        write_report(runs, tmp_path / "file" / "out")


def test_runs_that_asked_in_other_words_are_said_to(tmp_path: Path) -> None:
    prompts = ({"latex": "one"}, {"latex": "other"})
    runs = [
        make_run(tmp_path / "a", 5, prompts=prompts[0]),
        make_run(tmp_path / "b", 5, model="b", prompts=prompts[1]),
    ]
    assert "Prompts of latex differ (one: model-a; other: b)." in write_report(runs, tmp_path / "out").notices


def test_what_a_task_said_of_itself_is_a_column(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a", 5)
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["about"]["latex answer mode"] = "<structured>"
    (run / "manifest.json").write_text(json.dumps(manifest))
    page = write_report([run], tmp_path / "out").path.read_text()
    assert '<th scope="col" rowspan="2">latex answer mode</th>' in page
    assert "<td>&lt;structured&gt;</td>" in page


class Tables(HTMLParser):
    """Collects the tables of a page that have no caption, and the headers without a scope."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables = 0
        self.captions = 0
        self.without_scope: list[str] = []
        self.headers = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tables += tag == "table"
        self.captions += tag == "caption"
        self.headers += tag == "th"
        if tag == "th" and dict(attrs).get("scope") not in ("col", "row", "colgroup", "rowgroup"):
            self.without_scope.append(str(attrs))


def test_every_table_has_a_caption_and_every_header_a_scope(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / salt, 40, salt=salt, model=f"model-{salt}") for salt in "ab"]
    for written in (write_report(runs[:1]), write_report(runs, tmp_path / "out")):
        found = Tables(Path(str(written.path)).read_text("utf-8"))
        assert found.tables > 2
        assert found.captions == found.tables
        assert found.headers > 20
        assert found.without_scope == []


def test_the_name_of_a_metric_says_what_it_is_where_it_stands(tmp_path: Path) -> None:
    page = write_report([make_run(tmp_path / "run", 40)]).path.read_text()
    overview = page.partition("</thead>")[0]
    found = re.search(r'title="(Earth Mover Similarity[^"]*)" popovertarget="(term-\d+)">ems<', overview)
    assert found is not None
    assert "Higher is better" in found[1]
    assert f'<div popover class="about" id="{found[2]}">{found[1]}</div>' in page
