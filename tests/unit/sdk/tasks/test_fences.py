from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.fences import FencedBlock, fenced_blocks, longest_block


def test_a_block_stands_between_two_fences() -> None:
    assert fenced_blocks("Hi\n```latex\nx\n```\nbye") == (FencedBlock("latex", "\nx\n", True),)


def test_an_open_fence_is_closed_at_the_end() -> None:
    assert fenced_blocks("```tex\nx + ") == (FencedBlock("tex", "\nx + ", False),)


def test_a_fence_may_stand_in_the_middle_of_a_line() -> None:
    blocks = fenced_blocks("use ```latex x``` or ```E = mc``` or ```y```", {"latex"})
    assert blocks == (
        FencedBlock("latex", " x", True),
        FencedBlock("", "E = mc", True),
        FencedBlock("", "y", True),
    )


def test_attributes_after_the_language_are_not_code() -> None:
    assert fenced_blocks('```latex title="a b"\nx\n```') == (FencedBlock("latex", "\nx\n", True),)


def test_a_block_of_tildes_ends_with_tildes() -> None:
    assert fenced_blocks("~~~latex\na ``` b\n~~~\n") == (FencedBlock("latex", "\na ``` b\n", True),)


def test_a_longer_fence_holds_a_shorter_one() -> None:
    assert fenced_blocks("````\n```\nx\n```\n````")[0].content == "\n```\nx\n```\n"


def test_a_fence_inside_of_a_line_does_not_end_a_block_that_a_whole_line_ends() -> None:
    assert fenced_blocks("```latex\n% see ``` here\nx\n```")[0].content == "\n% see ``` here\nx\n"


def test_code_right_after_a_fence_is_not_its_info() -> None:
    assert fenced_blocks("```\\frac{a}{b}```") == (FencedBlock("", "\\frac{a}{b}", True),)


def test_info_is_compared_without_case() -> None:
    assert fenced_blocks("```LaTeX\nx\n```")[0].info == "latex"


def test_the_language_comes_before_length_and_length_before_place() -> None:
    blocks = fenced_blocks(
        "```python\naaaaaaaaaaaa\n```\n```\nbbbbbbbb\n```\n```tex\nc\n```\n```latex\ndd\n```"
    )
    chosen = longest_block(blocks, {"latex", "tex"})
    assert chosen is not None
    assert chosen.content == "\ndd\n"


def test_a_block_without_language_comes_before_one_of_another_language() -> None:
    chosen = longest_block(fenced_blocks("```bash\nlong long long\n```\n```\nx\n```"), {"latex"})
    assert chosen is not None
    assert chosen.content == "\nx\n"


def test_blocks_that_hold_nothing_are_no_answer() -> None:
    assert longest_block(fenced_blocks("```latex\n\n```"), {"latex"}) is None


@given(st.text(alphabet="`~ \nal\\{}", max_size=60))
def test_every_block_is_a_part_of_the_text(text: str) -> None:
    for block in fenced_blocks(text):
        assert block.content in text


@given(st.text(alphabet="abc\\{} \n$", max_size=60), st.sampled_from(["", "latex", "tex", "LaTeX"]))
def test_what_is_fenced_is_found_again(code: str, info: str) -> None:
    (block,) = fenced_blocks(f"prose\n```{info}\n{code}\n```\nprose")
    assert block == FencedBlock(info.lower(), f"\n{code}\n", True)
