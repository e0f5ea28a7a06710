"""Web sites and scores of our own making, for repositories that do not exist."""

from __future__ import annotations

from dataclasses import dataclass, field

from fake_sources.archives import archive, bomb

_SUBJECTS = (
    ("Tide tables", "High water comes twice a day, about fifty minutes later than the day before."),
    ("Bread at home", "Let the dough rest overnight; the crust will thank you in the morning."),
    ("Bicycle repair", "A slack chain wears the teeth of the cassette long before its time."),
    ("Garden notes", "Sow the peas when the soil crumbles and no longer sticks to the spade."),
    ("Night sky", "Jupiter stands high in the south at midnight and outshines every star."),
    ("Train timetable", "The first train leaves at five past six and stops at every station."),
    ("Chess endings", "A rook belongs behind the passed pawn, whoever the pawn belongs to."),
    ("Mountain huts", "Most huts open in June; blankets are there, sleeping bags are not."),
    ("Map projections", "Areas are kept or angles are kept, but never both at the same time."),
    ("Knots", "The bowline holds a load without slipping and opens with two fingers."),
    ("Weather diary", "Rain until noon, then a clear sky with a light wind from the west."),
    ("Typewriters", "A ribbon lasts longer if the spools are turned over once a year."),
)
_COLORS = ("#14532d", "#7c2d12", "#1e3a8a", "#581c87", "#134e4a", "#7f1d1d")


@dataclass(frozen=True)
class FakeRepository:
    """A repository.

    Attributes:
        id: Number.
        full_name: Owner and name.
        language: Language as the search names it.
        created: Time of creation.
        content: Its archive.
        licence: SPDX identifier; empty for none.
        size: Size in kB.
        flags: Further fields of its item in the search.
    """

    id: int
    full_name: str
    language: str
    created: str
    content: bytes = field(repr=False)
    licence: str = ""
    size: int = 40
    flags: dict[str, object] = field(default_factory=dict)

    @property
    def commit(self) -> str:
        """Its last commit."""
        return f"{self.id:040x}"

    def item(self) -> dict[str, object]:
        """Return it as the search describes it."""
        owner, _, name = self.full_name.partition("/")
        licence = {"key": self.licence.lower(), "spdx_id": self.licence} if self.licence else None
        return {
            "id": self.id,
            "name": name,
            "full_name": self.full_name,
            "private": False,
            "fork": False,
            "archived": False,
            "owner": {"login": owner, "id": self.id + 1000, "type": "User"},
            "html_url": f"https://github.com/{self.full_name}",
            "description": None,
            "size": self.size,
            "language": self.language,
            "default_branch": "main",
            "license": licence,
            "created_at": self.created,
            **self.flags,
        }


def site(number: int) -> dict[str, bytes]:
    """Return a small site; each number has another subject, layout and color."""
    title, sentence = _SUBJECTS[number % len(_SUBJECTS)]
    color = _COLORS[number % len(_COLORS)]
    entries = "\n".join(
        f'    <li class="entry e{entry}"><b>{title} {entry + 1}</b> {sentence}</li>'
        for entry in range(3 + number % 4)
    )
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>{title}</title>
  <link rel="stylesheet" href="css/style.css">
</head>
<body>
  <header><h1>{title}</h1><p>{sentence}</p></header>
  <ul id="entries">
{entries}
  </ul>
  <footer>Page {number + 1}</footer>
  <script src="main.js"></script>
</body>
</html>
"""
    style = f"""body {{ margin: {20 + 9 * number}px; font-family: sans-serif; }}
header {{ background: {color}; color: white; padding: {12 + 4 * number}px; }}
#entries {{ columns: {1 + number % 3}; list-style: square; }}
.entry {{ border-left: {2 + number % 5}px solid {color}; padding: 8px; margin: 6px; }}
"""
    script = f"""const total = document.querySelectorAll(".entry").length;
document.querySelector("footer").append(`, ${{total}} entries of subject {number}`);
"""
    return {
        "index.html": page.encode(),
        "css/style.css": style.encode(),
        "main.js": script.encode(),
        "LICENSE": b"See the page of the repository.\n",
        ".github/workflows/none.yml": b"on: push\n",
    }


def score(number: int) -> str:
    """Return a LilyPond source with one score on one page."""
    notes = ("c' d' e' f'", "g'4 a' b' c''", "e'8 f' g' a' b'4 c''", "c''4. b'8 a'4 g'")
    bars = " | ".join(notes[(number + bar) % len(notes)] for bar in range(4 + number % 3))
    keys = ("c \\major", "g \\major", "f \\major", "d \\minor")
    return f"""\\version "2.24.0"
% An exercise of our own.
\\header {{ title = "Exercise {number + 1}" composer = "Nobody" tagline = ##f }}
\\score {{
  \\new Staff {{ \\key {keys[number % 4]} \\time 4/4 {bars} \\bar "|." }}
  \\layout {{ }}
}}
"""


def site_repositories() -> list[FakeRepository]:
    """Return twelve good repositories over several days, and those that are left out."""
    languages = ("CSS", "HTML", "JavaScript")
    licences = ("MIT", "CC0-1.0", "Apache-2.0", "", "NOASSERTION", "GPL-3.0")
    found = [
        _repository(
            number,
            f"owner{number}/owner{number}.github.io",
            languages[number % 3],
            f"2026-10-{1 + number // 3:02}T{2 * number:02}:15:00Z",
            site(number),
            licences[number % len(licences)],
        )
        for number in range(12)
    ]
    many = {f"page{number}.html": b"<p>One of many.</p>\n" * 5 for number in range(6)}
    cdn = site(1)
    cdn["index.html"] = cdn["index.html"].replace(
        b"</head>", b'<script src="https://cdn.example.com/lib.js"></script></head>'
    )
    lost = site(2)
    lost["index.html"] = lost["index.html"].replace(b"<ul", b'<img src="gone.png" alt="">\n<ul')
    demo = {**site(3), "theme.html": b"<p>A demo of the theme.</p>\n"}
    day = "2026-10-05T08:00:00Z"
    others: list[tuple[str, str, dict[str, bytes]]] = [
        ("many", "HTML", {**site(0), **many}),
        ("cdn", "CSS", cdn),
        ("lost", "HTML", lost),
        ("readme", "CSS", {"readme.md": b"# Nothing\n" * 12, "style.css": b"a {}\n"}),
        ("noindex", "JavaScript", {"app.js": b"let a = 1;\n" * 20}),
        ("demo1", "CSS", demo),
        ("demo2", "CSS", demo),
        ("binary", "HTML", {**site(4), "page.md": b"\xff\xfe\x00 not UTF-8"}),
    ]
    found += [
        _repository(100 + number, f"{name}/{name}.github.io", language, day, files, "MIT")
        for number, (name, language, files) in enumerate(others)
    ]
    top = "site-0000000"
    hostile = {
        "linked": archive(top, site(5), {"about.html": "../../etc/passwd"}),
        "escaping": archive(top, {**site(5), "../../evil.html": b"x"}),
        "absolute": archive("", {"/etc/cron.d/evil": b"x", "index.html": b"x"}),
        "bomb": bomb(),
        "noarchive": b"%PDF-1.7 no archive",
    }
    found += [
        FakeRepository(200 + number, f"{name}/{name}.github.io", "CSS", day, content, "MIT")
        for number, (name, content) in enumerate(hostile.items())
    ]
    found.append(FakeRepository(300, "empty/empty.github.io", "HTML", day, b"", "MIT", size=0))
    found.append(
        FakeRepository(301, "seed/seed.github.io", "HTML", day, b"", "MIT", flags={"is_template": True})
    )
    found.append(FakeRepository(302, "gone/gone.github.io", "HTML", day, b"", "MIT"))
    return found


def score_repositories() -> list[FakeRepository]:
    """Return repositories of LilyPond sources."""
    several = "\n".join([score(5), score(6).replace('\\version "2.24.0"', "")])
    files = [
        {"exercise.ly": score(0).encode(), "README.md": b"Exercises.\n"},
        {"first.ly": score(1).encode(), "second/second.ly": score(2).encode()},
        {"both.ly": several.encode()},
        {"main.ly": b'\\include "notes.ily"\n' + score(3).encode(), "notes.ily": b"n = { c'4 }\n"},
        {"README.md": b"No source at all.\n"},
    ]
    return [
        _repository(
            400 + number,
            f"player{number}/scores",
            "LilyPond",
            f"2026-10-0{1 + number}T12:00:00Z",
            file,
            "CC0-1.0" if number % 2 == 0 else "",
        )
        for number, file in enumerate(files)
    ]


def _repository(
    number: int, name: str, language: str, created: str, files: dict[str, bytes], licence: str
) -> FakeRepository:
    top = f"{name.replace('/', '-')}-{number:07x}"
    return FakeRepository(number, name, language, created, archive(top, files), licence)
