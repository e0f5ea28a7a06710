"""Attacks by services of an ordinary user and in containers; chosen by I2S_REQUIRE_ATTACKS.

Several parts run at the same time, from when the first test asks for one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

import docker_engine
from attack_places import PART_SECONDS, VARIABLE_OF_SUITE, chosen_parts, run_as_nobody, run_in_container
from chosen import why_not
from docker_engine import Engine, NoEngineError

HERE = Path(__file__).parent
#: Parts that run at the same time; most of what they do is waiting for engines and processes.
AT_ONCE = os.cpu_count() or 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = why_not(VARIABLE_OF_SUITE, "attacks")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.attacks)
            item.add_marker(pytest.mark.timeout(len(chosen_parts()) * PART_SECONDS))
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=f"NOT TESTED IN OTHER PLACES: {reason}"))


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine | None]:
    """A Docker Engine with the images of the services as they are here now; None if no part needs it."""
    if not any(part.place == "container" for part in chosen_parts().values()):
        yield None
        return
    try:
        with docker_engine.engine() as one:
            docker_engine.build_images(one)
            yield one
    except NoEngineError as reason:
        docker_engine.lacks(reason)


@pytest.fixture(scope="session")
def recordings(
    engine: Engine | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[Path]]]:
    """The file with the verdicts of each part; its result raises what a part that failed has printed."""
    folder = tmp_path_factory.mktemp("verdicts")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {name: pool.submit(_record, name, engine, folder) for name in chosen_parts()}
        pool.shutdown(cancel_futures=True)


def _record(name: str, engine: Engine | None, folder: Path) -> Path:
    file = folder / f"{name}.jsonl"
    file.write_text("")
    part = chosen_parts()[name]
    if part.place == "ordinary":
        run_as_nobody(part, file)
    else:
        assert engine is not None
        run_in_container(engine, part, file)
    return file
