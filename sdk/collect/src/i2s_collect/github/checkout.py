"""The files of a repository at one commit: fetched as an archive, without its history."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from i2s_collect.candidates import Dropped, Fetched, Reason, SourceDocument
from i2s_collect.github.api import GithubApi
from i2s_collect.github.repository import is_full_name
from i2s_collect.web.answer import Web
from i2s_collect.web.errors import SourceStoppedError
from i2s_sdk.instances.site_files import read_repository
from i2s_sdk.json_text import read_json

#: The largest archive of a repository that is taken.
MAX_ARCHIVE_BYTES = 20_000_000

#: Statuses of a repository that is gone, empty, or closed for legal reasons.
_GONE = frozenset({404, 409, 410, 422, 451})
_SHA = re.compile(r"[0-9a-f]{40}")
_MAX_COMMIT_BYTES = 20_000_000


def fetch_checkout(
    document: SourceDocument, web: Web, api: GithubApi, max_bytes: int = MAX_ARCHIVE_BYTES
) -> Fetched | Dropped:
    """Return the archive of a repository at the commit of the document, else where its default branch is now.

    Raises:
        BodyTooLargeError: The archive is larger than ``max_bytes``.
        SourceStoppedError: GitHub does not answer, or names no commit.
    """
    if not is_full_name(document.key) or (document.version and not is_commit(document.version)):
        return Dropped(Reason.MALFORMED, "is no repository, or its version no commit", document.key)
    branch = str(document.detail.get("branch", ""))
    found = document.version or commit_of(document.key, branch, web, api)
    if isinstance(found, Dropped):
        return found
    request = api.ask(f"/repos/{document.key}/tarball/{found}", max_bytes=max_bytes, expected=_GONE)
    answer = web.get(request)
    if answer.status != 200:
        return Dropped(Reason.GONE, f"the archive is gone or closed ({answer.status})", document.key)
    return Fetched(answer.body, found, f"https://github.com/{document.key}/tree/{found}")


def is_commit(text: str) -> bool:
    """Return whether a text is the SHA-1 of a commit, in hexadecimal."""
    return _SHA.fullmatch(text) is not None


def commit_of(repository: str, branch: str, web: Web, api: GithubApi) -> str | Dropped:
    """Return the SHA-1 of the last commit of a branch.

    Raises:
        SourceStoppedError: GitHub does not answer, or names no commit.
    """
    request = api.ask(
        f"/repos/{repository}/commits/{quote(branch, safe='/')}",
        max_bytes=_MAX_COMMIT_BYTES,
        expected=_GONE,
    )
    answer = web.get(request)
    if answer.status != 200:
        return Dropped(Reason.GONE, f"the branch is gone or closed ({answer.status})", repository)
    try:
        body = read_json(answer.body)
    except ValueError:
        body = None
    sha = body.get("sha") if isinstance(body, Mapping) else None
    if isinstance(sha, str) and _SHA.fullmatch(sha):
        return sha
    web.forget(request)
    raise SourceStoppedError(f"{request.url} answered without a commit; run the same command later")


def read_checkout(content: bytes) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the files of an archive by their path in the repository, and the names of its links.

    Raises:
        ValueError: It is no archive, is too large, or a name leads elsewhere.
    """
    files, left_out = read_repository(content)
    tops = {name.partition("/")[0] for name in files}
    if len(tops) == 1 and all("/" in name for name in files):
        (top,) = tops
        files = {name.removeprefix(f"{top}/"): raw for name, raw in files.items()}
    return files, left_out
