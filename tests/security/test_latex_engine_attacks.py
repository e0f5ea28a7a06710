"""Hostile documents for LuaLaTeX and XeLaTeX: languages and programs that pdfTeX does not have.

LuaTeX is given no openin_any, and that of Debian 12 obeys no openout_any, so the jail alone keeps Lua from
the host. After every attack an ordinary document gives the very bytes it gave before.
"""

import asyncio
import re
import socket
import tempfile
from pathlib import Path

import pytest
import pytest_asyncio

from i2s_chassis.jail import Tier
from i2s_chassis.limits import Limits
from i2s_render_latex.installation import find_installation
from i2s_wire.render.options import LatexEngine as TexEngine
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File
from latex_attacked import MARK, attacked_engine

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]

#: Documents log what Lua found in lines of this form.
FOUND = re.compile(r"^FOUND (\d+) (yes|no)$", re.MULTILINE)
PROBE = """local function probe(number, attempt)
  local ok, found = pcall(attempt)
  texio.write_nl('log', 'FOUND ' .. number .. ' ' .. (ok and found and 'yes' or 'no'))
  texio.write_nl('log', '')
end
"""
KEPT = "(os.getenv('TEXMFCACHE'):match('^[^:]+') .. '/luatex-cache/generic/fonts/otl/lmroman10-regular.luc')"

#: What jobs may do, so that the others are known to be seen.
PERMITTED = ("true", "io.open('document.tex')", "io.open('mine', 'w')", f"io.open({KEPT})")

FORBIDDEN = (
    "os.execute('id') == 0",
    "os.execute('id') == true",
    "os.spawn('id') == 0",
    "io.popen('id'):read('a')",
    "os.execute() and os.execute('touch ran') == 0",
    *(
        f"io.open('{file}'):read('a'):len() > 0"
        for file in (
            "/etc/passwd",
            "/etc/shadow",
            "SECRETFILE",
            "/proc/1/environ",
            "/proc/self/../1/cmdline",
            "/var/lib/dpkg/status",
            "/var/log/dpkg.log",
            "/sys/class/net/lo/address",
        )
    ),
    "io.open(kpse.find_file('SECRETFILE', 'tex', true)):read(1)",
    *(
        f"io.open('{place}', 'w')"
        for place in (
            "/tmp/i2s-attack",
            "/var/tmp/i2s-attack",
            "../i2s-attack",
            "SECRETFILE",
            "/usr/i2s-attack",
        )
    ),
    f"io.open({KEPT}, 'w')",
    f"io.open({KEPT}, 'a')",
    f"os.remove({KEPT})",
    "os.remove('SECRETFILE')",
    "os.rename('SECRETFILE', 'mine')",
    "lfs.link('SECRETFILE', 'linked') and io.open('linked'):read(1)",
    "package.loadlib('/usr/lib/x86_64-linux-gnu/libc.so.6', 'system')",
    "require('ffi').C.system('id') == 0",
    "ffi and ffi.C",
    "require('socket').connect('127.0.0.1', PORT)",
    "require('socket').tcp():connect('127.0.0.1', PORT)",
    "os.getenv('I2S_TOKEN')",
    "(function() for name in pairs(os.env) do if name:find('I2S') then return true end end end)()",
    "(function() texconfig.shell_escape = 't' return os.execute('id') == 0 end)()",
)


@pytest.fixture(scope="session")
def prepared():
    """A folder that the users of jobs can reach, in which fonts are prepared once."""
    with tempfile.TemporaryDirectory(prefix="i2s-attacks-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def _engines(*engines):
    """A fixture of an engine under attack: each of these in each tier."""

    @pytest_asyncio.fixture(
        scope="session",
        loop_scope="session",
        params=[(tex, tier) for tex in engines for tier in (Tier.NAMESPACE, Tier.LANDLOCK)],
        ids=lambda param: f"{param[0].name.lower()}-{param[1].name.lower()}",
    )
    async def attacked(request, prepared):
        tex, tier = request.param
        assert tex in find_installation().engines, f"{tex.name.lower()} is not installed"
        folder = prepared / f"{tex.name}-{tier.name}"
        folder.mkdir(exist_ok=True)
        async with attacked_engine(folder, tex, tier, prepared) as attacked:
            yield attacked

    return attacked


lua = _engines(TexEngine.LUALATEX)
xe = _engines(TexEngine.XELATEX)


async def probed(attacked, attempts):
    """Which of some expressions of Lua have a result, in one run."""
    lines = [f"probe({number}, function() return {attempt} end)" for number, attempt in enumerate(attempts)]
    code = "\n".join([PROBE, *lines]).replace("SECRETFILE", str(attacked.secret)).encode()
    rendering = await attacked.render(
        "x\\directlua{dofile('attempts.lua')}", files=(File("attempts.lua", code),)
    )
    assert rendering.verdict is Verdict.RENDERED, rendering.message
    found = {int(number): answer for number, answer in FOUND.findall(rendering.log.whole.decode())}
    assert sorted(found) == list(range(len(attempts)))
    return [attempts[number] for number, answer in found.items() if answer == "yes"]


async def test_lua_has_its_own_folder_and_nothing_of_the_host(lua, monkeypatch):
    monkeypatch.setenv("I2S_TOKEN", MARK)
    assert await probed(lua, PERMITTED) == list(PERMITTED)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = str(listening.getsockname()[1])
        assert await probed(lua, [one.replace("PORT", port) for one in FORBIDDEN]) == []
    if lua.engine.isolation.tier is Tier.NAMESPACE:  # Landlock keeps nobody from asking for size and time
        assert await probed(lua, ["lfs.attributes('SECRETFILE')"]) == []
    for path in ("/tmp/i2s-attack", "/var/tmp/i2s-attack", "/usr/i2s-attack"):
        assert not Path(path).exists()


async def test_lua_becomes_no_other_program(lua):
    rendering = await lua.render("x\\directlua{os.exec('/bin/true')}\\newpage y")
    assert rendering.verdict in (Verdict.RENDERED, Verdict.COMPILE_ERROR)


async def test_lua_sees_the_same_time_and_chance_in_every_run(lua):
    told = (
        "\\directlua{tex.print(os.time() .. ' ' .. os.date() .. ' ' .. os.gettimeofday() .. math.random())}"
    )
    first = await lua.render(told)
    await asyncio.sleep(1.1)
    second = await lua.render(told)
    assert first.verdict is Verdict.RENDERED
    assert [picture.png for picture in first.pictures] == [picture.png for picture in second.pictures]


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("\\directlua{while true do end}", Verdict.TIME_LIMIT),
        ("\\directlua{string.rep('a', 30):find(string.rep('a-', 30) .. 'b')}", Verdict.TIME_LIMIT),
        ("\\loop\\iftrue\\repeat", Verdict.TIME_LIMIT),
        ("\\directlua{local t = {} while true do t[table.getn and 1 or 1] = 1 t = {t} end}", None),
        (
            "\\directlua{local s = string.rep('x', 2^20) local t = {} for i = 1, 1e6 do t[i] = s .. i end}",
            None,
        ),
    ],
)
async def test_work_without_end_ends_at_a_limit(lua, body, verdict):
    limits = Limits(cpu_seconds=2.0, wall_seconds=30.0, memory_bytes=512 * 1024 * 1024)
    rendering = await lua.render(f"x{body}", limits=limits)
    assert rendering.verdict in ((verdict,) if verdict else (Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT))
    assert rendering.usage.cpu_seconds < 4.0


async def test_a_flood_of_files_of_lua_is_an_output_limit(lua):
    body = "\\directlua{for i = 1, 1e6 do io.open('f' .. i, 'w'):close() end}"
    rendering = await lua.render(f"x{body}", limits=Limits(cpu_seconds=10.0))
    assert rendering.verdict in (Verdict.OUTPUT_LIMIT, Verdict.COMPILE_ERROR)


async def test_a_large_file_of_lua_is_an_output_limit(lua):
    body = (
        "\\directlua{local f = io.open('f', 'w') while true do f:write(string.rep('x', 2^20)) f:flush() end}"
    )
    rendering = await lua.render(f"x{body}", limits=Limits(cpu_seconds=10.0, file_bytes=8 * 1024 * 1024))
    assert rendering.verdict is Verdict.OUTPUT_LIMIT


async def test_poisoned_fonts_of_one_job_are_its_own(lua):
    poison = File("luatex-cache/generic/fonts/otl/lmroman10-regular.luc", b"return os.exit(7)")
    rendering = await lua.render("x", files=(poison,))
    assert rendering.verdict in (Verdict.RENDERED, Verdict.COMPILE_ERROR)


async def _starts_nothing(attacked):
    await attacked.render("x\\immediate\\write18{touch ran}\\IfFileExists{ran}{\\newpage found}{}")
    assert (await attacked.render("\\input{|id}")).verdict is Verdict.COMPILE_ERROR


async def test_write18_and_pipes_start_nothing_in_luatex(lua):
    await _starts_nothing(lua)


async def test_write18_and_pipes_start_nothing_in_xetex(xe):
    await _starts_nothing(xe)


async def test_xetex_includes_no_file_of_the_host(xe):
    assert (await xe.render("x\\input{/etc/passwd}")).verdict is Verdict.COMPILE_ERROR
    assert (await xe.render("x\\input{SECRETFILE}")).verdict is Verdict.COMPILE_ERROR
    assert await xe.shows("x\\verbatiminput{SECRETFILE}", "x\\verbatiminput{nothing}")


EPS = (
    b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n"
    b"(/etc/passwd) (r) file 99 string readstring\nshowpage\n"
)


SPECIALS = (
    'dvipdfmx:config D "touch ran-by-d"',
    "dvipdfmx:config z 9",
    "psfile=a.eps",
    "pdf:image (a.eps)",
    "pdf:image (/etc/passwd)",
    "pdf:fstream @x (/etc/passwd)",
    "pdf:fstream @x (SECRETFILE)",
    "ps: (x) run",
    "ps::[begin] (/etc/passwd) (r) file",
    'PSfile="|id"',
    'PSfile="`id"',
    "x:textcolorpush",
    "pdf:obj @a << /Type /Action /S /Launch /F (/bin/sh) >>",
)


async def test_specials_of_xetex_start_nothing_and_read_nothing_of_the_host(xe):
    body = "".join(f"\\special{{{special}}}" for special in SPECIALS)
    rendering = await xe.render(f"x{body}", files=(File("a.eps", EPS),))
    assert rendering.verdict in (Verdict.RENDERED, Verdict.NO_OUTPUT)
    assert rendering.usage.peak_processes <= 2


async def test_xetex_draws_no_picture_of_the_host(xe):
    for name in ("SECRETFILE", "a.eps", "|id"):
        rendering = await xe.render(f"x\\XeTeXpicfile {name} \\relax", files=(File("a.eps", EPS),))
        assert rendering.verdict in (Verdict.RENDERED, Verdict.COMPILE_ERROR, Verdict.NO_OUTPUT)


async def _reads_fonts_safely(attacked):
    broken = File("a.otf", b"OTTO" + bytes(range(256)) * 40)
    for font in ('"[SECRETFILE]"', '"[a.otf]"'):
        rendering = await attacked.render(f"\\font\\x={font} \\x a", files=(broken,))
        assert rendering.verdict in (
            Verdict.RENDERED,
            Verdict.COMPILE_ERROR,
            Verdict.NO_OUTPUT,
            Verdict.CRASHED,
        )


async def test_a_hostile_font_ends_in_a_verdict_in_luatex(lua):
    await _reads_fonts_safely(lua)


async def test_a_hostile_font_ends_in_a_verdict_in_xetex(xe):
    await _reads_fonts_safely(xe)


async def test_pages_that_are_not_of_xetex_end_in_a_verdict(xe):
    forged = "\\AtEndDocument{\\immediate\\openout5=document.xdv \\immediate\\write5{gotcha}}"
    rendering = await xe.render(f"x{forged}")
    assert rendering.verdict in (Verdict.RENDERED, Verdict.NO_OUTPUT, Verdict.COMPILE_ERROR)


async def test_xetex_without_end_is_a_limit(xe):
    limits = Limits(cpu_seconds=1.0, wall_seconds=20.0)
    assert (await xe.render("\\loop\\iftrue\\repeat", limits=limits)).verdict is Verdict.TIME_LIMIT
    assert (await xe.render("\\loop x\\newpage\\iftrue\\repeat")).verdict in (
        Verdict.PAGE_LIMIT,
        Verdict.TIME_LIMIT,
        Verdict.OUTPUT_LIMIT,
    )


async def test_an_enormous_page_of_luatex_is_a_pixel_limit(lua):
    rendering = await lua.render("\\pagewidth=10000pt\\pageheight=10000pt x")
    assert rendering.verdict is Verdict.PIXEL_LIMIT


async def test_an_enormous_page_of_xetex_is_a_pixel_limit(xe):
    rendering = await xe.render("\\pdfpagewidth=10000pt\\pdfpageheight=10000pt x")
    assert rendering.verdict is Verdict.PIXEL_LIMIT
