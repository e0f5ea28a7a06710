"""Read what the Ruby process answered. It is not trusted: a site may have taken the process over."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from i2s_render_html.jekyll.model import BuildCause, BuildError

_MOST_MESSAGE = 1000
_MOST_FRONT_MATTER = 64 * 1024
_MOST_LINE = 10_000_000
_MOST_WARNINGS = 20
_MOST_WARNING = 300
_MOST_VERSION = 64

# Errors of Ruby that are not about the site's text but about what it may use.
_LIMITS = {
    "NoMemoryError": BuildCause.MEMORY_LIMIT,
    "Errno::ENOMEM": BuildCause.MEMORY_LIMIT,
    "Errno::EAGAIN": BuildCause.PROCESS_LIMIT,
    "Errno::ENOSPC": BuildCause.OUTPUT_LIMIT,
    "Errno::EDQUOT": BuildCause.OUTPUT_LIMIT,
    "Errno::EFBIG": BuildCause.OUTPUT_LIMIT,
}

# How Jekyll names the file that it was at, in its log.
_FILE = (
    re.compile(r"Liquid Exception: .* in (?P<file>\S.*)$", re.MULTILINE),
    re.compile(r"encountered an error while converting '(?P<file>[^']+)'"),
    re.compile(r"(?:Error reading file|YAML Exception reading|Error processing) (?P<file>[^:\n]+):"),
    re.compile(r"^\((?P<file>[^()<\n]+)\): "),
)
_LINE = re.compile(r"\bline (\d{1,8})\b")
_NAMELESS = "(<unknown>): "
# A warning of libsass, which prints it: up to the first empty line.
_SASS_WARNING = re.compile(r"^(?:DEPRECATION )?WARNING\b.*(?:\n.+)*", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class BuildAnswer:
    """An answer: whether the site was built, and if not, why."""

    #: Whether it was built.
    built: bool
    #: Class of the error.
    kind: str = ""
    #: Its message.
    message: str = ""
    #: File that it is about.
    file: str = ""
    #: Line of that file.
    line: int | None = None
    #: What the site was built without, a sentence each.
    left_out: tuple[str, ...] = ()
    #: Warnings that Jekyll logged, and errors after which it went on.
    warnings: tuple[str, ...] = ()

    @property
    def cause(self) -> BuildCause:
        """How the build ended, as far as the process knows."""
        return BuildCause.BUILT if self.built else _LIMITS.get(self.kind, BuildCause.FAILED)


def read_answer(raw: bytes, workdir: str) -> BuildAnswer | None:
    """Return the answer; None if there is none, or one that cannot be understood.

    Args:
        raw: What was said.
        workdir: The work folder, as the process sees it; it is cut off from names, and so is the folder in it
            from names in warnings.
    """
    try:
        fields = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or not isinstance(fields.get("built"), bool):
        return None
    kind, message, file = (_text(fields.get(name)) for name in ("kind", "message", "file"))
    line = fields.get("line")
    in_folder = re.compile(rf"{re.escape(workdir)}/[^/\s]+/")
    return BuildAnswer(
        fields["built"],
        kind,
        message.replace(f"{workdir}/", ""),
        file.replace(f"{workdir}/", ""),
        line if type(line) is int and 0 < line <= _MOST_LINE else None,
        _sentences(_texts(fields.get("left_out"))),
        _sentences(in_folder.sub("", text) for text in _texts(fields.get("warnings"))),
    )


def sass_warnings(log: str, folder: str) -> tuple[str, ...]:
    """Return the warnings of style sheets, which libsass prints into the log.

    Args:
        log: What Jekyll and libsass said.
        folder: Name of the site's folder in the work folder, which is cut off from names.
    """
    return _sentences(_SASS_WARNING.findall(_clean_lines(log, folder)))


def read_versions(raw: bytes) -> dict[str, str] | None:
    """Return the versions of gems that a process names when it is ready; None if it says anything else.

    Args:
        raw: What was said, before any site was there.
    """
    try:
        fields = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or fields.get("ready") is not True:
        return None
    versions = fields.get("versions")
    if not isinstance(versions, dict):
        return None
    return {name: version[:_MOST_VERSION] for name, version in versions.items() if isinstance(version, str)}


def _sentences(said: Iterable[str]) -> tuple[str, ...]:
    clean = (_printable(_COLOUR.sub("", one).replace(_NAMELESS, ""))[:_MOST_WARNING] for one in said)
    return tuple(dict.fromkeys(clean))[:_MOST_WARNINGS]


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str) and one] if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def describe(answer: BuildAnswer, log: str, folder: str, files: Mapping[str, bytes]) -> BuildError:
    """Return why Jekyll refused a site.

    Args:
        answer: Answer with ``built`` False.
        log: What Jekyll said.
        folder: Name of the site's folder in the work folder, which is cut off from names.
        files: The site. Jekyll counts lines from the end of the front matter, readers from the top.
    """
    message = _clean(answer.message, folder)
    line = answer.line
    if line is None and (found := _LINE.search(message)):
        line = int(found[1]) or None
    if answer.file:
        file = _clean(answer.file, folder)
        message = message.removeprefix(_NAMELESS)
    else:
        file = _file(message) or _file(_clean_lines(log, folder))
        if line is not None and file in files:
            above = _lines_of_front_matter(files[file])
            message = message.replace(f"line {line}", f"line {line + above}")
            line += above
    return BuildError(message or answer.kind or "Jekyll gave no reason", file, line)


def _clean(message: str, folder: str) -> str:
    """Return a message as one printable line of bounded length, with names relative to the site."""
    return _printable(_clean_lines(message, folder))[:_MOST_MESSAGE]


def _printable(text: str) -> str:
    line = " ".join(text.split())
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def _clean_lines(text: str, folder: str) -> str:
    return re.sub(rf"(?<![\w./-]){re.escape(folder)}/", "", _COLOUR.sub("", text))


def _file(text: str) -> str:
    for pattern in _FILE:
        if found := pattern.findall(text):
            return str(found[-1]).strip().removeprefix("/")[:1024]
    return ""


def _lines_of_front_matter(content: bytes) -> int:
    """Return how many lines Jekyll takes for front matter; blank ones below it are among them."""
    lines = content[:_MOST_FRONT_MATTER].split(b"\n")
    if not _is_rule(lines[0], b"---"):
        return 0
    for number, line in enumerate(lines[1:], start=2):
        if _is_rule(line, b"---", b"..."):
            blank = itertools.takewhile(lambda below: not below.strip(), lines[number:])
            return number + sum(1 for _ in blank)
    return 0


def _is_rule(line: bytes, *marks: bytes) -> bool:
    return line.startswith(marks) and not line[3:].strip()
