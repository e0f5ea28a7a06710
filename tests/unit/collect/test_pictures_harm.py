"""Texts and images are judged whole, a judge that fails passes nothing, and people's data become flags."""

import json
from itertools import pairwise

import httpx
import pytest

from i2s_collect.harm.judges import (
    DIGESTS,
    MOST_CHARACTERS,
    EndpointImageJudge,
    EndpointJudge,
    ProfanityJudge,
    check_model,
    people_flags,
    windows,
)
from i2s_collect.harm.withdrawn import read_withdrawn
from i2s_collect.web.answer import SourceStoppedError
from i2s_sdk.errors import DataError, UsageError

PLAIN = "the garden is open on most days of the week and children are welcome " * 20


@pytest.fixture(scope="module")
def profanity() -> ProfanityJudge:
    return ProfanityJudge()


def test_plain_texts_pass(profanity):
    for text in (
        PLAIN,
        r"Let \frac{a}{b} be positive.",
        "Essex, Scunthorpe, cockpit and analysis",
        "",
        "  \n",
    ):
        assert profanity.judge(text) <= profanity.limit, text


def test_the_worst_window_of_a_long_text_counts(profanity):
    assert profanity.judge(PLAIN + " you are a fucking idiot " + PLAIN) > profanity.limit


def test_the_version_names_the_model(profanity):
    assert profanity.version == "1.9.1 aeafc04849d4"


def test_windows_overlap_and_hold_every_word():
    words = [str(number) for number in range(100)]
    found = [window.split() for window in windows(" ".join(words))]
    assert sorted({int(word) for window in found for word in window}) == list(range(100))
    assert all(set(first) & set(second) for first, second in pairwise(found))


def test_another_model_is_refused_before_it_is_read(tmp_path):
    for name in DIGESTS:
        (tmp_path / name).write_bytes(b"another")
    with pytest.raises(UsageError, match="is not the model"):
        check_model(tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        check_model(tmp_path / "missing")


def endpoint(answer) -> EndpointJudge:
    client = httpx.Client(transport=httpx.MockTransport(answer))
    return EndpointJudge("http://judge/score", "judge", "3", client=client, headers={"authorization": "k"})


def test_an_endpoint_is_sent_all_of_a_text_and_the_greatest_value_counts():
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(json.loads(request.content)["text"])
        assert request.headers["authorization"] == "k"
        return httpx.Response(200, json={"score": 0.9 if "z" in seen[-1] else 0.1})

    text = "a" * MOST_CHARACTERS + "z" + "a" * MOST_CHARACTERS
    assert endpoint(answer).judge(text) == 0.9
    assert "".join(seen) == text


def test_an_endpoint_is_sent_a_picture():
    judge = EndpointImageJudge(
        endpoint(lambda request: httpx.Response(200, json={"score": 0.5 * (b'"iVBO' in request.content)}))
    )
    assert judge.judge(b"\x89PNG") == 0.5


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(500, json={"score": 0}),
        httpx.Response(302, headers={"location": "http://other/"}),
        httpx.Response(200, text="no json"),
        httpx.Response(200, json={"score": 2}),
        httpx.Response(200, json={"score": True}),
        httpx.Response(200, text='{"score": NaN}'),
        httpx.Response(200, json={"score": "0"}),
        httpx.Response(200, json=[0]),
    ],
    ids=str,
)
def test_an_endpoint_that_fails_ends_the_collection(answer):
    with pytest.raises(SourceStoppedError, match="judge answered"):
        endpoint(lambda request: answer).judge("text")


def test_an_endpoint_that_is_not_there_ends_the_collection():
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with pytest.raises(SourceStoppedError, match="no answer"):
        endpoint(answer).judge("text")


@pytest.mark.parametrize(
    "text",
    ["write to ann.lee@example.org.", "ann (at) example.co.uk", "ann[at]mail.example.com"],
)
def test_addresses_are_flagged(text):
    assert people_flags(text) == ("email_address",)


@pytest.mark.parametrize(
    "text",
    [
        "+49 30 1234567",
        "(555) 123-4567",
        "Tel. 5551 2345",
        "call 555-123-4567 now",
        "030 123 45 67",
        "Phone: 55512345",
    ],
)
def test_telephone_numbers_are_flagged(text):
    assert people_flags(text) == ("telephone_number",)


@pytest.mark.parametrize(
    "text",
    [
        "@media print",
        "2026-11-23",
        "23.11.2026",
        "2019 - 2024",
        "1234567890",
        "3.14159265358",
        "10.1000/123456789",
        "1,000,000,000",
        "192.168.100.200",
        "follow @ann",
        "",
    ],
)
def test_other_numbers_and_signs_are_not(text):
    assert people_flags(text) == ()


def test_three_portraits_are_flagged_and_two_are_not():
    files = ["img/portrait-ann.jpg", "team_2.png", "avatar.webp"]
    assert people_flags("", files) == ("portraits",)
    assert people_flags("", files[:2]) == ()
    assert people_flags("", ["theme.png", "home.jpg", "steam.png", "portrait.txt"]) == ()


def test_withdrawn_ids_are_read(tmp_path):
    path = tmp_path / "withdrawn.jsonl"
    assert read_withdrawn(path) == frozenset()
    path.write_text('{"id": "a"}\n\n{"id": "b", "reason": "asked"}\n')
    assert read_withdrawn(path) == {"a", "b"}


@pytest.mark.parametrize("line", ["no json", "[]", "{}", '{"id": 1}', '{"id": ""}'])
def test_a_line_that_withdraws_nothing_is_named(tmp_path, line):
    path = tmp_path / "withdrawn.jsonl"
    path.write_text('{"id": "a"}\n' + line + "\n")
    with pytest.raises(DataError, match=r"withdrawn\.jsonl.*2"):
        read_withdrawn(path)
