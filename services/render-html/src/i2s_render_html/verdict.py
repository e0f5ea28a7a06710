"""The verdicts on jobs that have no image, or whose page complained."""

from __future__ import annotations

from i2s_chassis.jail import Cause
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.verdict import Judgement, limit_passed
from i2s_render_html.jekyll import BuildCause, BuiltSite
from i2s_render_html.site import INDEX
from i2s_wire.render.rendering import Verdict

_BUILD_VERDICTS = {
    BuildCause.FAILED: Verdict.COMPILE_ERROR,
    BuildCause.TIME_LIMIT: Verdict.TIME_LIMIT,
    BuildCause.MEMORY_LIMIT: Verdict.MEMORY_LIMIT,
    BuildCause.PROCESS_LIMIT: Verdict.PROCESS_LIMIT,
    BuildCause.OUTPUT_LIMIT: Verdict.OUTPUT_LIMIT,
    BuildCause.CRASHED: Verdict.CRASHED,
}


def of_end(cause: Cause, limits: Limits) -> Judgement:
    """Return what is said of a page under which its browser ended, or that used up its limits."""
    # A browser never ends by itself while a page is shown.
    passed = limit_passed(cause, limits, "showing the page", program="The browser")
    return passed or Judgement(Verdict.CRASHED, "The browser crashed while showing the page.")


def of_build(built: BuiltSite) -> Judgement | None:
    """Return what is said of a site that Jekyll did not build, None if it did."""
    verdict = _BUILD_VERDICTS.get(built.cause)
    if verdict is None:
        return None
    return Judgement(verdict, f"Jekyll: {built.error.message if built.error else built.cause.value}")


def no_page(entry_path: str, *, jekyll: bool) -> Judgement:
    """Return what is said of a site without the page that is to be shown."""
    where = "the site that Jekyll built" if jekyll else "the site"
    hint = "" if entry_path else "; another page can be named as the entry"
    return Judgement(Verdict.NO_OUTPUT, f"There is no {entry_path or INDEX} in {where}{hint}.")


def too_many_pixels(width: float, height: float, limits: Limits) -> Judgement:
    """Return what is said of an image above the limit."""
    size = f"{width:g} x {height:g} pixels"
    return Judgement(
        Verdict.PIXEL_LIMIT, f"The picture would have {size}, more than the limit of {limits.pixels}."
    )


def of_page(exception: str) -> Judgement:
    """Return what is said of a page that has its image."""
    if not exception:
        return Judgement(Verdict.RENDERED, "")
    return Judgement(Verdict.RENDERED_WITH_ERRORS, f"A script of the page failed: {exception}")
