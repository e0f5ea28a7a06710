"""Small sites, good and hostile, and how to write a page of one."""

from __future__ import annotations

MARK = "SECRETMARK"
GOOD = {
    "_config.yml": b"title: Good\n",
    "_layouts/l.html": b"<h1>{{ page.title }}</h1>{{ content }}",
    "index.md": b"---\nlayout: l\ntitle: T\n---\n*x* {{ site.time }}\n\n```python\nimport os\n```\n",
    "s.scss": b"---\n---\n$a: 1px;\nb { c: $a }\n",
}
EVIL = b'File.write("out/evil.html", "OW" + "NED"); $stdout.puts "OW" + "NED"; '
EVIL += b"module Jekyll; class E < Generator; "
EVIL += b'def generate(s); s.pages.each { |p| p.content = "OW" + "NED" }; end; end; end\n'


def page(text: str, **front: str) -> bytes:
    """Return a page with front matter."""
    lines = "".join(f"{key}: {value}\n" for key, value in front.items())
    return f"---\n{lines}---\n{text}\n".encode()
