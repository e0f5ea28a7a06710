import pytest

from i2s_chassis.trace import TraceContext, parse_traceparent

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def test_example_of_the_recommendation():
    assert parse_traceparent(f"00-{TRACE}-{SPAN}-01") == TraceContext(TRACE, SPAN, sampled=True)


def test_later_version_may_have_more_fields():
    assert parse_traceparent(f"cc-{TRACE}-{SPAN}-00-what-ever") == TraceContext(TRACE, SPAN, sampled=False)


@pytest.mark.parametrize(
    "header",
    [
        "",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01-more",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}",
        f"00-{TRACE}-{SPAN}-01\nx",
    ],
)
def test_invalid_header_is_none(header):
    assert parse_traceparent(header) is None
