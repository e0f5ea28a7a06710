"""Stand-ins of IMSLP and Mutopia, with works that do not exist."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field

from fake_sources.exchange import FakeAnswer, FakeRequest
from fake_sources.github import FakeGithub, fake_mutopia
from fake_sources.small_sites import score

ROBOTS = """User-agent: *
Disallow: /index.php
Disallow: /wiki/Special:
Disallow: /images/
Disallow: /imglnks/
Disallow: /wiki/File:
Disallow: /wiki/Image:
Crawl-delay: 2
"""

_START = re.compile(r"/start=(\d+)/")


@dataclass
class FakeImslp:
    """Works with files.

    Attributes:
        works: Wikitext by title.
        per_page: Works a page of the list.
        robots: What robots.txt says.
    """

    works: dict[str, str] = field(default_factory=lambda: dict(_works()))
    per_page: int = 2
    robots: str = ROBOTS

    def answer(self, request: FakeRequest) -> FakeAnswer:
        """Return the answer to a request; the files themselves stand behind a gate."""
        if request.path == "/robots.txt":
            return FakeAnswer(200, self.robots.encode())
        if request.path.startswith("/imslpscripts/API.ISCR.php"):
            return self._list(request)
        if request.path == "/api.php":
            return self._api(request)
        return FakeAnswer(403, b"Members only")

    def _list(self, request: FakeRequest) -> FakeAnswer:
        found = _START.search(request.query["account"][0])
        start = int(found[1]) // 1_000 * self.per_page if found else 0
        titles = sorted(self.works)[start : start + self.per_page]
        body: dict[str, object] = {
            str(number): {"id": title, "type": "2", "permlink": f"https://imslp.org/wiki/{title}"}
            for number, title in enumerate(titles)
        }
        more = start + self.per_page < len(self.works)
        body["metadata"] = {"start": start, "limit": self.per_page, "moreresultsavailable": more}
        return _json(body)

    def _api(self, request: FakeRequest) -> FakeAnswer:
        if request.query["action"] == ["parse"]:
            title = request.query["page"][0]
            if title not in self.works:
                return _json({"error": {"code": "missingtitle"}})
            return _json({"parse": {"title": title, "wikitext": {"*": self.works[title]}}})
        pages = {
            str(number): {"title": title.replace("_", " "), "imageinfo": [_facts(title)]}
            for number, title in enumerate(request.query["titles"][0].split("|"))
            if "Lost" not in title
        }
        return _json({"query": {"pages": pages}})


def sample_mutopia() -> FakeGithub:
    """Return a Mutopia with pieces of several licences and dates, and one of many files."""
    headers = {
        "ftp/NobodyA/one/one.ly": 'license = "Public Domain" footer = "Mutopia-2015/03/21-901"',
        "ftp/NobodyB/two/two.ly": 'copyright = "Creative Commons Attribution-ShareAlike 4.0" '
        'lastupdated = "2016/Jan/17"',
        "ftp/NobodyC/three/three.ly": 'license = "Creative Commons Attribution 3.0" '
        'lastupdated = "2001-05-02"',
        "ftp/NobodyD/four/four.ly": 'license = "Public Domain"',
        "ftp/NobodyE/five/five.ly": 'license = "Public Domain" footer = "Mutopia-2015/99/99-905"',
    }
    files = {
        name: score(number).replace("tagline = ##f", f"tagline = ##f {fields}").encode()
        for number, (name, fields) in enumerate(headers.items())
    }
    parts = b'\\include "part.ily"\n' + files["ftp/NobodyA/one/one.ly"]
    files |= {"ftp/NobodyF/six/six.ly": parts, "ftp/NobodyF/six/part.ily": b"p = { c'4 }\n"}
    return fake_mutopia({**files, "README.md": b"Free sheet music.\n"})


def _works() -> list[tuple[str, str]]:
    return [
        (
            "Sonata No.1 (Nobody, Ann)",
            """=={{Scores}}==
{{#fte:imslpfile
|File Name 1=NB_Sonata_1.pdf
|File Description 1=Complete {{Cap|score}}
|Page Count 1=12
|File Name 2=NB_Sonata_1_parts.pdf
|Page Count 2=7
|Image Type=Typeset
|Date Submitted=2026/10/3
|Copyright=Public Domain
}}
{{#fte:imslpfile
|File Name 1=NB_Old.pdf
|Page Count 1=3
|Image Type=Normal Scan
|Date Submitted=2011/1/30
|Copyright=Public Domain
}}""",
        ),
        ("Etude (Nobody, Ben)", "Nothing here {{#fte:imslpfile |File Name 1=open.pdf"),
        (
            "March (Nobody, Cid)",
            """{{#fte:imslpfile
|File Name 1=Cid_March.pdf
|Page Count 1=many
|Image Type=Normal Scan
|Date Submitted=2026/10/31
|Copyright=Creative Commons Attribution-ShareAlike 4.0
}}
{{#fte:imslpfile
|File Name 1=Lost.pdf
|Date Submitted=2026/10/9
}}""",
        ),
    ]


def _facts(title: str) -> dict[str, object]:
    name = title.partition(":")[2]
    return {
        "timestamp": "2026-10-10T10:10:10Z",
        "user": "Ann",
        "size": 1000 + len(name),
        "sha1": hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest(),
        "mime": "application/pdf",
        "url": f"//imslp.org/images/{name}",
    }


def _json(value: object) -> FakeAnswer:
    return FakeAnswer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})
