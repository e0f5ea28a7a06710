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
        uploads: When files were uploaded, by name; None if the interface does not list uploads.
        contents: Contents of files, by name; others have a SHA-1 of their own all the same.
        old_list: Whether the list of uploads goes on as that of old versions of MediaWiki.
        ignores_window: Whether the list of uploads holds all files.
        per_page: Works a page of the list, and files of the list of uploads.
        robots: What robots.txt says.
    """

    works: dict[str, str] = field(default_factory=lambda: dict(_works()))
    uploads: dict[str, str] | None = field(default_factory=lambda: dict(_uploads()))
    contents: dict[str, bytes] = field(default_factory=dict)
    old_list: bool = False
    ignores_window: bool = False
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
        if request.query.get("list") == ["allimages"]:
            return self._uploads(request)
        if request.query.get("list") == ["imageusage"]:
            file = request.query["iutitle"][0].partition(":")[2]
            titles = [title for title, text in self.works.items() if file.replace(" ", "_") in text]
            return _json({"query": {"imageusage": [{"ns": 0, "title": title} for title in titles]}})
        pages = {
            str(number): {"title": title.replace("_", " "), "imageinfo": [self._facts(title)]}
            for number, title in enumerate(request.query["titles"][0].split("|"))
            if "Lost" not in title
        }
        return _json({"query": {"pages": pages}})

    def _uploads(self, request: FakeRequest) -> FakeAnswer:
        if self.uploads is None:
            info = "Unrecognized value for parameter 'aisort': timestamp"
            return _json({"error": {"code": "unknown_aisort", "info": info}})
        first, last = request.query["aistart"][0], request.query["aiend"][0]
        found = sorted(
            (time, name)
            for name, time in self.uploads.items()
            if self.ignores_window or first <= time <= last
        )
        start = int(request.query.get("aicontinue", ["0"])[0])
        entries = [
            {"name": name, **self._facts(f"File:{name}"), "timestamp": time}
            for time, name in found[start : start + self.per_page]
        ]
        body: dict[str, object] = {"query": {"allimages": entries}}
        if start + self.per_page < len(found):
            following = {"aicontinue": str(start + self.per_page)}
            if self.old_list:
                body["query-continue"] = {"allimages": following}
            else:
                body["continue"] = {**following, "continue": "-||"}
        return _json(body)

    def _facts(self, title: str) -> dict[str, object]:
        name = title.partition(":")[2]
        content = self.contents.get(name, name.encode())
        return {
            "timestamp": "2026-10-10T10:10:10Z",
            "user": "Ann",
            "size": len(content),
            "sha1": hashlib.sha1(content, usedforsecurity=False).hexdigest(),
            "mime": "application/pdf" if name.endswith(".pdf") else "audio/mpeg",
            "url": f"//imslp.org/images/{name}",
        }


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


def _uploads() -> list[tuple[str, str]]:
    return [
        ("NB_Sonata_1.pdf", "2026-10-03T08:00:00Z"),
        ("NB_Sonata_1_parts.pdf", "2026-10-03T08:05:00Z"),
        ("NB_Old.pdf", "2011-01-30T08:00:00Z"),
        ("Cid_March.pdf", "2026-10-31T23:59:59Z"),
        ("Unnamed.pdf", "2026-10-12T12:00:00Z"),
        ("Recording.mp3", "2026-10-13T12:00:00Z"),
    ]


def _json(value: object) -> FakeAnswer:
    return FakeAnswer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})
