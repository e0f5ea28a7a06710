"""What a report shows of one sample beside its values: question, errors, repairs, texts, documents."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from i2s_sdk.report.panels import panels_of
from i2s_sdk.report.paths import without_paths
from i2s_sdk.runlog.asked import Asked
from i2s_sdk.runlog.record import Record
from i2s_sdk.runlog.rendered import Rendered
from i2s_sdk.tasks.registry import task_spec
from i2s_sdk.visible import visible

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
    rendered: Rendered | None,
    asked: Sequence[tuple[str, Asked]],
    pictures: Mapping[str, int],
) -> dict[str, Any]:
    """Return what the script is told of a sample in one run.

    Args:
        record: The sample, with its texts.
        rendered: What was rendered of it; None if nothing is known.
        asked: What the model was asked: each question with its name.
        pictures: Place of each picture of the report, by digest.
    """
    plain = record.to_json()
    found = {name: plain[name] for name in _OF_RECORD if plain.get(name)}
    found |= {name: shareable_texts(found[name]) for name in _MESSAGES if name in found}
    for name in ("structure", "completion"):
        cut = name == "completion" or not task_spec(record.task).structure_is_site
        if cut and len(found.get(name, "")) > LONGEST_TEXT:
            left = len(found[name]) - LONGEST_TEXT
            found[name] = f"{found[name][:LONGEST_TEXT]}\n… {left} more characters are in the run folder"
    if found.get("structure") == found.get("completion") and "structure" in found:
        found["structure"] = 0  # the completion as it is
    if unread := _unread(record):
        found["unread"] = unread
    found |= _texts(record, rendered)
    if asked:
        found["asked"] = [_question(name, one, pictures) for name, one in asked]
    found["before"] = plain["verdict_before_repair"]
    found["facts"] = _facts(record)
    if record.parts:
        found["parts"] = {name: list(pair) for name, pair in record.parts.items()}
    if panels := panels_of(record):
        found["panels"] = panels
    return found


def _unread(record: Record) -> str:
    """Return the reasoning of a model and what else of its completion is no answer; empty without any."""
    parts = [record.reasoning]
    if record.reading is not None and record.completion:
        parts += [record.completion[: record.reading.start], record.completion[record.reading.end :]]
    text = "\n…\n".join(part.strip() for part in parts if part.strip())
    left = len(text) - LONGEST_TEXT
    return f"{text[:LONGEST_TEXT]}\n… {left} more characters are in the run folder" if left > 0 else text


def _texts(record: Record, rendered: Rendered | None) -> dict[str, Any]:
    """Return document, log and texts that are compared; "document" is 0 if it is the structure itself."""
    found: dict[str, Any] = {}
    if rendered is not None:
        for name in ("truth", "document", "log", "target"):
            text = getattr(rendered, name)
            if text and len(text) <= LONGEST_TEXT:
                found[name] = visible(without_paths(text)) if name == "log" else text
    if record.document_sha256 and "document" not in found and record.structure is not None:
        source = record.structure.encode("utf-8", "surrogatepass")
        if task_spec(record.task).structure_is_site or hashlib.sha256(source).hexdigest() == (
            record.document_sha256
        ):
            found["document"] = 0
        else:
            found["dropped"] = (
                f"The document is not in the run: it has more than {LONGEST_TEXT} characters, or the run was "
                "made by an earlier version of i2s-sdk."
            )
    return found


def shareable_texts(plain: Any) -> Any:  # noqa: ANN401 - JSON
    """Return JSON whose texts have no paths of the machine."""
    if isinstance(plain, str):
        return without_paths(plain)
    if isinstance(plain, Mapping):
        return {name: shareable_texts(one) for name, one in plain.items()}
    return [shareable_texts(one) for one in plain] if isinstance(plain, list | tuple) else plain


def _question(name: str, asked: Asked, pictures: Mapping[str, int]) -> list[Any]:
    """Return a question: its name, its system text, texts and images in order, and its JSON Schema.

    An image is the place of a picture, or the name of a file that the run does not keep in a list.
    """
    parts: list[Any] = [
        pictures[one.sha256]
        if one.sha256 in pictures
        else [visible(one.file)]
        if one.file
        else visible(one.text)
        for one in asked.parts
    ]
    return [visible(name), visible(asked.system), parts, visible(asked.schema)]


def _facts(record: Record) -> list[str]:
    facts = [f"{name} {seconds:.2f} s" for name, seconds in record.seconds.items()]
    if record.has_picture:
        facts.append(f"{record.width} × {record.height} pixels")
    if record.pages > 1:
        facts.append(f"page 1 of {record.pages} is shown")
    if record.usage.input_tokens is not None or record.usage.output_tokens is not None:
        facts.append(f"{record.usage.input_tokens or 0} tokens in, {record.usage.output_tokens or 0} out")
    if record.cost is not None:
        facts.append(f"${record.cost:.4f}")
    if record.reading is not None and record.reading.blocks:
        taken = ", ".join(map(str, record.reading.taken))
        facts.append(f"blocks: {record.reading.blocks}, taken: {taken or 'none'}")
    if record.reading is not None and record.reading.origin:
        facts.append(_ORIGINS.get(record.reading.origin, record.reading.origin))
    if record.finish == "length":
        facts.append("cut off at its longest")
    return facts
