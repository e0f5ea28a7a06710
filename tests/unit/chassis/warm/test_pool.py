import asyncio
import itertools
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.errors import UnavailableError
from i2s_chassis.warm import pool as pool_module
from i2s_chassis.warm.pool import Backoff, Supervisor


@dataclass(eq=False)
class Worker:
    number: int
    dead: bool = False
    closed: bool = False


class Factory:
    """Makes numbered workers at once, or fails while ``broken``; counts those alive."""

    def __init__(self) -> None:
        self.made: list[Worker] = []
        self.broken = False
        self.pauses: list[float] = []
        self.resume = asyncio.Event()
        self.reasons: list[str] = []
        self.ready: list[int] = []
        self._numbers = itertools.count()

    async def prepare(self) -> Worker:
        await asyncio.sleep(0)
        if self.broken:
            raise OSError("no engine today")
        self.made.append(Worker(next(self._numbers)))
        assert sum(not worker.closed for worker in self.made) <= 3
        return self.made[-1]

    async def close(self, worker: Worker) -> None:
        await asyncio.sleep(0)
        assert not worker.closed
        worker.closed = True

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await self.resume.wait()
        self.resume.clear()

    def supervisor(self, size: int = 1, **options) -> Supervisor[Worker]:
        return Supervisor(
            self.prepare,
            self.close,
            size=size,
            on_recycle=self.reasons.append,
            on_ready=self.ready.append,
            sleep=self.sleep,
            alive=lambda worker: not worker.dead,
            **options,
        )


@pytest.fixture
def factory() -> Factory:
    return Factory()


async def test_workers_are_prepared_ahead(factory, settle):
    async with factory.supervisor(size=3) as pool:
        await settle()
        assert pool.ready == 3
    assert all(worker.closed for worker in factory.made)


async def test_workers_that_are_there_already_come_first_and_count(factory, settle):
    pool = factory.supervisor(size=3)
    first = await factory.prepare()
    await pool.start(first)
    assert pool.ready == 1
    async with pool.lease() as lease:
        assert lease.worker is first
    await settle()
    assert (pool.ready, len(factory.made), factory.reasons) == (1, 2, ["jobs"]), "others wait for a need"
    async with pool.lease():
        await settle()
        assert pool.ready == 2
    await settle()
    assert (pool.ready, len(factory.made)) == (3, 5)
    await pool.close()
    assert all(worker.closed for worker in factory.made)


async def test_a_pool_is_filled_in_time_though_no_job_comes(factory, monkeypatch):
    monkeypatch.setattr(pool_module, "_FILL_SECONDS", 0.0)
    pool = factory.supervisor(size=3)
    await pool.start(await factory.prepare())
    while pool.ready < 3:
        await asyncio.sleep(0)
    await pool.close()
    assert all(worker.closed for worker in factory.made)


async def test_single_use_worker_serves_one_job_and_is_replaced(factory, settle):
    async with factory.supervisor() as pool:
        for number in range(3):
            async with pool.lease() as lease:
                assert lease.worker.number == number
            await settle()
            assert lease.worker.closed
            assert pool.ready == 1
    assert factory.reasons == ["jobs"] * 3


async def test_worker_is_recycled_after_its_number_of_jobs(factory):
    served = []
    async with factory.supervisor(jobs_per_worker=3) as pool:
        for _ in range(7):
            async with pool.lease() as lease:
                served.append(lease.worker.number)
    assert served == [0, 0, 0, 1, 1, 1, 2]
    assert factory.reasons == ["jobs", "jobs"]


async def test_failed_job_condemns_its_worker(factory):
    async with factory.supervisor(jobs_per_worker=100) as pool:
        with pytest.raises(KeyError):
            async with pool.lease():
                raise KeyError
        async with pool.lease() as lease:
            assert lease.worker.number == 1
    assert factory.reasons == ["failed"]


async def test_cancelled_job_condemns_its_worker(factory, settle):
    async with factory.supervisor(jobs_per_worker=100) as pool:

        async def job() -> None:
            async with pool.lease():
                await asyncio.Event().wait()

        task = asyncio.create_task(job())
        await settle()
        task.cancel()
        await settle()
        assert (factory.made[0].closed, pool.ready) == (True, 1)
    assert factory.reasons == ["cancelled"]


async def test_condemned_worker_is_replaced_for_the_first_reason_given(factory):
    async with factory.supervisor(jobs_per_worker=100) as pool, pool.lease() as lease:
        lease.condemn("grew")
        lease.condemn("later")
    assert factory.reasons == ["grew"]


async def test_idle_worker_that_died_is_never_handed_out(factory, settle):
    async with factory.supervisor(size=2) as pool:
        await settle()
        factory.made[0].dead = True
        async with pool.lease() as lease:
            assert lease.worker is factory.made[1]
    assert factory.reasons[0] == "died"


async def test_jobs_wait_for_a_worker_in_the_order_of_asking(factory, settle):
    order = []
    async with factory.supervisor() as pool:

        async def job(number: int) -> None:
            async with pool.lease():
                order.append(number)

        await asyncio.gather(*(job(number) for number in range(5)))
    assert order == list(range(5))


async def test_worker_given_to_a_cancelled_job_goes_to_the_next(factory, settle):
    async with factory.supervisor(jobs_per_worker=100) as pool:
        got = []

        async def job(number: int) -> None:
            async with pool.lease() as lease:
                got.append((number, lease.worker.number))

        async with pool.lease():
            first, second = asyncio.create_task(job(1)), asyncio.create_task(job(2))
            await settle()
        first.cancel()
        await asyncio.wait({first, second})
    assert got == [(2, 0)]
    assert factory.reasons == []


async def test_preparing_that_fails_is_tried_again_after_growing_pauses(factory, settle):
    factory.broken = True
    backoff = Backoff(first=1, factor=2, most=5)
    async with factory.supervisor(backoff=backoff) as pool:
        for _ in range(4):
            await settle()
            factory.resume.set()
        await settle()
        assert factory.pauses == [1, 2, 4, 5, 5]
        factory.broken = False
        factory.resume.set()
        await settle()
        assert (pool.ready, pool.failing) == (1, False)


async def test_jobs_are_sent_away_while_preparing_keeps_failing(factory, settle):
    factory.broken = True
    async with factory.supervisor(give_up_after=2) as pool:
        waiting = asyncio.create_task(number_of(pool))
        await settle()
        assert not waiting.done()
        factory.resume.set()
        await settle()
        with pytest.raises(UnavailableError):
            await waiting
        with pytest.raises(UnavailableError):
            await number_of(pool)
        factory.broken = False
        factory.resume.set()
        await settle()
        assert await number_of(pool) == 0


async def number_of(pool: Supervisor[Worker]) -> int:
    async with pool.lease() as lease:
        return lease.worker.number


async def test_closing_sends_waiting_jobs_away_and_closes_every_worker(factory, settle):
    pool = factory.supervisor()
    await pool.start()
    async with pool.lease():
        waiting = asyncio.create_task(number_of(pool))
        await settle()
        await pool.close()
        with pytest.raises(UnavailableError):
            await waiting
    await settle()
    assert all(worker.closed for worker in factory.made)
    with pytest.raises(UnavailableError):
        await number_of(pool)


async def test_worker_that_cannot_be_closed_does_not_stop_the_others(factory, settle):
    async def close(worker: Worker) -> None:
        raise OSError("already gone")

    pool = Supervisor(factory.prepare, close, size=1, sleep=factory.sleep)
    async with pool:
        for _ in range(3):
            await settle()
            assert pool.ready == 1
            factory.made[-1].closed = True  # gone by itself
            async with pool.lease():
                pass


async def test_ready_workers_are_reported(factory, settle):
    async with factory.supervisor(size=2) as pool:
        await settle()
        async with pool.lease():
            pass
        await settle()
    assert factory.ready == [1, 2, 1, 2, 0]


steps = st.lists(st.sampled_from(["job", "fail", "cancel", "die", "break", "mend", "tick"]), max_size=40)


@given(steps, st.integers(1, 3), st.integers(1, 3))
def test_no_worker_is_shared_or_left_open_whatever_happens(steps, size, jobs):
    async def play() -> None:
        factory, busy, tasks = Factory(), set(), []

        async def job(fails: bool) -> None:
            async with pool.lease() as lease:
                assert lease.worker not in busy
                assert not lease.worker.closed
                busy.add(lease.worker)
                try:
                    await asyncio.sleep(0)
                    if fails:
                        raise KeyError
                finally:
                    busy.discard(lease.worker)

        async with factory.supervisor(size=size, jobs_per_worker=jobs) as pool:
            for step in steps:
                if step in {"job", "fail"}:
                    tasks.append(asyncio.create_task(job(step == "fail")))
                elif step == "cancel" and tasks:
                    tasks[-1].cancel()
                elif step == "die" and factory.made:
                    factory.made[-1].dead = True
                elif step in {"break", "mend"}:
                    factory.broken = step == "break"
                    factory.resume.set()
                else:
                    await asyncio.sleep(0)
            factory.broken = False
            for _ in range(100):
                factory.resume.set()
                await asyncio.sleep(0)
            for outcome in await asyncio.gather(*tasks, return_exceptions=True):
                assert outcome is None or isinstance(
                    outcome, KeyError | UnavailableError | asyncio.CancelledError
                )
        assert all(worker.closed for worker in factory.made)

    asyncio.run(play())
