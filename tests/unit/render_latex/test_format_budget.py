import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_render_latex.format_budget import BuildBudget, BuildShares


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def budget(clock):
    return BuildBudget(BuildShares(total=10.0, caller=5.0), clock)


def test_a_caller_is_held_back_until_its_debt_is_refilled(budget, clock):
    budget.charge("a", 7.5)
    assert not budget.allows("a")
    assert budget.allows("b")
    clock.now = 30.0  # 2.5 of 5 seconds a minute: the debt, and nothing more
    assert not budget.allows("a")
    clock.now = 30.1
    assert budget.allows("a")


def test_all_callers_are_held_back_together(budget, clock):
    budget.charge("a", 5.0)
    budget.charge("b", 5.0)
    assert not budget.allows("c")
    clock.now = 6.0
    assert budget.allows("c")


def test_what_is_not_used_adds_up_for_one_minute_alone(budget, clock):
    clock.now = 1e6
    budget.charge("a", 5.0)
    assert not budget.allows("a")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 20), st.floats(0, 30)), max_size=60))
def test_a_caller_never_gets_more_than_its_share_and_one_build(steps):
    clock = Clock()
    budget, used = BuildBudget(BuildShares(total=10.0, caller=5.0), clock), dict.fromkeys("abc", 0.0)
    for caller, cost, pause in steps:
        clock.now += pause
        if budget.allows(caller):
            budget.charge(caller, cost)
            used[caller] += cost
    minutes = clock.now / 60
    assert all(spent <= 5.0 * (1 + minutes) + 20 + 1e-6 for spent in used.values())
    assert sum(used.values()) <= 10.0 * (1 + minutes) + 20 + 1e-6
