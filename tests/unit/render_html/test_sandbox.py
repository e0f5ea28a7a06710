"""What stands around Chromium's renderers, read off what the kernel tells of each process."""

import pytest

from i2s_chassis.jail import ProcessIsolation
from i2s_render_html.sandbox import layers_in

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
