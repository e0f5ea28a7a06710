"""OMR-NED against values of musicdiff, unchanged, and against texts that no score is."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.scoring.omr_ned import (
    OmrDistance,
    ScoreFaultError,
    ScoreFormat,
    TruthFaultError,
    as_kern,
    omr_distance,
    score_fault,
    score_format,
)

FOLDER = Path(__file__).parent / "omr_ned"
LEVELS = {
    "notesandrests": ("NotesAndRests",),
    "decoratednotesandrests": ("DecoratedNotesAndRests",),
    "allobjects": ("AllObjects",),
    "allobjects+style+metadata": ("AllObjects", "Style", "Metadata"),
    "allobjects+notestaffposition": ("AllObjects", "NoteStaffPosition"),
}


def _vectors() -> list[tuple[str, str, str, str, dict[str, Any]]]:
    """Return folder, prediction, reference and level of each vector, and what musicdiff found."""
    return [
        (folder, row["prediction"], row["reference"], level, value)
        for folder in ("", "musicdiff-tests")
        for row in json.loads((FOLDER / folder / "vectors.json").read_text("utf-8"))["rows"]
        for level, value in row.items()
        if isinstance(value, dict)
    ]


def _titled(file: Path) -> str:
    """Return the text of a file with its name as title, as music21 reads MusicXML that has no title."""
    text = file.read_text("utf-8")
    if file.suffix != ".musicxml":
        return text
    return text.replace("<part-list>", f"<movement-title>{file.name}</movement-title><part-list>", 1)


VECTORS = _vectors()


def test_there_are_all_vectors() -> None:
    assert len(VECTORS) == 16 * 5 + 11 * 3
    assert 0.1703056768558952 in [value["ned"] for *_, value in VECTORS]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector[1]} {vector[3]}")
def test_every_value_is_that_of_musicdiff(vector: tuple[str, str, str, str, dict[str, Any]]) -> None:
    folder, prediction, reference, level, value = vector
    given, wanted = (_titled(FOLDER / folder / name) for name in (prediction, reference))
    distance = omr_distance(given, wanted, LEVELS[level])
    assert distance == OmrDistance(value["ed"], value["pred"], value["gt"])
    assert distance.ned == value["ned"]


def test_differences_are_written_as_musicdiff_writes_them() -> None:
    for row in json.loads((FOLDER / "vectors.json").read_text("utf-8"))["rows"]:
        distance = omr_distance(
            *((FOLDER / row[name]).read_text("utf-8") for name in ("prediction", "reference"))
        )
        assert list(distance.differences) == row["text"].splitlines()[2:]


KERN = "**kern\n*clefG2\n*M4/4\n=1\n4c\n4d\n4e\n4f\n=2\n4g\n4a\n4b\n4cc\n==\n*-\n"
MUSICXML = (FOLDER / "scores/base.musicxml").read_text("utf-8")
MEI = (FOLDER / "musicdiff-tests/monophonic_score_1a.mei").read_text("utf-8")


def test_musicdiff_without_its_memory_of_copies_finds_the_same() -> None:
    program = """if True:
        import sys, json, copy
        from types import SimpleNamespace
        import music21, converter21
        from musicdiff import DetailLevel
        from musicdiff.annotation import AnnScore
        from musicdiff.comparison import Comparison
        converter21.register()
        found = []
        for pair in json.load(sys.stdin):
            scores = [converter21.HumdrumConverter().parseData(text) for text in pair]
            both = [AnnScore(one, DetailLevel.AllObjects) for one in scores]
            found.append(Comparison.annotated_scores_diff(*both)[1])
        print(json.dumps(found))
    """
    bars = [
        "4c 4e\n4d\n8e\n8f\n4g\n",
        "2c\n2r\n",
        "4.c\n8d\n4e\n4f#\n",
        "1g\n",
        "4b-\n4a\n4g\n4f\n",
        "8ccL\n8ddJ\n2.e\n",
    ]
    head = "**kern\n*clefG2\n*M4/4\n"
    texts = [
        head + "".join(f"={at}\n{bars[(at * step + step) % len(bars)]}" for at in range(1, 7)) + "==\n*-\n"
        for step in (1, 2, 3, 5)
    ]
    pairs = [(text, other) for text in texts for other in texts]
    said = subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(pairs), capture_output=True, text=True, check=True
    )
    assert json.loads(said.stdout) == [omr_distance(*pair).edits for pair in pairs]


def test_a_page_of_equal_bars_with_one_note_wrong_in_each_takes_no_minutes() -> None:
    """musicdiff takes half a minute for 40 such bars; the time limit of this test is its assertion.

    It recurses over bars, deeper than Python permits if many calls are open already.
    """
    page = (
        "**kern\n*clefG2\n*M4/4\n" + "".join(f"={bar}\n4c\n4d\n4e\n4f\n" for bar in range(1, 71)) + "==\n*-\n"
    )
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 200)
    try:
        assert omr_distance(page.replace("4e", "4g"), page).edits == 4 * 70
    finally:
        sys.setrecursionlimit(before)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (MUSICXML, ScoreFormat.MUSICXML),
        (MEI, ScoreFormat.MEI),
        (KERN, ScoreFormat.KERN),
        ("!!!COM: a\n\n**kern\t**kern\n", ScoreFormat.KERN),
        ("**ekern_1.0\n4@c\n*-", ScoreFormat.KERN),
        ("\ufeff<mei xmlns='http://www.music-encoding.org/ns/mei'/>", ScoreFormat.MEI),
        ("<html/>", None),
        ("X:1\nK:C\nCDEF|", None),
        ("http://127.0.0.1/a.musicxml", None),
        ("/etc/passwd", None),
        ("", None),
    ],
)
def test_formats_are_known_by_their_beginning(text: str, kind: ScoreFormat | None) -> None:
    assert score_format(text) is kind


def test_kern_and_musicxml_of_the_same_music_are_compared() -> None:
    kern = "**kern\n*clefG2\n*k[]\n*M4/4\n=1\n1c\n==\n*-\n"
    xml = (
        "<score-partwise><part-list><score-part id='a'><part-name>a</part-name></score-part></part-list>"
        "<part id='a'><measure number='1'><attributes><divisions>1</divisions><key><fifths>0</fifths></key>"
        "<time><beats>4</beats><beat-type>4</beat-type></time><clef><sign>G</sign><line>2</line></clef>"
        "</attributes><note><pitch><step>C</step><octave>4</octave></pitch><duration>4</duration>"
        "<type>whole</type></note><barline location='right'><bar-style>light-heavy</bar-style></barline>"
        "</measure></part></score-partwise>"
    )
    assert omr_distance(xml, kern).edits == 0
    assert omr_distance(kern, xml.replace("<step>C<", "<step>D<")).edits > 0


def test_kern_without_its_first_line_and_ekern_are_read_as_kern() -> None:
    assert (
        as_kern("*clefF4\t*clefG2\n4C\t4c\n*-\t*-\n") == "**kern\t**kern\n*clefF4\t*clefG2\n4C\t4c\n*-\t*-\n"
    )
    assert as_kern("**ekern_1.0\n4@c@#·L\n*-\n") == "**kern\n4c#L\n*-\n"
    assert as_kern(KERN) == KERN


def test_syntax_errors_of_kern_count_and_do_not_end_the_comparison() -> None:
    # With musicdiff itself (--fix_first_file_syntax): 13 symbols, of which 10 are errors that were corrected.
    distance = omr_distance(KERN.replace("4e", "4e\tfoo"), KERN)
    assert distance == OmrDistance(13, 23, 20)
    with pytest.raises(TruthFaultError, match="has no parts that can be read"):
        omr_distance(KERN, KERN.replace("4e", "4e\tfoo"))


def test_an_empty_score_is_all_symbols_away() -> None:
    distance = omr_distance("**kern\n*clefG2\n*-\n", KERN)
    assert (distance.ned, distance.edits) == (1.0, distance.truth)


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE score-partwise [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    + "]><score-partwise>&j;</score-partwise>"
)
EXTERNAL = (
    '<!DOCTYPE score-partwise [<!ENTITY a SYSTEM "file:///etc/passwd">]><score-partwise>&a;</score-partwise>'
)
PARAMETER = '<!DOCTYPE mei [<!ENTITY % a SYSTEM "http://127.0.0.1:9/a.dtd"> %a;]><mei/>'
DOCUMENT_TYPE = '<!DOCTYPE score-partwise PUBLIC "a" "http://127.0.0.1:9/partwise.dtd">'
DEEP = "<score-partwise>" + "<a>" * 100_000


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (BOMB, "defines the entity 'a'"),
        (EXTERNAL, "defines the entity 'a'"),
        (PARAMETER, "defines the entity 'a'"),
        (DEEP, "nested more than 100 times"),
        ("<score-partwise>", "is not well-formed XML"),
        ("<score-timewise/>", "cannot be read by music21"),
        ("<mei>&nbsp;</mei>", "is not well-formed XML"),
        ("hello", "is neither MusicXML nor MEI nor **kern"),
    ],
)
def test_a_text_that_is_no_score_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ScoreFaultError, match=reason.replace("**", r"\*\*")) as raised:
        omr_distance(text, KERN)
    assert not isinstance(raised.value, TruthFaultError)
    with pytest.raises(TruthFaultError):
        omr_distance(KERN, text)


def test_a_document_type_is_not_followed_and_does_no_harm() -> None:
    untyped = re.sub(r"<!DOCTYPE[^>]*>", "", MUSICXML)
    typed = untyped.replace("<score-partwise", f"{DOCUMENT_TYPE}<score-partwise", 1)
    assert "DOCTYPE" not in untyped
    assert score_fault(typed) == ""
    assert omr_distance(typed, untyped).edits == 0


def test_nothing_is_written_fetched_or_shown(tmp_path: Path) -> None:
    """A process whose sockets, browsers and settings are traps compares scores of all formats."""
    program = """if True:
        import json, os, socket, subprocess, sys, webbrowser
        from pathlib import Path
        def trap(*about, **more):
            raise SystemExit(f"trap: {about}")
        from i2s_sdk.scoring.omr_ned import omr_distance, ScoreFaultError
        socket.socket.connect = socket.getaddrinfo = webbrowser.open = trap
        subprocess.Popen.__init__ = os.system = trap
        for text in json.load(sys.stdin):
            try:
                omr_distance(text, text)
            except ScoreFaultError:
                pass
        import music21
        print(music21.environment.Environment()["autoDownload"], os.environ["HOME"])
    """
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    settings = '<settings encoding="utf-8"><preference name="autoDownload" value="allow"/></settings>'
    (home / ".music21rc").write_text(settings, encoding="utf-8")
    said = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(
            [
                MUSICXML,
                MEI,
                KERN,
                EXTERNAL,
                PARAMETER,
                DOCUMENT_TYPE + "<score-partwise/>",
                "http://127.0.0.1:9/a.xml",
            ]
        ),
        capture_output=True,
        text=True,
        check=False,
        cwd=scratch,
        env={**os.environ, "HOME": str(home), "TMPDIR": str(scratch)},
    )
    assert (said.returncode, said.stdout.split()) == (0, ["ask", str(home)]), said.stderr
    assert [path.name for path in home.iterdir()] == [".music21rc"]
    assert list(scratch.iterdir()) == []
