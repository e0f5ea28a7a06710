"""What a collection knows survives a kill, and which pieces are accepted depends on their order alone."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_collect.candidates import CollectStage, Dropped, Licence, Piece, Reason, SourceDocument
from i2s_collect.caps import Acceptance, Caps, instance_id
from i2s_collect.difficulty import Thresholds, as_text, read_thresholds, thresholds
from i2s_collect.files import ContentFiles
from i2s_collect.state import CollectionState, PieceOutcome, order
from i2s_collect.summary import CollectSummary, Drop
from i2s_sdk.errors import DataError, InUseError, RunConflictError

DAY = date(2026, 10, 1)


def document(key: str, *, day: int = 0, owner: str = "") -> SourceDocument:
    licence = Licence("CC-BY-4.0", "https://example.org/by", True)
    return SourceDocument(
        key, DAY + timedelta(day), owner, licence, "A title", ("Ann",), "https://x.org", {"a": 1}
    )


def passed(subset: str, key: str, fingerprint: str = "") -> PieceOutcome:
    return PieceOutcome(subset, key, CollectStage.JUDGE, fingerprint=fingerprint or key)


class Same:
    """Pieces with equal fingerprints are duplicates."""

    def __init__(self) -> None:
        self.kept: set[tuple[str, str]] = set()

    def fingerprint(self, piece: Piece, png: bytes) -> str:
        return piece.text

    def find(self, subset: str, fingerprint: str) -> str | None:
        return fingerprint if (subset, fingerprint) in self.kept else None

    def add(self, subset: str, key: str, fingerprint: str) -> None:
        self.kept.add((subset, fingerprint))


def test_documents_come_in_the_order_of_seed_and_key(tmp_path: Path) -> None:
    found = [document(f"d{number}") for number in range(50)]
    orders = []
    for seed, given_order in ((1, found), (1, found[::-1]), (2, found)):
        state = CollectionState(tmp_path / str(len(orders)))
        state.keep_documents(given_order, seed)
        orders.append([one.key for one in state.documents()])
        state.close()
    assert orders[0] == orders[1] == sorted((one.key for one in found), key=lambda key: order(1, key))
    assert orders[0] != orders[2]


def test_everything_stored_is_read_again_as_it_was(tmp_path: Path) -> None:
    state = CollectionState(tmp_path)
    outcome = dataclasses.replace(
        passed("equation", "k"), reason=Reason.BLANK, span=(3, 9), assets=("a",), notes={"expanded": 2}
    )
    state.keep_documents([document("a"), Dropped(Reason.NO_SOURCE, "PDF", "b"), document("a", owner="x")], 0)
    state.keep_outcomes("a", {"equation": [outcome], "": []})
    state.close()
    again = CollectionState(tmp_path)
    assert list(again.documents()) == [document("a")]
    assert again.undiscovered() == [Dropped(Reason.NO_SOURCE, "PDF", "b")]
    assert again.outcomes("a", "equation") == [outcome]
    assert again.outcomes("a", "table") is None
    assert again.outcomes("a", "") == []
    again.close()


def test_an_interrupted_discovery_leaves_no_documents(tmp_path: Path) -> None:
    def breaking() -> Iterator[SourceDocument]:
        yield document("a")
        raise KeyboardInterrupt

    state = CollectionState(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        state.keep_documents(breaking(), 0)
    assert not state.discovered()
    assert list(state.documents()) == []
    state.keep_documents([document("b")], 0)
    assert state.discovered()
    state.close()


def test_a_folder_goes_on_with_the_options_that_it_was_begun_with(tmp_path: Path) -> None:
    state = CollectionState(tmp_path)
    state.keep_facts({"seed": "1"})
    state.keep_facts({"seed": "1", "more": "x"})
    with pytest.raises(RunConflictError, match="seed 1, not 2"):
        state.keep_facts({"seed": "2"})
    state.close()


def test_two_processes_do_not_collect_into_one_folder(tmp_path: Path) -> None:
    state = CollectionState(tmp_path)
    with pytest.raises(InUseError, match="another process"):
        CollectionState(tmp_path)
    state.close()
    CollectionState(tmp_path).close()


def test_a_broken_database_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "state.sqlite").write_bytes(b"this is no database" * 100)
    with pytest.raises(DataError, match=r"state\.sqlite"):
        CollectionState(tmp_path)


def test_files_are_found_by_content_and_checked(tmp_path: Path) -> None:
    files = ContentFiles(tmp_path)
    digest = files.keep(b"content")
    assert files.keep(b"content") == digest
    assert files.read(digest) == b"content"
    next(path for path in tmp_path.rglob("*") if path.is_file()).write_bytes(b"changed")
    with pytest.raises(DataError):
        files.read(digest)


OFFERED = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from(["a", "b"]), st.integers(0, 12)),
    max_size=60,
)


def accepted(offered: list[tuple[int, int, str, int]], caps: Caps) -> Acceptance:
    acceptance = Acceptance(caps, Same())
    for number, (day, owner, subset, fingerprint) in enumerate(offered):
        one = document(f"d{number}", day=day, owner=f"o{owner}" if owner else "")
        acceptance.offer(one, subset, [passed(subset, f"k{number}", f"f{fingerprint}")])
    return acceptance


@given(OFFERED, st.integers(1, 8), st.integers(1, 4))
def test_caps_hold_and_a_larger_collection_holds_the_smaller(
    offered: list[tuple[int, int, str, int]], per_subset: int, per_day: int
) -> None:
    small = accepted(offered, Caps(per_subset, per_day))
    large = accepted(offered, Caps(per_subset + 5, per_day))
    for subset in ("a", "b"):
        found = small.accepted[subset]
        assert len(found) <= per_subset
        assert max(Counter(one.document.day for one in found).values(), default=0) <= per_day
        assert (
            max(Counter(one.document.owner for one in found if one.document.owner).values(), default=0) <= 1
        )
        assert len({one.outcome.fingerprint for one in found}) == len(found)
        assert large.accepted[subset][: len(found)] == found
    assert sum(map(len, small.accepted.values())) + len(small.refused) == len(offered)


def test_several_pieces_of_one_document_are_of_one_owner() -> None:
    acceptance = Acceptance(Caps(per_owner=1), Same())
    acceptance.offer(document("d", owner="o"), "a", [passed("a", "1"), passed("a", "2")])
    acceptance.offer(document("e", owner="o"), "a", [passed("a", "3")])
    assert [one.outcome.key for one in acceptance.accepted["a"]] == ["1", "2"]
    assert [one.reason for one in acceptance.refused] == [Reason.ENOUGH_OF_OWNER]


def test_what_was_withdrawn_is_not_accepted() -> None:
    one = document("d")
    withdrawn = frozenset({instance_id(one, "a", "1")})
    acceptance = Acceptance(Caps(), Same(), withdrawn)
    acceptance.offer(one, "a", [passed("a", "1"), passed("a", "2")])
    assert [kept.outcome.key for kept in acceptance.accepted["a"]] == ["2"]
    assert [refused.reason for refused in acceptance.refused] == [Reason.WITHDRAWAL_LIST]


def test_difficulties_are_the_terciles_of_the_published_benchmark(tmp_path: Path) -> None:
    found = thresholds([5, 1, 9, 3, 7, 2, 8])
    assert found == Thresholds(3, 7)
    assert [found.of(length) for length in (3, 4, 7, 8)] == ["easy", "medium", "medium", "hard"]
    assert thresholds([]) is None
    path = tmp_path / "thresholds.json"
    path.write_text(as_text({"equation": found}))
    assert read_thresholds(path) == {"equation": found}
    path.write_text("[1]")
    with pytest.raises(DataError):
        read_thresholds(path)


def test_counts_that_do_not_add_up_are_named() -> None:
    summary = CollectSummary("x", 1, documents=3, visited=1, not_needed=1, accepted={"a": 1})
    summary.pieces["a"] = 2
    assert summary.faults() == ("documents", "pieces of a")
    summary.count(
        [Drop(CollectStage.DISCOVER, Reason.NO_SOURCE, "d"), Drop(CollectStage.CUT, Reason.EMPTY, "e", "a")]
    )
    assert summary.faults() == ()
    assert summary.full


def test_another_thread_may_use_the_state(tmp_path: Path) -> None:
    """The coroutines of a collection run in a thread of their own in a notebook."""
    state = CollectionState(tmp_path)
    with ThreadPoolExecutor(1) as thread:
        thread.submit(state.keep_documents, [document("a")], 0).result()
    assert list(state.documents()) == [document("a")]
    state.close()
