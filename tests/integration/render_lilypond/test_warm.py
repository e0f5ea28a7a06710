"""Warm processes give what cold ones and the plain programs give, and are replaced in time."""

import asyncio
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from i2s_chassis.warm.pool import WarmPool
from i2s_chassis.warm.program import WarmSettings
from i2s_render_lilypond.converter import Need, copied, need
from i2s_render_lilypond.engine import open_engine
from i2s_render_lilypond.installation import NO_FOOTERS
from i2s_render_lilypond.job_folder import open_zygote
from i2s_render_lilypond.model import LilypondJob, Options
from i2s_render_lilypond.settings import LilypondSettings
from i2s_wire.render.options import Crop, LilypondConvert
from i2s_wire.render.rendering import Verdict
from repetitions import some

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

EXAMPLES = sorted((Path(__file__).parents[3] / "examples/structures").glob("music-*.ly"))
#: What leans on state that a process could keep from an earlier job: chance, fonts, options, counters.
TOUCHY = {
    "random": "\\markup #(string-join (map number->string (map (lambda _ (random 1000)) (iota 9))))",
    "fonts": "\\markup { \\sans a \\typewriter b \\italic c \\fontsize #7 e }",
    "system fonts": '\\markup \\override #\'(font-name . "DejaVu Sans") d',
    "staff size": '#(set-global-staff-size 31) { c\'1\\f^"text" }',
    "layout": "\\layout { \\context { \\Voice \\remove Note_heads_engraver } } { c'4 d' }",
    "option": "#(ly:set-option 'point-and-click #t) { c'4 }",
    "session": '#(define-public kept 1) \\defineBarLine "!" #\'("!" "!" "!") { c\'1 }',
    "language": "\\language \"deutsch\" { h'4 b' cis' }",
    "japanese": "\\markup { 練習曲 Übung }",
    "two books": "\\book { \\score { c'1 } } \\book { \\score { d'1 } }",
    "lyrics": '<< \\new Voice = "a" { c\'4 d\' } \\new Lyrics \\lyricsto "a" { One two } >>',
}


def plain(folder, installation, score):
    """A page as plain convert-ly and lilypond --png make it."""
    (folder / "score.ly").write_bytes(score)
    commands = (
        [installation.convert_ly, "-e", "score.ly"],
        [installation.lilypond, "--png", f"-dinclude-settings={NO_FOOTERS}", "score.ly"],
    )
    for command in commands:
        subprocess.run(command, cwd=folder, capture_output=True, check=False)
    with Image.open(folder / "score.png") as page:
        return page.convert("RGB")


async def both(engine, limits, score, **options):
    warm = await engine.render(LilypondJob(score, options=Options(**options), limits=limits))
    cold = await engine.render(LilypondJob(score, options=Options(cold=True, **options), limits=limits))
    assert {stage.detail for stage in warm.stages} & {"zygote"}
    assert {stage.detail for stage in cold.stages} & {"cold"}
    assert (warm.verdict, warm.message, warm.total_pages) == (cold.verdict, cold.message, cold.total_pages)
    assert warm.error == cold.error
    return warm, cold


@pytest.mark.parametrize(
    "example",
    some(EXAMPLES, one_in=4, instead="every fourth one; test_backends", name=lambda path: path.stem),
)
async def test_an_example_is_byte_identical_warm_and_cold_and_pixel_identical_to_plain_lilypond(
    engine, installation, limits, example, tmp_path
):
    warm, cold = await both(engine, limits, example.read_bytes(), crop=Crop.NONE)
    assert warm.verdict is Verdict.RENDERED
    assert [one.png for one in warm.pictures] == [one.png for one in cold.pictures]
    (tmp_path / "warm.png").write_bytes(warm.pictures[0].png)
    expected = await asyncio.to_thread(plain, tmp_path, installation, example.read_bytes())
    with Image.open(tmp_path / "warm.png") as picture:
        assert ImageChops.difference(picture, expected).getbbox() is None


@pytest.mark.parametrize("name", some(TOUCHY, one_in=2, instead="every second one"))
async def test_what_leans_on_state_is_byte_identical_warm_and_cold(engine, limits, name):
    warm, cold = await both(engine, limits, f'\\version "2.24.0"\n{TOUCHY[name]}\n'.encode())
    assert warm.pictures
    assert [picture.png for picture in warm.pictures] == [picture.png for picture in cold.pictures]


CONVERSIONS = {
    "old": '\\version "2.4.0"\n{ \\property Staff.x = 1 c\'4 \\times 2/3 { d8 e f } }',
    "two versions": '\\version "2.16.0" { c4 } % \\version "2.18.0"',
    "newest": '\\version "2.24.0"\r\n{ c4 }\rx',
    "newer": '\\version "2.99.1"\n{ c4 }',
    "not quite": '\\version "2.24"\n{ \\times 2/3 { c8 d e } }',
    "byte order mark": '\ufeff\\version "2.24.3"\n{ c4 }',
    "in a comment": '% \\version "2.24.1"\n\\version "2.2.0" { \\times 2/3 c4 }',
}


@pytest.mark.parametrize("name", CONVERSIONS)
async def test_conversion_is_that_of_plain_convert_ly(engine, installation, limits, name, tmp_path):
    score = CONVERSIONS[name].encode()
    (tmp_path / "score.ly").write_bytes(score)
    subprocess.run([installation.convert_ly, "-e", "score.ly"], cwd=tmp_path, check=True, capture_output=True)
    expected = (tmp_path / "score.ly").read_bytes()
    job = LilypondJob(score, limits=limits)
    what = need(score.decode(), "", LilypondConvert.AUTO, installation.latest_rule)
    assert what is (
        Need.IDENTITY if name in ("newest", "newer", "byte order mark", "in a comment") else Need.RULES
    )
    if what is Need.IDENTITY:
        assert copied(score) == expected
    for options in (Options(), Options(cold=True)):
        converted = await engine._converter.convert(replace(job, options=options))
        assert converted.score == expected


async def test_limits_that_a_warm_process_cannot_take_on_are_served_cold(engine, limits):
    job = LilypondJob(
        b'\\version "2.24.0" { c\'4 }', limits=replace(limits, memory_bytes=limits.memory_bytes // 2)
    )
    rendering = await engine.render(job)
    assert rendering.verdict is Verdict.RENDERED
    assert rendering.stages[0].detail == "cold"


async def test_a_process_is_replaced_after_its_jobs(jail, installation, limits):
    settings, begun = WarmSettings(limits, jobs=2, spare=0), []

    def start():
        begun.append(1)
        return open_zygote(jail, installation, settings)

    served, begun_until = [], []
    pool = WarmPool("zygote", start, settings, slots=1)
    async with pool.open():
        for _ in range(4):
            async with pool.lease() as (zygote, folder):
                await zygote.cell.write(f"{folder}/score.ly", b"")
                served.append(zygote)
                begun_until.append(len(begun))
    assert [served.index(zygote) for zygote in served] == [0, 0, 2, 2]
    assert not served[0].alive
    assert begun_until == [1, 1, 2, 2]  # the one that proves that it can be had serves the first jobs


async def test_a_process_that_was_not_left_clean_is_replaced(jail, installation, limits):
    settings = WarmSettings(limits, spare=0)
    pool = WarmPool("zygote", lambda: open_zygote(jail, installation, settings), settings, slots=1)
    async with pool.open():
        async with pool.lease() as (first, _):
            pass  # no folder was made, so there is none to remove
        assert first.condemned == "not_cleaned"
        async with pool.lease() as (second, folder):
            await second.cell.write(f"{folder}/score.ly", b"")
        assert second is not first


async def test_a_cancelled_job_takes_its_process_with_it(engine, limits):
    endless = LilypondJob(b'\\version "2.24.0" #(let loop () (loop))', limits=limits)
    task = asyncio.create_task(engine.render(endless))
    await asyncio.sleep(0.5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    rendering = await engine.render(LilypondJob(b'\\version "2.24.0" { c\'4 }', limits=limits))
    assert rendering.verdict is Verdict.RENDERED


async def test_without_warm_processes_everything_is_started_anew(jail, installation, limits):
    async with open_engine(jail, installation, LilypondSettings(warm="single-use")) as engine:
        rendering = await engine.render(LilypondJob(b'\\version "2.18.0" { c\'4 }', limits=limits))
    assert rendering.verdict is Verdict.RENDERED
    assert [stage.detail for stage in rendering.stages] == ["cold", "cold", "", ""]
