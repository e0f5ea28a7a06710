from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.jail.model import Excerpt, Isolation, PolicyEvent, PolicyKind, Tier, Usage
from i2s_chassis.limits import DEFAULT_LIMITS, MAX_LIMITS, Limits, LimitTable
from i2s_chassis.renderer import wire
from i2s_wire.codec import encode
from i2s_wire.render import isolation, resources


def test_absent_limits_are_the_defaults():
    assert wire.limits_from_wire(pb.Limits(), LimitTable()) == DEFAULT_LIMITS


def test_limits_are_clamped_and_echoed():
    limits = wire.limits_from_wire(pb.Limits(cpu_seconds=1e9, pages=3, memory_bytes=2**63), LimitTable())
    assert (limits.cpu_seconds, limits.pages, limits.memory_bytes) == (
        *(MAX_LIMITS.cpu_seconds, 3, MAX_LIMITS.memory_bytes),
    )
    echoed = encode(wire.wire_limits(limits), pb.Limits)
    assert wire.limits_from_wire(echoed, LimitTable()) == limits


@pytest.mark.parametrize(
    ("field", "value"), [("cpu_seconds", -1), ("wall_seconds", float("nan")), ("cpu_seconds", float("inf"))]
)
def test_limit_without_meaning_names_the_field(field, value):
    with pytest.raises(InvalidArgumentError) as refused:
        wire.limits_from_wire(pb.Limits(**{field: value}), LimitTable())
    assert refused.value.field == f"limits.{field}"
    assert refused.value.message.startswith(f"limits.{field}: ")


def test_usage_and_isolation_keep_their_values():
    used = resources.Usage(1.5, 0.5, 1000, 3, 0.25)
    assert wire.wire_usage(Usage(1.5, 0.5, 1000, 3, 0.25)) == used
    sandbox = wire.wire_isolation(Isolation(Tier.NAMESPACE, ("bubblewrap 0.8.0", "seccomp"), 4))
    assert sandbox == isolation.Isolation(isolation.IsolationTier.NAMESPACE, ("bubblewrap 0.8.0", "seccomp"))
    assert isinstance(sandbox.tier, isolation.IsolationTier)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(Tier, isolation.IsolationTier), (PolicyKind, isolation.PolicyKind)]
)
def test_the_jail_has_the_names_and_numbers_of_the_wire(ours, theirs):
    assert {member.name: int(member) for member in ours} == {member.name: int(member) for member in theirs}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(Usage, resources.Usage), (Limits, resources.Limits), (PolicyEvent, isolation.PolicyEvent)],
)
def test_the_jail_has_the_fields_of_the_wire(ours, theirs):
    assert {field.name for field in fields(ours)} == {field.name for field in fields(theirs)}


def test_equal_policy_events_are_counted_together():
    event = PolicyEvent(PolicyKind.NETWORK, "127.0.0.1:80")
    other = PolicyEvent(PolicyKind.FILE_READ, "/etc/passwd", 2)
    assert [(e.kind, e.count) for e in wire.wire_policy_events([event, other, event])] == [
        (isolation.PolicyKind.NETWORK, 2),
        (isolation.PolicyKind.FILE_READ, 2),
    ]


def test_policy_events_are_bounded():
    events = [PolicyEvent(PolicyKind.FILE_WRITE, f"{n}" + "x" * 9000) for n in range(1000)]
    answered = wire.wire_policy_events(events)
    assert len(answered) == 100
    assert max(len(event.detail) for event in answered) == 500


def test_log_is_decoded_with_control_characters_shown():
    log = wire.wire_log(Excerpt(b"ok\n\ttab \x1b[31mred \xff\x00\r\n", b"\x7f\xc2\x9b", 1000))
    assert log.head == "ok\n\ttab \u241b[31mred \ufffd\u2400\u240d\n"
    assert log.tail == "\u2421\ufffd"
    assert log.total_bytes == 1000


def test_text_that_would_reorder_its_surroundings_is_shown_as_replaced():
    assert wire.printable("a\u202eb\u2066c") == "a\ufffdb\ufffdc"


@pytest.mark.parametrize("code", [0xD800, 0xDBFF, 0xDC00, 0xDFFF])
def test_a_lone_surrogate_is_replaced(code):
    text = wire.printable(f"a{chr(code)}b\U0001f600")
    assert text == "a\ufffdb\U0001f600"
    assert pb.SiteResult(title=text).title == text


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_any_text_can_be_sent(raw):
    pb.LogExcerpt(head=wire.printable(raw)).SerializeToString()


@given(st.binary(max_size=200))
def test_printable_text_holds_no_control_character_but_tab_and_line_feed(raw):
    text = wire.printable(raw)
    assert all(ch in "\n\t" or ord(ch) >= 32 for ch in text)
    assert not any(0x7F <= ord(ch) < 0xA0 for ch in text)
    pb.LogExcerpt(head=text).SerializeToString()
