"""Which predicted blocks belong to which true ones."""

import random
import time

import pytest
from rapidfuzz.distance import Levenshtein

from i2s_sdk.tasks.omnidocbench.match import BlockMatch, _has_part, _Runs, distances, match_blocks

ONE = "thequickbrownfoxjumpsoverthelazydog"
TWO = "packmyboxwithfivedozenliquorjugs"
THREE = "sphinxofblackquartzjudgemyvow"


def matched(gold, predicted, ignored=None, *, forced=False):
    ignored = ignored or [False] * len(gold)
    return {
        (match_block.gold, match_block.predicted)
        for match_block in match_blocks(gold, predicted, ignored, forced=forced)
    }


def test_equal_blocks_match_in_any_order():
    assert matched([ONE, TWO, THREE], [THREE, ONE, TWO]) == {((0,), (1,)), ((1,), (2,)), ((2,), (0,))}


def test_a_true_block_matches_a_run_of_pieces():
    assert matched([ONE, TWO], [ONE[:18], ONE[18:], TWO]) == {((0,), (0, 1)), ((1,), (2,))}


def test_true_blocks_that_one_predicted_block_holds_match_it_together():
    assert matched([ONE, TWO], [ONE + TWO]) == {((0, 1), (0,))}


def test_a_short_true_block_is_found_within_a_long_predicted_one():
    assert matched([ONE + TWO, THREE], [ONE + TWO + THREE]) == {((0, 1), (0,))}


def test_what_is_left_matches_only_if_that_is_forced():
    assert matched([ONE, TWO], [ONE, "0123456789"]) == {((0,), (0,)), ((1,), ()), ((), (1,))}
    assert matched([ONE, TWO], [ONE, "0123456789"], forced=True) == {((0,), (0,)), ((1,), (1,))}
    assert matched([ONE], ["0123456789"]) == {((0,), ()), ((), (0,))}
    assert matched([ONE], ["0123456789"], forced=True) == {((0,), (0,))}


def test_a_predicted_header_is_taken_by_the_ignored_block_and_a_missing_one_by_none():
    assert matched([TWO, ONE], [TWO, ONE], [True, False]) == {((0,), (0,)), ((1,), (1,))}
    assert matched([TWO, ONE], [ONE], [True, False]) == {((0,), ()), ((1,), (0,))}


def test_nothing_matches_nothing():
    assert match_blocks([], [], []) == []
    assert match_blocks([ONE], [], [False]) == [BlockMatch((0,), ())]
    assert match_blocks([], [ONE], []) == [BlockMatch((), (0,))]


@pytest.mark.parametrize("or_equal", [False, True])
@pytest.mark.parametrize("below", [0.4, 0.6])
def test_places_that_are_left_out_hold_no_part(below, or_equal):
    chance = random.Random(7)
    for _ in range(400):
        text = "".join(chance.choice("abc") for _ in range(chance.randint(0, 30)))
        part = "".join(chance.choice("abc") for _ in range(chance.randint(0, 12)))
        places = range(len(text) - len(part) + 1) if part else ()
        shares = [Levenshtein.distance(text[at : at + len(part)], part) / len(part) for at in places]
        wanted = any(share < below or (or_equal and share == below) for share in shares)
        assert _has_part(text, part, below, or_equal=or_equal) == wanted, (text, part)


def test_runs_that_bounds_leave_out_are_farther() -> None:
    chance = random.Random(11)
    for _ in range(60):
        gold = ["".join(chance.choice("abcdefgh ") for _ in range(chance.randint(20, 90))) for _ in range(3)]
        said = []
        for text in (*gold, "".join(chance.choice("abcdefgh ") for _ in range(60))):
            written = "".join(one for one in text if chance.random() > 0.04)
            size = chance.randint(8, 30)
            said += [written[at : at + size] for at in range(0, len(written), size)]
        runs = _Runs(gold, said, distances(gold, said))
        for row in runs._rows:
            found = runs._best(row)
            assert found == min((runs._run(row, start) for start in runs._starts), key=lambda one: one[1])


def _lines(number: int, words: int, chance: random.Random) -> list[str]:
    kinds = ["".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(6)) for _ in range(500)]
    return [" ".join(chance.choice(kinds) for _ in range(words)) for _ in range(number)]


def test_a_long_page_with_a_paragraph_a_line_has_its_runs_in_short_time() -> None:
    lines = _lines(800, 11, random.Random(1))
    gold = [" ".join(lines[at : at + 8]) for at in range(0, 800, 8)]
    started = time.process_time()
    assert matched(gold, lines) == {((at,), tuple(range(8 * at, 8 * at + 8))) for at in range(100)}
    assert time.process_time() - started < 3  # 6 s without bounds, 0.7 s with them


def test_a_long_page_of_other_words_takes_a_short_time() -> None:
    gold, predicted = _lines(100, 100, random.Random(0)), _lines(900, 10, random.Random(1))
    started = time.process_time()
    matches = match_blocks(gold, predicted, [False] * len(gold))
    assert all(not match.gold or not match.predicted for match in matches)
    assert time.process_time() - started < 3  # 15 s without a budget
