import pytest

from i2s_sdk.tasks.latex import preamble_files, preamble_path
from i2s_sdk.tasks.latex.preamble import fixed_libraries, fixed_packages, preamble, preamble_without
from i2s_wire.metrics.profile import Profile

# What both profiles have, as the references were made with it.
REFERENCE_PACKAGES = """
amsmath amssymb amsfonts graphicx xcolor algorithm algorithmicx algpseudocode listings stfloats epstopdf
pgfplots tikz tikz-cd tikz-qtree tikz-dependency tikz-3dplot tikz-network threeparttable adjustbox
""".split()


def test_there_is_one_file_a_profile() -> None:
    assert preamble_files() == tuple(preamble_path(profile) for profile in Profile)
    assert all(path.is_file() for path in preamble_files())


@pytest.mark.parametrize("profile", Profile)
def test_a_preamble_begins_with_the_class_and_ends_with_a_line(profile: Profile) -> None:
    assert preamble(profile).startswith("\\documentclass{article}\n")
    assert preamble(profile).endswith("\n")


@pytest.mark.parametrize("profile", Profile)
def test_both_profiles_load_what_the_references_had(profile: Profile) -> None:
    loaded = fixed_packages(preamble(profile))
    assert set(REFERENCE_PACKAGES) <= loaded.keys()
    assert loaded["threeparttable"] == {"flushleft"}


def test_helm_loads_nothing_else() -> None:
    assert fixed_packages(preamble(Profile.HELM)).keys() == set(REFERENCE_PACKAGES)


@pytest.mark.parametrize(
    "name",
    "booktabs multirow array tabularx longtable makecell colortbl mathtools bm mathrsfs siunitx cancel "
    "physics enumitem hyperref".split(),
)
def test_paper_loads_what_tables_and_maths_commonly_need(name: str) -> None:
    assert name in fixed_packages(preamble(Profile.PAPER))


def test_paper_without_algorithms_is_a_beginning_of_paper() -> None:
    shorter = preamble_without(Profile.PAPER, "algorithms")
    assert preamble(Profile.PAPER).startswith(shorter)
    assert fixed_packages(preamble(Profile.PAPER)).keys() - fixed_packages(shorter).keys() == {
        "algorithm",
        "algorithmicx",
        "algpseudocode",
    }


def test_a_section_that_does_not_exist_cannot_be_left_out() -> None:
    with pytest.raises(ValueError, match="no section 'poetry'"):
        preamble_without(Profile.PAPER, "poetry")


def test_libraries_are_known() -> None:
    assert {"positioning", "arrows.meta", "calc", "fillbetween"} <= fixed_libraries(preamble(Profile.PAPER))
