"""Compiles a Typst document and draws its pages. Packages are not fetched: there is no network here."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from i2s_chassis.warm.inside.delivery import deliver
from i2s_chassis.warm.inside.packages import load_package

_state: dict[str, Any] = {}
#: A folder for packages that does not exist.
_NOWHERE = ".i2s/packages"
_SIZE = re.compile(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]")
_PLACE = re.compile(r"┌─ (?P<file>.*?):(?P<line>\d+):\d+\n.*?\n\s*\d+ │ (?P<text>[^\n]*)", re.DOTALL)
_PACKAGE = re.compile(r"@[\w-]+/[\w-]+:[\d.]+|[\w-]+/[\w-]+-[\d.]+\d(?=\.tar\.gz)")
_OF_PACKAGE = ("failed to download package", "package not found", "failed to load package")
_OF_FILE = ("file not found", "would escape the project root", "failed to load file")
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

    job = json.loads(Path(".i2s/job.json").read_text())
    try:
        compiler = typst.Compiler(
            str(Path(job["entry"]).resolve()),
            root=str(Path.cwd()),
            font_paths=_state["fonts"],
            package_path=_NOWHERE,
            package_cache_path=_NOWHERE,
        )
        # A PDF takes a fraction of the time of images, and says how many pages there are and how large.
        document, warnings = compiler.compile_with_warnings(
            format="pdf", pdf_tags=False, timestamp=_state["clock"]
        )
        sizes = [(float(one[1]), float(one[2])) for one in _SIZE.finditer(b"".join(_listed(document)))]
        print(*(f"warning: {one.message}" for one in warnings), sep="\n", flush=True)
        header: dict[str, Any] = {"total": len(sizes), "events": []}
        wrong = _complaint(sizes, job)
        if wrong:
            deliver(output, {**header, **wrong})
            return
        pages = _listed(compiler.compile(format="png", ppi=job["dpi"], timestamp=_state["clock"]))
    except typst.TypstError as error:
        print(error.diagnostic, flush=True)
        deliver(output, _fault(error))
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


def _fault(error: Any) -> dict[str, Any]:  # noqa: ANN401 - its class is that of the compiler
    """Return what is said of an error of the compiler."""
    place = _PLACE.search(error.diagnostic)
    file = place["file"].rpartition("/")[2] if place else ""
    fault = {
        "message": error.message,
        "line": int(place["line"]) if place else 0,
        "file": "" if place is None or file == _entry_name() else file,
        "context": place["text"] if place else "",
    }
    events: list[tuple[str, str]] = []
    if error.message.startswith(_OF_PACKAGE):
        package = _PACKAGE.search(fault["context"]) or _PACKAGE.search(error.message)
        named = (
            ""
            if package is None
            else package[0]
            if package[0][0] == "@"
            else "@{}/{}:{}".format(*package.groups())
        )
        fault |= {
            "message": f"The package {named} is not installed: no packages are fetched.",
            "kind": "UNDEFINED_FILE",
            "missing": named,
        }
        events.append(("NETWORK", f"package {named}"))
    elif error.message.startswith(_OF_FILE) or "would escape" in error.message:
        fault["kind"] = "UNDEFINED_FILE"
        fault["message"] = error.message.replace(f"{Path.cwd()}/", "")
        events.append(("FILE_READ", fault["message"]))
    line = f" on line {fault['line']}" if fault["line"] else ""
    message = f"The document was not compiled{line}: {fault['message']}"
    return {"verdict": "COMPILE_ERROR", "message": message, "error": fault, "events": events}


def _entry_name() -> str:
    return Path(json.loads(Path(".i2s/job.json").read_text())["entry"]).name
