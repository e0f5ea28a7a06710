"""The access file: who has which token or certificate."""

from __future__ import annotations

import hmac

import pytest

from i2s_chassis.callers import access
from i2s_chassis.callers.access import AccessFile, new_token, parse_access, token_line
from i2s_chassis.callers.quota import Quota
from i2s_chassis.errors import PermissionDeniedError, StartError, UnauthenticatedError

LAB, CLUSTER, OLD = new_token(), new_token(), new_token()
FILE = f"""
[callers.lab]
tokens = ["{token_line(OLD)}", "{token_line(LAB)}"]
slots = 2
jobs_per_minute = 0.5

[callers.cluster]
tokens = ["{token_line(CLUSTER)}"]
certificates = ["client.image2struct"]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "access.toml"
    path.write_text(FILE)
    return path


def test_tokens_cannot_be_guessed_and_do_not_stand_in_the_file():
    assert len({new_token() for _ in range(100)}) == 100
    assert len(LAB) >= len("i2s_") + 43
    assert LAB not in FILE
    assert LAB.removeprefix("i2s_") not in FILE


def test_every_token_of_a_caller_is_its_own():
    listed = parse_access(FILE, Quota())
    assert [listed.with_token(token).name for token in (LAB, OLD, CLUSTER)] == ["lab", "lab", "cluster"]


@pytest.mark.parametrize(
    "token",
    ["", "x", LAB[:-1], LAB + "x", LAB.upper(), token_line(LAB), "\ud800", "x" * 10_000_000],
    ids=["none", "x", "short", "long", "upper", "digest", "surrogate", "10 MB"],
)
def test_nothing_else_is_a_token(token):
    assert parse_access(FILE, Quota()).with_token(token) is None


def test_comparison_looks_at_every_token_whoever_calls(monkeypatch):
    compared = []

    def compare(known: bytes, given: bytes) -> bool:
        compared.append(known)
        return whole(known, given)

    whole = hmac.compare_digest
    monkeypatch.setattr(access.hmac, "compare_digest", compare)
    listed = parse_access(FILE, Quota())
    for token in (OLD, CLUSTER, "wrong"):
        compared.clear()
        listed.with_token(token)
        assert len(compared) == 3


def test_quota_of_a_caller_completes_the_default():
    listed = parse_access(FILE, Quota(slots=9, queued=7))
    assert listed.callers["lab"].quota == Quota(slots=2, queued=7, jobs_per_minute=0.5)
    assert listed.callers["cluster"].quota == Quota(slots=9, queued=7)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[callers", "TOML"),
        ("", "no callers"),
        ("x = 1", '"x"'),
        ("[callers]\nlab = 1", "[callers.lab]: is not a table"),
        ("[callers.lab]", "neither tokens nor certificates"),
        ("[callers.'a b']\ncertificates = ['x']", "a name is"),
        ("[callers.lab]\ntokens = ['i2s_plain']", "sha256"),
        ("[callers.lab]\ntokens = 'x'", "not a list"),
        ("[callers.lab]\ncertificates = ['x']\nslot = 1", '"slot"'),
        ("[callers.lab]\ncertificates = ['x']\nslots = -1", "slots"),
        ("[callers.lab]\ncertificates = ['x']\nslots = 1.5", "slots is not a whole number"),
        ("[callers.lab]\ncertificates = ['x']\nslots = true", "slots"),
        ("[callers.lab]\ncertificates = ['x']\njobs_per_minute = inf", "jobs_per_minute"),
        ("[callers.a]\ncertificates = ['x']\n[callers.b]\ncertificates = ['x']", "share"),
    ],
)
def test_a_wrong_file_is_one_line_that_names_the_place(text, reason):
    with pytest.raises(ValueError, match=r".*") as caught:
        parse_access(text, Quota())
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "i2s_plain" not in str(caught.value)


def test_who_has_which_credentials(file, clock):
    known = AccessFile(file, Quota(), clock)
    assert known.authenticate(f"Bearer {LAB}", ()) == "lab"
    assert known.authenticate(f"bearer  {LAB} ", ()) == "lab"
    assert known.authenticate(None, ["CN=x", "client.image2struct"]) == "cluster"
    assert known.authenticate(f"Bearer {LAB}", ["client.image2struct"]) == "lab"
    for wrong in ("Bearer x", LAB, f"Basic {LAB}", ""):
        with pytest.raises(UnauthenticatedError):
            known.authenticate(wrong, ["client.image2struct"])
    with pytest.raises(UnauthenticatedError, match="no credentials"):
        known.authenticate(None, ())
    with pytest.raises(PermissionDeniedError):
        known.authenticate(None, ["CN=stranger"])


def test_messages_hold_nothing_of_a_token(file, clock):
    known = AccessFile(file, Quota(), clock)
    with pytest.raises(UnauthenticatedError) as caught:
        known.authenticate("Bearer i2s_secret", ())
    assert "secret" not in caught.value.message


def test_a_new_file_is_taken_up_within_a_second(file, clock):
    known = AccessFile(file, Quota(), clock)
    fresh = new_token()
    file.write_text(f'[callers.other]\ntokens = ["{token_line(fresh)}"]\nslots = 3\n')
    clock.now += 1.0
    assert known.authenticate(f"Bearer {fresh}", ()) == "other"
    assert known.quota_of("caller:other") == Quota(slots=3)
    with pytest.raises(UnauthenticatedError):
        known.authenticate(f"Bearer {LAB}", ())


def test_a_file_that_cannot_be_used_leaves_the_list_in_force(file, clock, caplog):
    known = AccessFile(file, Quota(), clock)
    for content in ("[callers", None, "[callers.x]"):
        if content is None:
            file.unlink()
        else:
            file.write_text(content)
        known.reload()
        clock.now += 1.0
        assert known.authenticate(f"Bearer {LAB}", ()) == "lab"
    assert "cannot be used" in caplog.text
    file.write_text(FILE.replace("callers.lab", "callers.renamed"))
    clock.now += 1.0
    assert known.authenticate(f"Bearer {LAB}", ()) == "renamed"


def test_a_signal_reads_the_file_at_once(file, clock):
    known = AccessFile(file, Quota(), clock)
    file.write_text(FILE.replace("callers.lab", "callers.renamed"))
    known.reload()
    assert known.authenticate(f"Bearer {LAB}", ()) == "renamed"


def test_only_listed_identities_have_a_quota_of_their_own(file, clock):
    known = AccessFile(file, Quota(), clock)
    assert known.quota_of("caller:lab").slots == 2
    for identity in ("cert:lab", "peer:lab", "lab", "caller:", "caller:stranger"):
        assert known.quota_of(identity) is None


@pytest.mark.parametrize("content", [None, b"\xff", b"x" * (5 * 1024 * 1024)])
def test_a_service_does_not_start_without_its_file(tmp_path, clock, content):
    path = tmp_path / "access.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StartError, match="--access-file"):
        AccessFile(path, Quota(), clock)
