"""Fair shares in virtual time: who is served when, however many ask."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.callers.fair_queue import FairQueue, Pushback
from i2s_chassis.callers.shares import Flow
from virtual_clients import Client, World

pytestmark = pytest.mark.slow

SLOTS, QUEUE = 2, 8
_MORE = pytest.mark.nightly(instead="the same in another order of events")
FEW_SEEDS = [0, pytest.param(1, marks=_MORE), pytest.param(2, marks=_MORE)]


def play(*clients: Client, seconds: float = 1000.0, seed: int = 1) -> World:
    world = World(FairQueue(SLOTS, QUEUE), seed=seed)
    world.run(list(clients), seconds)
    return world


def equal_clients(caller: str, connection: str, calls: int) -> list[Client]:
    return [Client("equal", caller.format(number), connection.format(number), calls) for number in range(64)]


# -- equal clients ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("calls", [1, 4])
@pytest.mark.parametrize(
    ("caller", "connection"),
    [("host", "one"), ("host", "port {}"), ("token {}", "one")],
    ids=["on one connection", "on one host", "of 64 names"],
)
def test_64_equal_clients_wait_alike(caller, connection, calls, seed):
    world = play(*equal_clients(caller, connection, calls), seed=seed)
    latencies = world.latencies["equal"]
    assert len(latencies) == 64 * calls
    assert max(latencies) <= 3 * statistics.median(latencies)


def test_slots_are_used_while_clients_pause():
    calls, mean = 4, 0.25
    world = play(*equal_clients("host", "port {}", calls))
    assert world.now < 1.1 * 64 * calls * mean / SLOTS


def test_calls_without_a_name_are_all_answered_on_a_shared_connection():
    clients = [Client("equal", "host", "one", 3, names_calls=False) for _ in range(64)]
    assert len(play(*clients).latencies["equal"]) == 3 * 64


# -- greedy clients ---------------------------------------------------------------------------

HEAVY = (1.8, 2.2)


def greedy(caller: str, connections: int, obeys: bool) -> list[Client]:
    return [
        Client("greedy", caller, f"greedy {number}", 10**6, HEAVY, names_calls=False, obeys=obeys)
        for number in range(connections)
    ]


@pytest.mark.parametrize("obeys", [True, False])
def test_120_greedy_connections_of_one_caller_hold_another_up_for_one_of_their_jobs(obeys):
    other = Client("other", "modest", "only", 10, begins=5.0)
    world = play(*greedy("greedy", 120, obeys), other, seconds=25.0)
    latencies = world.latencies["other"]
    assert len(latencies) == 10
    assert max(latencies) <= HEAVY[1] + other.job_seconds[1]


def test_callers_share_slot_time_and_not_jobs():
    clients = [Client("long", "a", str(n), 10**6, (1.0, 1.0)) for n in range(8)]
    clients += [Client("short", "b", str(n), 10**6, (0.1, 0.1)) for n in range(8)]
    world = play(*clients, seconds=100.0)
    long, short = len(world.latencies["long"]) * 1.0, len(world.latencies["short"]) * 0.1
    assert 0.85 < long / short < 1.15


# -- single decisions -------------------------------------------------------------------------


def flow(caller: str, connection: str = "", call: str = "") -> Flow:
    return Flow(caller, connection, call, bool(call))


def fill(queue: FairQueue, caller: str, calls: int) -> list:
    decisions = [queue.offer(flow(caller, call=f"{caller}{number}"), 0.0) for number in range(calls)]
    while queue.next(0.0):
        pass
    return [decision.coming for decision in decisions if decision.loser is not decision.coming]


def test_a_caller_alone_has_the_whole_queue_and_makes_room_for_others():
    queue = FairQueue(1, 6)
    assert len(fill(queue, "a", 10)) == 7
    displaced = []
    for number in range(6):
        decision = queue.offer(flow("b", call=str(number)), 1.0)
        displaced.append(decision.loser)
    assert [one.flow.caller for one in displaced] == ["a", "a", "a", "b", "b", "b"]
    assert [one.flow.call for one in displaced[:3]] == ["a6", "a5", "a4"]  # the newest first
    assert queue.inside == 7


def test_who_was_sent_away_precedes_who_came_later():
    queue = FairQueue(1, 1)
    running, waiting = fill(queue, "a", 2)
    early = queue.offer(flow("a", call="early"), 1.0)
    assert early.loser is early.coming
    queue.send_away(early.coming, 1.0)
    assert queue.next(1.0) is None
    queue.finish(running, 0.5, 1.5)
    queue.leave()
    assert queue.next(1.5) is waiting
    late = queue.offer(flow("a", call="late"), 2.0)
    assert late.loser is None
    again = queue.offer(flow("a", call="early"), 3.0)
    assert again.loser is late.coming
    assert (again.coming.arrival, again.coming.refusals) == (1.0, 1)


def test_a_call_that_comes_back_after_its_memory_is_new():
    queue = FairQueue(1, 0, Pushback(memory_seconds=5.0))
    fill(queue, "a", 1)
    pause = queue.send_away(queue.offer(flow("a", call="x"), 0.0).coming, 0.0).seconds
    assert queue.offer(flow("a", call="x"), pause + 5.1).coming.arrival == pause + 5.1


def test_a_name_is_worth_nothing_to_another_caller():
    queue = FairQueue(1, 0)
    fill(queue, "a", 1)
    queue.send_away(queue.offer(flow("a", call="x"), 1.0).coming, 1.0)
    assert queue.offer(flow("b", call="x"), 2.0).coming.refusals == 0
    assert queue.offer(flow("a", call="x"), 2.0).coming.refusals == 1


def test_pushback_grows_with_refusals_up_to_the_turn():
    queue = FairQueue(1, 100)
    fill(queue, "a", 101)
    pauses, now = [], 0.0
    for _ in range(8):
        decision = queue.offer(flow("a", call="x"), now)
        pauses.append(queue.send_away(decision.coming, now).seconds)
        now += pauses[-1]
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_pushback_is_longer_for_who_was_sent_away_later():
    queue = FairQueue(1, 2, Pushback(first_seconds=30.0))
    fill(queue, "a", 3)
    pauses = [queue.send_away(queue.offer(flow("a", call=str(n)), 1.0 + n).coming, 1.0 + n) for n in range(5)]
    assert [pause.seconds for pause in pauses] == [1.5, 2.0, 2.5, 3.0, 3.5]


def test_memory_is_bounded():
    queue = FairQueue(1, 0, Pushback(memory_calls=10))
    fill(queue, "a", 1)
    for number in range(1000):
        queue.send_away(queue.offer(flow(f"caller {number}", call="x"), 0.0).coming, 0.0)
    assert len(queue._refusals) == 10
    assert len(queue._callers.members) <= 11


def test_a_bound_on_slots_leaves_the_rest_to_others():
    queue = FairQueue(2, 10)
    for number in range(4):
        queue.offer(flow("a", call=str(number)), 0.0, most_running=1)
    assert queue.next(0.0) is not None
    assert queue.next(0.0) is None
    queue.offer(flow("b"), 1.0)
    assert queue.next(1.0).flow.caller == "b"


steps = st.lists(
    st.tuples(
        st.sampled_from(["offer", "named", "next", "finish", "withdraw", "item"]),
        st.integers(0, 3),
        st.integers(0, 2),
    ),
    max_size=80,
)


@given(st.integers(1, 3), st.integers(0, 4), steps)
def test_counts_are_right_whatever_happens(slots, places, steps):
    queue, running, waiting = FairQueue(slots, places, Pushback(memory_seconds=2.0)), [], []
    for now, (step, caller, connection) in enumerate(steps):
        where = flow(str(caller), str(connection), "call" if step == "named" else "")
        if step in {"offer", "named"}:
            decision = queue.offer(where, now)
            waiting.append(decision.coming)
            if decision.loser is not None:
                waiting.remove(decision.loser)
                queue.send_away(decision.loser, now)
        elif step == "item" and not queue.is_full:
            queue.hold_place()
            waiting.append(queue.line_up(where, now))
        elif step == "next" and (job := queue.next(now)) is not None:
            waiting.remove(job)
            running.append(job)
        elif step == "finish" and running:
            queue.finish(running.pop(caller % len(running)), 1.0, now)
            queue.leave()
        elif step == "withdraw" and waiting:
            queue.withdraw(waiting.pop(caller % len(waiting)), now)
            queue.leave()
        assert queue.running == len(running) <= slots
        assert queue.inside == len(running) + len(waiting) <= slots + places
        assert len(running) == slots or queue.running < slots


# -- connections of one address without credentials --------------------------------------------


def pressing(connections: int, calls: int = 4, job_seconds=(0.15, 0.35), obeys: bool = False) -> list[Client]:
    """Connections of one address, each with several calls at the same time."""
    return [
        Client("pressing", "host", f"{number}", 10**6, job_seconds, names_calls=False, obeys=obeys)
        for number in range(connections)
        for _ in range(calls)
    ]


def undisturbed() -> float:
    return statistics.median(play(Client("alone", "host", "alone", 10)).latencies["alone"])


@pytest.mark.parametrize("seed", FEW_SEEDS)
@pytest.mark.parametrize("obeys", [True, False])
def test_one_call_at_a_time_is_served_beside_120_connections_of_its_address(obeys, seed):
    other = Client("other", "host", "alone", 5, begins=2.0)
    world = play(*pressing(120, obeys=obeys), other, seconds=6.0, seed=seed)
    latencies = world.latencies["other"]
    assert len(latencies) == 5
    assert max(latencies) <= 3 * undisturbed()


def test_connections_that_come_back_too_soon_yield_to_one_that_does_not():
    other = Client("other", "host", "alone", 5, begins=2.0)
    world = play(*pressing(120, calls=1), other, seconds=6.0)
    # Those that are never sent away cannot be told from it; there are no more of them than places.
    assert max(world.latencies["other"]) <= (SLOTS + QUEUE + 1) * 0.35


def test_a_connection_with_many_calls_has_its_share_beside_many_with_one():
    clients = [Client("one", "host", f"one {number}", 10**6) for number in range(30)]
    clients += [Client("many", "host", "many", 10**6) for _ in range(8)]
    world = play(*clients, seconds=400.0)
    one, many = len(world.latencies["one"]) / 30, len(world.latencies["many"])
    assert 0.8 < many / one < 1.25


def test_who_asks_less_than_its_share_is_served_next():
    """It waits beside clients that each make one call after the other, as it does itself."""
    crowd = [Client("crowd", "host", f"{number}", 10**6) for number in range(60)]
    rare = [Client("rare", "host", "rare", 1, begins=begin, number=0) for begin in range(10, 400, 40)]
    world = play(*crowd, *rare, seconds=420.0)
    _, *later = world.latencies["rare"]
    assert len(later) == 9
    assert max(later) <= 3 * undisturbed()


# -- long jobs and clients that do not come back when they are asked to -------------------------

SHORT = (0.14, 0.16)


def flood(connections: int, **behaviour) -> list[Client]:
    """Connections of one address, each of which makes one long job after another."""
    return [
        Client("flood", "host", f"flood {number}", 10**6, HEAVY, names_calls=False, **behaviour)
        for number in range(connections)
    ]


def short_jobs(begins: float = 5.0) -> Client:
    return Client("short", "host", "short", 100, SHORT, begins=begins, rests=0.01)


def play_with(queue: FairQueue, *clients: Client, seconds: float) -> World:
    world = World(queue)
    world.run(list(clients), seconds)
    return world


RUDE = {
    "after 20 ms": {"obeys": False},
    "after 500 ms": {"obeys": False, "again_seconds": 0.5},
    "with other names": {"obeys": False, "again_seconds": 0.1, "changes": "name"},
}


@pytest.mark.parametrize("places", [QUEUE, pytest.param(64, id="the default")])
@pytest.mark.parametrize("behaviour", RUDE.values(), ids=RUDE)
def test_short_jobs_wait_for_running_ones_beside_120_connections_that_come_back_too_soon(behaviour, places):
    world = play_with(FairQueue(SLOTS, places), *flood(120, **behaviour), short_jobs(), seconds=65.0)
    first, *later = world.latencies["short"]
    assert first <= 2 * HEAVY[1]  # beside connections that are as new as it is
    assert len(later) >= 40
    assert max(later) <= HEAVY[1] + SHORT[1]
    assert max(later) <= 3 * statistics.median(later)


@pytest.mark.parametrize("connections", [4, 10, 20, 60])
def test_short_jobs_wait_for_running_ones_beside_connections_that_are_never_sent_away(connections):
    world = play_with(FairQueue(SLOTS, 64), *flood(connections), short_jobs(), seconds=65.0)
    latencies = world.latencies["short"]
    assert world.refusals == 0
    assert len(latencies) >= 35
    assert max(latencies) <= HEAVY[1] + SHORT[1]
    assert max(latencies) <= 3 * statistics.median(latencies)


@pytest.mark.parametrize("begins", [150.0, 155.0, 160.5])
def test_a_new_connection_is_served_next_beside_ones_that_were_served(begins):
    world = play_with(FairQueue(SLOTS, 64), *flood(60), short_jobs(begins), seconds=begins + 3 * HEAVY[1])
    assert world.latencies["short"][0] <= HEAVY[1] + SHORT[1]


def test_a_connection_that_was_served_is_served_on_beside_120_that_open_a_new_one_for_each_attempt():
    rude = flood(120, obeys=False, again_seconds=0.5, changes="connection")
    world = play_with(FairQueue(SLOTS, QUEUE), *rude, short_jobs(), seconds=65.0)
    _, *later = world.latencies["short"]
    assert len(later) >= 20
    assert max(later) <= 2 * HEAVY[1]


def test_long_jobs_are_served_beside_many_short_ones():
    crowd = [Client("crowd", "host", str(number), 10**6, SHORT) for number in range(60)]
    long = Client("long", "host", "long", 10**6, HEAVY)
    world = play_with(FairQueue(SLOTS, 64), *crowd, long, seconds=400.0)
    assert world.slot_seconds["long"] >= 0.8 * SLOTS * 400.0 / 61


def test_120_connections_that_come_back_too_soon_are_seldom_refused():
    """Their refusals are answered when they may come back, and that time doubles."""
    world = play_with(FairQueue(SLOTS, QUEUE), *flood(120, obeys=False), seconds=60.0)
    assert world.refusals < 120 * 15
    assert world.slot_seconds["flood"] > 0.9 * SLOTS * (60.0 - HEAVY[1])


@pytest.mark.parametrize("places", [QUEUE, 64])
@pytest.mark.parametrize("calls", [1, 4, 12])
def test_who_comes_back_too_soon_has_one_share_beside_64_that_wait(calls, places):
    polite = [Client("polite", "host", f"polite {number}", 10**6, (0.4, 0.6)) for number in range(64)]
    rude = [Client("rude", "host", "rude", 10**6, (0.4, 0.6), False, False) for _ in range(calls)]
    world = play_with(FairQueue(SLOTS, places), *polite, *rude, seconds=200.0)
    latencies = world.latencies["polite"]
    assert max(latencies) <= 1.5 * statistics.median(latencies)
    assert world.slot_seconds["rude"] <= 1.5 * SLOTS * 200.0 / 65


def test_many_that_come_back_too_soon_have_one_share_beside_ten_that_wait():
    polite = [Client("polite", "host", f"polite {number}", 10**6, (0.4, 0.6)) for number in range(10)]
    rude = [
        Client("rude", "host", f"rude {number}", 10**6, (0.4, 0.6), False, False) for number in range(120)
    ]
    world = play_with(FairQueue(SLOTS, QUEUE), *polite, *rude, seconds=200.0)
    assert world.slot_seconds["rude"] <= 2 * SLOTS * 200.0 / 11
    latencies = world.latencies["polite"]
    assert max(latencies) <= 3 * statistics.median(latencies)


def test_a_connection_is_unruly_until_it_was_silent_for_some_time():
    queue = FairQueue(1, 0, Pushback(memory_seconds=5.0))
    fill(queue, "a", 1)
    dismissals = []
    for now in (0.0, 0.1, 5.0, 30.0):
        dismissals.append(queue.send_away(queue.offer(flow("b", "port", "x"), now).coming, now))
    assert [dismissal.is_late for dismissal in dismissals] == [False, True, True, False]


def test_a_call_that_never_comes_back_leaves_its_connection_its_share():
    """It may have been served by another replica, or its client gave up."""
    queue = FairQueue(1, 0, Pushback(memory_seconds=5.0))
    fill(queue, "a", 1)
    for now in (0.0, 7.0, 14.0, 21.0, 28.0):
        assert not queue.send_away(queue.offer(flow("b", "port", f"at {now}"), now).coming, now).is_late


@pytest.mark.parametrize("behaviour", RUDE.values(), ids=RUDE)
@pytest.mark.parametrize(
    "replicas", [2, pytest.param(3, marks=pytest.mark.nightly(instead="the same with two replicas"))]
)
def test_calls_retried_at_the_next_replica_are_served_beside_60_rude_connections_on_each(replicas, behaviour):
    rude = [one for number in range(replicas) for one in flood(60, replicas=(number,), **behaviour)]
    polite = [
        Client("polite", "host", f"polite {number}", 10**6, begins=5.0, replicas=range(replicas))
        for number in range(4)
    ]
    world = World(*(FairQueue(SLOTS, 16) for _ in range(replicas)))
    world.run([*rude, *polite], 240.0)
    latencies = world.latencies["polite"]
    first, later = latencies[:8], latencies[8:]
    assert len(later) >= 4 * 100
    assert max(first) <= 3 * HEAVY[1]  # beside connections that are as new as they are
    assert max(later) <= 3 * statistics.median(later)


RUDE_FLOW, POLITE_FLOW = flow("host", "rude", "last"), flow("host", "polite", "only")


def come_back_too_soon(queue: FairQueue, where: Flow, now: float) -> None:
    for attempt in range(2):
        decision = queue.offer(where, now + 0.001 * attempt)
        assert decision.loser is decision.coming
        queue.send_away(decision.coming, now + 0.001 * attempt)


def test_what_a_connection_used_before_it_was_unruly_counts_for_the_share_of_the_unruly():
    queue = FairQueue(1, 0)
    [running] = fill(queue, "host", 1)
    queue.finish(running, 2.0, 2.0)
    queue.leave()
    queue.offer(flow("host", "rude"), 2.0)
    rude_job = queue.next(2.0)
    queue.finish(rude_job, 3.0, 5.0)
    queue.leave()
    fill(queue, "another", 1)
    come_back_too_soon(queue, RUDE_FLOW, 5.0)
    *_, caller, unruly, connection = queue.usage(RUDE_FLOW, 5.1)
    assert unruly == pytest.approx(connection)
    assert caller > connection


def test_a_job_that_runs_when_its_connection_becomes_unruly_is_charged_to_the_unruly():
    queue = FairQueue(1, 2)
    for number in range(3):
        queue.offer(flow("host", "rude", str(number)), 0.0)
    running = queue.next(0.0)
    come_back_too_soon(queue, RUDE_FLOW, 0.0)
    queue.offer(POLITE_FLOW, 0.01)
    queue.finish(running, 2.0, 2.0)
    assert queue.next(2.0).flow == POLITE_FLOW


def test_unruly_connections_and_their_callers_are_dropped_once_nothing_of_them_counts():
    queue = FairQueue(1, 0)
    [running] = fill(queue, "a", 1)
    for number in range(5):
        come_back_too_soon(queue, flow("a", f"port {number}", "x"), 0.0)
        come_back_too_soon(queue, flow("gone", f"port {number}", "x"), 0.0)
    assert len(queue._callers.members["a"].unruly.members) == 5
    queue.finish(running, 1.0, 500.0)
    queue.leave()
    job = queue.offer(flow("a", "port", "y"), 500.0).coming
    assert queue.next(500.0) is job
    queue.finish(job, 1.0, 501.0)
    assert list(queue._callers.members) == ["a"]
    caller = queue._callers.members["a"]
    assert (list(caller.unruly.members), list(caller.members)) == ([], ["", "port"])


def test_memory_of_refusals_is_bounded_by_those_that_are_expected():
    queue = FairQueue(1, 0, Pushback(memory_calls=10))
    fill(queue, "a", 1)
    for number in range(1000):
        queue.send_away(queue.offer(flow("b", call=str(number)), 0.0).coming, 0.0)
    assert len(queue._refusals._by_expiry) <= 2 * 10 + 64
