import os

from hypothesis import given
from hypothesis import strategies as st

from i2s_render_latex import formats


class FormatCache(formats.FormatCache):
    def put(self, preamble, dumped):
        self.write(preamble, dumped)
        return self.add(preamble)


def cache(folder, digest="d", room=100):
    return FormatCache(folder, digest, room)


def test_a_format_is_found_by_its_preamble(tmp_path):
    one = cache(tmp_path).put(b"pre", b"dump")
    assert one.path.read_bytes() == b"dump"


def test_other_users_load_a_format_whose_name_they_know_and_read_no_preamble(tmp_path):
    one = cache(tmp_path).put(b"pre", b"dump")
    assert one.path.stat().st_mode & 0o777 == 0o644
    assert one.path.with_suffix(".tex").stat().st_mode & 0o777 == 0o600
    assert tmp_path.stat().st_mode & 0o777 == 0o711


def test_formats_are_found_again_after_a_restart(tmp_path):
    cache(tmp_path).put(b"pre", b"dump")
    assert cache(tmp_path).get(b"pre").size == 4


def test_formats_of_another_installation_are_removed(tmp_path):
    cache(tmp_path).put(b"pre", b"dump")
    assert cache(tmp_path, digest="other").get(b"pre") is None
    assert list(tmp_path.iterdir()) == []


def test_formats_of_other_rules_are_removed(tmp_path, monkeypatch):
    cache(tmp_path).put(b"pre", b"dump")
    monkeypatch.setattr(formats, "RULES", formats.RULES + 1)
    assert cache(tmp_path).get(b"pre") is None
    assert list(tmp_path.iterdir()) == []


def test_a_format_whose_preamble_was_changed_on_disk_is_removed(tmp_path):
    one = cache(tmp_path).put(b"pre", b"dump")
    one.path.with_suffix(".tex").write_bytes(b"forged")
    assert list(cache(tmp_path)) == []


def test_a_preamble_without_its_format_is_removed(tmp_path):
    cache(tmp_path).put(b"pre", b"dump").path.unlink()
    assert cache(tmp_path).get(b"pre") is None


def test_the_longest_preamble_comes_first(tmp_path):
    formats = cache(tmp_path)
    for preamble in (b"a", b"a\nb\nc", b"a\nb"):
        formats.put(preamble, b"x")
    assert [one.preamble for one in formats] == [b"a\nb\nc", b"a\nb", b"a"]


def test_the_least_recently_used_makes_room(tmp_path):
    formats = cache(tmp_path, room=25)
    first, second = formats.put(b"1", b"x" * 10), formats.put(b"2", b"x" * 10)
    with formats.lend(first):
        pass
    formats.put(b"3", b"x" * 10)
    assert formats.get(b"2") is None
    assert not second.path.exists()
    assert first.path.exists()


def test_a_format_in_use_stays(tmp_path):
    formats = cache(tmp_path, room=10)
    first = formats.put(b"1", b"x" * 10)
    with formats.lend(first):
        formats.put(b"2", b"x" * 10)
        assert first.path.exists()
    assert (first.jobs, first.users) == (1, 0)


def test_a_kept_format_stays(tmp_path):
    formats = cache(tmp_path, room=10)
    formats.put(b"1", b"x" * 10).is_kept = True
    formats.put(b"2", b"x" * 10)
    formats.put(b"3", b"x" * 10)
    assert {one.preamble for one in formats} == {b"1", b"3"}


@given(st.lists(st.tuples(st.sampled_from([b"a", b"b", b"c", b"d"]), st.integers(0, 60)), max_size=12))
def test_room_is_never_exceeded_by_more_than_the_newest(tmp_path_factory, additions):
    folder = tmp_path_factory.mktemp("cache")
    formats = cache(folder, room=100)
    for preamble, size in additions:
        newest = formats.put(preamble, b"x" * size)
        assert sum(one.size for one in formats if one is not newest) <= 100
        on_disk = sum(path.stat().st_size for path in folder.glob("*.fmt"))
        assert on_disk == sum(one.size for one in formats)


def test_a_format_that_somebody_removed_is_forgotten(tmp_path):
    formats = cache(tmp_path)
    one = formats.put(b"pre", b"dump")
    assert formats.has(one)
    one.path.unlink()
    assert not formats.has(one)
    assert list(formats) == []


def test_what_was_half_written_is_swept_away_later(tmp_path):
    young, old, orphan = tmp_path / ".new-a", tmp_path / ".new-b", tmp_path / "key.fmt"
    for path in (young, old, orphan):
        path.touch()
    for path in (old, orphan):
        os.utime(path, (0, 0))
    cache(tmp_path)
    assert list(tmp_path.iterdir()) == [young]
