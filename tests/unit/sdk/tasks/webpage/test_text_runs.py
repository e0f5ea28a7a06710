"""Texts in elements of their own that belong together."""

from i2s_sdk.tasks.webpage.block_match import Block, Run, compare_blocks
from i2s_sdk.tasks.webpage.text_runs import ShownText, runs_of
from i2s_wire.render.site import ElementTree

BLACK, BLUE = (0.0, 0.0, 0.0), (0.0, 0.0, 200.0)
# 1 body, 2 p, 3 to 6 span, 7 div, 8 div
TREE = ElementTree(("body", "p", "span", "div"), (0, 1, 2, 2, 2, 2, 3, 3), (0, 1, 2, 2, 2, 2, 1, 1))
SIZE = 200.0, 100.0


def text(said: str, left: float, top: float, block: int, element: int, width: float = 20) -> ShownText:
    return ShownText(said, (left, top, left + width, top + 10), BLACK, block, element)


def found(*texts: ShownText, most: int = 100, most_in_all: int = 1000) -> dict[str, tuple[int, int]]:
    return {one.block.text: (one.start, one.stop) for one in runs_of(texts, TREE, SIZE, most, most_in_all)}


def test_words_of_a_line_are_a_run_whatever_their_elements() -> None:
    assert found(text("hello", 0, 0, 0, 7), text("world", 23, 0, 1, 8)) == {"hello world": (0, 2)}


def test_a_wide_gap_or_another_height_parts_a_line() -> None:
    apart = text("hello big", 0, 0, 0, 7), text("wide world", 40, 0, 1, 8)
    high = ShownText("wide world", (23, 0, 80, 30), BLACK, 1, 8)
    assert found(*apart) == found(apart[0], high) == {}


def test_lines_of_a_paragraph_are_a_run_and_each_line_is_one() -> None:
    runs = found(
        text("one", 0, 0, 0, 3),
        text("two", 23, 0, 1, 4),
        text("three", 0, 12, 2, 5),
        text("four", 23, 12, 3, 6),
    )
    assert runs == {"one two three four": (0, 4), "one two": (0, 2), "three four": (2, 4)}


def test_single_words_in_boxes_of_their_own_are_lines_of_a_paragraph() -> None:
    assert found(text("one", 0, 0, 0, 7), text("two", 0, 12, 1, 8)) == {"one two": (0, 2)}
    assert found(text("one or two", 0, 0, 0, 7), text("or three", 0, 12, 1, 8)) == {}


def test_paragraphs_are_apart() -> None:
    assert found(text("one two", 0, 0, 0, 7), text("three four", 0, 11, 1, 8)) == {}


def test_a_text_around_another_is_in_the_order_of_the_document() -> None:
    around = text("read", 0, 0, 0, 2), text("the docs", 23, 0, 1, 3, 40), text("now", 66, 0, 0, 2)
    assert found(*around) == {"read the docs now": (0, 2)}


def test_a_run_has_only_whole_blocks() -> None:
    assert found(text("read", 0, 0, 0, 2), text("it", 23, 0, 1, 7), text("now", 0, 90, 0, 2)) == {}


def test_long_runs_are_none() -> None:
    assert found(text("hello", 0, 0, 0, 7), text("world", 23, 0, 1, 8), most=10) == {}


def test_runs_have_so_many_characters_in_all() -> None:
    lines = [text("one two", 0, 50 * at, 2 * at, 7) for at in range(3)]
    pairs = [
        one for at, first in enumerate(lines) for one in (first, text("more", 23, 50 * at, 2 * at + 1, 8))
    ]
    parted = [ShownText(pair.text, pair.box, pair.color, at, at + 10) for at, pair in enumerate(pairs)]
    tree = ElementTree(("div",), (0,) * 20, (0,) * 20)
    assert len(runs_of(parted, tree, SIZE, 100, 25)) == 2


def test_a_run_has_the_union_of_places_and_the_mean_colour_of_its_blocks() -> None:
    one, two = text("hello", 0, 0, 0, 7), text("world", 23, 0, 1, 8)
    blue = ShownText(two.text, two.box, BLUE, 1, 8)
    (run,) = runs_of((one, blue), TREE, SIZE, 100, 1000)
    assert run.block.box == (0, 0, 43 / 200, 0.1)
    assert run.block.color == (0, 0, 100)


def blocks_of(*texts: str) -> list[Block]:
    return [Block(one, (0.1 * at, 0, 0.05, 0.1), BLACK) for at, one in enumerate(texts)]


WORDS = "read", "all", "about", "it"
WHOLE = Block(" ".join(WORDS), (0, 0, 0.4, 0.1), BLACK)
RUN = Run(0, 4, WHOLE)


def test_words_are_compared_as_one_if_the_other_page_has_them_as_one() -> None:
    scores = compare_blocks([WHOLE], blocks_of(*WORDS), runs=((), (RUN,)))
    assert (scores.match, scores.text, len(scores.prediction)) == (1, 1, 1)
    scores = compare_blocks(blocks_of(*WORDS), [WHOLE], runs=((RUN,), ()))
    assert (scores.match, scores.text, len(scores.reference)) == (1, 1, 1)


def test_words_that_both_pages_have_apart_stay_apart() -> None:
    scores = compare_blocks(blocks_of(*WORDS), blocks_of(*WORDS), runs=((RUN,), (RUN,)))
    assert len(scores.pairs) == 4


def test_runs_that_are_parted_in_another_way_are_compared_as_one() -> None:
    letters = "read a", "ll abo", "ut it"
    parted = Run(0, 3, Block("read a ll abo ut it", (0, 0, 0.4, 0.1), BLACK))
    scores = compare_blocks(blocks_of(*WORDS), blocks_of(*letters), runs=((RUN,), (parted,)))
    assert (len(scores.pairs), scores.text > 0.9) == (1, True)


def test_a_run_within_another_is_taken_where_the_other_page_has_two_lines() -> None:
    lines = [Block("read all", (0, 0, 0.2, 0.1), BLACK), Block("about it", (0.2, 0, 0.2, 0.1), BLACK)]
    runs = RUN, Run(0, 2, lines[0]), Run(2, 4, lines[1])
    scores = compare_blocks(lines, blocks_of(*WORDS), runs=((), runs))
    assert (len(scores.pairs), scores.text) == (2, 1)


def test_of_runs_that_cut_one_another_one_is_taken() -> None:
    """The second would have to take the first apart, and its text is without "read"."""
    first = Run(0, 2, Block("read all", (0, 0, 0.2, 0.1), BLACK))
    second = Run(1, 4, Block("all about it", (0.1, 0, 0.3, 0.1), BLACK))
    page = blocks_of("read al", "all about it")
    scores = compare_blocks(page, blocks_of(*WORDS), runs=((), (first, second)))
    texts = [one.text for one in scores.prediction]
    assert "read" in " ".join(texts).split()
    assert len(" ".join(texts).split()) == 4


def test_a_missing_word_stays_missing() -> None:
    run = Run(0, 2, Block("read all about it", (0, 0, 0.4, 0.1), BLACK))
    reference = [Block("read about it", (0, 0, 0.4, 0.1), BLACK), Block("all", (0.1, 0, 0.1, 0.1), BLACK)]
    scores = compare_blocks(reference, reference[:1], runs=((run,), ()))
    assert (len(scores.reference), scores.text) == (2, 1)
