"""The process of the networks: batches over calls, crashes, faults, hangs; with a network without torch."""

import asyncio
import multiprocessing
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

import mean_network
from busy_machine import crowded_processor
from i2s_chassis.errors import UnavailableError
from i2s_chassis.warm.pool import Backoff
from i2s_metrics.frames import WorkerError
from i2s_metrics.model import Inputs, NetworkComparison
from i2s_metrics.networks.messages import HostSettings
from i2s_metrics.networks.networks import NetworkProcess, Networks, NetworksError

SETTINGS = HostSettings(weights={}, batch_size=4, batch_wait_seconds=0.0)
PATIENT = replace(SETTINGS, batch_wait_seconds=600)
NO_PAUSE = Backoff(first=0, most=0)


class Telemetry:
    def __init__(self):
        self.ready, self.recycled = [], []

    def warm(self, kind, ready):
        self.ready.append(ready)

    def recycle(self, reason):
        self.recycled.append(reason)


@pytest.fixture
def telemetry():
    return Telemetry()


@pytest.fixture
async def networks(telemetry):
    """Makes networks of the test's own program; all are closed at the end."""
    made = []

    def make(settings=SETTINGS, patience_seconds=60.0, program=mean_network.run, backoff=NO_PAUSE):
        made.append(Networks(settings, patience_seconds, telemetry, backoff, program))
        return made[-1]

    yield make
    for one in made:
        await one.close()


def pair(prediction, reference=0):
    size = NetworkComparison.LPIPS.nbytes
    return Inputs(NetworkComparison.LPIPS, bytes([prediction]) * size, bytes([reference]) * size)


def whole(answers):
    return [int(answer.value) for answer in answers]


async def test_nothing_runs_before_it_is_needed(networks, telemetry):
    kept = networks()
    assert kept.description is None
    assert (await kept.compare(pair(9))).value == pytest.approx(9.001)
    assert kept.description is not None
    assert kept.description.precision == "levels"
    assert telemetry.ready == [1]


async def test_calls_at_once_become_one_batch_and_each_gets_its_answer(networks):
    kept = networks(PATIENT)
    answers = await asyncio.gather(*(kept.compare(pair(level)) for level in (1, 2, 3, 4)))
    assert whole(answers) == [1, 2, 3, 4]
    assert {round(answer.value % 1, 3) for answer in answers} == {0.004}


async def test_more_calls_than_a_batch_are_all_answered(networks):
    kept = networks()
    answers = await asyncio.gather(*(kept.compare(pair(level)) for level in range(50)))
    assert whole(answers) == list(range(50))


async def test_a_crash_costs_the_calls_in_flight_and_the_next_one_is_answered(networks, telemetry):
    kept = networks(PATIENT)
    levels = (1, 2, 3, mean_network.CRASHES)
    ended = await asyncio.gather(*(kept.compare(pair(level)) for level in levels), return_exceptions=True)
    assert [type(one) for one in ended] == [UnavailableError] * 4
    answers = await asyncio.gather(*(kept.compare(pair(level)) for level in (1, 2, 3, 4)))
    assert whole(answers) == [1, 2, 3, 4]
    assert telemetry.recycled == ["died"]
    assert telemetry.ready == [1, 0, 1]


async def test_an_idle_process_that_was_killed_is_replaced_unnoticed(networks):
    kept = networks()
    await kept.start()
    process = kept._process._child.process
    os.kill(process.pid, signal.SIGKILL)
    await asyncio.to_thread(process.join)
    assert (await kept.compare(pair(5))).value == pytest.approx(5.001)


async def test_a_fault_is_a_fault_of_its_batch_and_not_of_the_process(networks):
    kept = networks()
    with pytest.raises(WorkerError, match="a fault of the network"):
        await kept.compare(pair(mean_network.FAULTS))
    assert (await kept.compare(pair(5))).value == pytest.approx(5.001)


@pytest.mark.slow
async def test_a_process_that_hangs_is_replaced_and_never_answers_late(networks, telemetry):
    kept = networks(patience_seconds=3)
    await kept.start()
    with pytest.raises(UnavailableError, match="send the request again"):
        await kept.compare(pair(mean_network.HANGS))
    assert telemetry.recycled == ["stuck"]
    assert (await kept.compare(pair(5))).value == pytest.approx(5.001)


async def test_a_call_that_is_cancelled_is_dropped_from_its_batch(networks):
    kept = networks(PATIENT)
    await kept.start()
    given_up = [asyncio.create_task(kept.compare(pair(level))) for level in (7, 8)]
    async with asyncio.timeout(30):
        while len(kept._process._waiting) < len(given_up):
            await asyncio.sleep(0)
    for task in given_up:
        task.cancel()
    await asyncio.gather(*given_up, return_exceptions=True)
    answers = await asyncio.gather(*(kept.compare(pair(level)) for level in (1, 2, 3, 4)))
    assert [round(answer.value, 3) for answer in answers] == [1.004, 2.004, 3.004, 4.004]


@pytest.mark.slow
async def test_a_process_that_is_kept_waiting_by_the_machine_is_not_stuck(networks, telemetry):
    patience = 2
    kept = networks(patience_seconds=patience)
    await kept.start()
    asked = time.monotonic()
    with crowded_processor(kept._process.pid, 15):
        assert (await kept.compare(pair(mean_network.WORKS))).value == pytest.approx(99.001)
    assert time.monotonic() - asked > patience  # otherwise nothing was kept waiting
    assert telemetry.recycled == []


async def test_loading_goes_on_if_the_call_that_needed_it_first_is_given_up(networks, monkeypatch):
    begun = []
    start = NetworkProcess.start

    async def counted(*given):
        begun.append(given)
        return await start(*given)

    monkeypatch.setattr(NetworkProcess, "start", counted)
    kept = networks()
    given_up = asyncio.create_task(kept.compare(pair(7)))
    async with asyncio.timeout(60):
        while not begun:
            await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.gather(given_up, return_exceptions=True)
    assert (await kept.compare(pair(5))).value == pytest.approx(5.001)
    assert len(begun) == 1


async def test_networks_that_are_closed_while_they_load_leave_no_process(networks):
    kept = networks(program=mean_network.run_and_hang)
    loading = asyncio.create_task(kept.start())
    async with asyncio.timeout(60):
        while kept._loading is None:
            await asyncio.sleep(0)
    await kept.close()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert multiprocessing.active_children() == []


async def test_networks_that_do_not_load_in_time_are_unavailable(networks, caplog):
    kept = networks(patience_seconds=0.2, program=mean_network.run_and_hang)
    with pytest.raises(UnavailableError, match="log"):
        await kept.compare(pair(1))
    assert "not loaded within 0.2 s" in caplog.text
    assert "--network-patience-seconds" in caplog.text


@pytest.mark.parametrize("program", [mean_network.run_and_fail, mean_network.run_and_die])
async def test_networks_that_do_not_start_are_unavailable_and_tried_again(networks, program, telemetry):
    kept = networks(program=program)
    for _ in range(2):
        with pytest.raises(UnavailableError, match="log"):
            await kept.compare(pair(1))
    with pytest.raises(NetworksError):
        await kept.start()
    assert telemetry.ready == []


async def test_after_a_failed_start_callers_are_told_when_to_come_back(networks):
    kept = networks(program=mean_network.run_and_die, backoff=Backoff(first=100, most=100))
    with pytest.raises(UnavailableError):
        await kept.compare(pair(1))
    with pytest.raises(UnavailableError) as caught:
        await kept.compare(pair(1))
    assert caught.value.retry_after_ms > 1000


async def test_closing_leaves_no_process(networks):
    kept = networks()
    await kept.start()
    number = kept._process._child.process.pid
    await kept.close()
    assert not Path(f"/proc/{number}").exists()
