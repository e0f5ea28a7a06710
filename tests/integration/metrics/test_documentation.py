"""The tables of docs/metrics.md are measured, here."""

import re

import pytest

import metric_behaviour as behaviour
from i2s_metrics import registry
from i2s_metrics.bounded_cache import BoundedCache
from i2s_metrics.errors import UndefinedError
from i2s_metrics.images import Pair
from i2s_metrics.model import Inputs, Network
from i2s_wire.metrics.profile import Profile
from repetitions import some

pytestmark = pytest.mark.integration

PAGE = behaviour.ROOT / "docs" / "metrics.md"
#: Heading of a column, metric and profile. ssim is the same in both.
COLUMNS = {
    "`ems`": ("ems", Profile.PAPER),
    "`pixel`": ("pixel", Profile.PAPER),
    "`ssim`": ("ssim", Profile.PAPER),
    "`lpips`": ("lpips", Profile.PAPER),
    "`ems` helm": ("ems", Profile.HELM),
    "`pixel` helm": ("pixel", Profile.HELM),
    "`lpips` helm": ("lpips", Profile.HELM),
}
ROUNDING = 0.0006


def documented(heading):
    """The table below a heading: name of the row to heading of the column to number."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n**{heading}.**")[1]
    lines = re.findall(r"^\|.*\|$", section.split("\n**")[0], re.MULTILINE)
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {row[0]: dict(zip(head[1:], map(float, row[1:]), strict=True)) for row in rows}


def measured(heading, runner=None):
    """The same, measured; with what answers for networks where there is one, else without their columns."""
    reference = behaviour.load(behaviour.REFERENCES[heading])
    memory = BoundedCache(10**9)
    found = {}
    for row, change in behaviour.CHANGES.items():
        pair = Pair(change(reference), reference, "reference", memory)
        metrics = {column: registry.find(*what) for column, what in COLUMNS.items()}
        found[row] = {
            column: value(metric, pair, runner)
            for column, metric in metrics.items()
            if (metric.network is None) is (runner is None)
        }
    return found


def value(metric, pair, runner):
    try:
        outcome = metric.compute(pair)
    except UndefinedError:
        return metric.undefined_value.value
    if isinstance(outcome, Inputs):
        outcome = metric.value_of(runner.answer([outcome])[0])
    return outcome.value


def check(heading, found):
    page = documented(heading)
    assert list(page) == list(behaviour.CHANGES)
    for row, values in found.items():
        assert list(page[row]) == list(COLUMNS)
        for column, number in values.items():
            assert page[row][column] == pytest.approx(number, abs=ROUNDING), (heading, row, column)


@pytest.mark.parametrize("heading", behaviour.REFERENCES)
def test_the_table_of_a_reference_holds_what_is_measured(heading):
    check(heading, measured(heading))


@pytest.fixture(scope="module")
def runner(weights_dir):
    from i2s_metrics.networks.files import Places, find
    from i2s_metrics.networks.loading import load_networks
    from i2s_metrics.networks.messages import HostSettings

    file = find(Network.VGG16, Places(weights_dir, weights_dir))
    loaded, _ = load_networks(HostSettings({Network.VGG16: file}, threads=1))
    return loaded


@pytest.mark.parametrize("heading", some(behaviour.REFERENCES, one_in=3, instead="the first reference"))
def test_the_columns_of_lpips_hold_what_is_measured(heading, runner):
    check(heading, measured(heading, runner))


@pytest.mark.parametrize("name", behaviour.REFERENCES.values())
def test_the_page_shows_its_pictures(name):
    file = f"images/metrics-{name.replace('_', '-')}.png"
    assert f"]({file})" in PAGE.read_text(encoding="utf-8")
    assert (PAGE.parent / file).stat().st_size < 60_000
