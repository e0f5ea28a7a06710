"""Compiles a Typst document and draws its pages. Packages are not fetched: there is no network here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typst

from i2s_chassis.warm.inside.delivery import Result, answer, drawn, not_drawn, refused

_state: dict[str, Any] = {}
#: A folder for packages that does not exist.
_NOWHERE = ".i2s/packages"
#: How a page begins that the compiler writes as SVG.
_SIZE = re.compile(rb'<svg [^>]*?\bwidth="([\d.]+)pt" height="([\d.]+)pt"')
_PLACE = re.compile(r"┌─ (?P<file>.*?):(?P<line>\d+):\d+\n.*?\n\s*\d+ │ (?P<text>[^\n]*)", re.DOTALL)
_PACKAGE = re.compile(r"@[\w-]+/[\w-]+:\d[\d.]*|([\w-]+)/([\w-]+)-(\d[\d.]*)\.tar\.gz")
_OF_PACKAGE = ("failed to download package", "package not found", "failed to load package")
_OF_FILE = ("file not found", "failed to load file", "failed to load linked image")


def load(settings: Mapping[str, Any]) -> None:
    """Load the fonts of the compiler; compiling would start threads, which no fork keeps."""
    _state.update(clock=settings["clock"], fonts=typst.Fonts(include_system_fonts=False))


def warm_up(settings: Mapping[str, Any]) -> None:
    """Do nothing, see ``load``."""


def run(output: int) -> None:
    """Compile the document in the current folder and draw its pages."""
    answer(output, _draw)


def _draw(job: Mapping[str, Any]) -> Result:
    scale, clock = job["dpi"] / 72, _state["clock"]
    try:
        compiler = typst.Compiler(
            str(Path(job["entry"]).resolve()),
            root=str(Path.cwd()),
            font_paths=_state["fonts"],
            package_path=_NOWHERE,
            package_cache_path=_NOWHERE,
        )
        # As SVG a document takes a fraction of the time of images; each page begins with its size.
        document, warnings = compiler.compile_with_warnings(format="svg", timestamp=clock)
        print(*(f"warning: {warning.message}" for warning in warnings), sep="\n", flush=True)
        sizes = [_SIZE.findall(page, 0, 1000)[0] for page in _listed(document)]
        wrong = not_drawn(job, [(float(width) * scale, float(height) * scale) for width, height in sizes])
        # The compiler draws all pages of a document or none.
        return wrong or drawn(job, _listed(compiler.compile(format="png", ppi=job["dpi"], timestamp=clock)))
    except typst.TypstError as error:
        print(error.diagnostic, flush=True)
        return _refused(error, job["entry"])


def _listed(pages: bytes | list[bytes] | None) -> list[bytes]:
    """Return the pages of a document; the compiler returns one that is alone as it is."""
    return [pages] if isinstance(pages, bytes) else pages or []


def _refused(error: typst.TypstError, entry: str) -> Result:
    # Its words may be those of the document, which are no place.
    place = _PLACE.search(error.diagnostic, error.diagnostic.find(error.message) + len(error.message))
    fault: dict[str, Any] = {
        "message": error.message,
        "line": int(place["line"]) if place else 0,
        "file": "" if place is None or place["file"] == entry else place["file"],
        "context": place["text"] if place else "",
    }
    events: list[tuple[str, str]] = []
    if error.message.startswith(_OF_PACKAGE):
        named = _package(error.message) or _package(fault["context"])
        fault |= {
            "message": f"The package {named} is not installed: no packages are fetched.",
            "kind": "UNDEFINED_FILE",
            "missing": named,
        }
        events.append(("NETWORK", f"package {named}"))
    elif error.message.startswith(_OF_FILE) or "would escape" in error.message:
        fault |= {"message": error.message.replace(f"{Path.cwd()}/", ""), "kind": "UNDEFINED_FILE"}
        is_address = "URLs are not allowed" in error.message
        events.append(("NETWORK" if is_address else "FILE_READ", fault["message"]))
    return refused("The document was not compiled", fault, events)


def _package(text: str) -> str:
    """Return the package that a text names, by itself or by the address of its archive; empty if none."""
    package = _PACKAGE.search(text)
    if package is None:
        return ""
    return "@{}/{}:{}".format(*package.groups()) if package[1] else package[0]
