"""Names of profiles."""

from __future__ import annotations

import pytest

from i2s_wire.metrics.profile import Profile


def test_reference_is_another_name_of_helm() -> None:
    assert Profile("reference") is Profile.HELM


def test_no_other_name_is_known() -> None:
    with pytest.raises(ValueError, match="other"):
        Profile("other")
