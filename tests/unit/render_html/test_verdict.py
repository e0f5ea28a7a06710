"""What is said of a job."""

from dataclasses import replace

import pytest

from i2s_chassis.jail import Cause, Excerpt, Usage
from i2s_render_html.engine import _build_stage
from i2s_render_html.jekyll import BuildCause, BuildError, BuiltSite
from i2s_render_html.model import PAGE_LIMITS
from i2s_render_html.verdict import no_page, of_build, of_end, of_page, too_many_pixels
from i2s_wire.render.rendering import Verdict

VERDICTS = {
    Cause.CPU_LIMIT: Verdict.TIME_LIMIT,
    Cause.WALL_LIMIT: Verdict.TIME_LIMIT,
    Cause.MEMORY_LIMIT: Verdict.MEMORY_LIMIT,
    Cause.PROCESS_LIMIT: Verdict.PROCESS_LIMIT,
    Cause.DISK_LIMIT: Verdict.OUTPUT_LIMIT,
}


@pytest.mark.parametrize("cause", [cause for cause in Cause if cause is not Cause.KILLED])  # no verdict
def test_every_end_of_a_browser_has_a_verdict(cause):
    assert of_end(cause, PAGE_LIMITS).verdict is VERDICTS.get(cause, Verdict.CRASHED)


def built(cause):
    error = None if cause is BuildCause.BUILT else BuildError("bad tag", "a.md", 3)
    return BuiltSite(cause, {} if error is None else None, error, Usage(), Excerpt(b"", b"", 0))


@pytest.mark.parametrize("cause", BuildCause)
def test_every_build_that_failed_has_a_verdict(cause):
    judgement = of_build(built(cause))
    if cause is BuildCause.BUILT:
        assert judgement is None
    else:
        assert judgement.verdict not in (Verdict.RENDERED, Verdict.RENDERED_WITH_ERRORS)
        assert judgement.message == "Jekyll: bad tag"


def test_the_stage_of_a_build_ends_with_the_build_and_not_with_the_page():
    site = replace(built(BuildCause.BUILT), ended_ns=5)
    (stage,) = _build_stage(site)
    assert (stage.name, stage.ended_ns) == ("build", 5)
    assert _build_stage(None) == ()


def test_a_missing_page_is_named():
    assert no_page("", jekyll=False).message.startswith("There is no index.html in the site;")
    assert no_page("a.html", jekyll=True).message == "There is no a.html in the site that Jekyll built."


def test_an_exception_of_a_script_is_an_error_with_a_picture():
    assert of_page("").verdict is Verdict.RENDERED
    assert of_page("x is not defined").verdict is Verdict.RENDERED_WITH_ERRORS


def test_too_many_pixels_name_size_and_limit():
    assert too_many_pixels(10, 20, PAGE_LIMITS).message == (
        f"The picture would have 10 x 20 pixels, more than the limit of {PAGE_LIMITS.pixels}."
    )
