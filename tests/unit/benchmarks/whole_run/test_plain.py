"""What counts as the same result of the procedure and of this project."""

from __future__ import annotations

from benchmarks.whole_run.plain import Beside

VALUES = {"ems": 0.5, "ssim": 0.75, "pixel": 0.25}


def test_equal_values_and_images_have_no_fault() -> None:
    assert Beside("a", "latex", VALUES, VALUES, 0.0).faults() == []


def test_a_difference_in_the_fifth_decimal_of_ems_is_none() -> None:
    assert Beside("a", "latex", VALUES, {**VALUES, "ems": 0.50004}, 0.0).faults() == []


def test_a_difference_in_the_fourth_decimal_of_ems_is_a_fault() -> None:
    (fault,) = Beside("a", "latex", VALUES, {**VALUES, "ems": 0.5001}, 0.0).faults()
    assert "a: ems is 0.5 by the procedure and 0.5001 by ours" in fault


def test_a_value_that_is_missing_is_a_fault() -> None:
    assert len(Beside("a", "webpage", VALUES, {**VALUES, "ssim": None}, 0.0).faults()) == 1


def test_renderings_of_latex_must_be_equal_and_those_of_pages_need_not() -> None:
    assert Beside("a", "latex", VALUES, VALUES, 0.01).faults() == ["a: the renderings differ"]
    assert Beside("a", "music", VALUES, VALUES, None).faults() == ["a: the renderings differ"]
    assert Beside("a", "webpage", VALUES, VALUES, 0.01).faults() == []


def test_what_both_refuse_is_equal() -> None:
    zero = dict.fromkeys(VALUES, 0.0)
    assert Beside("a", "latex", {}, zero, None, refused="! Undefined control sequence").faults() == []


def test_what_only_the_procedure_refuses_is_a_fault() -> None:
    assert len(Beside("a", "latex", {}, VALUES, None, refused="no").faults()) == 1
