"""The files of a site: their places, as an answer has them, and as they are sent to the renderer.

Answers name files in more ways than a request to the renderer may (``File.path`` in render.proto):
``./index.html``, ``/css/s.css``, ``css//s.css``, ``css/``, ``../s.css``. Each profile has a rule of its own
for them; both end with names that the renderer takes.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from i2s_sdk.instances.site_files import INDEXES
from i2s_sdk.tasks.repair import Repair, RepairKind
from i2s_sdk.tasks.structure import NO_CHOICE, BlockChoice, Origin, Structure

_MAX_PART_BYTES, _MAX_PATH_BYTES = 255, 1024  # of a request
_SHOWN_NAMES, _SHOWN_CHARACTERS = 3, 80


@dataclass(frozen=True, slots=True)
class PlacedFiles:
    """The files of an answer at their places."""

    #: Files by the relative path that a request may hold.
    files: Mapping[str, str]
    #: One for all names that were normalised, one for all files that were left out.
    repairs: tuple[Repair, ...] = ()


def sendable(name: str) -> str:
    """Return a name that a message can hold: what no UTF-8 can is replaced."""
    return name.encode("utf-8", "replace").decode("utf-8")


def place_files(files: Mapping[str, str], assets: Collection[str] = ()) -> PlacedFiles:
    """Return where profile ``paper`` puts files: names normalised, what lies in no site left out.

    A leading "/", empty parts, "." and backslashes are normalised as a browser does in an address; ".." is
    resolved. Left out is what leads out of the site, names a folder, or cannot lie beside the other files.
    Of two names that become one the later file of the answer counts, whatever form its name has.

    Args:
        files: Files by the name in the answer.
        assets: Names that are taken; a file of such a name is left out without a record, as documented.
    """
    assets = frozenset(assets)
    taken = TakenNames(assets)
    placed: dict[str, str] = {}
    normalized: list[str] = []
    left_out: dict[str, str] = {}
    for name in sorted(files, key=lambda file: not _is_index(file)):  # none is left out for a twin
        try:
            path = normalized_path(name)
            if path in assets and path == name:
                continue
            if path in assets:
                normalized.append(name)
                continue
            if path not in placed:
                taken.add(path)
        except ValueError as error:
            left_out[name] = str(error)
            continue
        if path != name:
            normalized.append(name)
        placed.pop(path, None)
        placed[path] = files[name]
    order = {path: number for number, path in enumerate(_paths_in_order(files))}
    ordered = dict(sorted(placed.items(), key=lambda item: order[item[0]]))
    return PlacedFiles(ordered, tuple(_repairs(normalized, left_out)))


def normalized_path(name: str) -> str:
    """Return the plain relative path that a name of an answer means.

    Raises:
        ValueError: It means no file of the site; says why.
    """
    name = sendable(name).replace("\\", "/")
    if not name or name.endswith(("/", "/.", "/..")) or name in (".", ".."):
        raise ValueError("names a folder and no file")
    return _checked(_resolved(name.split("/")))


def helm_path(name: str) -> str | None:
    """Return where in the folder of the site the released code wrote a file; None for outside of it.

    It joined the name to the folder, made the folders in between, and opened the file for writing. What
    cannot be asked for by an address, or lies outside, changes no image and is not written here.

    Raises:
        ValueError: Opening the file failed, which ended the sample there.
    """
    if "\0" in name:
        raise ValueError("holds a null character")
    name = sendable(name)
    if not name or name.endswith(("/", "/.", "/..")) or name in (".", ".."):
        raise ValueError("names a folder and no file")
    if any(len(part.encode()) > _MAX_PART_BYTES for part in name.split("/")):
        raise ValueError(f"has a part longer than {_MAX_PART_BYTES} bytes")
    if name.startswith("/") or "\\" in name:
        return None
    try:
        return _checked(_resolved(name.split("/")))
    except ValueError:
        return None


class TakenNames:
    """Names that lie in one folder, compared as in a request: without case, in one Unicode form.

    Args:
        names: Names that are taken already.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._files: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        for name in names:
            self._note(name, _folded(name))

    def add(self, path: str) -> None:
        """Take a name.

        Raises:
            ValueError: It cannot lie beside one that is taken; says why.
        """
        key = _folded(path)
        if key in self._files:
            raise ValueError(f"differs from {shown_name(self._files[key])} only in case or Unicode form")
        if key in self._folders:
            raise ValueError(f"has the name of the folder of {shown_name(self._folders[key])}")
        for folder in _folders_of(key):
            if folder in self._files:
                raise ValueError(f"needs a folder where {shown_name(self._files[folder])} is a file")
        self._note(path, key)

    def _note(self, path: str, key: str) -> None:
        self._files[key] = path
        for folder in _folders_of(key):
            self._folders.setdefault(folder, path)


class HelmFolder:
    """The folder of a site as the released code filled it.

    Args:
        files: Files that lie in it already.
    """

    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self.files = dict(files or {})
        self._folders = {folder for path in self.files for folder in _folders_of(path)}

    def write(self, name: str, content: str) -> None:
        """Write a file of an answer; one that lies outside of the folder is left out.

        Raises:
            ValueError: The released code failed at it.
        """
        path = helm_path(name)
        if path is None:
            return
        folders = _folders_of(path)
        if path in self._folders or any(folder in self.files for folder in folders):
            raise ValueError("needs a file and a folder of one name")
        self._folders.update(folders)
        self.files[path] = content

    def sendable_files(self, assets: Collection[str] = ()) -> dict[str, str]:
        """Return the files that one request can hold: of names that differ only in case the first."""
        taken, sendable = TakenNames(assets), dict[str, str]()
        for path in sorted(self.files, key=lambda file: file not in INDEXES):
            if path in assets:
                continue
            try:
                taken.add(path)
            except ValueError:
                continue
            sendable[path] = self.files[path]
        return {path: sendable[path] for path in self.files if path in sendable}


def shown_name(name: str) -> str:
    """Return a name of an answer for a message: quoted, printable, of bounded length."""
    return repr(name if len(name) <= _SHOWN_CHARACTERS else name[: _SHOWN_CHARACTERS - 1] + "…")


def _is_index(name: str) -> bool:
    """Return whether a name of an answer means an index page, in whatever form."""
    try:
        return normalized_path(name) in INDEXES
    except ValueError:
        return False


def _paths_in_order(files: Mapping[str, str]) -> Iterable[str]:
    for name in files:
        try:
            yield normalized_path(name)
        except ValueError:
            continue


def _resolved(parts: Iterable[str]) -> str:
    kept: list[str] = []
    for part in parts:
        if part == "..":
            if not kept:
                raise ValueError("leads out of the site")
            kept.pop()
        elif part not in ("", "."):
            kept.append(part)
    return "/".join(kept)


def _checked(path: str) -> str:
    if not path:
        raise ValueError("names a folder and no file")
    if any(unicodedata.category(one) == "Cc" for one in path):
        raise ValueError("holds a control character")
    if len(path.encode()) > _MAX_PATH_BYTES:
        raise ValueError(f"is longer than {_MAX_PATH_BYTES} bytes")
    if any(len(part.encode()) > _MAX_PART_BYTES for part in path.split("/")):
        raise ValueError(f"has a part longer than {_MAX_PART_BYTES} bytes")
    return path


def _folders_of(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _folded(path: str) -> str:
    """Return what names have in common that a file system may take for the same (Unicode, D145)."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())


def _repairs(normalized: list[str], left_out: Mapping[str, str]) -> Iterable[Repair]:
    if normalized:
        yield Repair(RepairKind.NORMALIZE_NAME, _listed(normalized), "a file name is no plain relative path")
    if left_out:
        name, reason = next(iter(left_out.items()))
        yield Repair(RepairKind.LEAVE_OUT_FILE, _listed(list(left_out)), f"{shown_name(name)} {reason}")


def _listed(names: list[str]) -> str:
    listed = ", ".join(map(shown_name, names[:_SHOWN_NAMES]))
    more = len(names) - _SHOWN_NAMES
    return f"{listed} and {more} more" if more > 0 else listed


@dataclass(frozen=True, slots=True)
class SiteStructure(Structure):
    """The files of an answer, by name. ``code`` is the same as JSON."""

    files: Mapping[str, str] = field(default_factory=dict)


def site_structure(
    files: Mapping[str, str],
    origin: Origin,
    repairs: tuple[Repair, ...] = (),
    choice: BlockChoice = NO_CHOICE,
) -> SiteStructure:
    """Return the structure of some files."""
    return SiteStructure(as_json(files), origin, repairs, choice, dict(files))


def as_json(files: Mapping[str, str]) -> str:
    """Return files as the prompt asks for them: a list of objects with filename and content."""
    listed = [{"filename": name, "content": content} for name, content in files.items()]
    return json.dumps(listed, indent=1, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Site:
    """A site to render."""

    #: Written by the model, by relative name; none has the name of an asset.
    files: Mapping[str, bytes]
    #: Assets of the data set, at their names.
    assets: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """A line for each file, with the digest of its content."""
        everything = {**self.files, **self.assets}
        lines = (f"{hashlib.sha256(content).hexdigest()}  {name}" for name, content in everything.items())
        return "".join(f"{line}\n" for line in lines)


def site_of(files: Mapping[str, str | bytes], assets: Mapping[str, bytes]) -> Site:
    """Return the site of some files; what has the name of an asset is left out."""
    kept = {sendable(name): _bytes(content) for name, content in files.items() if name not in assets}
    return Site(kept, dict(assets))


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
