"""The back end of a score by its name."""

import pytest

from i2s_sdk import Settings, render_lilypond
from i2s_sdk.errors import UnknownNameError
from i2s_sdk.single import render as single
from i2s_wire.render.options import LilypondBackend


def test_a_name_that_is_none_ends_before_a_service_is_started() -> None:
    with pytest.raises(UnknownNameError, match=r"cairo.*ghostscript|ghostscript.*cairo"):
        render_lilypond("{ c'4 }", backend="Cairo", settings=Settings())


@pytest.mark.parametrize("backend", LilypondBackend)
def test_each_back_end_has_a_name(backend: LilypondBackend) -> None:
    named, itself = (
        single.member_named("back end", LilypondBackend, one) for one in (backend.name.lower(), backend)
    )
    assert named is itself is backend
