"""Texts that a run keeps for its readers and that decide no value: document, log and ground truth."""

from __future__ import annotations

import json

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.structure import Structure
from i2s_sdk.visible import visible
from i2s_wire.render.rendering import LogExcerpt

#: Characters of a document or of a ground truth that is kept to be shown; a longer one is not kept.
DOCUMENT_CHARACTERS = 50_000

#: Characters of a log that are kept from its beginning and from its end.
LOG_HEAD, LOG_TAIL = 1_000, 3_000


def kept_document(source: str, structure: Structure) -> str | None:
    """Return a document as it is kept beside its structure; None if it is the structure, or too long."""
    if source == structure.code:
        return None
    return _kept(source)


def kept_log(log: LogExcerpt) -> str | None:
    """Return the beginning and the end of a log, without control characters; None if it is empty."""
    if not log.tail and len(log.head) <= LOG_HEAD + LOG_TAIL:
        return visible(log.head) or None
    tail = (log.tail or log.head)[-LOG_TAIL:]
    left = log.total_bytes - len((log.head[:LOG_HEAD] + tail).encode("utf-8", "replace"))
    gap = f"\n… {left} bytes are left out …\n" if left > 0 else ""
    return visible(f"{log.head[:LOG_HEAD]}{gap}{tail}")


def kept_target(content: Content) -> str | None:
    """Return the structure of a ground truth as answers have it; None if there is none, or it is too long.

    Of a site, these are its files that are text.
    """
    if content.site is None:
        return _kept(content.structure) if content.structure else None
    texts: dict[str, str] = {}
    for name, file in content.site.items():
        try:
            texts[name] = file.decode()
        except UnicodeDecodeError:  # an image or a font
            continue
    files = [{"filename": name, "content": text} for name, text in texts.items()]
    return _kept(json.dumps(files, indent=1, ensure_ascii=False)) if files else None


def _kept(text: str) -> str | None:
    return None if len(text) > DOCUMENT_CHARACTERS else text.encode("utf-8", "replace").decode()
