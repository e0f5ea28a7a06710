import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.renderer.shown_paths import with_short_paths


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("File `/usr/share/texlive/texmf-dist/tex/a.sty' not found", "File `a.sty' not found"),
        (f"In {sys.prefix}/lib/python3/site-packages/b.py:3: x", "In b.py:3: x"),
        ("No such file: '/i2s-work/job9/data.csv'", "No such file: 'data.csv'"),
        ('x "/i2s-work/job9"', 'x "."'),
        ("in /i2s-work/", "in ."),
        ("open /tmp/i2s-jail-k3_x/c1/job2/sub/data.csv failed", "open data.csv failed"),
        ("open /var/tmp/i2s/i2s-jail-k3x/c12 failed", "open . failed"),
        ("/usr/share", "share"),
    ],
)
def test_files_of_the_installation_and_of_the_sandbox_have_their_names_alone(
    message: str, shown: str
) -> None:
    assert with_short_paths(message) == shown


@pytest.mark.parametrize(
    "message",
    [
        "cannot find file: `/etc/passwd'",
        "https://example.org/usr/share/x",
        "a/usr/share/x",
        "/usr/shared/x",
        "/data/a.csv",
        "/i2s-workers/x",
    ],
)
def test_other_paths_stay(message: str) -> None:
    assert with_short_paths(message) == message


@given(st.text(alphabet="/aiu2s-workjl.' \n", max_size=80) | st.text(max_size=80))
def test_short_paths_are_short_already(text: str) -> None:
    assert with_short_paths(with_short_paths(text)) == with_short_paths(text)
