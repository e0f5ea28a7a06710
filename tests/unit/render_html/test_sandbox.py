"""What Chromium says of its own sandbox."""

import pytest

from i2s_render_html.sandbox import parse_layers


@pytest.mark.parametrize(
    ("text", "layers"),
    [
        (
            "Layer 1 Sandbox\tNamespace\nPID namespaces\tYes\nSeccomp-BPF sandbox\tYes\n",
            "namespace, seccomp-bpf",
        ),
        ("Layer 1 Sandbox\tSUID\nSeccomp-BPF sandbox\tNo", "suid"),
        ("Layer 1 Sandbox\tNone\nSeccomp-BPF sandbox\tYes", "seccomp-bpf"),
        ("Layer 1 Sandbox\tNone\nSeccomp-BPF sandbox\tNo", ""),
        ("nothing of the kind", ""),
    ],
)
def test_layers_are_read_off_the_page(text, layers):
    assert parse_layers(text) == layers
