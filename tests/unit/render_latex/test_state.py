import asyncio
import os

import pytest

from i2s_chassis.errors import StartError
from i2s_render_latex import state
from i2s_render_latex.state import check_reachable, index_file, keep_for_jobs, open_index, prepare_folder
from i2s_render_latex.texindex.definitions import Category
from i2s_render_latex.texindex.index import write
from i2s_wire.render.source_error import Provider, ProviderKind


def test_chosen_folder_wins(tmp_path):
    assert state.state_folder(tmp_path) == tmp_path


def test_folder_of_an_ordinary_user_is_in_the_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert state.state_folder(None) == tmp_path / "i2s-render-latex"


def test_folder_is_made_and_readable_by_others(tmp_path):
    prepare_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o755


def made_in(state, name="made"):
    made = state / name
    (made / "inner").mkdir(parents=True)
    (made / "inner/file").write_text(name)
    made.chmod(0o700)
    return made


def test_prepared_files_are_readable_by_all_in_their_place(tmp_path):
    keep_for_jobs(made_in(tmp_path), tmp_path / "fonts/digest")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "fonts").rglob("*")}
    assert modes == {"digest": 0o755, "inner": 0o755, "file": 0o644}
    assert not (tmp_path / "made").exists()


def test_what_another_process_has_prepared_meanwhile_stays(tmp_path):
    keep_for_jobs(made_in(tmp_path, "first"), tmp_path / "fonts/digest")
    keep_for_jobs(made_in(tmp_path, "second"), tmp_path / "fonts/digest")
    assert (tmp_path / "fonts/digest/inner/file").read_text() == "first"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders to others")
def test_root_leaves_folders_to_the_owner_of_the_state_folder(tmp_path):
    os.chown(tmp_path, 4711, 4712)
    keep_for_jobs(made_in(tmp_path), tmp_path / "fonts/digest")
    status = (tmp_path / "fonts").stat()
    assert (status.st_uid, status.st_gid) == (4711, 4712)


def test_a_link_that_the_owner_of_the_state_folder_puts_there_is_not_followed(tmp_path):
    """Else a service that was taken over would make root open any folder to all users."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    state = tmp_path / "state"
    made = made_in(state)
    (state / "fonts").symlink_to(elsewhere)
    with pytest.raises(OSError, match="fonts"):
        keep_for_jobs(made, state / "fonts/digest")
    assert elsewhere.stat().st_mode & 0o777 == 0o700
    assert list(elsewhere.iterdir()) == []


def test_a_folder_that_jobs_cannot_reach_is_refused(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(StartError, match=r"--state-dir .*closed to others"):
        check_reachable(closed / "state")


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StartError, match="--state-dir"):
        prepare_folder(tmp_path / "file" / "state")


async def test_services_that_start_together_build_the_index_once(tmp_path, monkeypatch):
    built = []

    async def build(folder):
        await asyncio.sleep(0.05)
        built.append(folder)

    monkeypatch.setattr(state, "_run_index_command", build)
    monkeypatch.setattr(state, "_LOCK_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(state, "open_index", lambda folder, shared=None: "index" if built else None)
    found = await asyncio.gather(*(state.index_for_service(tmp_path) for _ in range(3)))
    assert (found, built) == (["index"] * 3, [tmp_path])


async def test_an_index_that_cannot_be_built_for_want_of_a_folder_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(state, "open_index", lambda folder, shared=None: None)
    with pytest.raises(StartError, match=r"--state-dir .*No such file"):
        await state.index_for_service(tmp_path / "none")


@pytest.fixture
def tree(monkeypatch):
    """A tree whose digest is "now"."""
    monkeypatch.setattr(state, "tree_roots", lambda: ())
    monkeypatch.setattr(state, "current_digest", lambda roots: "now")


def index_at(path, digest="now"):
    path.parent.mkdir(exist_ok=True)
    write(path, digest, [(Category.FILE, path.parent.name, [Provider(ProviderKind.PACKAGE, "booktabs")])])
    return path


def opened(folder, shared):
    """Return which index was opened, by its folder."""
    index = open_index(folder, shared)
    if index is None:
        return None
    return next(name for name in ("own", "shared") if index.providers_of_file(f"{name}.sty"))


def test_the_index_of_all_users_stands_for_one_that_is_missing_or_stale(tmp_path, tree):
    shared = index_at(tmp_path / "shared" / "index")
    assert opened(tmp_path / "own", shared) == "shared"
    index_at(index_file(tmp_path / "own"), "before")
    assert opened(tmp_path / "own", shared) == "shared"


def test_an_own_index_comes_first(tmp_path, tree):
    index_at(index_file(tmp_path / "own"))
    assert opened(tmp_path / "own", index_at(tmp_path / "shared" / "index")) == "own"


def test_a_stale_index_of_all_users_is_not_used(tmp_path, tree):
    assert opened(tmp_path / "own", index_at(tmp_path / "shared" / "index", "before")) is None
    assert opened(tmp_path / "own", None) is None


def test_an_index_of_all_users_that_another_user_may_write_is_not_used(tmp_path, tree):
    shared = index_at(tmp_path / "shared" / "index")
    shared.chmod(0o666)
    assert opened(tmp_path / "own", shared) is None


def builder(folder, monkeypatch, code):
    """Have a program that says two things and ends with a code stand for the interpreter."""
    program = folder / "python"
    program.write_text(
        f"#!/bin/sh\necho 'files read: 1 of 2' >&2\necho 'files read: 2 of 2' >&2\nexit {code}\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(state.sys, "executable", str(program))


async def test_the_progress_of_a_build_is_logged(tmp_path, monkeypatch, caplog):
    builder(tmp_path, monkeypatch, 0)
    with caplog.at_level("INFO", state.__name__):
        await state._run_index_command(tmp_path)
    assert [record.fields for record in caplog.records] == [
        {"progress": "files read: 1 of 2"},
        {"progress": "files read: 2 of 2"},
    ]


async def test_a_build_that_fails_is_told_with_its_last_words(tmp_path, monkeypatch):
    builder(tmp_path, monkeypatch, 1)
    with pytest.raises(StartError, match=r"cannot be built: files read: 2 of 2"):
        await state._run_index_command(tmp_path)
