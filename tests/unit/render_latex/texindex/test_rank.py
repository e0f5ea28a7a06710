import tomllib
from collections import Counter
from collections.abc import Collection, Mapping

from hypothesis import given
from hypothesis import strategies as st

from i2s_render_latex.texindex.definitions import Category, How
from i2s_render_latex.texindex.rank import ProviderCandidate, last, preferences, preferences_text, ranked
from i2s_wire.render.source_error import Provider, ProviderKind

A, B = Provider(ProviderKind.PACKAGE, "aaa"), Provider(ProviderKind.PACKAGE, "bbb")


def first(
    candidates: list[ProviderCandidate],
    name: str = "thing",
    popularity: Mapping[Provider, int] | None = None,
    preferred: tuple[Provider, ...] = (),
    last: Collection[Provider] = (),
    category: Category = Category.COMMAND,
) -> Provider:
    return ranked(category, name, candidates, popularity or {}, preferred, last)[0]


def test_defining_beats_offering_and_nesting() -> None:
    for weaker in (How.OFFERED, How.NESTED, How.ALIASED, How.UNSEEN):
        assert first([ProviderCandidate(A, weaker, True), ProviderCandidate(B, How.DEFINED, True)]) == B


def test_the_better_known_of_two_goes_first() -> None:
    both = [ProviderCandidate(A, How.DEFINED, True), ProviderCandidate(B, How.DEFINED, True)]
    assert first(both, popularity={B: 3}) == B


def test_the_package_of_that_name_goes_first() -> None:
    named = Provider(ProviderKind.PACKAGE, "tikz-cd")
    assert (
        first([ProviderCandidate(A, How.DEFINED, True), ProviderCandidate(named, How.CUSTOM, True)], "tikzcd")
        == named
    )


def test_the_usual_door_to_a_file_goes_before_the_file_itself() -> None:
    graphics, graphicx = (Provider(ProviderKind.PACKAGE, name) for name in ("graphics", "graphicx"))
    candidates = [
        ProviderCandidate(graphics, How.DEFINED, True),
        ProviderCandidate(graphicx, How.DEFINED, False),
    ]
    assert first(candidates, "includegraphics", {graphics: 5, graphicx: 200}) == graphicx


def test_a_library_goes_before_one_that_only_loads_it() -> None:
    fine, coarse = (Provider(ProviderKind.TIKZ_LIBRARY, name) for name in ("shapes.symbols", "shapes"))
    candidates = [ProviderCandidate(coarse, How.DEFINED, False), ProviderCandidate(fine, How.DEFINED, True)]
    assert first(candidates, "cloud", {coarse: 30, fine: 1}, category=Category.KEY) == fine


def test_a_package_goes_before_a_class() -> None:
    book = Provider(ProviderKind.CLASS, "book")
    assert first([ProviderCandidate(book, How.DEFINED, True), ProviderCandidate(A, How.DEFINED, True)]) == A


def test_preferred_providers_go_first_and_last_ones_last() -> None:
    both = [ProviderCandidate(A, How.DEFINED, True), ProviderCandidate(B, How.DEFINED, True)]
    assert first(both, popularity={A: 9}, preferred=(B,)) == B
    assert first(both, popularity={A: 9}, last={A}) == B
    assert first(both, preferred=(A,), last={A}) == A


#: Kinds of providers of TeX; modules are of Python.
_KINDS = [kind for kind in ProviderKind if kind not in (ProviderKind.MODULE, ProviderKind.RESTORED_NAME)]
_CANDIDATES = st.lists(
    st.builds(
        ProviderCandidate,
        st.builds(Provider, st.sampled_from(_KINDS), st.sampled_from(["a", "b", "thing"])),
        st.sampled_from(How),
        st.booleans(),
    ),
    min_size=1,
)


@given(_CANDIDATES)
def test_every_candidate_is_ranked_once_whatever_the_order(candidates: list[ProviderCandidate]) -> None:
    order = ranked(Category.COMMAND, "thing", candidates, {})
    assert sorted(order) == sorted({candidate.provider for candidate in candidates})
    assert order == ranked(Category.COMMAND, "thing", candidates[::-1], {})


def test_no_name_is_preferred_twice() -> None:
    table = tomllib.loads(preferences_text().decode())
    for section in ("commands", "environments", "keys"):
        names = Counter(name for group in table[section].values() for name in group)
        assert [name for name, times in names.items() if times > 1] == []


def test_prefixes_say_the_kind() -> None:
    assert preferences()[Category.KEY, "soft clip"] == (
        Provider(ProviderKind.PGFPLOTS_LIBRARY, "fillbetween"),
    )
    assert preferences()[Category.KEY, "place"] == (Provider(ProviderKind.TIKZ_LIBRARY, "petri"),)
    assert preferences()[Category.COMMAND, "mathscr"] == (Provider(ProviderKind.PACKAGE, "mathrsfs"),)


def test_nothing_is_preferred_and_last() -> None:
    assert {provider for order in preferences().values() for provider in order} & last() == set()
