"""Repositories as the search of GitHub describes them, and their licences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from i2s_collect.candidates import Licence, SourceDocument

#: SPDX identifiers of the licences that permit to publish copies, by the key that GitHub's search takes.
REDISTRIBUTABLE = {
    "cc0-1.0": "CC0-1.0",
    "unlicense": "Unlicense",
    "0bsd": "0BSD",
    "mit": "MIT",
    "isc": "ISC",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "apache-2.0": "Apache-2.0",
    "mpl-2.0": "MPL-2.0",
    "cc-by-4.0": "CC-BY-4.0",
    "cc-by-sa-4.0": "CC-BY-SA-4.0",
}

_FULL_NAME = re.compile(r"(?!\.+/)[A-Za-z0-9._-]{1,100}/(?!\.+\Z)[A-Za-z0-9._-]{1,100}")
_SPDX = re.compile(r"[A-Za-z0-9.+-]{1,64}")
_BRANCH = re.compile(r"(?![/.])(?!.*(?:\.\.|//))[^\x00-\x20\x7f~^:?*\[\\]{1,250}")
_NO_LICENCE = "NOASSERTION"


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository that was found.

    Attributes:
        id: Number that GitHub gave it.
        full_name: Owner and name, such as "ann/ann.github.io".
        owner: Name of the account.
        branch: The default branch.
        created: Time of creation, UTC.
        size: Size of the whole repository in kB.
        licence: Licence as GitHub detected it.
        is_template: Whether it is meant to be copied.
        is_source: Whether it is public, no fork and not archived.
    """

    id: int
    full_name: str
    owner: str
    branch: str
    created: datetime
    size: int
    licence: Licence
    is_template: bool
    is_source: bool

    def document(self, **detail: str) -> SourceDocument:
        """Return the repository as a document; ``detail`` is added to its own."""
        return SourceDocument(
            key=self.full_name,
            day=self.created.date(),
            owner=self.owner,
            licence=self.licence,
            title=self.full_name,
            authors=(self.owner,),
            url=f"https://github.com/{self.full_name}",
            detail={"repository": self.id, "branch": self.branch, **detail},
        )


def read_item(item: object) -> Repository:
    """Return the repository of an item of the search.

    Raises:
        ValueError: Something is missing or not what it should be; one line.
    """
    if not isinstance(item, Mapping):
        raise ValueError("is no object")
    name, branch = _text(item, "full_name"), _text(item, "default_branch")
    if not is_full_name(name):
        raise ValueError(f"full_name {name[:100]!r} is no name of a repository")
    if not _BRANCH.fullmatch(branch) or not _is_utf_8(branch):
        raise ValueError(f"default_branch {branch[:100]!r} is no name of a branch")
    return Repository(
        id=_number(item, "id"),
        full_name=name,
        owner=name.partition("/")[0],
        branch=branch,
        created=read_time(_text(item, "created_at")),
        size=_number(item, "size"),
        licence=read_licence(item.get("license")),
        is_template=item.get("is_template") is True,
        is_source=not any(item.get(flag) is True for flag in ("private", "fork", "archived", "disabled")),
    )


def is_full_name(text: str) -> bool:
    """Return whether a text is the name of an owner and a repository, such as "ann/ann.github.io"."""
    return _FULL_NAME.fullmatch(text) is not None


def read_licence(value: object) -> Licence:
    """Return the licence that GitHub detected; an unknown one if it is none that SPDX has."""
    found = value.get("spdx_id") if isinstance(value, Mapping) else None
    if not isinstance(found, str) or found == _NO_LICENCE or not _SPDX.fullmatch(found):
        return Licence()
    return licence_of(found)


def licence_of(spdx: str) -> Licence:
    """Return the licence of an SPDX identifier."""
    url = f"https://spdx.org/licenses/{spdx}.html"
    return Licence(spdx, url, spdx in REDISTRIBUTABLE.values())


def read_time(text: str) -> datetime:
    """Return a time of the interface in UTC.

    Raises:
        ValueError: It is none.
    """
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"{text[:60]!r} is no time") from None


def _text(item: Mapping[str, object], name: str) -> str:
    value = item.get(name)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} {repr(value)[:60]} is no text")
    return value


def _number(item: Mapping[str, object], name: str) -> int:
    value = item.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise ValueError(f"{name} {repr(value)[:60]} is no number")
    return value


def _is_utf_8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # JSON can hold half of a surrogate pair
        return False
    return True
