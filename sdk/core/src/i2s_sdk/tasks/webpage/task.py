"""The webpage task: everything the pipeline asks of it, for one profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from i2s_sdk.errors import DataError
from i2s_sdk.instances.images import decode_image, on_white
from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.instances.site_files import INDEXES, inside
from i2s_sdk.scoring.edit import EditScorer
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.question import Question, image_of, task_prompt, texts_then_image
from i2s_sdk.tasks.repair import Repair, Repaired
from i2s_sdk.tasks.structure import NoStructure, Origin, Structure
from i2s_sdk.tasks.task import RenderedTask
from i2s_sdk.tasks.webpage import helm
from i2s_sdk.tasks.webpage.helm import (
    EXTRA,
    REQUIREMENT,
    html_to_text,
    is_available,
    without_front_matter,
    write_files,
)
from i2s_sdk.tasks.webpage.layout import page_to_text, shown_page
from i2s_sdk.tasks.webpage.reading import find_files
from i2s_sdk.tasks.webpage.scorer import LayoutScorer
from i2s_sdk.tasks.webpage.site import Site, SiteStructure, place_files, site_of, site_structure
from i2s_wire.installation import install_command
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.options import RenderOptions, SiteOptions, WindowOptions
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import RenderRequest, SiteSource


def asset_names(instance: Instance) -> tuple[str, ...]:
    """Return the names of the files that an answer may use.

    Raises:
        DataError: One is not a relative name.
    """
    try:
        return tuple(dict.fromkeys(inside(asset.name) for asset in instance.assets))
    except ValueError as error:
        raise DataError(instance.file, 0, f"asset of instance {instance.id!r}: {error}") from None


#: The viewport of the references, in CSS pixels.
WIDTH, HEIGHT = 1920, 1080

_FAULTS = {
    "json": "the answer is not JSON",
    "not_a_list": "the JSON is not a list",
    "item": "an item of the list is not an object of filename and content",
    "name": "no file can be written under one of the names of the list",
}


@dataclass(frozen=True, slots=True)
class WebpageTask(RenderedTask[Site]):
    """An image of a web page, to be answered with the files of a site."""

    #: Profile whose rules are followed.
    profile: Profile = Profile.PAPER
    #: Name as instances call it.
    name: str = "webpage"
    #: Names of the services, of which the first renders the sites.
    services: tuple[str, ...] = ("render-html",)
    #: How images of different size are compared.
    size_policy: SizePolicy = SizePolicy.RESIZE

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """Compare the text of a rendering with that of the ground truth; ``paper`` compares layouts too."""
        edit = EditScorer(self.profile)
        return (edit, LayoutScorer()) if self.profile is Profile.PAPER else (edit,)

    def unavailable(self) -> Mapping[str, str]:
        """Return why ``edit`` cannot be computed: profile ``helm`` needs a package for it."""
        if self.profile is Profile.PAPER or is_available():
            return {}
        return {"edit": f"profile helm makes the text of a page with {EXTRA}: {install_command(REQUIREMENT)}"}

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return the one question of an instance: the texts with the names of its assets, then its image.

        Raises:
            DataError: The name of an asset is not a relative name.
        """
        return (texts_then_image(task_prompt("webpage", asset_names(instance)), image_of(instance)),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the texts of its question, those about assets among them."""
        return (*task_prompt("webpage"), *task_prompt("webpage", ["NAME"]))

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the files in a completion, or why there are none."""
        if self.profile is Profile.PAPER:
            structure = find_files(completion)
            return structure if isinstance(structure, NoStructure) else _placed(structure, assets)
        written = write_files(completion, assets)
        if written.fault:
            return NoStructure(_FAULTS[written.fault])
        return site_structure(written.files, Origin.BARE)

    def document(self, structure: Structure, assets: Mapping[str, bytes] | None = None) -> Site:
        """Return the site of a structure: assets lie at their names, whatever the answer has there.

        Raises:
            TypeError: The structure is not one of this task.
        """
        if not isinstance(structure, SiteStructure):
            raise TypeError(f"a webpage task cannot show a {type(structure).__name__}")
        return site_of(structure.files, assets or {})

    def options(self) -> RenderOptions:
        """Return how a page becomes an image: one viewport; its text if it is compared."""
        site = SiteOptions(want_text=self.profile is Profile.PAPER)
        return RenderOptions(window=WindowOptions(WIDTH, HEIGHT, 1.0, False), site=site)

    def request(self, document: Site) -> RenderRequest:
        """Return how the site is rendered."""
        return RenderRequest(SiteSource(document.files, document.assets), self.options())

    def drawn_request(self, document: Site) -> RenderRequest:
        """Return how the site is rendered if layouts are compared."""
        request, options = self.request(document), self.options()
        site = replace(options.site or SiteOptions(), want_blocks=True)
        return replace(request, options=replace(options, site=site))

    def drawn(self, document: Site, rendering: Rendering) -> str:
        """Return what of the layout of the page its image shows; empty if there is none."""
        layout = rendering.site.layout if rendering.site else None
        if layout is None or not rendering.pictures:
            return ""
        image = on_white(decode_image(rendering.pictures[0].png))
        return page_to_text(shown_page(layout, np.asarray(image)))

    def repair(
        self, document: Site, rendering: Rendering, past: Sequence[Repair] = ()
    ) -> Repaired[Site] | None:
        """Return the site after one more repair, or None; profile ``paper`` has none after rendering."""
        return helm.repair(document, rendering, past) if self.profile is Profile.HELM else None

    def text_for_edit(self, document: Site, rendering: Rendering) -> str:
        """Return the text of the page that the metric ``edit`` compares.

        ``paper``: what the browser shows. ``helm``: the index page as written, through html2text; the
        reference implementation took the document after scripts had run, which renderers do not return.
        """
        if self.profile is Profile.HELM:
            return _index_text(document)
        return rendering.site.text if rendering.site else ""

    def truth(self, content: Content) -> str | Site | None:
        """Return the text of the ground truth, or the site whose rendering has it.

        ``helm`` prefers the text that the data set gives; ``paper`` compares like with like and renders the
        ground truth, unless there is only a text.
        """
        own = site_of(content.site, content.assets) if content.site is not None else None
        if self.profile is Profile.PAPER:
            return own or content.text
        return content.text or (_index_text(own) if own and is_available() else None)


def _placed(structure: SiteStructure, assets: Sequence[str]) -> SiteStructure | NoStructure:
    placed = place_files(structure.files, assets)
    if not placed.repairs:
        return structure
    if not placed.files:
        return NoStructure(f"no file of the list lies in the site: {placed.repairs[-1].error}")
    return site_structure(placed.files, structure.origin, (*structure.repairs, *placed.repairs))


def _index_text(site: Site) -> str:
    page = next((site.files[name] for name in INDEXES if name in site.files), b"")
    return html_to_text(without_front_matter(page.decode("utf-8", "replace")))
