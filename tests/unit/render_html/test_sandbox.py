"""What stands around Chromium's renderers, and when a browser may do without its own sandbox."""

from dataclasses import replace

import pytest

from i2s_chassis.jail import Isolation, ProcessIsolation, Tier
from i2s_render_html import sandbox
from i2s_render_html.browser import BrowserSettings
from i2s_render_html.model import BrowserError
from i2s_render_html.sandbox import SandboxChoice, choose_sandbox, layers_in
from i2s_render_html.settings import HtmlSettings

BWRAP = ProcessIsolation(1, "/bin/bwrap --args 4 -- /usr/bin/cat", 1, 0)
BROWSER = ProcessIsolation(1, "/usr/lib/chromium/chromium-headless-shell --remote-debugging-pipe", 2, 1)
NETWORK = ProcessIsolation(1, "/usr/lib/chromium/chromium-headless-shell --type=utility", 2, 1)


def renderer(pid_namespaces: int, call_filters: int) -> ProcessIsolation:
    command = "/usr/lib/chromium/chromium-headless-shell --type=renderer --lang=en-US"
    return ProcessIsolation(2, command, pid_namespaces, call_filters)


@pytest.mark.parametrize(
    ("renderers", "layers"),
    [
        ([renderer(4, 2)], "namespace, seccomp-bpf"),
        ([renderer(3, 1)], "namespace"),
        ([renderer(2, 2)], "seccomp-bpf"),
        ([renderer(2, 1)], ""),
        ([renderer(4, 2), renderer(2, 2)], "seccomp-bpf"),
        ([renderer(4, 2), renderer(4, 1)], "namespace"),
        ([], ""),
    ],
)
def test_a_layer_is_what_every_renderer_has_beyond_the_browser(renderers, layers):
    assert layers_in([BWRAP, BROWSER, NETWORK, *renderers]) == layers


def test_without_a_browser_nothing_is_said():
    assert layers_in([BWRAP, renderer(4, 2)]) == ""


class Host:
    """A host on which the first browsers that are started with their own sandbox do not start."""

    def __init__(self, monkeypatch, tier, failures):
        self.isolation, self.started, self._failures = Isolation(tier, ()), [], failures
        monkeypatch.setattr(sandbox, "_started", self._start)

    async def _start(self, jail, settings):
        self.started.append(settings.sandbox)
        if settings.sandbox and len(self.started) <= self._failures:
            raise BrowserError("Chromium does not start: something outside killed it")
        return SandboxChoice(settings, "namespace, seccomp-bpf" if settings.sandbox else "", None)


SETTINGS = BrowserSettings(HtmlSettings(), None)


@pytest.mark.parametrize("tier", [Tier.NAMESPACE, Tier.LANDLOCK])
async def test_a_browser_that_is_killed_at_its_start_costs_the_next_ones_no_sandbox(monkeypatch, tier):
    host = Host(monkeypatch, tier, 2)
    choice = await choose_sandbox(host, SETTINGS, "auto")
    assert (choice.layers, choice.settings) == ("namespace, seccomp-bpf", replace(SETTINGS, sandbox=True))
    assert host.started == [True] * 3


async def test_in_the_tier_namespace_no_browser_serves_without_its_sandbox(monkeypatch):
    host = Host(monkeypatch, Tier.NAMESPACE, 100)
    with pytest.raises(BrowserError, match="--browser-sandbox off serves without it"):
        await choose_sandbox(host, SETTINGS, "auto")
    assert host.started == [True] * 3
    assert (await choose_sandbox(host, SETTINGS, "off")).layers == ""


async def test_elsewhere_it_may_be_off_after_it_did_not_work_each_time(monkeypatch):
    host = Host(monkeypatch, Tier.LANDLOCK, 100)
    assert (await choose_sandbox(host, SETTINGS, "auto")).layers == ""
    assert host.started == [True] * 3 + [False]
    with pytest.raises(BrowserError, match="--browser-sandbox on"):
        await choose_sandbox(host, SETTINGS, "on")
