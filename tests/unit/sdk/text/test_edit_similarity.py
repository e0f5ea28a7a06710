from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.distance import edit_distance
from nltk.tokenize import TreebankWordTokenizer

from i2s_sdk.text import edit_similarity
from i2s_wire.metrics.profile import Profile

TEXTS = st.text(alphabet=r"ab \{}$^_.,'-%" + '"' + "\n", max_size=40)


@given(TEXTS, TEXTS)
def test_agrees_with_the_edit_distance_of_nltk(prediction: str, reference: str) -> None:
    tokenize = TreebankWordTokenizer().tokenize
    predicted, expected = tokenize(prediction), tokenize(reference)
    longer = max(len(predicted), len(expected))
    oracle = 1 - edit_distance(predicted, expected) / longer if longer else 1.0
    assert abs(edit_similarity(prediction, reference, Profile.PAPER) - oracle) < 1e-12


@given(TEXTS, TEXTS)
def test_helm_is_paper_with_the_reference_cut_to_the_characters_of_the_prediction(
    prediction: str, reference: str
) -> None:
    cut = reference[: len(prediction)]
    helm = edit_similarity(prediction, reference, Profile.HELM)
    if prediction.strip() or cut.strip():
        assert helm == edit_similarity(prediction, cut, Profile.PAPER)
    else:
        assert helm == 0.0


@given(TEXTS)
def test_a_text_equals_itself_in_profile_paper(text: str) -> None:
    assert edit_similarity(text, text, Profile.PAPER) == 1.0


@given(TEXTS, TEXTS, st.sampled_from(Profile))
def test_lies_between_0_and_1(prediction: str, reference: str, profile: Profile) -> None:
    assert 0.0 <= edit_similarity(prediction, reference, profile) <= 1.0


def test_a_correct_prefix_is_worth_less_than_the_whole_only_in_profile_paper() -> None:
    whole = r"\frac { a } { b } + c"
    assert edit_similarity(r"\frac { a }", whole, Profile.HELM) == 1.0
    assert edit_similarity(r"\frac { a }", whole, Profile.PAPER) < 0.6


def test_whitespace_is_no_token() -> None:
    assert edit_similarity("a  b\tc\n\nd", "a b c d") == 1.0
