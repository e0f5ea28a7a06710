"""Make the data set examples/readoc: PDF documents with pdfLaTeX and pandoc, gold Markdown, and the index.

    python examples/make_readoc_items.py                       # all of it
    python examples/make_readoc_items.py --out FOLDER          # elsewhere

An article is data, from which its LaTeX and its gold Markdown are both written. A README is Markdown, which
is the gold text and of which pandoc makes LaTeX. The same versions of TeX and pandoc make the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from readoc_items.article import Article
from readoc_items.articles import ARTICLES
from readoc_items.write import latex, markdown

HERE = Path(__file__).resolve().parent
READMES = {
    "tidepool": "easy",
    "paperboat": "medium",
    "lichen-fonts": "medium",
    "gridlock": "hard",
}

_SAME_BYTES = r"\pdfinfoomitdate=1 \pdfsuppressptexinfo=-1 \pdftrailerid{%s} \pdfobjcompresslevel=2" "\n"
_GLYPHS = r"\input{glyphtounicode} \pdfgentounicode=1" "\n"
_README_OPTIONS = tuple(
    f"--variable={one}"
    for one in ("geometry:margin=2.5cm", "colorlinks", "fontsize:11pt", "fontfamily:charter")
)
_RUNS = 3  # the last ones know the references of the first


def readme_latex(name: str, text: str) -> str:
    """Return the LaTeX document that pandoc makes of a README.

    Raises:
        subprocess.CalledProcessError: pandoc refused it.
    """
    command = ["pandoc", "--from=gfm-tex_math_dollars", "--to=latex", "--standalone", *_README_OPTIONS]
    made = subprocess.run(command, input=text, capture_output=True, check=True, text=True).stdout
    begin = made.index(r"\begin{document}")
    return made[:begin] + _SAME_BYTES % name + _GLYPHS + made[begin:]


def pdf(source: str) -> bytes:
    """Return the PDF document that pdfLaTeX makes of a source.

    Raises:
        ValueError: TeX refused it, or a line is wider than its column by more than 5 points.
    """
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "item.tex").write_text(source, encoding="utf-8")
        command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", "item.tex"]
        always = os.environ | {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1"}
        for _ in range(_RUNS):
            ended = subprocess.run(command, cwd=work, capture_output=True, check=False, env=always)
            log = (work / "item.log").read_text(encoding="utf-8", errors="replace")
            if ended.returncode != 0:
                raise ValueError(log[log.find("\n!") :].strip()[:400])
        wide = [float(one) for one in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
        if max(wide, default=0.0) > 5.0:
            raise ValueError(f"a line is {max(wide)} points too wide")
        return (work / "item.pdf").read_bytes()


def line(name: str, subset: str, difficulty: str) -> str:
    """Return the line of a document in the index."""
    fields = {
        "id": name,
        "task": "readoc",
        "subset": subset,
        "inputs": {"document": f"pdf/{name}.pdf"},
        "difficulty": difficulty,
        "target": {"structure": f"markdown/{name}.md"},
        "licence": "CC0-1.0",
        "provenance": {"source": "examples/make_readoc_items.py"},
    }
    return json.dumps(fields) + "\n"


def index() -> str:
    """Return the index."""
    articles = [line(article.id, "arxiv", article.difficulty) for article in ARTICLES]
    return "".join((*articles, *(line(name, "github", READMES[name]) for name in READMES)))


def documents() -> dict[str, tuple[str, str]]:
    """Return LaTeX and gold Markdown of all documents, by name."""
    found: dict[str, tuple[str, str]] = {article.id: _both(article) for article in ARTICLES}
    for name in READMES:
        gold = (HERE / "readoc" / "markdown" / f"{name}.md").read_text(encoding="utf-8")
        found[name] = readme_latex(name, gold), gold
    return found


def _both(article: Article) -> tuple[str, str]:
    return latex(article), markdown(article)


def main() -> int:
    """Write the data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=HERE / "readoc", help="folder of the data set")
    out: Path = parser.parse_args().out
    for folder in ("pdf", "markdown"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    made = documents()
    for name, (source, gold) in made.items():
        try:
            (out / "pdf" / f"{name}.pdf").write_bytes(pdf(source))
        except ValueError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
        (out / "markdown" / f"{name}.md").write_text(gold, encoding="utf-8")
    (out / "instances.jsonl").write_text(index(), encoding="utf-8")
    print(f"{out}: {len(made)} documents")
    return 0


if __name__ == "__main__":
    sys.exit(main())
