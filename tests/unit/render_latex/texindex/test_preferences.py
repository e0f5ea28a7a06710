import tomllib
from collections import Counter

from i2s_render_latex.texindex.definitions import Category
from i2s_render_latex.texindex.preferences import last, preferences, preferences_text
from i2s_wire.render.source_error import Provider, ProviderKind


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
