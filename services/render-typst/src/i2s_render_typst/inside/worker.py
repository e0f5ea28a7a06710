"""Compiles a Typst document and draws its pages. Packages are not fetched: there is no network here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from i2s_chassis.warm.inside.delivery import deliver, take_job
from i2s_chassis.warm.inside.packages import load_package

_state: dict[str, Any] = {}
#: A folder for packages that does not exist.
_NOWHERE = ".i2s/packages"
#: How a page begins that the compiler writes as SVG.
_SIZE = re.compile(rb'<svg [^>]*?\bwidth="([\d.]+)pt" height="([\d.]+)pt"')
_PLACE = re.compile(r"┌─ (?P<file>.*?):(?P<line>\d+):\d+\n.*?\n\s*\d+ │ (?P<text>[^\n]*)", re.DOTALL)
_PACKAGE = re.compile(r"@[\w-]+/[\w-]+:\d[\d.]*|([\w-]+)/([\w-]+)-(\d[\d.]*)\.tar\.gz")
_OF_PACKAGE = ("failed to download package", "package not found", "failed to load package")
_OF_FILE = (
    "file not found",
    "would escape the project root",
    "failed to load file",
    "failed to load linked image",
)
_OF_ADDRESS = "URLs are not allowed"
_POINTS = 72


def load(settings: Mapping[str, Any]) -> None:
    """Import the compiler and load its fonts; compiling would start threads, which no fork keeps."""
    load_package(settings["typst"])
    import typst

    _state.update(clock=settings["clock"], fonts=typst.Fonts(include_system_fonts=False))


def warm_up(settings: Mapping[str, Any]) -> None:
    """Do nothing, see ``load``."""


def run(output: int) -> None:
    """Compile the document in the current folder and draw its pages."""
    import typst

    job = take_job()
    try:
        compiler = typst.Compiler(
            str(Path(job["entry"]).resolve()),
            root=str(Path.cwd()),
            font_paths=_state["fonts"],
            package_path=_NOWHERE,
            package_cache_path=_NOWHERE,
        )
        # As SVG a document takes a fraction of the time of images; each page begins with its size.
        document, warnings = compiler.compile_with_warnings(format="svg", timestamp=_state["clock"])
        sizes = [_size(page) for page in _listed(document)]
        print(*(f"warning: {warning.message}" for warning in warnings), sep="\n", flush=True)
        header: dict[str, Any] = {"total": len(sizes), "events": []}
        wrong = _complaint(sizes, job)
        if wrong:
            deliver(output, {**header, **wrong})
            return
        pages = _listed(compiler.compile(format="png", ppi=job["dpi"], timestamp=_state["clock"]))
    except typst.TypstError as error:
        print(error.diagnostic, flush=True)
        deliver(output, _fault(error, job["entry"]))
        return
    header["total"], first = len(pages), job["first"] - 1
    wanted = range(first, min(first + job["count"], len(pages)))
    header |= {"verdict": "RENDERED", "pages": [number + 1 for number in wanted]}
    deliver(output, header, [pages[number] for number in wanted])


def _listed(pages: bytes | list[bytes] | None) -> list[bytes]:
    """Return the pages of a document; the compiler returns one that is alone as it is."""
    if pages is None:
        return []
    return [pages] if isinstance(pages, bytes) else pages


def _size(page: bytes) -> tuple[float, float]:
    """Return width and height of a page in points."""
    size = _SIZE.match(page)
    if size is None:
        raise ValueError("a page of the compiler does not begin with its size")
    return float(size[1]), float(size[2])


def _complaint(sizes: list[tuple[float, float]], job: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the verdict on a document whose pages are not drawn, None if they are."""
    if len(sizes) > job["pages"]:
        text = f"The document has {len(sizes)} pages, more than {job['pages']}."
        return {"verdict": "PAGE_LIMIT", "message": text}
    if job["first"] > len(sizes):
        text = f"There is no page {job['first']} among the {len(sizes)} of the document."
        return {"verdict": "NO_OUTPUT", "message": text}
    scale = job["dpi"] / _POINTS
    for number, (width, height) in enumerate(sizes, 1):
        if width * height * scale**2 > job["pixels"]:
            pixels = f"{width * scale:.0f} x {height * scale:.0f}"
            text = f"Page {number} would have {pixels} pixels, more than {job['pixels']}."
            return {"verdict": "PIXEL_LIMIT", "message": text}
    return None


def _fault(error: Any, entry: str) -> dict[str, Any]:  # noqa: ANN401 - its class is that of the compiler
    """Return what is said of an error of the compiler in a document."""
    # Its words may be those of the document, which are no place.
    place = _PLACE.search(error.diagnostic, error.diagnostic.find(error.message) + len(error.message))
    fault = {
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
        fault["kind"] = "UNDEFINED_FILE"
        fault["message"] = error.message.replace(f"{Path.cwd()}/", "")
        events.append(("NETWORK" if _OF_ADDRESS in error.message else "FILE_READ", fault["message"]))
    line = f" on line {fault['line']}" if fault["line"] else ""
    message = f"The document was not compiled{line}: {fault['message']}"
    return {"verdict": "COMPILE_ERROR", "message": message, "error": fault, "events": events}


def _package(text: str) -> str:
    """Return the package that a text names, by itself or by the address of its archive; empty if none."""
    package = _PACKAGE.search(text)
    if package is None:
        return ""
    return "@{}/{}:{}".format(*package.groups()) if package[1] else package[0]
