"""Requests to renderers as messages of ``i2s.render.v1``.

There is no way back: a renderer checks a request field by field as it was sent, since these types cannot hold
what it refuses, such as one path twice.
"""

from __future__ import annotations

from collections.abc import Mapping

from i2s.render.v1 import render_pb2 as pb
from i2s_wire.render import to_wire
from i2s_wire.render.options import (
    ElementQuery,
    LatexOptions,
    LilypondOptions,
    PageOptions,
    PythonOptions,
    RenderOptions,
    SiteOptions,
    WindowOptions,
)
from i2s_wire.render.request import LatexSource, LilypondSource, PythonSource, RenderRequest, SiteSource


def render_request(request: RenderRequest) -> pb.RenderRequest:
    """Return a request as the wire has it."""
    limits = to_wire.limits(request.limits) if request.limits is not None else None
    wire = pb.RenderRequest(id=request.id, options=_options(request.options), limits=limits)
    match request.source:
        case LatexSource() as latex:
            wire.latex.CopyFrom(pb.LatexSource(document=latex.document, files=_files(latex.files)))
        case SiteSource() as site:
            wire.site.CopyFrom(
                pb.SiteSource(
                    files=_files(site.files), assets=_files(site.assets), entry_path=site.entry_path
                )
            )
        case LilypondSource() as score:
            wire.lilypond.CopyFrom(pb.LilypondSource(score=score.score, assume_version=score.assume_version))
        case PythonSource() as python:
            wire.python.CopyFrom(pb.PythonSource(program=python.program, files=_files(python.files)))
    return wire


def page_options(page: PageOptions) -> pb.PageOptions:
    """Return options of pages as the wire has them."""
    return pb.PageOptions(
        dpi=page.dpi,
        first_page=page.first_page,
        page_count=page.page_count,
        cut_bottom=page.cut_bottom,
        crop=pb.Crop.ValueType(page.crop or pb.CROP_UNSPECIFIED),
        blank_page=pb.BlankPage.ValueType(page.blank_page or pb.BLANK_PAGE_UNSPECIFIED),
    )


def window_options(window: WindowOptions) -> pb.WindowOptions:
    """Return options of windows as the wire has them."""
    return pb.WindowOptions(
        width=window.width,
        height=window.height,
        device_scale=window.device_scale,
        full_page=window.full_page,
    )


def lilypond_options(lilypond: LilypondOptions) -> pb.LilypondOptions:
    """Return options of LilyPond as the wire has them."""
    return pb.LilypondOptions(
        convert=pb.LilypondConvert.ValueType(lilypond.convert or pb.LILYPOND_CONVERT_UNSPECIFIED),
        no_footers=lilypond.no_footers,
        backend=pb.LilypondBackend.ValueType(lilypond.backend or pb.LILYPOND_BACKEND_UNSPECIFIED),
    )


def _files(files: Mapping[str, bytes]) -> list[pb.File]:
    return [pb.File(path=path, content=content) for path, content in files.items()]


def _options(options: RenderOptions) -> pb.RenderOptions:
    """Return options as the wire has them; groups that say nothing are left out."""
    return pb.RenderOptions(
        page=page_options(options.page) if options.page != PageOptions() else None,
        window=window_options(options.window) if options.window != WindowOptions() else None,
        latex=_latex(options.latex) if options.latex != LatexOptions() else None,
        site=_site(options.site) if options.site != SiteOptions() else None,
        lilypond=lilypond_options(options.lilypond) if options.lilypond != LilypondOptions() else None,
        python=_python(options.python) if options.python != PythonOptions() else None,
    )


def _latex(latex: LatexOptions) -> pb.LatexOptions:
    return pb.LatexOptions(
        engine=pb.LatexEngine.ValueType(latex.engine or pb.LATEX_ENGINE_UNSPECIFIED),
        max_runs=latex.max_runs,
        cold=latex.cold or None,
        last_page=latex.last_page,
        want_text=latex.want_text,
    )


def _python(python: PythonOptions) -> pb.PythonOptions:
    return pb.PythonOptions(
        want_objects=python.want_objects or None,
        cold=python.cold or None,
        restored_names=python.restored_names,
    )


def _site(site: SiteOptions) -> pb.SiteOptions:
    return pb.SiteOptions(
        want_text=site.want_text or None,
        elements=_elements(site.elements) if site.elements else None,
        build=pb.SiteBuild.ValueType(site.build or pb.SITE_BUILD_UNSPECIFIED),
    )


def _elements(query: ElementQuery) -> pb.ElementQuery:
    if query.css:
        return pb.ElementQuery(css=query.css, max_elements=query.max_elements)
    return pb.ElementQuery(interactive=True, max_elements=query.max_elements)
