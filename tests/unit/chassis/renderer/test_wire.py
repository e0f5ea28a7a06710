import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.jail.model import Excerpt, Isolation, PolicyEvent, PolicyKind, Tier, Usage
from i2s_chassis.limits import DEFAULT_LIMITS, MAX_LIMITS, LimitTable
from i2s_chassis.renderer import wire


def test_absent_limits_are_the_defaults():
    assert wire.limits_from_wire(pb.Limits(), LimitTable()) == DEFAULT_LIMITS


def test_limits_are_clamped_and_echoed():
    limits = wire.limits_from_wire(pb.Limits(cpu_seconds=1e9, pages=3, memory_bytes=2**63), LimitTable())
    assert (limits.cpu_seconds, limits.pages, limits.memory_bytes) == (
        *(MAX_LIMITS.cpu_seconds, 3, MAX_LIMITS.memory_bytes),
    )
    assert wire.limits_from_wire(wire.limits_to_wire(limits), LimitTable()) == limits


@pytest.mark.parametrize(
    ("field", "value"), [("cpu_seconds", -1), ("wall_seconds", float("nan")), ("cpu_seconds", float("inf"))]
)
def test_limit_without_meaning_names_the_field(field, value):
    with pytest.raises(InvalidArgumentError) as refused:
        wire.limits_from_wire(pb.Limits(**{field: value}), LimitTable())
    assert refused.value.field == f"limits.{field}"
    assert refused.value.message.startswith(f"limits.{field}: ")


def test_usage_stage_and_isolation_keep_their_values():
    usage = Usage(1.5, 0.5, 1000, 3)
    assert wire.usage_to_wire(usage) == pb.Usage(
        wall_seconds=1.5, cpu_seconds=0.5, peak_memory_bytes=1000, peak_processes=3
    )
    assert wire.stage_to_wire("compile", usage, "format").usage.cpu_seconds == 0.5
    assert wire.stage_to_wire("queue", wall_seconds=2.0) == pb.Stage(
        name="queue", usage=pb.Usage(wall_seconds=2.0)
    )
    isolation = wire.isolation_to_wire(Isolation(Tier.NAMESPACE, ("bubblewrap 0.8.0", "seccomp")))
    assert isolation.tier == pb.ISOLATION_TIER_NAMESPACE
    assert list(isolation.mechanisms) == ["bubblewrap 0.8.0", "seccomp"]


def test_numbers_of_tiers_and_policy_kinds_are_those_of_the_wire():
    assert {f"ISOLATION_TIER_{tier.name}": int(tier) for tier in Tier} == {
        name: number for name, number in pb.IsolationTier.items() if number
    }
    assert {f"POLICY_KIND_{kind.name}": int(kind) for kind in PolicyKind} == {
        name: number for name, number in pb.PolicyKind.items() if number
    }


def test_equal_policy_events_are_counted_together():
    event = PolicyEvent(PolicyKind.NETWORK, "127.0.0.1:80")
    other = PolicyEvent(PolicyKind.FILE_READ, "/etc/passwd", 2)
    assert [(e.kind, e.count) for e in wire.policy_events_to_wire([event, other, event])] == [
        (pb.POLICY_KIND_NETWORK, 2),
        (pb.POLICY_KIND_FILE_READ, 2),
    ]


def test_policy_events_are_bounded():
    events = [PolicyEvent(PolicyKind.FILE_WRITE, f"{n}" + "x" * 9000) for n in range(1000)]
    answered = wire.policy_events_to_wire(events)
    assert len(answered) == 100
    assert max(len(event.detail) for event in answered) == 500


def test_log_is_decoded_with_control_characters_shown():
    log = wire.log_to_wire(Excerpt(b"ok\n\ttab \x1b[31mred \xff\x00\r\n", b"\x7f\xc2\x9b", 1000))
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
