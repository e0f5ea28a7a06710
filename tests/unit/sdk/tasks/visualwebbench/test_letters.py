"""Letters in answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.visualwebbench.letters import LETTERS, index_of, read_letter, released_letter
from i2s_wire.metrics.profile import Profile


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("c", "C"),
        ("C. Because", "C"),
        ("Z. Because", "Z"),
        (" C. Because", "C"),
        ("(A) or (B), then A", "B"),
        ("(D) rather than H", "D"),
        ("A, B, C", "C"),
        ("B then A then B", "B"),
        ("it's 'D'!", "D"),
        ("1", "1"),
        ("", None),
        ("I", "I"),
        ("I think so", None),
        ("**E**", None),
        ("[G]", None),
        ("E\n", None),
        ("Answer:F", None),
        ("B) it is", None),
    ],
)
def test_the_released_evaluation_reads(answer: str, letter: str | None) -> None:
    assert released_letter(answer) == letter
    assert read_letter(answer, Profile.HELM) == (letter or NoStructure("the answer has no letter"))


BARE = [
    ("e\n", "E"),
    ("E\n", "E"),
    ("c", "C"),
    ("**E**", "E"),
    ("[G]", "G"),
    ("(c)", "C"),
    ("$C$", "C"),
    ("\\(C\\)", "C"),
    ("`C`", "C"),
    ("### C", "C"),
    ("> **C**", "C"),
    ("- C", "C"),
    ("<b>C</b>", "C"),
    ("Ｃ", "C"),
    ("（C）", "C"),
    ("Ⓒ", "C"),
    ("```\nC\n```", "C"),
    ("\\boxed{C}", "C"),
    ("$\\boxed{\\text{C}}$", "C"),
    ("\\boxed{\\textbf{(c)}}", "C"),
    ("\\[\\boxed{\\mathrm{C}}\\]", "C"),
    ('{"answer": "C"}', "C"),
    ('```json\n{"answer": "C"}\n```', "C"),
    ("{'choice': 'C'}", "C"),
    ('{"label":"C","description":"A blue button next to B"}', "C"),
    ('{"reasoning": "A is the logo and B is a link.", "answer": "C"}', "C"),
    ('["C"]', "C"),
]
LABELS = [
    ("B) it is", "B"),
    ("B: the link", "B"),
    ("B\nIt is a link.", "B"),
    ("C. Sign in", "C"),
    ("C) Sign in", "C"),
    ("(C) Sign in", "C"),
    ("c) Sign in", "C"),
    ("C: Sign in", "C"),
    ("C - Sign in", "C"),
    ("C – Sign in", "C"),
    ("**C. Sign in**", "C"),
    ("**C**: A page about B vitamins", "C"),
    ("C. A page that lists the H values", "C"),
    ("A. A page about shoes", "A"),
    ("Option C: the sign in button", "C"),
    ("Option C.", "C"),
    ("option (c)", "C"),
    ("option d", "D"),
    ("Element C", "C"),
    ("It is element `H`", "H"),
    ("C (Sign in)", "C"),
    ("C, the sign in button", "C"),
    ("C because A is the logo.", "C"),
    ("C\n\nExplanation: A is the logo, B is the search box, and D is the footer.", "C"),
    ("C. Sign in\n\nWhy not the others:\nA. It is the logo.\nB. It is the search box.", "C"),
]
ANNOUNCED = [
    ("Answer:F", "F"),
    ("Answer: c", "C"),
    ("Answer： C", "C"),
    ("答案：C", "C"),
    ("答案是C。", "C"),
    ("正确答案是C，不是A。", "C"),
    ("A是标志，B是搜索框，所以选C。", "C"),
    ("选项C", "C"),
    ("Antwort: C", "C"),
    ("Die richtige Antwort ist C.", "C"),
    ("Réponse : C", "C"),
    ("Respuesta: C", "C"),
    ("La respuesta correcta es C.", "C"),
    ("The answer is (C).", "C"),
    ("**Answer:** C", "C"),
    ("**Answer: C**", "C"),
    ("Answer: **C. Sign in**", "C"),
    ("### Answer\nC", "C"),
    ("## Final Answer\n\n**C. Sign in**", "C"),
    ("Answer:\n\nC. Sign in", "C"),
    ("The best match is option (c)", "C"),
    ("The best option is the element labeled C", "C"),
    ("The correct choice is therefore C", "C"),
    ("The element that best matches the description is C.", "C"),
    ("The answer is: C", "C"),
    ("My answer would be C", "C"),
    ("My choice is **D**, since A is a heading", "D"),
    ("I choose C", "C"),
    ("I'd go with C.", "C"),
    ("I would click on the element labeled **C**.", "C"),
    ("You should click C to sign in.", "C"),
    ("I choose D. A good match.", "D"),
    ("Therefore, option C", "C"),
    ("So C.", "C"),
    ("Hence, the answer must be C", "C"),
    ("I believe it's C", "C"),
    ("The description matches C", "C"),
    ('Based on the screenshot, the element that should be clicked is labeled "C".', "C"),
    ("it's 'D'!", "D"),
]
CONCLUDED = [
    ("(A) is wrong, (B) is wrong. Final answer: C", "C"),
    ("C is the column header. A is the logo and B is the search box.", "C"),
    ("Element C is the column header. Element A is the logo.", "C"),
    ("A is the column header. B is the logo.", "A"),
    ("The correct answer is (C), not (A) or (B).", "C"),
    ("The correct answer is C and not A.", "C"),
    ("The answer is C and A is the logo.", "C"),
    ("The answer is C, A is the logo.", "C"),
    ("The element labeled D is best, not A", "D"),
    ("(D) rather than H", "D"),
    ("D instead of H.", "D"),
    ("Not A but C.", "C"),
    ("Neither A nor B. C.", "C"),
    ("A is wrong, B is wrong, C fits.", "C"),
    ("A isn't it, B does not match, so it must be C.", "C"),
    ("A: no\nB: no\nC: yes", "C"),
    ("A ❌ B ❌ C ✅", "C"),
    ("A is the logo. B is the search box. C is the best match.", "C"),
    ("A is the logo, B is the search box, and C matches the description.", "C"),
    ("A is a link and B is a button. So C.", "C"),
    ("A is a link and B is a button.\n\nC", "C"),
    ("A is a link and B is a button.\n\n**C**", "C"),
    ("Option A? No, that is the logo. Option B? No. The answer is C.", "C"),
    ("The answer is A. Wait, it is B. Hmm, no. The answer is C.", "C"),
    ("The answer is A. Wait, it is B.", "B"),
    ("C. No wait, B.", "B"),
    ("Is the answer A? It is a logo. I pick C.", "C"),
    ("A could be the answer, but C is correct.", "C"),
    ("C is correct, although A could be the answer.", "C"),
    ("I prefer C over A.", "C"),
    ("C is better than A.", "C"),
    ("Options: A, B, C, D\nAnswer: C", "C"),
    ("Options:\nA. Home\nB. News\nC. Sign in\n\nAnswer: C", "C"),
    ("A. Home\nB. News\nC. Sign in\n\nThe correct option is C.", "C"),
    ('Let me look at the labels: A, B and C. The description says "Sign in".\nFinal: C', "C"),
    ("1. A: the logo\n2. B: the search box\n3. C: the header\n\nTherefore the answer is **C**.", "C"),
    ("The answer is A? No, the answer is C.", "C"),
    ("Between A and B, I choose B.", "B"),
]
NO_ANSWER = [
    "",
    "I",
    "Z.",
    "None",
    "None of the above.",
    "I cannot see the screenshot.",
    "A good match",
    "A button that signs the user in",
    "The answer is a button",
    "The answer is A button in the header",
    "A **button**",
    "options: A",
    "Options: A, B, C",
    "C's box",
    "N/A",
    "Q&A",
    "A/B",
    "A-H",
    "C++",
    "E-mail",
    "U.S.A.",
    "21 °C",
    "c'est la vie",
    "I think A or B",
    "A, B, C",
    "A and B",
    "A\nB\nC",
    "The answer is A or B.",
    "\\boxed{A, B}",
    "Either A or C could be right.",
    "A. Home\nB. News\nC. Sign in",
    "A is wrong.",
    "(A) is wrong, (B) is wrong.",
    "It is not A.",
    "The answer is not A.",
    "The logo is A, the search box is B, the header is C.",
]


@pytest.mark.parametrize(("answer", "letter"), [*BARE, *LABELS, *ANNOUNCED, *CONCLUDED])
def test_a_person_would_read(answer: str, letter: str) -> None:
    assert read_letter(answer, Profile.PAPER) == letter


@pytest.mark.parametrize("answer", NO_ANSWER)
def test_a_person_would_read_no_letter(answer: str) -> None:
    assert isinstance(read_letter(answer, Profile.PAPER), NoStructure)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("I cannot see the image.", "the answer has no letter"),
        ("Either C or A.", "the answer names A and C without a conclusion"),
        ("Maybe A, B or H.", "the answer names A, B and H without a conclusion"),
        ("A is wrong and B is wrong.", "the answer rules out A and B and names no other letter"),
    ],
)
def test_an_answer_without_a_letter_says_what_it_names(answer: str, reason: str) -> None:
    assert read_letter(answer, Profile.PAPER) == NoStructure(reason)


DECORATIONS = ["", "**", "*", "__", "`", '"', "'", "$", "***"]
FRAMES = ["{}", "({})", "[{}]", "<{}>", "{}.", "{})", "{}:", "{{{}}}", "\\boxed{{{}}}"]
OPENINGS = [
    "",
    "Answer: ",
    "The answer is ",
    "Final answer:\n\n",
    "So ",
    "I choose ",
    "答案：",
    "Option ",
    "\n\n",
    "# ",
]


@given(*map(st.sampled_from, (LETTERS, DECORATIONS, FRAMES, OPENINGS, ["", "\n", ".", " \n\n"])))
def test_a_lone_letter_is_read_in_any_decoration(
    letter: str, mark: str, frame: str, opening: str, end: str
) -> None:
    for said in (frame.format(mark + letter + mark), mark + frame.format(letter) + mark):
        assert read_letter(opening + said + end, Profile.PAPER) == letter


WORDS = ["Answer", "the", "is", "So", "option", "not", "correct", "Apple", "CSS", "A4", "H1", "e-mail", "N/A"]
WORDS += [
    "I",
    "it's",
    "Bob's",
    "1",
    "(ab)",
    "**HTML**",
    "choose",
    "C#",
    "x_A1",
    "éa",
    ":",
    ".",
    ",",
    "?",
    "\n",
    "-",
]


@given(st.lists(st.sampled_from(WORDS)))
def test_a_text_without_a_letter_that_stands_alone_has_none(words: list[str]) -> None:
    assert isinstance(read_letter(" ".join(words), Profile.PAPER), NoStructure)


@given(st.text(alphabet="ABCab is not.,;:?!()*`\n答案是选", max_size=60))
def test_any_text_has_one_of_the_letters_or_none(text: str) -> None:
    letter = read_letter(text, Profile.PAPER)
    assert isinstance(letter, NoStructure) or (letter in LETTERS and letter.lower() in text.lower())


@given(st.sampled_from(LETTERS), st.lists(st.sampled_from([one for one, _ in CONCLUDED]), max_size=3))
def test_the_last_conclusion_wins(letter: str, before: list[str]) -> None:
    assert read_letter("\n".join([*before, f"Final answer: {letter}"]), Profile.PAPER) == letter


def test_letters_beyond_the_choices_have_an_index_and_other_characters_none() -> None:
    assert [index_of(one) for one in ("A", "H", "Z", "", "1", "a", "SS")] == [0, 7, 25, -1, -1, -1, -1]
