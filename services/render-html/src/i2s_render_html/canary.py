"""A render from end to end before the service serves."""

from __future__ import annotations

from dataclasses import replace

from i2s_chassis.errors import EngineError
from i2s_chassis.limits import Limits
from i2s_render_html.engine import HtmlEngine
from i2s_render_html.model import Job, Options, SiteRendering
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File

_PAGE = (
    b"<!DOCTYPE html><title>Canary</title><script src=tweet.js></script><img src=http://169.254.169.254/x>"
)
_SCRIPT = b"document.documentElement.dataset.now = Date.now(); document.write('<h1>tweet</h1>')"
_SITE = (File("index.html", _PAGE), File("tweet.js", _SCRIPT))
_JEKYLL_SITE = (File("index.html", b"---\ntitle: Canary\n---\n<h1>{{ page.title | downcase }}</h1>\n"),)


async def canary(engine: HtmlEngine, limits: Limits) -> None:
    """Render a small site twice, and one through Jekyll if there is Jekyll.

    Args:
        engine: The engine.
        limits: Limits of each rendering.

    Raises:
        EngineError: It did not become a picture, or not the same twice; says why.
    """
    job = Job(_SITE, options=Options(want_text=True), limits=limits)
    first, second = _shown(await engine.render(job), "tweet"), _shown(await engine.render(job), "tweet")
    if first != second:
        raise EngineError("the canary looks different when it is rendered again")
    if engine.has_jekyll:
        _shown(await engine.render(replace(job, files=_JEKYLL_SITE)), "canary")


def _shown(rendering: SiteRendering, text: str) -> bytes:
    if rendering.verdict is not Verdict.RENDERED or rendering.picture is None:
        raise EngineError(f"the canary was not rendered: {rendering.verdict.name}: {rendering.message}")
    if rendering.site.text.strip() != text:
        raise EngineError(f"the canary shows {rendering.site.text[:100]!r} instead of {text!r}")
    return rendering.picture.png
