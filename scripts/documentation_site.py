"""Hooks of MkDocs: what the documentation site has beside the pages of ``docs``.

Pages of the repository (README.md, CHANGELOG.md, …), the reference of the Python packages and of the
command line, the list of attacks, the notebooks, and the source files that pages link to become pages of
the site. Links that work in the repository are rewritten so that they work in the site. The reference is
made from docstrings by mkdocstrings, which reads the packages as text.
"""

from __future__ import annotations

import ast
import json
import os
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import attacks_page
import command_line_page

ROOT = Path(__file__).resolve().parents[1]
DOCS = "docs"

#: Pages of the repository outside of ``docs``, and their places in the site.
REPOSITORY_PAGES = {
    "README.md": "repository/readme.md",
    "CHANGELOG.md": "repository/changelog.md",
    "CONTRIBUTING.md": "repository/contributing.md",
    "SECURITY.md": "repository/security-policy.md",
    "benchmarks/README.md": "repository/benchmarks.md",
    "deploy/README.md": "repository/deploy.md",
    "examples/README.md": "repository/examples.md",
}

#: Pages of the Python reference: name of the page, the package whose ``__all__`` it describes, and its title.
PACKAGES = {
    "i2s_sdk": ("reference/i2s_sdk.md", "The package i2s_sdk"),
    "i2s_sdk.data": ("reference/data.md", "Data sets: i2s_sdk.data"),
    "i2s_sdk.models": ("reference/models.md", "Models: i2s_sdk.models"),
    "i2s_client": ("reference/clients.md", "Clients: i2s_client"),
    "i2s_sdk.tasks": ("reference/tasks.md", "Tasks: i2s_sdk.tasks"),
    "i2s_training": ("reference/training.md", "Rewards and round trips: i2s_training"),
}

#: Modules that the reference describes in full.
MODULES = {
    "i2s_sdk.errors": ("reference/errors.md", "Errors: i2s_sdk.errors"),
    "i2s_wire.render.rendering": ("reference/rendering.md", "Renderings: i2s_wire.render.rendering"),
    "i2s_wire.render.options": ("reference/options.md", "Options of renderers: i2s_wire.render.options"),
    "i2s_wire.render.request": ("reference/request.md", "Sources: i2s_wire.render.request"),
}

#: Pages that are made when the site is built, and what makes them.
GENERATED = {"cli.md": command_line_page.page, "attacks.md": attacks_page.page}

NOTEBOOKS = "examples/notebooks"

_LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)#\s]*)(#[^)\s]*)?(\))")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:")
_LANGUAGES = {
    ".proto": "protobuf",
    ".py": "python",
    ".toml": "toml",
    ".yaml": "yaml",
    ".json": "json",
    ".sh": "sh",
}
_HIDDEN = "---\nsearch:\n  exclude: true\n---\n"
_WITHOUT_HEADING = "    options:\n      show_root_heading: false\n      show_root_toc_entry: false\n"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Show a choice of versions where scripts/pages publishes several: elsewhere there is no list of them."""
    if provider := os.environ.get("I2S_PAGES_VERSIONS"):
        config.extra["version"] = {"provider": provider}
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in ``docs``. Called by MkDocs once it has collected those that are."""
    pages = {
        **{place: (ROOT / name).read_text(encoding="utf-8") for name, place in REPOSITORY_PAGES.items()},
        **{place: page() for place, page in GENERATED.items()},
        **dict(_reference()),
        **dict(_notebooks()),
    }
    texts = {file.src_uri: file.content_string for file in files.documentation_pages()} | pages
    pages |= {source_place(name): _source_page(name) for name in sorted(_linked_sources(texts))}
    for place, content in pages.items():
        files.append(File.generated(config, place, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite the links of a page. Called by MkDocs for every page."""
    place = page.file.src_uri
    return rewrite_links(markdown, place)


def rewrite_links(markdown: str, place: str) -> str:
    """Return a page with the links of the repository replaced by those of the site.

    Args:
        markdown: The page.
        place: Path of the page in the site, such as "repository/readme.md".
    """
    origin = repository_name(place)
    if origin is None:
        return markdown
    here = posixpath.dirname(place) or "."

    def rewritten(match: re.Match[str]) -> str:
        target = match[2]
        if not target or _SCHEME.match(target):
            return match[0]
        name = posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))
        return f"{match[1]}{posixpath.relpath(site_place(name), here)}{match[3] or ''}{match[4]}"

    return _outside_of_code(markdown, lambda text: _LINK.sub(rewritten, text))


def repository_name(place: str) -> str | None:
    """Return the file of the repository that a page of the site is made from; None for a page without one."""
    for name, known in REPOSITORY_PAGES.items():
        if known == place:
            return name
    if place.startswith("notebooks/"):
        return f"{NOTEBOOKS}/{posixpath.basename(place).removesuffix('.md')}.ipynb"
    if place.startswith(("reference/", "source/")):
        return None
    return f"{DOCS}/{place}"


def site_place(name: str) -> str:
    """Return the place in the site of a file or folder of the repository.

    Args:
        name: Its path in the repository, such as "docs/runs.md".
    """
    if name in REPOSITORY_PAGES:
        return REPOSITORY_PAGES[name]
    if f"{name}/README.md" in REPOSITORY_PAGES:
        return REPOSITORY_PAGES[f"{name}/README.md"]
    if name == DOCS or name.startswith(f"{DOCS}/"):
        inside = posixpath.relpath(name, DOCS)
        return posixpath.join(inside, "README.md") if (ROOT / name).is_dir() else inside
    if posixpath.dirname(name) == NOTEBOOKS and name.endswith(".ipynb"):
        return f"notebooks/{posixpath.basename(name).removesuffix('.ipynb')}.md"
    return source_place(name)


def source_place(name: str) -> str:
    """Return the place of the page that shows a source file, or lists a folder."""
    return f"source/{name}.md"


def _outside_of_code(markdown: str, change: Callable[[str], str]) -> str:
    """Return a page with the text outside of fenced blocks of code changed."""
    parts = re.split(r"(^```.*?^```[ \t]*$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if number % 2 else change(part) for number, part in enumerate(parts))


def _linked_sources(texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the files and folders of the repository that pages link to and that are not pages themselves."""
    for place, text in texts.items():
        origin = repository_name(place)
        if origin is None:
            continue
        for _, target, _, _ in _LINK.findall(
            re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        ):
            if not target or _SCHEME.match(target):
                continue
            name = posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))
            if (ROOT / name).exists() and site_place(name) == source_place(name):
                yield name


def _source_page(name: str) -> str:
    path = ROOT / name
    if path.is_dir():
        entries = sorted(one.name + "/" * one.is_dir() for one in path.iterdir() if one.name != "__pycache__")
        return f"{_HIDDEN}# {name}\n\nThis folder of the repository holds:\n\n" + "".join(
            f"- `{entry}`\n" for entry in entries
        )
    language = _LANGUAGES.get(path.suffix, "text")
    content = path.read_text(encoding="utf-8")
    about = f"# {path.name}\n\nThe file `{name}` of the repository:\n\n"
    return f"{_HIDDEN}{about}~~~~ {language}\n{content}\n~~~~\n"


def _reference() -> Iterator[tuple[str, str]]:
    """Yield place and text of each page of the Python reference."""
    for package, (place, title) in PACKAGES.items():
        entries = "\n".join(f"::: {package}.{name}\n" for name in exported(package))
        yield place, f"# {title}\n\n{entries}"
    for module, (place, title) in MODULES.items():
        yield place, f"# {title}\n\n::: {module}\n{_WITHOUT_HEADING}"


def exported(package: str) -> list[str]:
    """Return the names in ``__all__`` of a package of the SDK, in their order.

    Raises:
        ValueError: It has none.
    """
    [path] = ROOT.glob(f"sdk/*/src/{package.replace('.', '/')}/__init__.py")
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return names
    raise ValueError(f"{path} has no __all__")


def _notebooks() -> Iterator[tuple[str, str]]:
    """Yield place and text of the page of each notebook."""
    for path in sorted((ROOT / NOTEBOOKS).glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield f"notebooks/{path.stem}.md", "\n".join(map(_cell, cells))


def _cell(cell: Mapping[str, Any]) -> str:
    """Return a cell of a notebook as Markdown, with what it printed and the images that it displayed."""
    source = _joined(cell["source"])
    if cell["cell_type"] == "markdown":
        return f"{source}\n"
    shown = f"```python\n{source}\n```\n"
    printed = "".join(_joined(output.get("text", "")) for output in cell["outputs"])
    if printed.strip():
        shown += f"\n```text\n{printed.rstrip()}\n```\n"
    for output in cell["outputs"]:
        if png := _joined(output.get("data", {}).get("image/png", "")).replace("\n", ""):
            shown += f"\n![what the cell displays](data:image/png;base64,{png})\n"
    return shown


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)
