"""``i2s-sdk render``: a command for each language. Those with options of their own are in ``languages``."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, TypeVar

import click

from i2s_client.service_table import languages as renderers_by_language
from i2s_client.service_table import usable_renderers
from i2s_sdk.cli import languages
from i2s_sdk.cli.main import FAULT, LazyGroup
from i2s_sdk.cli.options import json_option, load_settings, settings_options_for
from i2s_sdk.cli.run_options import MOST_NAMES
from i2s_sdk.cli.terminal import say, say_json
from i2s_sdk.errors import UsageError
from i2s_sdk.settings import Settings
from i2s_wire.renderer import Images, RendererSpec
from i2s_wire.renderers import RENDERER_SPECS

if TYPE_CHECKING:
    from i2s_sdk.single.render import RenderedSource
    from i2s_wire.render.source_error import SourceError


F = TypeVar("F", bound=Callable[..., Any])


def out_option(command: F) -> F:
    """Add ``--out``."""
    option = click.option(
        "-o", "--out", metavar="PNG", help="Where the image goes.  [required without --json]"
    )
    return option(command)


def window_settings(command: F) -> F:
    """Add the options of engines that show a window."""
    for option in (
        click.option("--full-page", is_flag=True, help="Take the whole page instead of the viewport."),
        click.option(
            "--scale", type=float, default=1.0, metavar="N", help="Device pixels per CSS pixel.  [default: 1]"
        ),
        click.option(
            "--viewport", default="1920x1080", metavar="WxH", help="In CSS pixels.  [default: 1920x1080]"
        ),
    ):
        command = option(command)
    return command


def page_settings(dpi: float | None = None) -> Callable[[F], F]:
    """Add the options of engines that make pages.

    Args:
        dpi: Their default resolution; None if it is not known here.
    """
    default = "that of the engine" if dpi is None else f"{dpi:g}"

    def add(command: F) -> F:
        for option in (
            click.option(
                "--whole-page", is_flag=True, help="Keep the page as it is: no cut at the foot, no crop."
            ),
            click.option("--page", type=int, default=1, metavar="N", help="Page to show.  [default: 1]"),
            click.option("--dpi", type=float, metavar="DPI", help=f"Resolution.  [default: {default}]"),
        ):
            command = option(command)
        return command

    return add


def require_out(out: str | None, as_json: bool) -> None:
    """Return where the answer goes somewhere.

    Raises:
        click.UsageError: It does not.
    """
    if out is None and not as_json:
        raise click.UsageError("name the image with -o PNG, or ask for the verdict alone with --json")


def read_text(file: str) -> str:
    """Return the text of a file, or of standard input for "-".

    Raises:
        UsageError: It cannot be read, or is not UTF-8.
    """
    raw = read_bytes(file)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: is not UTF-8: byte {error.start} is {raw[error.start]:#04x}") from None


def read_bytes(file: str) -> bytes:
    """Return the content of a file, or of standard input for "-".

    Raises:
        UsageError: It cannot be read.
    """
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None


def write_file(flag: str, path: str, content: bytes) -> None:
    """Write what a flag asks for.

    Raises:
        UsageError: It cannot be written.
    """
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise UsageError(f"{flag} {path}: cannot be written: {error.strerror}") from None


def print_result(result: RenderedSource, out: str | None, as_json: bool) -> int:
    """Write the image, say what became of the source, and return the exit code."""
    if out is not None and result.png is not None:
        write_file("-o", out, result.png)
    if as_json:
        say_json(_document(result, out))
    else:
        _say(result, out)
    return 0 if result.png is not None else FAULT


def _document(result: RenderedSource, out: str | None) -> dict[str, Any]:
    rendering = result.rendering
    image = rendering.pictures[0] if result.png is not None else None
    error = rendering.error
    return {
        "verdict": rendering.verdict.name,
        "message": rendering.message,
        "out": out if image else None,
        "picture": {"width": image.width, "height": image.height, "sha256": image.sha256} if image else None,
        "total_pages": rendering.total_pages,
        "site": asdict(rendering.site) if rendering.site else None,
        "error": {**asdict(error), "kind": error.kind.name, "undefined": _undefined(result)}
        if error
        else None,
        "error_line": result.error_line or None,
        "repairs": [asdict(repair) for repair in result.repairs],
        "policy_events": [
            {**asdict(policy_event), "kind": policy_event.kind.name}
            for policy_event in rendering.policy_events
        ],
        "stages": [asdict(stage) for stage in rendering.stages],
        "usage": asdict(rendering.usage),
        "limits": asdict(rendering.limits),
        "isolation": {
            "tier": rendering.isolation.tier.name,
            "mechanisms": list(rendering.isolation.mechanisms),
        },
        "engine": asdict(rendering.engine),
        "lilypond_backend": rendering.lilypond_backend.name if rendering.lilypond_backend else None,
        "log": asdict(rendering.log),
    }


def _undefined(result: RenderedSource) -> dict[str, Any] | None:
    undefined = result.rendering.error.undefined if result.rendering.error else None
    if undefined is None:
        return None
    providers = [{"kind": provider.kind.name, "name": provider.name} for provider in undefined.providers]
    return {"name": undefined.name, "providers": providers}


def say_error(error: SourceError, message: str) -> None:
    """Say what the first error is, unless the message of the verdict says it, and what may define a name."""
    if error.message not in message:
        line = f"line {error.line}: " if error.line else ""
        say(f"first error: {line}{error.message}", err=True)
    if error.undefined is not None:
        names = [provider.name for provider in error.undefined.providers]
        shown = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
        origin = f"defined by {shown}" if names else "nothing that is installed defines it"
        say(f"undefined: {error.undefined.name}; {origin}", err=True)


def _say(result: RenderedSource, out: str | None) -> None:
    rendering = result.rendering
    for repair in result.repairs:
        say(f"repair: {repair.kind} {repair.detail} ({repair.error})", err=True)
    if rendering.error is not None:
        say_error(rendering.error, rendering.message)
        if result.error_line and result.error_line != rendering.error.line:
            say(f"the error is in line {result.error_line} of what was given", err=True)
    if rendering.site is not None:
        for name in rendering.site.missing:
            say(f"missing: {name}", err=True)
        for warning in rendering.site.warnings:
            say(f"warning: {warning}", err=True)
        for entry in rendering.site.console:
            if entry.level in ("error", "exception"):
                say(f"{entry.level} of the page: {entry.text}", err=True)
        if result.png is not None and not rendering.site.settled:
            say("the page did not come to rest in time; the image may differ next time", err=True)
    if result.png is not None:
        image = rendering.pictures[0]
        say(f"{rendering.verdict.name}: {out}, {image.width} x {image.height} pixels")
    else:
        say(f"{rendering.verdict.name}: {rendering.message}", err=True)


_VIEWPORT = re.compile(r"(\d{1,5})x(\d{1,5})")


def size_of(viewport: str) -> tuple[int, int]:
    """Return width and height.

    Raises:
        click.UsageError: They are not of the form.
    """
    size = _VIEWPORT.fullmatch(viewport)
    if size is None:
        raise click.UsageError(f"--viewport {viewport}: must be WIDTHxHEIGHT, such as 1280x720")
    return int(size[1]), int(size[2])


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by their paths in it.

    Raises:
        UsageError: It is not a folder, or one of them cannot be read.
    """
    if not folder.is_dir():
        raise UsageError(f"--beside {folder}: is no folder")
    try:
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    except OSError as error:
        raise UsageError(f"--beside {folder}: cannot be read: {error.strerror}") from None


def _language_command(language: str, spec: RendererSpec | None) -> click.Command:
    """Return the command of a language that has no options of its own here.

    Args:
        language: The language.
        spec: Its renderer; None if only an address is known, and the renderer there is asked.
    """
    title = spec.title if spec else "renderer that says so at its address"
    has_window = spec is not None and spec.images is Images.WINDOW

    @click.command(language, short_help=f"With the {title}.")
    @click.argument("file")
    @out_option
    @click.option("--beside", metavar="FOLDER", help="Files that it reads, by their paths in FOLDER.")
    @(window_settings if has_window else page_settings())
    @json_option
    @settings_options_for(*((spec.name,) if spec else ()))
    def command(file: str, out: str | None, beside: str | None, as_json: bool, **given: Any) -> int:  # noqa: ANN401
        """Render FILE ("-" is standard input) in its jail.

        Without an image the exit code is 1 and nothing is written.
        """
        settings = load_settings(given)
        require_out(out, as_json)
        source, files = read_bytes(file), files_in(Path(beside)) if beside is not None else {}
        from i2s_sdk.single.render import page_options, render
        from i2s_wire.render.options import PageOptions, WindowOptions

        page, window = None, None
        if has_window:
            window = WindowOptions(*size_of(given["viewport"]), given["scale"], given["full_page"])
        else:
            page = page_options(PageOptions(), given["dpi"], given["page"], given["whole_page"])
        result = render(language, source, files=files, page=page, window=window, settings=settings)
        return print_result(result, out, as_json)

    return command


class _Languages(LazyGroup):
    """The commands of this module, and one for each language of other renderers."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the languages; of a renderer that has several, the first."""
        every = [renderer_spec.languages[0] for renderer_spec in (*RENDERER_SPECS, *usable_renderers())]
        return list(dict.fromkeys((*super().list_commands(ctx), *every)))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a language.

        Raises:
            UnknownNameError: Nothing renders it.
        """
        spec = None if cmd_name in self._modules else renderers_by_language().get(cmd_name)
        is_here = cmd_name in self._modules or ctx.resilient_parsing  # a word that is being completed
        if spec is None and (is_here or not Settings.load().other_addresses):
            return super().get_command(ctx, cmd_name)
        return _language_command(cmd_name, spec)


@click.group(
    "render",
    cls=_Languages,
    modules={
        module.name: f"{languages.__name__}.{module.name}" for module in iter_modules(languages.__path__)
    },
    kind="engine",
    order=tuple(renderer_spec.languages[0] for renderer_spec in RENDERER_SPECS),
    short_help="Render code to a PNG.",
)
def render_command() -> None:
    """Render untrusted code in the jail of its engine.

    Without an image the exit code is 1 and nothing is written.

    \b
    Examples:
      i2s-sdk render latex formula.tex -o formula.png
      i2s-sdk render html site/ -o page.png --viewport 1280x720
      i2s-sdk render lilypond tune.ly -o tune.png
      i2s-sdk render python plot.py -o plot.png
    """  # noqa: D301 - \b is for click
