"""Web pages: what is repaired in lists of files, sites without an index page, the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.departures.sets import EXAMPLES, answers, of_task, picture
from benchmarks.departures.shown import ems, mean, show, together
from benchmarks.departures.size import Count, Found, size
from benchmarks.harness.command import say
from i2s_client import AsyncRenderClient
from i2s_metrics.functional.arrays import RgbArray
from i2s_sdk.instances.site_files import read_tar
from i2s_sdk.tasks import Structure
from i2s_sdk.tasks.webpage import WebpageTask
from i2s_sdk.tasks.webpage.helm import PAGE
from i2s_sdk.tasks.webpage.site import as_json, site_of
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy

_TASK = WebpageTask(Profile.PAPER)
_HELM = WebpageTask(Profile.HELM)
_BUNDLED = "12 bundled pages"

#: Shares of an answer after which it is cut off.
_CUT_OFF = (0.5, 0.75, 0.95)


async def measure(renderer: AsyncRenderClient) -> list[Found]:
    """Return the sizes of all departures of web pages."""
    rows = of_task("webpage")
    references = [picture(EXAMPLES / row["image"]) for row in rows]
    sites = [read_tar((EXAMPLES / row["structure"]).read_bytes()) for row in rows]
    assets = [_assets(site, row.get("assets", ())) for site, row in zip(sites, rows, strict=True)]
    say("pages: recorded answers")
    found = await _answers(renderer)
    for share in _CUT_OFF:
        say(f"pages: answers cut off after {share:.0%}")
        found += await _cut_off(renderer, sites, assets, references, share)
    say("pages: bare documents, pages that are not there, the network")
    found += await _bare(renderer, sites, assets, references)
    shown = await show(renderer, _TASK, site_of({"index.html": PAGE}, {}))
    changed = [ems(shown.picture, reference, SizePolicy.RESIZE) for reference in references]
    nothing = [0.0] * len(changed)
    found.append(size("no index page is no picture", "page of the server", _BUNDLED, "ems", nothing, changed))
    return [*found, await _network(renderer, sites, assets), _sizes(references, assets)]


def _assets(site: Mapping[str, bytes], names: Sequence[str]) -> dict[str, bytes]:
    return {name: site[name] for name in names}


async def _answers(renderer: AsyncRenderClient) -> list[Found]:
    some = [answer for answer in answers() if answer.task == "webpage"]
    numbers: dict[str, float] = {"answers": len(some)}
    for name, task in (("", _TASK), (", helm", _HELM)):
        read = [task.structure_from(one.completion, one.assets) for one in some]
        structures = [one for one in read if isinstance(one, Structure)]
        shown = await together([show(renderer, task, task.document(structure)) for structure in structures])
        numbers[f"read{name}"] = len(structures)
        numbers[f"rendered{name}"] = sum(one.rendered for one in shown)
        if task is _TASK:
            numbers["repaired"] = sum(bool(structure.repairs) for structure in structures)
    return [Count("lists of files", "12 vectors and a recorded answer", numbers)]


def _text_files(site: Mapping[str, bytes], assets: Mapping[str, bytes]) -> dict[str, str]:
    return {name: content.decode() for name, content in site.items() if name not in assets}


async def _cut_off(
    renderer: AsyncRenderClient,
    sites: Sequence[Mapping[str, bytes]],
    assets: Sequence[Mapping[str, bytes]],
    references: Sequence[RgbArray],
    share: float,
) -> list[Found]:
    values, rendered, strict = [], 0, 0
    for site, own, reference in zip(sites, assets, references, strict=True):
        whole = as_json(_text_files(site, own))
        completion = whole[: int(len(whole) * share)]
        strict += isinstance(_HELM.structure_from(completion, tuple(own)), Structure)
        structure = _TASK.structure_from(completion, tuple(own))
        shown = (
            await show(renderer, _TASK, _TASK.document(structure, own))
            if isinstance(structure, Structure)
            else None
        )
        rendered += bool(shown and shown.rendered)
        values.append(ems(shown.picture if shown else None, reference, SizePolicy.RESIZE))
    numbers = {"read as strict JSON": strict, "rendered": rendered, "mean ems": mean(values)}
    return [Count("lists of files that are cut off", f"{_BUNDLED}, first {share:.0%}", numbers)]


async def _bare(
    renderer: AsyncRenderClient,
    sites: Sequence[Mapping[str, bytes]],
    assets: Sequence[Mapping[str, bytes]],
    references: Sequence[RgbArray],
) -> list[Found]:
    """Return what the index page alone scores, as an answer that is an HTML document and no list."""
    values, rendered = [], 0
    for site, own, reference in zip(sites, assets, references, strict=True):
        index = next(content for name, content in site.items() if name in ("index.html", "index.md"))
        structure = _TASK.structure_from(f"```html\n{index.decode()}\n```", tuple(own))
        assert isinstance(structure, Structure)
        shown = await show(renderer, _TASK, _TASK.document(structure, own))
        rendered += shown.rendered
        values.append(ems(shown.picture, reference, SizePolicy.RESIZE))
    return [
        Count(
            "HTML document in place of a list",
            f"{_BUNDLED}, index page alone",
            {"rendered": rendered, "mean ems": mean(values), "least ems": min(values)},
        )
    ]


async def _network(
    renderer: AsyncRenderClient,
    sites: Sequence[Mapping[str, bytes]],
    assets: Sequence[Mapping[str, bytes]],
) -> Found:
    shown = await together(
        [
            show(renderer, _TASK, site_of(_text_files(site, own), own))
            for site, own in zip(sites, assets, strict=True)
        ]
    )
    asked = sum(bool(one.rendering.policy_events) for one in shown)
    return Count("no network", _BUNDLED, {"asked for something outside": asked})


def _sizes(references: Sequence[RgbArray], assets: Sequence[Mapping[str, bytes]]) -> Found:
    usual = sum(reference.shape[:2] == (1080, 1920) for reference in references)
    named = sum(bool(own) for own in assets)
    return Count("size and assets", _BUNDLED, {"references of 1920 x 1080": usual, "with assets": named})
