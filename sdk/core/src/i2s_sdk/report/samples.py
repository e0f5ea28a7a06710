"""The samples of a report as its script reads them: an index, packed details, and views of tasks."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from i2s_sdk.report.charts import reference_values
from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.terms import Terms
from i2s_sdk.report.view import RunView, checked, is_digest, without_paths
from i2s_sdk.run.storage.codec import record_line
from i2s_sdk.run.storage.manifest import PlannedSample
from i2s_sdk.run.storage.record import Record, SampleRendering, StoredQuestion, same_targets
from i2s_sdk.stats.columns import Columns
from i2s_sdk.tasks.registry import SPECS, task_spec
from i2s_sdk.tasks.view import (
    DiffPanel,
    DiffRow,
    MarkedImage,
    Panel,
    PlacedRow,
    PlacesPanel,
    ShownSample,
    TableCell,
    TablesPanel,
    TextPanel,
    TextRun,
    TextTable,
    TreePanel,
)
from i2s_sdk.visible import visible
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy

#: The most marks of an image and rows of a tree or of a diff that are shown.
MOST_ROWS = 500
#: The most tables of a side that are shown.
MOST_TABLES = 20
#: The most cells of a table that are shown, and the most rows or columns that a cell spans.
MOST_CELLS, MOST_SPANNED = 1000, 50
#: The greatest depth that is shown as such.
MOST_DEPTH = 12


def panels_of(record: Record) -> list[dict[str, Any]]:
    """Return the panels of a sample; none if its task has no view, or the record is not as the view expects.

    A record may come from another version, or from somebody else's run folder.
    """
    spec = SPECS.get(record.instance.task)
    if spec is None or spec.view is None:
        return []
    shown = ShownSample(
        record.answer.completion,
        record.rendering.structure,
        record.usable,
        record.score.metrics,
        record.score.detail,
    )
    try:
        return [_plain(panel) for panel in spec.view(shown)]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return []


def _plain(panel: Panel) -> dict[str, Any]:
    match panel:
        case TextPanel():
            return {
                "kind": "text",
                "title": panel.title,
                "text": str(panel.text),
                "language": panel.language,
            }
        case MarkedImage():
            marks = [[str(mark.kind), _box(mark.box), str(mark.label)] for mark in panel.marks[:MOST_ROWS]]
            return {"kind": "image", "title": panel.title, "marks": marks}
        case TreePanel():
            rows = [
                [int(row.depth), str(row.name), str(row.gold), str(row.answer), str(row.mark)]
                for row in panel.rows[:MOST_ROWS]
            ]
            return {"kind": "tree", "title": panel.title, "rows": rows, "left": len(panel.rows) - len(rows)}
        case DiffPanel():
            compared = [_compared(row) for row in panel.rows[:MOST_ROWS]]
            left = len(panel.rows) - len(compared)
            return {
                "kind": "diff", "title": panel.title, "rows": compared, "note": panel.note, "left": left
            }  # fmt: skip
        case TablesPanel():
            pairs = [
                [visible(str(pair.title)), _table(pair.gold), _table(pair.answer)]
                for pair in panel.pairs[:MOST_TABLES]
            ]
            left = len(panel.pairs) - len(pairs)
            return {
                "kind": "tables", "title": panel.title, "pairs": pairs, "note": panel.note, "left": left
            }  # fmt: skip
        case PlacesPanel():
            places = [_placed(row) for row in panel.rows[:MOST_ROWS]]
            left = len(panel.rows) - len(places)
            return {
                "kind": "places", "title": panel.title, "rows": places, "note": panel.note, "left": left
            }  # fmt: skip


def _compared(row: DiffRow) -> list[Any]:
    """Return a row; characters that would reorder the text beside them are shown as escapes."""
    depths = [min(MOST_DEPTH, max(0, int(one))) for one in (row.gold_depth, row.answer_depth)]
    return [str(row.mark), visible(str(row.label)), *depths, _runs(row.gold), _runs(row.answer)]


def _placed(row: PlacedRow) -> list[Any]:
    places = [None if one is None else _box(one) for one in (row.gold_place, row.answer_place)]
    return [str(row.mark), *(visible(str(one)) for one in (row.gold, row.answer, row.label)), *places]


def _runs(runs: Sequence[TextRun]) -> list[list[Any]]:
    return [[visible(str(run.text)), int(run.differs)] for run in runs]


def _table(table: TextTable | None) -> list[list[list[Any]]] | None:
    if table is None:
        return None
    rows, left = [], MOST_CELLS
    for row in table:
        cells = [_cell(cell) for cell in row[:left]]
        left -= len(cells)
        if cells:
            rows.append(cells)
    return rows


def _cell(cell: TableCell) -> list[Any]:
    spans = [min(MOST_SPANNED, max(1, int(one))) for one in (cell.columns, cell.rows)]
    return [visible(str(cell.text)), int(cell.heading), *spans]


def _box(box: Sequence[float]) -> list[float]:
    """Return the corners within the image, in order."""
    left, top, right, bottom = (min(1.0, max(0.0, float(one))) for one in box)
    return [min(left, right), min(top, bottom), max(left, right), max(top, bottom)]


#: Characters of a completion and of a structure that are in the page; structures of sites stay whole.
LONGEST_TEXT = 50_000

_OF_RECORD = (
    "message",
    "error",
    "error_before_repair",
    "repairs",
    "failure",
    "structure",
    "completion",
    "assets",
    "undefined",
)


_ORIGINS = {"unclosed_fence": "read from a block that was cut off", "excerpt": "read from within prose"}

#: Texts that hold what programs of the machine said: paths are left out.
_MESSAGES = ("message", "error", "error_before_repair", "repairs", "failure", "undefined")


def details(
    record: Record,
    rendered: SampleRendering | None,
    asked: Sequence[tuple[str, StoredQuestion]],
    images: Mapping[str, int],
) -> dict[str, Any]:
    """Return what the script is told of a sample in one run.

    Args:
        record: The sample, with its texts.
        rendered: What was rendered of it; None if nothing is known.
        asked: What the model was asked: each question with its name.
        images: Place of each image of the report, by digest.
    """
    plain: dict[str, Any] = record_line(record)
    shown = {name: plain[name] for name in _OF_RECORD if plain.get(name)}
    shown |= {name: shareable_texts(shown[name]) for name in _MESSAGES if name in shown}
    for name in ("structure", "completion"):
        cut = name == "completion" or not task_spec(record.instance.task).structure_is_site
        if cut and len(shown.get(name, "")) > LONGEST_TEXT:
            left = len(shown[name]) - LONGEST_TEXT
            shown[name] = f"{shown[name][:LONGEST_TEXT]}\n… {left} more characters are in the run folder"
    if shown.get("structure") == shown.get("completion") and "structure" in shown:
        shown["structure"] = 0  # the completion as it is
    if unread := _unread(record):
        shown["unread"] = unread
    shown |= _texts(record, rendered)
    if asked:
        shown["asked"] = [_question(name, stored_question, images) for name, stored_question in asked]
    shown["before"] = plain["verdict_before_repair"]
    shown["facts"] = _facts(record)
    if record.score.parts:
        shown["parts"] = {name: list(pair) for name, pair in record.score.parts.items()}
    if panels := panels_of(record):
        shown["panels"] = panels
    return shown


def _unread(record: Record) -> str:
    """Return the reasoning of a model and what else of its completion is not an answer; empty without any."""
    parts = [record.answer.reasoning]
    if record.rendering.reading is not None and record.answer.completion:
        parts += [
            record.answer.completion[: record.rendering.reading.start],
            record.answer.completion[record.rendering.reading.end :],
        ]
    text = "\n…\n".join(part.strip() for part in parts if part.strip())
    left = len(text) - LONGEST_TEXT
    return f"{text[:LONGEST_TEXT]}\n… {left} more characters are in the run folder" if left > 0 else text


def _texts(record: Record, rendered: SampleRendering | None) -> dict[str, Any]:
    """Return document, log and texts that are compared; "document" is 0 if it is the structure itself."""
    shown: dict[str, Any] = {}
    if rendered is not None:
        texts = {
            "truth": rendered.truth,
            "document": rendered.document,
            "log": rendered.log,
            "target": rendered.target,
        }
        for name, text in texts.items():
            if text and len(text) <= LONGEST_TEXT:
                shown[name] = visible(without_paths(text)) if name == "log" else text
    if (
        record.rendering.document_sha256
        and "document" not in shown
        and record.rendering.structure is not None
    ):
        source = record.rendering.structure.encode("utf-8", "surrogatepass")
        if task_spec(record.instance.task).structure_is_site or hashlib.sha256(source).hexdigest() == (
            record.rendering.document_sha256
        ):
            shown["document"] = 0
        else:
            shown["dropped"] = (
                f"The document is not in the run: it has more than {LONGEST_TEXT} characters, or the run was "
                "made by an earlier version of i2s-sdk."
            )
    return shown


def shareable_texts(plain: Any) -> Any:  # noqa: ANN401 - JSON
    """Return JSON whose texts have no paths of the machine."""
    if isinstance(plain, str):
        return without_paths(plain)
    if isinstance(plain, Mapping):
        return {name: shareable_texts(one) for name, one in plain.items()}
    return [shareable_texts(one) for one in plain] if isinstance(plain, list | tuple) else plain


def _question(name: str, asked: StoredQuestion, images: Mapping[str, int]) -> list[Any]:
    """Return a question: its name, its system text, texts and images in order, and its JSON Schema.

    An image is the place of an image, or the name of a file that the run does not keep in a list.
    """
    parts: list[Any] = [
        images[part.sha256]
        if part.sha256 in images
        else [visible(part.file)]
        if part.file
        else visible(part.text)
        for part in asked.parts
    ]
    return [visible(name), visible(asked.system), parts, visible(asked.schema)]


def _facts(record: Record) -> list[str]:
    facts = [f"{name} {seconds:.2f} s" for name, seconds in record.seconds.items()]
    if record.rendering.has_image:
        facts.append(f"{record.rendering.width} × {record.rendering.height} pixels")
    if record.rendering.pages > 1:
        facts.append(f"page 1 of {record.rendering.pages} is shown")
    if record.answer.usage.input_tokens is not None or record.answer.usage.output_tokens is not None:
        facts.append(
            f"{record.answer.usage.input_tokens or 0} tokens in, {record.answer.usage.output_tokens or 0} out"
        )
    if record.answer.cost is not None:
        facts.append(f"${record.answer.cost:.4f}")
    if record.rendering.reading is not None and record.rendering.reading.blocks:
        taken = ", ".join(map(str, record.rendering.reading.taken))
        facts.append(f"blocks: {record.rendering.reading.blocks}, taken: {taken or 'none'}")
    if record.rendering.reading is not None and record.rendering.reading.origin:
        facts.append(_ORIGINS.get(record.rendering.reading.origin, record.rendering.reading.origin))
    if record.answer.finish == "length":
        facts.append("cut off at its longest")
    return facts


#: Samples whose details are packed together.
CHUNK = 40

#: Samples that a page has at most: of more it would be too large to open.
MOST_SAMPLES = 20_000

#: A sample in all runs: None where a run does not have it.
Row = tuple[Record | None, ...]


def sample_rows(views: Sequence[RunView]) -> list[Row]:
    """Return the samples of all runs, MOST at most; those of one id, reference image and target are one."""
    by_id: dict[str, list[list[Record | None]]] = {}
    for at, view in enumerate(views):
        for record in map(checked, view.records):
            rows = by_id.setdefault(record.instance.id, [])
            for row in rows:
                there = [one for one in row if one is not None]
                if there[0].instance.has_data_of(record.instance) and same_targets([*there, record]):
                    row[at] = record
                    break
            else:
                rows.append([None] * len(views))
                rows[-1][at] = record
    return [tuple(row) for row in islice((row for rows in by_id.values() for row in rows), MOST_SAMPLES)]


def digests_of(rows: Sequence[Row], views: Sequence[RunView]) -> dict[str, int]:
    """Return each image of the samples and of their questions, and the first run that has it."""
    places: dict[str, int] = {}
    for row in rows:
        for at, record in enumerate(row):
            if record is None:
                continue
            asked = views[at].asked.get(record.instance.id, ())
            further = (
                digest
                for _, stored_question in asked
                for digest in stored_question.images
                if is_digest(digest)
            )
            turns = (turn.rendering.sha256 for turn in _turns(views[at], record))
            for digest in (record.instance.reference_sha256, record.rendering.sha256, *turns, *further):
                if digest:
                    places.setdefault(digest, at)
    return places


def _turns(view: RunView, record: Record) -> Sequence[Record]:
    """Return the answers to a sample after the first, in order."""
    return [checked(one) for one in view.turns.get(record.instance.id, ())]


def turn_details(
    view: RunView, record: Record, metrics: Mapping[str, Sequence[str]], places: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Return what the script is told of the answers to a sample after the first, in order.

    Args:
        view: The run.
        record: The sample.
        metrics: Names of the metrics that the script is told, by task.
        places: Place of each image of the report, by digest.
    """
    columns, names = view.columns[record.instance.task], metrics.get(record.instance.task, ())
    nothing = [False] * len(TOOK)
    return [
        {
            **details(view.whole(turn), None, (), places),
            "turn": turn.turn.turn,
            "end": str(turn.turn.ended or ""),
            "ending": _ending(turn, columns.of_sample(turn), names, places, nothing),
        }
        for turn in _turns(view, record)
    ]


def _metrics(views: Sequence[RunView]) -> dict[str, list[str]]:
    """Return the names of the columns of all runs by task, in the order shown."""
    metrics: dict[str, list[str]] = {}
    for view in views:
        for task, columns in view.columns.items():
            metrics[task] = list(dict.fromkeys([*metrics.get(task, []), *columns.names]))
    return metrics


def index(
    views: Sequence[RunView],
    rows: Sequence[Row],
    images: Mapping[str, Sequence[Any]],
    compared: ComparedRuns,
    terms: Terms,
    best: int = 0,
) -> dict[str, Any]:
    """Return what the script is told of all samples.

    Args:
        views: The runs.
        rows: Their samples.
        images: Images by digest: name of what is shown, name of the whole image, width, height.
        compared: The comparison that has the values of baselines and of the oracle.
        terms: The meanings of metrics.
        best: Place of the run that is shown first.
    """
    places, known = {digest: at for at, digest in enumerate(images)}, _known(rows)
    metrics, columns = _metrics(views), [view.columns for view in views]
    return {
        "chunk": CHUNK,
        "runs": [view.label for view in views],
        "best": best,
        "metrics": metrics,
        "terms": {task: terms.of_metrics(task, names) for task, names in metrics.items()},
        "points": {
            task: {name: reference_values(compared, task, name) for name in names}
            for task, names in metrics.items()
        },
        "tasks": {name: _task(name, views) for name in metrics},
        "pictures": list(images.values()),
        "took": [name for name, is_known in zip(TOOK, known, strict=True) if is_known],
        "samples": [_sample(row, columns, metrics, places, known) for row in rows],
        **_origins(views, rows),
    }


def _origins(views: Sequence[RunView], rows: Sequence[Row]) -> dict[str, Any]:
    """Return licence and source of the samples: the different ones, and which of them each sample has."""
    known = {
        planned_sample.id: origin
        for view in views
        for planned_sample in view.planned
        if (origin := _origin(planned_sample))
    }
    texts = {text: at for at, text in enumerate(dict.fromkeys(known.values()))}
    ids = (next(record.instance.id for record in row if record is not None) for row in rows)
    places = [texts[known[name]] if name in known else -1 for name in ids] if texts else []
    return {"origins": places, "licences": list(texts)}


def _origin(sample: PlannedSample) -> str:
    return " ".join(
        part for part in (f"Licence: {sample.licence}." if sample.licence else "", sample.source) if part
    )


def _task(name: str, views: Sequence[RunView]) -> dict[str, Any]:
    """Return what is known of a task; its prompt is that of the profile of the first run, for old runs."""
    profile = Profile(views[0].manifest.options.profile)
    spec = task_spec(name)
    rendering = spec.open(Profile.PAPER).rendering
    resized = rendering is not None and rendering.size_policy is SizePolicy.RESIZE
    return {
        "language": spec.language,
        "site": spec.structure_is_site,
        "resized": resized,
        "renders": rendering is not None,
        "main": spec.main_metric,
        "prompt": "\n\n".join(dict.fromkeys(spec.open(profile).prompt_texts())),
    }


#: What an answer took, as axes of a chart call it.
TOOK = ("tokens out", "seconds", "cost in $", "tokens in")


def _took(record: Record) -> tuple[float | None, ...]:
    """Return what the answer took; None where it is not known, or nothing was asked."""
    answer = record.answer
    asked = answer.attempts > 0 and not answer.cached
    seconds = round(answer.seconds, 2) or None if asked and answer.seconds is not None else None
    return answer.usage.output_tokens, seconds, answer.cost, answer.usage.input_tokens


def _known(rows: Sequence[Row]) -> list[bool]:
    """Return for each of TOOK whether it is known of any sample."""
    known = [False] * len(TOOK)
    for record in (one for row in rows for one in row if one is not None):
        known = [was or now is not None for was, now in zip(known, _took(record), strict=True)]
    return known


def _sample(
    row: Row,
    columns: Sequence[Mapping[str, Columns]],
    metrics: Mapping[str, Sequence[str]],
    places: Mapping[str, int],
    known: Sequence[bool],
) -> list[Any]:
    first = next(record for record in row if record is not None)
    reference = places.get(first.instance.reference_sha256, -1)
    task = first.instance.task
    names = metrics.get(task, ())
    return [
        first.instance.id,
        first.instance.task,
        first.instance.subset,
        first.instance.difficulty,
        reference,
        [
            None if record is None else _ending(record, of_run[task].of_sample(record), names, places, known)
            for record, of_run in zip(row, columns, strict=True)
        ],
    ]


def _ending(
    record: Record,
    values: Mapping[str, float | None],
    names: Sequence[str],
    places: Mapping[str, int],
    known: Sequence[bool],
) -> list[Any]:
    took = [own for own, is_known in zip(_took(record), known, strict=True) if is_known]
    return [
        str(record.outcome),
        record.rendering.verdict.name if record.rendering.verdict else "",
        places.get(record.rendering.sha256, -1),
        [None if (value := values.get(name)) is None else round(value, 6) for name in names],
        int(record.usable and not record.usable_before_repair),
        int(record.usable),
        *([took] if took else []),
    ]


def chunks(views: Sequence[RunView], rows: Sequence[Row], images: Sequence[str]) -> Iterator[str]:
    """Yield the details of the samples by the chunk: JSON, compressed by zlib, in base64.

    Args:
        views: The runs.
        rows: Their samples.
        images: Digests of the images of the report, in their order.
    """
    places, metrics = {digest: at for at, digest in enumerate(images)}, _metrics(views)

    def told(view: RunView, record: Record) -> dict[str, Any]:
        identity = record.instance.id
        asked = view.asked.get(identity, ())
        plain = details(view.whole(record), view.rendered(identity), asked, places)
        if turns := turn_details(view, record, metrics, places):
            plain["turns"] = turns
        return plain

    for start in range(0, len(rows), CHUNK):
        plain = [
            [None if record is None else told(view, record) for view, record in zip(views, row, strict=True)]
            for row in rows[start : start + CHUNK]
        ]
        yield base64.b64encode(zlib.compress(json.dumps(plain).encode("ascii"), 6)).decode()


def script_json(plain: object) -> str:
    """Return JSON that can stand within a script element, whatever texts it holds."""
    text = json.dumps(plain, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
