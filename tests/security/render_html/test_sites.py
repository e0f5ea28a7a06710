"""Hostile sets of files: refused before anything touches a disk, naming the file."""

import pytest

from i2s_chassis.jail import Tier
from i2s_render_html.model import Options, SiteJob
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File

pytestmark = [
    pytest.mark.security,
    pytest.mark.asyncio(loop_scope="session"),
    # No sandbox takes part in a refusal, so one tier is enough.
    pytest.mark.parametrize("attacked", [Tier.NAMESPACE], indirect=True, ids=["namespace"], scope="session"),
]

INDEX = File("index.html", b"<p>x")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../../x", 'has the part ".."'),
        ("/etc/x", "is absolute"),
        ("a/../b", 'has the part ".."'),
        ("a\0b", "holds a control character"),
        ("a\\b", "holds a backslash"),
        ("", "is empty"),
        ("x" * 300, "has a part longer"),
        ("a/" * 600 + "x", "is longer than"),
        ("INDEX.HTML", "differs"),
        ("index.html/x", "need a file and a folder"),
        ("a//b", "has an empty part"),
    ],
)
@pytest.mark.parametrize("where", ["files", "assets"])
async def test_bad_names_are_refused(attacked, name, reason, where):
    bad = (File(name, b"x"),)
    job = SiteJob((INDEX, *bad)) if where == "files" else SiteJob((INDEX,), bad)
    rendering = await attacked.engine.render(job)
    assert rendering.verdict is Verdict.INVALID_INPUT
    assert rendering.message.startswith("site.")
    assert reason in rendering.message


@pytest.mark.parametrize("entry", ["../index.html", "/etc/passwd", "a\0", "..", "a\\b"])
async def test_bad_entries_are_refused(attacked, entry):
    rendering = await attacked.engine.render(SiteJob((INDEX,), entry_path=entry))
    assert (rendering.verdict, rendering.message.partition(":")[0]) == (
        Verdict.INVALID_INPUT,
        "site.entry_path",
    )


async def test_a_hundred_thousand_files_are_refused(attacked):
    files = tuple(File(f"f{n}", b"") for n in range(100_000))
    rendering = await attacked.engine.render(SiteJob((INDEX, *files)))
    assert (rendering.verdict, "at most 1000" in rendering.message) == (Verdict.INVALID_INPUT, True)


async def test_a_file_that_is_too_large_is_named(attacked):
    rendering = await attacked.engine.render(SiteJob((INDEX, File("big.bin", bytes(17 << 20)))))
    assert (rendering.verdict, '"big.bin"' in rendering.message) == (Verdict.INVALID_INPUT, True)


async def test_an_asset_cannot_be_overwritten(attacked):
    asset = (File("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),)
    page = """<img src=a.svg><p id=p></p><script>
        fetch('a.svg').then((r) => r.text()).then((text) => p.textContent = text.length)</script>"""
    forged = (File("a.svg", b"forged"),)
    rendering = await attacked.show(page, files=forged, assets=asset)
    assert rendering.site.text.strip() == str(len(asset[0].content))


async def test_encoded_paths_do_not_leave_the_site(attacked):
    page = """<p id=p>-</p><script>
        const paths = ['/..%2f..%2fetc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '//etc/passwd', '/a%00', '/%ff'];
        const asked = paths.map((path) => fetch(path).then((r) => r.status, () => 'refused'));
        Promise.all(asked).then((all) => p.textContent = all)</script>"""
    rendering = await attacked.show(page)
    assert set(rendering.site.text.split(",")) <= {"404", "refused"}


@pytest.mark.parametrize(
    "files",
    [
        {"_plugins/x.rb": "File.write('/tmp/x', 'x')", "index.html": "---\n---\n<p>x</p>"},
        {"Gemfile": "system('id')", "index.html": "---\n---\n<p>x</p>"},
        {"_config.yml": "source: /etc\ndestination: /tmp/out\n", "index.html": "---\n---\n<p>x</p>"},
    ],
)
async def test_code_and_paths_of_a_site_are_inert(attacked, files):
    job = SiteJob(tuple(File(p, c.encode()) for p, c in files.items()), options=Options(want_text=True))
    rendering = await attacked.render(job)
    assert (rendering.verdict, rendering.site.text.strip(), rendering.site.jekyll) == (
        Verdict.RENDERED,
        "x",
        True,
    )
