"""The released files of SO-Bench: evaluation files (JSON Lines), or label files (JSON) and their images."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from i2s_sdk.data.imports.items import Imported, ImportedItem, ImportRequest, lay_down, read_bytes
from i2s_sdk.errors import DataError
from i2s_sdk.files import read_file, reading
from i2s_sdk.json_text import read_json

_TASK = "sobench"
_LICENCE = "CC-BY-NC-ND"
_DATA_URL = re.compile(r"data:image/[\w.+-]+;base64,")
_INTENT = "User Intent:"


def import_sobench(request: ImportRequest) -> Imported:
    """Make a data set of evaluation files (``*.jsonl``) and label files (``*.json``), or of folders of these.

    An evaluation file has its images inside. A label file names its image by an address: the file of the same
    name in the folder of images is taken, and nothing is fetched.

    Raises:
        UsageError: The output folder is not empty.
        DataError: A source cannot be read, or no item of it can be used.
        WriteError: The data set cannot be written.
    """
    sources = [Path(source) for source in request.sources]
    return lay_down(_items(sources, request.images), request.out, request.sources[0])


def _items(sources: Iterable[Path], images: Path | None) -> Iterator[ImportedItem]:
    for source in sources:
        for file in _files(source):
            yield from _evaluation(file) if file.suffix == ".jsonl" else _labels(file, images)


def _files(source: Path) -> list[Path]:
    if not source.is_dir():
        return [source]
    files = sorted(path for path in source.iterdir() if path.suffix in (".json", ".jsonl"))
    if not files:
        raise DataError(source, 0, "holds neither an evaluation file (*.jsonl) nor label files (*.json)")
    return files


def _evaluation(file: Path) -> Iterator[ImportedItem]:
    with reading(file), file.open("rb") as lines:
        for number, raw in enumerate(lines, start=1):
            if raw.strip():
                yield _evaluated(raw, f"{file}:{number}", f"{file.stem}-{number}")


def _evaluated(raw: bytes, where: str, identity: str) -> ImportedItem:
    try:
        fields = read_json(raw)
        if not isinstance(fields, dict):
            raise ValueError("is not a JSON object")
        identity = str(fields.get("id", identity))
        texts, image = _message(fields.get("messages"))
        schema, answer = _required(fields, "target_schema"), _required(fields, "target_content")
        labels = _plain(fields.get("evaluation_labels"))
    except ValueError as error:
        return ImportedItem(identity, where, fault=str(error))
    return _item(identity, where, image, schema, _intent(texts), answer, labels)


def _labels(file: Path, images: Path | None) -> Iterator[ImportedItem]:
    content = read_file(file)
    try:
        fields = read_json(content)
    except ValueError as error:
        yield ImportedItem(file.stem, str(file), fault=f"is not JSON: {error}")
        return
    several = isinstance(fields, list)
    for number, item in enumerate(fields if several else [fields], start=1):
        identity = f"{file.stem}-{number}" if several else file.stem
        try:
            if not isinstance(item, dict):
                raise ValueError("is not a JSON object")
            image = _image_of(item.get("image_url"), images)
            schema, answer = _required(item, "schema_json"), _required(item, "structured_output")
            intent, labels = str(item.get("user_intent") or ""), _plain(item.get("evaluation_labels"))
        except ValueError as error:
            yield ImportedItem(identity, str(file), fault=str(error))
            continue
        yield _item(identity, str(file), image, schema, intent, answer, labels)


def _item(
    identity: str,
    where: str,
    image: bytes,
    schema: Any,  # noqa: ANN401 - JSON values
    intent: str,
    answer: Any,  # noqa: ANN401
    labels: Any,  # noqa: ANN401
) -> ImportedItem:
    target = {"answer": answer} if labels is None else {"answer": answer, "labels": labels}
    return ImportedItem(
        id=identity,
        where=where,
        task=_TASK,
        subset=_TASK,
        inputs={"schema": schema, "intent": intent},
        files={"image": image},
        target=target,
        licence=_LICENCE,
        provenance={"source": "SO-Bench"},
    )


def _required(fields: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401
    if name not in fields:
        raise ValueError(f"has no field {name!r}")
    return _plain(fields[name])


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Return a JSON value, or the one in a text that is an object or a list of JSON."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return read_json(value)
    return value


def _message(messages: object) -> tuple[str, bytes]:
    """Return the texts and the image of the user's message.

    Raises:
        ValueError: It has none.
    """
    parts: list[dict[str, Any]] = []
    for message in messages if isinstance(messages, list) else []:
        match message:
            case {"role": "user", "content": list(content)}:
                parts += [part for part in content if isinstance(part, dict)]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    for part in parts:
        match part:
            case {"image_url": {"url": str(url)}} | {"image_url": str(url)} if data_url := _DATA_URL.match(
                url
            ):
                return "\n".join(texts), _decoded(url[data_url.end() :])
    raise ValueError("its messages have no image as a data: URL")


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ValueError("the data: URL of its image is not base64") from None


def _intent(text: str) -> str:
    """Return what follows "User Intent:" up to the next empty line; else to the end of that line."""
    _, _, rest = text.rpartition(_INTENT)
    rest = rest if _INTENT in text else ""
    paragraph, blank, _ = rest.partition("\n\n")
    return (paragraph if blank else rest.partition("\n")[0]).strip()


def _image_of(address: object, images: Path | None) -> bytes:
    """Return the image that an address names, from the folder of images.

    Raises:
        ValueError: There is no folder, or no file of that name in it.
    """
    if not isinstance(address, str) or not address:
        raise ValueError("has no field 'image_url'")
    if data_url := _DATA_URL.match(address):
        return _decoded(address[data_url.end() :])
    if images is None:
        raise ValueError(f"its image {address[:200]!r} is not inside; name a folder of images")
    name = PurePosixPath(unquote(urlsplit(address).path)).name
    if not name or not (images / name).is_file():
        raise ValueError(f"the folder of images has no file {name[:200]!r}")
    return read_bytes(images / name, images)
