"""ROUGE against the definition, and against the package ``rouge`` 1.0.1, which others wrote."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rouge import Rouge

from i2s_sdk.tasks.visualwebbench.word_overlap import (
    EmptyTextError,
    common_subsequence,
    f1,
    normalized,
    rouge_scores,
    sentences,
    squad_f1,
)

#: Few different words, so that subsequences have many ties.
WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "A"]), max_size=12)
TEXTS = st.lists(
    st.sampled_from(["a", "b", "c", "d", ".", " ", " ", ". ", "\n", "2.0", "é", "x,"]), max_size=24
).map("".join)


@given(TEXTS, TEXTS)
@example("a b. c", "a b. c.")
@example("abc. ", "abc")
@example("b a a b", "a b a")
def test_all_three_are_those_of_the_package(answer: str, reference: str) -> None:
    try:
        (theirs,) = Rouge().get_scores([answer], [reference])
    except ValueError as error:
        with pytest.raises(EmptyTextError, match=str(error)):
            rouge_scores(answer, reference)
        return
    ours = rouge_scores(answer, reference)
    assert (ours.rouge_1, ours.rouge_2, ours.rouge_l) == tuple(
        theirs[name]["f"] for name in ("rouge-1", "rouge-2", "rouge-l")
    )


def longest(one: list[str], other: list[str]) -> int:
    """The length of the longest common subsequence, by its recursion."""
    if not one or not other:
        return 0
    if one[-1] == other[-1]:
        return 1 + longest(one[:-1], other[:-1])
    return max(longest(one[:-1], other), longest(one, other[:-1]))


@given(WORDS.map(lambda words: words[:7]), WORDS.map(lambda words: words[:7]))
def test_a_common_subsequence_is_one_and_the_longest(reference: list[str], answer: list[str]) -> None:
    found = common_subsequence(reference, answer)
    assert len(found) == longest(reference, answer)
    for words in (reference, answer):
        places = iter(words)
        assert all(word in places for word in found)


def test_of_equally_long_subsequences_the_answer_is_shortened_first() -> None:
    assert common_subsequence(["a", "b"], ["b", "a"]) == ["b"]
    assert common_subsequence(["b", "a"], ["a", "b"]) == ["a"]


def test_a_piece_of_spaces_is_a_sentence_and_an_empty_piece_is_none() -> None:
    assert sentences("Hello   world. \n Again..") == ["Hello world", "Again"]
    assert sentences("abc. ") == ["abc", ""]
    assert sentences("...") == []


def test_a_text_without_a_sentence_has_no_value() -> None:
    with pytest.raises(EmptyTextError, match="Hypothesis is empty"):
        rouge_scores("..", "a")
    with pytest.raises(EmptyTextError, match="Reference is empty"):
        rouge_scores("a", "")


def test_equal_texts_have_one_without_epsilon_and_a_little_less_with_it() -> None:
    assert rouge_scores("one two", "one two", epsilon=0.0).rouge_l == 1.0
    assert rouge_scores("one two", "one two").rouge_l == 0.999999995
    assert f1(0, 3, 4) == 0.0


def test_two_thousand_words_are_no_matter_of_recursion() -> None:
    words = " ".join(f"w{number}" for number in range(2000))
    assert rouge_scores(words, words).rouge_l == 0.999999995


def test_case_punctuation_and_articles_do_not_count() -> None:
    assert normalized("The  Answer, an answer!") == ["answer", "answer"]
    assert squad_f1("the answer.", "Answer") == 1.0


@pytest.mark.parametrize(
    ("answer", "gold", "value"),
    [
        ("cat cat dog", "cat dog dog", 2 / 3),
        ("cat", "cat dog dog", 0.5),
        ("bird", "cat", 0.0),
        ("", "cat", 0.0),
        ("the", "a", 1.0),
        ("$5.99", "5.99", 1.0),
    ],
)
def test_occurrences_are_counted(answer: str, gold: str, value: float) -> None:
    assert squad_f1(answer, gold) == pytest.approx(value)
