"""Whether a real browser's own sandbox stands, as the kernel tells it, and that one starts without."""

import os
import sys
import tempfile
from pathlib import Path

import pytest
import pytest_asyncio

from i2s_chassis.jail import Jail, JailSettings, Tier
from i2s_render_html.browser import Browser, BrowserSettings
from i2s_render_html.chromium import find_chromium
from i2s_render_html.model import BrowserError
from i2s_render_html.sandbox import choose_sandbox, layers_in
from i2s_render_html.settings import HtmlSettings
from ordinary_user import run_as_ordinary_user, run_measured

ALL_OF_CHROMIUM = Path("/usr/lib/chromium/chromium")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def jail():
    with tempfile.TemporaryDirectory(prefix="i2s-html-sandbox-") as folder:
        Path(folder).chmod(0o755)
        jail = await Jail.start(JailSettings(tier=Tier.NAMESPACE, state_dir=Path(folder, "jail")))
        yield jail
        await jail.close()


@pytest.mark.parametrize("wanted", ["auto", "on"])
async def test_the_sandbox_is_on_where_it_works(jail, wanted):
    settings = HtmlSettings()
    choice = await choose_sandbox(jail, BrowserSettings(settings, find_chromium(settings.chromium)), wanted)
    await choice.browser.close()
    assert (choice.settings.sandbox, choice.layers) == (True, "namespace, seccomp-bpf")


async def test_a_browser_that_is_asked_to_do_without_starts_and_the_kernel_agrees(jail):
    settings = HtmlSettings()
    choice = await choose_sandbox(jail, BrowserSettings(settings, find_chromium(settings.chromium)), "off")
    try:
        assert (choice.settings.sandbox, choice.layers) == (False, "")
        isolation = await choice.browser.cell.process_isolation()
        assert [one for one in isolation if "--type=renderer" in one.command]
        assert layers_in(isolation) == ""
    finally:
        await choice.browser.close()


async def test_cpu_seconds_end_the_start_of_a_browser_in_words_that_say_so(jail):
    settings = HtmlSettings().model_copy(update={"browser_start_seconds": 0.01})
    with pytest.raises(BrowserError, match=r"it ended \(cpu_limit"):
        await Browser.start(jail, BrowserSettings(settings, find_chromium(settings.chromium)))


@pytest.mark.skipif(not ALL_OF_CHROMIUM.is_file(), reason="only the headless shell is installed")
async def test_all_of_chromium_serves_as_well(jail):
    choice = await choose_sandbox(jail, BrowserSettings(HtmlSettings(), find_chromium(ALL_OF_CHROMIUM)), "on")
    await choice.browser.close()
    assert (choice.settings.sandbox, choice.layers) == (True, "namespace, seccomp-bpf")


NO_MOUNTS = {"I2S_RENDER_HTML_JAIL_TIER": "landlock", "I2S_RENDER_HTML_JAIL_PRIVATE_MOUNTS": "false"}


#: The most processor time of a start that is refused; other programs on the machine make it no longer.
REFUSAL_CPU_SECONDS = 2.0


def check_refusal(ended):
    """Check that a service refused in one line, at once, before it looked for a browser."""
    assert ended.returncode == 1
    assert ended.cpu_seconds <= REFUSAL_CPU_SECONDS
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("i2s-render-html: no browser starts in the isolation tier landlock"), ended.stderr
    assert "the component userns" in last
    assert "--security-opt seccomp=" in last
    assert "no-such-browser" not in ended.stderr
    assert "Traceback" not in ended.stderr


def test_where_no_browser_can_start_the_service_says_what_is_missing_before_it_looks_for_one():
    """This is the tier landlock without mounts, as for an ordinary user in a container."""
    command = [sys.executable, "-m", "i2s_render_html", "serve", "--listen", "127.0.0.1:0"]
    command += ["--chromium", "/no-such-browser"]
    check_refusal(run_measured(command, env={**os.environ, **NO_MOUNTS}, timeout=120))


def test_an_ordinary_user_without_user_namespaces_learns_what_is_missing():
    serve = ["serve", "--listen", "127.0.0.1:0", "--chromium", "/no-such-browser", "--jail-tier", "landlock"]
    check_refusal(
        run_as_ordinary_user(
            *("-m", "i2s_render_html", *serve),
            sources=["protos", "services/chassis", "services/render-html"],
            modules=["grpc", "pydantic_core", "i2s_render_html"],
        )
    )
