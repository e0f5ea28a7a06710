"""Common families are drawn in the documented fonts, and in those of the machine where that is chosen."""

import dataclasses
import subprocess
import tempfile
from pathlib import Path

import pytest
import pytest_asyncio

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import running_of
from i2s_chassis.jail import Jail, JailSettings, Tier
from i2s_chassis.jail.plan import SYSTEM_READABLE
from i2s_chassis.limits import DEFAULT_LIMITS
from i2s_render_html.chromium import find_chromium
from i2s_render_html.fonts import find_fonts
from renderers import HTML

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

#: A file that browsers read with fonts of the machine.
FONTCONFIG = "/etc/fonts/fonts.conf"
FOR_SYSTEM = ["--jail-uid-base", "46000", "--jail-tier", "namespace", "--font-source", "system"]
with_system_fonts = running_of(dataclasses.replace(HTML, arguments=lambda folder: FOR_SYSTEM))

#: Stacks as frameworks have them, and the font that the locked fonts have for each.
STACKS = {
    "system-ui": "Arimo",
    "ui-sans-serif, system-ui, sans-serif": "Arimo",
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif': "Arimo",
    '-apple-system, BlinkMacSystemFont, "Segoe UI", Helvetica, Arial, sans-serif': "Arimo",
    "Inter, system-ui": "Arimo",
    "Verdana, sans-serif": "Arimo",
    'ui-serif, Georgia, Cambria, "Times New Roman", Times, serif': "Tinos",
    'ui-monospace, SFMono-Regular, Menlo, Monaco, Consolas, "Liberation Mono", monospace': "Cousine",
    "Menlo, Consolas, monospace": "Cousine",
}


async def drawn(service, family):
    page = f"""<!DOCTYPE html><meta charset=utf-8><style>body {{ font-family: {family} }}</style>
        <p>Quick <b>brown</b> <i>fox <b>jumps</b></i> 0123 “§ €” äöß</p>
        <p style="font-size: 9px">over the lazy dog</p>"""
    options = pb.RenderOptions(window=pb.WindowOptions(width=500, height=150))
    source = pb.SiteSource(files=[pb.File(path="index.html", content=page.encode())])
    answer = await service.Render(pb.RenderRequest(site=source, options=options))
    assert answer.verdict == pb.VERDICT_RENDERED, answer.message
    return answer.pictures[0].png


@pytest.mark.parametrize("stack", STACKS)
async def test_a_common_stack_is_drawn_in_the_documented_font(service, stack):
    assert await drawn(service, stack) == await drawn(service, STACKS[stack])


async def test_the_three_fonts_differ(service):
    pictures = {await drawn(service, font) for font in ("Arimo", "Tinos", "Cousine")}
    assert len(pictures) == 3


@pytest.mark.parametrize("font", ["Arimo", "Tinos", "Cousine"])
async def test_a_locked_font_looks_as_the_configuration_of_the_machine_draws_it(
    service, with_system_fonts, font
):
    assert await drawn(service, font) == await drawn(with_system_fonts.stub, font)


async def test_fonts_outside_of_the_lock_are_drawn_only_where_those_of_the_machine_are_chosen(
    service, with_system_fonts
):
    listed = subprocess.run(
        ["fc-list", ":lang=en", "family", "file"], capture_output=True, text=True, check=True
    )
    lines = [line.partition(": ") for line in listed.stdout.splitlines()]
    known = find_fonts().configuration.decode()
    families = {names.split(",")[0] for file, _, names in lines if file.startswith("/usr/")}
    others = sorted(family for family in families if f"<string>{family}</string>" not in known)
    stack = ", ".join(f'"{one}"' for one in others[:5])
    assert await drawn(service, f"{stack}, serif") == await drawn(service, "serif")
    chosen = with_system_fonts.stub
    assert await drawn(chosen, f"{stack}, serif") != await drawn(chosen, "Tinos")


async def test_answers_with_other_fonts_have_other_digests(service, with_system_fonts):
    locked = await service.Describe(pb.DescribeRequest())
    system = await with_system_fonts.stub.Describe(pb.DescribeRequest())
    assert (locked.versions["font-source"], system.versions["font-source"]) == ("locked", "system")
    assert locked.fonts_digest != system.fonts_digest
    assert locked.engine.digest != system.engine.digest
    page = pb.SiteSource(files=[pb.File(path="index.html", content=b"x")])
    answer = await with_system_fonts.stub.Render(pb.RenderRequest(site=page))
    assert answer.engine.digest == system.engine.digest
    assert list(system.missing) == []


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def jail():
    with tempfile.TemporaryDirectory(prefix="i2s-html-fonts-") as folder:
        Path(folder).chmod(0o755)
        jail = await Jail.start(JailSettings(tier=Tier.NAMESPACE, state_dir=Path(folder, "jail")))
        yield jail
        await jail.close()


async def test_the_fonts_of_the_machine_open_no_other_file_to_a_browser(jail):
    readable = {one: find_chromium(None, font_source=one).readable for one in ("locked", "system")}
    assert set(readable["system"]) <= set(readable["locked"])
    allowed = (*SYSTEM_READABLE, *map(str, readable["system"]))
    files = [*Path("/etc").rglob("*"), *Path("/var/lib/dpkg/info").glob("a*")]
    others = [file for file in files if file.is_file() and not any(map(file.is_relative_to, allowed))]
    assert len(others) > 50
    script = 'while read -r path; do (: < "$path") 2>/dev/null && echo "$path"; done < paths; true'
    async with jail.cell(DEFAULT_LIMITS, readable=readable["system"], nesting=True) as cell:
        await cell.write("paths", "\n".join([FONTCONFIG, *map(str, others), ""]).encode())
        ended = await cell.run(["/bin/sh", "-c", script])
    assert ended.output.whole.decode().splitlines() == [FONTCONFIG]
