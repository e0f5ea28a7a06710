"""Hostile sites against real Jekyll: nothing read, nothing written, no code run, nothing left behind.

After every attack an ordinary site gives the very bytes it gave before.
"""

from pathlib import Path

import pytest

from hostile_sites import EVIL, page
from i2s_chassis.jail import PolicyKind
from i2s_render_html.jekyll import BuildCause

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize(
    "name", ["_plugins/evil.rb", "_Plugins/evil.rb", "Gemfile", "gems.rb", ".bundle/config"]
)
async def test_code_of_the_site_does_not_run(attacked, name):
    built = await attacked.build({name: EVIL, "index.md": page("fine")})
    assert built.cause is BuildCause.BUILT
    assert sorted(built.files) == ["index.html"]
    assert [event.kind for event in built.events] == [PolicyKind.EXECUTE]
    assert name in built.events[0].detail


@pytest.mark.parametrize(
    "configuration",
    [
        b"safe: false\nplugins_dir: code\n",
        b"plugins_dir: [code, SECRETS]\n",
        b"plugins: [evil, ./code/evil, SECRETS/secret.rb]\nwhitelist: [evil, ./code/evil, '*']\n",
        b"gems: [evil]\nwhitelist: evil\n",
        b"kramdown: {input: ../../../../../../../../i2s-work/site/code/evil}\n",
        b"kramdown: {math_engine: /../../../../../../../../../../../i2s-work/site/code/evil}\n",
        b"kramdown: {math_engine: /../../../../../../../../../../..SECRETS/secret}\n",
        b"kramdown: {syntax_highlighter: ../../../../../../../../../../../i2s-work/site/code/evil}\n",
        b"highlighter: /../../../../../../../../../../../i2s-work/site/code/evil\n",
        b"markdown: Kernel\n",
        b"markdown: ../../code/evil\n",
        b"sass: {implementation: ../../code/evil}\n",
        b"theme: ../../../../../../../i2s-work/site/code\n",
    ],
)
async def test_no_configuration_makes_code_run(attacked, configuration):
    files = {
        "_config.yml": configuration,
        "code/evil.rb": EVIL,
        "code/evil/evil.gemspec": EVIL,
        "evil.rb": EVIL,
        "index.md": page("fine $$x$$\n\n```python\nx\n```\n"),
        "s.scss": page("a { b: c }"),
    }
    built = await attacked.build(files)  # which looks for what the code would have said
    assert built.cause in (BuildCause.BUILT, BuildCause.FAILED)
    if built.files is not None:
        assert "evil.html" not in built.files
        assert b"fine" in built.files["index.html"]


@pytest.mark.parametrize(
    "configuration",
    [
        b"source: SECRETS\n",
        b"source: /\n",
        b"destination: SECRETS/out\n",
        b"destination: ../../../out\n",
        b"destination: .\n",
        b"cache_dir: SECRETS\ndisable_disk_cache: false\n",
        b"cache_dir: ../../x\nincremental: true\n",
        b"keep_files: [SECRETS, ../../secrets]\n",
        b"include: [SECRETS/secret.html, ../../secrets/secret.html, ../../../../../../etc/passwd]\n",
        b"profile: true\nwatch: true\ndetach: true\nserving: true\n",
        b"url: http://169.254.169.254\nbaseurl: /elsewhere\n",
    ],
)
async def test_source_and_destination_stay_where_they_are(attacked, configuration):
    built = await attacked.build({"_config.yml": configuration, "index.md": page("fine"), "a/b.txt": b"b"})
    assert built.cause is BuildCause.BUILT, built.error
    assert sorted(built.files) == ["a/b.txt", "index.html"]
    assert b"fine" in built.files["index.html"]


@pytest.mark.parametrize("folder", ["SECRETS", "../../../../../..SECRETS", "/", "../.."])
async def test_no_folder_of_the_host_becomes_one_of_the_site(attacked, folder):
    keys = ("layouts_dir", "includes_dir", "data_dir", "collections_dir", "plugins_dir")
    configuration = "".join(f"{key}: {folder}\n" for key in keys)
    configuration += f"sass: {{sass_dir: {folder}, load_paths: [{folder}, '/**/*']}}\n"
    configuration += "collections: {secrets: {output: true}}\n"
    built = await attacked.build(
        {
            "_config.yml": configuration.encode(),
            "index.md": page("{{ site.data | jsonify }} {{ site.secrets }} {{ content }}", layout="secret"),
            "s.scss": page("a { b: c }"),
        }
    )
    assert built.cause in (BuildCause.BUILT, BuildCause.FAILED)


@pytest.mark.parametrize(
    "text",
    [
        "{% include SECRETS/secret.html %}",
        "{% include ../../../../../..SECRETS/secret.html %}",
        "{% include /etc/passwd %}",
        "{% include ../_config.yml %}",
        "{% assign x = 'SECRETS/secret.html' %}{% include {{ x }} %}",
        "{% assign x = '../../../../../../etc/passwd' %}{% include {{ x }} %}",
        "{% include_relative SECRETS/secret.html %}",
        "{% include_relative ../../../../../..SECRETS/secret.html %}",
        "{% include_relative ../../../../etc/passwd %}",
        "{% link SECRETS/secret.html %}",
        "{% include_cached SECRETS/secret.html %}",
        "{% render 'SECRETS/secret.html' %}",
    ],
)
async def test_nothing_outside_of_the_site_is_included(attacked, text):
    built = await attacked.build({"index.md": page(text)})
    assert built.cause is BuildCause.FAILED
    assert built.error.message
    assert built.error.file == "index.md"


@pytest.mark.parametrize(
    "files",
    [
        {"index.md": page("x", layout="SECRETS/secret")},
        {"index.md": page("x", layout="../../../../../..SECRETS/secret")},
        {"index.md": page("{::options template='SECRETS/secret.html' /}\n\nx")},
        {"_config.yml": b"kramdown: {template: SECRETS/secret.html}\n", "index.md": page("x")},
        {"_config.yml": b"kramdown: {template: 'string://<%= %q(OW) + %q(NED) %>'}\n", "index.md": page("x")},
        {
            "_config.yml": b"kramdown: {forbidden_inline_options: []}\n",
            "index.md": page("{::options template='string://<%= %q(OW) + %q(NED) %>' /}\n\nx"),
        },
        {"_config.yml": b"timezone: SECRETS/secret.html\n", "index.md": page("{{ site.time }}")},
        {
            "_config.yml": b"defaults: [{scope: {path: 'SECRETS/**'}, values: {x: 1}}]\n",
            "index.md": page("x"),
        },
        {"_config.toml": b'source = "SECRETS"\nsafe = false\n', "index.md": page("x")},
        {"index.md": page("{{ page.path }} {{ site.source }} {{ site.config }} {{ 'x' | file_read }}")},
        {"index.md": page("{{ site.static_files | inspect }}{% highlight ruby %}`id`{% endhighlight %}")},
    ],
)
async def test_what_names_the_host_shows_nothing_of_it(attacked, files):
    built = await attacked.build(files)
    assert built.cause is BuildCause.BUILT, built.error


@pytest.mark.parametrize(
    "target", ["SECRETS/secret", "SECRETS/_secret.scss", "../../../../../..SECRETS/secret", "/etc/passwd"]
)
async def test_sass_imports_nothing_of_the_host(attacked, target):
    built = await attacked.build({"s.scss": page(f'@import "{target}";\na {{ b: c }}')})
    assert built.cause is BuildCause.FAILED
    assert built.error.file == "s.scss"


async def test_sass_imports_no_style_sheet_of_the_machine(attacked):
    sheets = [
        path for path in Path("/usr/share").rglob("*.css") if path.is_file() and "ruby" not in str(path)
    ]
    if not sheets:
        pytest.skip("NOT TESTED: there is no style sheet below /usr/share that could be imported")
    built = await attacked.build({"s.scss": page(f'@import "{str(sheets[0])[:-4]}";\na {{ b: c }}')})
    assert built.cause is BuildCause.FAILED


async def test_a_name_that_leads_out_is_refused_by_name(attacked):
    for name in ("../x.html", "/tmp/x.html", "a/../../x", "a\0b", "", "a//b", "a\\b", "x" * 300, "INDEX.md"):
        built = await attacked.builder.build({"index.md": page("x"), name: b"x"}, attacked.limits)
        assert built.cause is BuildCause.FAILED
        assert "the file name" in built.error.message
    await attacked.nothing_is_left()


@pytest.mark.parametrize(
    "permalink",
    ["../../../../x.html", "SECRETS/x.html", "/../../x.html", "..%2f..%2f..%2fx.html", "//x", "/a/\\x.html"],
)
async def test_no_permalink_leads_out_of_the_destination(attacked, permalink):
    built = await attacked.build({"index.md": page("x", permalink=permalink), "other.md": page("y")})
    assert built.cause is BuildCause.BUILT, built.error
    assert "other.html" in built.files
    assert all(".." not in name.split("/") for name in built.files)
