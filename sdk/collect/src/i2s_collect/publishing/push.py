"""Uploads a published data set to the Hub of Hugging Face, when somebody says so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from i2s_sdk.errors import StoreError, UsageError
from i2s_wire.installation import install_command

if TYPE_CHECKING:
    from huggingface_hub import HfApi

#: Files that are uploaded, as `i2s-sdk dataset publish` writes them.
PATTERNS = ("README.md", "croissant.json", "recipes.jsonl", "held-back.jsonl", "*/*.parquet")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")


@dataclass(frozen=True, slots=True)
class Upload:
    """The files that are uploaded, and their destination."""

    #: Owner and name of the data set on the Hub.
    name: str
    #: Tag that the revision gets; empty for none.
    tag: str
    #: Whether a repository that does not exist yet is made visible to everybody.
    public: bool
    #: Sizes in bytes, by relative path.
    files: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return it as a document."""
        return {"name": self.name, "tag": self.tag, "public": self.public, "files": dict(self.files)}


def plan_upload(folder: Path, name: str, tag: str = "", *, public: bool = False) -> Upload:
    """Return what an upload would send; nothing is sent.

    Args:
        folder: Folder that ``publish`` has written.
        name: Owner and name of the data set on the Hub.
        tag: Tag that the revision gets, such as "2026-10"; empty for none.
        public: Whether a repository that does not exist yet is made visible to everybody.

    Raises:
        UsageError: The name or tag is none, or the folder is not one of ``publish``, or holds files that
            ``publish`` does not write.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name on the Hub, such as me/pages-2026-10")
    if tag and not _TAG.fullmatch(tag):
        raise UsageError(f"{tag!r} is no tag, such as 2026-10")
    files = {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for pattern in PATTERNS
        for path in sorted(folder.glob(pattern))
        if path.is_file() and not path.is_symlink()
    }
    if not {"README.md", "croissant.json"} <= set(files) or not any(
        file.endswith(".parquet") for file in files
    ):
        raise UsageError(f"{folder} was not written by `i2s-sdk dataset publish`")
    others = [path for path in folder.rglob("*") if not path.is_dir()]
    unknown = sorted(path.relative_to(folder).as_posix() for path in others)
    if left := [one for one in unknown if one not in files]:
        raise UsageError(f"{folder} also holds {left[0]}, which `i2s-sdk dataset publish` did not write")
    return Upload(name, tag, public, files)


def upload(folder: Path, planned: Upload) -> str:
    """Upload a published data set, and return the URL of its revision.

    The token is that of the package huggingface_hub (HF_TOKEN, or a login). A repository that does not exist
    is made, private unless the upload says otherwise. Files of an earlier month stay below their own tags.

    Raises:
        UsageError: The package is missing, or the tag exists already.
        StoreError: The Hub refuses or does not answer.
    """
    try:
        from huggingface_hub import HfApi
    except ImportError:
        raise UsageError(
            f"uploading needs the package huggingface_hub: {install_command('i2s-sdk[hub]')}"
        ) from None
    api = HfApi()
    try:
        _check_tag(api, planned)
        api.create_repo(planned.name, repo_type="dataset", private=not planned.public, exist_ok=True)
        commit = api.upload_folder(
            repo_id=planned.name,
            folder_path=folder,
            repo_type="dataset",
            allow_patterns=list(planned.files),
            delete_patterns=["*.parquet"],  # of subsets that an earlier revision had
            commit_message=f"Publish {planned.tag}".strip(),
        )
        if planned.tag:
            api.create_tag(planned.name, tag=planned.tag, revision=commit.oid, repo_type="dataset")
    except UsageError:
        raise
    except Exception as error:
        # The library raises errors of its own, of its HTTP client and of the system.
        said = " ".join(str(error).split())[:300] or type(error).__name__
        raise StoreError(f"{planned.name}: the Hub does not take it: {said}") from None
    return str(commit.commit_url)


def _check_tag(api: HfApi, planned: Upload) -> None:
    """Check that a tag is free, since months are never replaced.

    Raises:
        UsageError: It is taken.
    """
    from huggingface_hub.errors import RepositoryNotFoundError

    if not planned.tag:
        return
    try:
        tags = api.list_repo_refs(planned.name, repo_type="dataset").tags
    except RepositoryNotFoundError:
        return
    if planned.tag in {tag.name for tag in tags}:
        raise UsageError(f"{planned.name} has the tag {planned.tag} already; name another one")
