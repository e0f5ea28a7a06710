"""The episodes that a gateway keeps: whose they are, how many, how long, and over its end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from i2s_gateway.episode_store import EpisodeBounds, EpisodeStore, StoredEpisode
from i2s_gateway.guard import GatewayError
from i2s_sdk.run.storage.interface import open_storage
from i2s_training.episode import EpisodeRules, EpisodeState

BOUNDS = EpisodeBounds(count=4, each=2, size=100_000, seconds=60.0)
OPENING = {"items": [{"task": "latex"}]}
RULES = EpisodeRules(3, "best")


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> EpisodeStore:
    return EpisodeStore(BOUNDS, clock=clock)


def status_of(error: pytest.ExceptionInfo[GatewayError]) -> int:
    return error.value.http


def test_an_episode_is_as_it_was_kept(store: EpisodeStore) -> None:
    episode = store.add("a", OPENING, RULES)
    state = EpisodeState((0.5, 0.25), "abc", "a service is gone", done=False)
    store.put(store.get("a", episode.id), state)
    again = store.get("a", episode.id)
    assert (again.state, again.rules, again.opening) == (state, RULES, OPENING)


def test_names_cannot_be_guessed_and_differ(store: EpisodeStore) -> None:
    names = {store.add(owner, OPENING, RULES).id for owner in "aabb"}
    assert len(names) == 4
    assert {len(name) for name in names} == {32}


def test_an_episode_of_another_caller_is_as_one_that_does_not_exist(store: EpisodeStore) -> None:
    episode = store.add("a", OPENING, RULES)
    with pytest.raises(GatewayError) as foreign:
        store.get("b", episode.id)
    with pytest.raises(GatewayError) as missing:
        store.get("b", "x" * 32)
    assert (status_of(foreign), foreign.value.message) == (status_of(missing), missing.value.message)
    with pytest.raises(GatewayError):
        store.remove("b", episode.id)
    assert store.get("a", episode.id) == episode


@pytest.mark.parametrize("name", ["", ".", "../secret", "a/b", "x" * 31, "x" * 33, "é" * 32, "\0" * 32])
def test_what_is_no_name_reads_no_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.json").write_bytes(StoredEpisode("secret", "a", 9e9, OPENING, RULES).to_json())
    store = EpisodeStore(BOUNDS, open_storage(tmp_path / "store"))
    with pytest.raises(GatewayError) as error:
        store.get("a", name)
    assert status_of(error) == 404


def test_a_caller_has_no_more_than_its_number_and_others_still_have_theirs(
    store: EpisodeStore, clock: Clock
) -> None:
    first = store.add("a", OPENING, RULES)
    clock.now += 50
    store.add("a", OPENING, RULES)
    with pytest.raises(GatewayError, match="2 episodes of yours are open") as error:
        store.add("a", OPENING, RULES)
    assert (status_of(error), error.value.retry_after_seconds) == (429, 10.0)
    store.add("b", OPENING, RULES)
    store.remove("a", first.id)
    store.add("a", OPENING, RULES)


def test_all_callers_have_no_more_than_the_number_of_all(store: EpisodeStore) -> None:
    for owner in "aabb":
        store.add(owner, OPENING, RULES)
    with pytest.raises(GatewayError) as error:
        store.add("c", OPENING, RULES)
    assert status_of(error) == 429


def test_bytes_are_bounded_for_one_episode_for_a_caller_and_for_all(clock: Clock) -> None:
    store = EpisodeStore(replace(BOUNDS, count=100, each=100, size=10_000), clock=clock)
    large = {"items": [{"reference": "x" * 3000}]}
    with pytest.raises(GatewayError) as error:
        store.add("a", {"items": [{"reference": "x" * 5000}]}, RULES)
    assert status_of(error) == 413
    store.add("a", large, RULES)
    with pytest.raises(GatewayError) as error:
        store.add("a", large, RULES)
    assert status_of(error) == 429
    store.add("b", large, RULES)
    store.add("c", large, RULES)
    with pytest.raises(GatewayError) as error:
        store.add("d", large, RULES)
    assert status_of(error) == 429


def test_an_episode_is_gone_after_its_time_and_use_begins_it_anew(store: EpisodeStore, clock: Clock) -> None:
    episode = store.add("a", OPENING, RULES)
    clock.now += 59
    store.put(store.get("a", episode.id), EpisodeState((0.5,)))
    clock.now += 59
    assert store.get("a", episode.id).state.rewards == (0.5,)
    clock.now += 1
    with pytest.raises(GatewayError) as error:
        store.get("a", episode.id)
    assert status_of(error) == 404
    for _ in range(2):
        store.add("a", OPENING, RULES)


def test_a_step_is_alone_and_an_end_waits_for_it(store: EpisodeStore) -> None:
    episode = store.add("a", OPENING, RULES)
    with store.alone(episode.id):
        for use in (lambda: store.alone(episode.id).__enter__(), lambda: store.remove("a", episode.id)):
            with pytest.raises(GatewayError, match="under way") as error:
                use()
            assert status_of(error) == 409
    store.remove("a", episode.id)
    with pytest.raises(GatewayError):
        store.put(episode, EpisodeState())


@pytest.mark.parametrize("where", ["folder", "url"])
def test_episodes_in_a_store_outlive_the_gateway_with_their_time_and_bounds(
    tmp_path: Path, clock: Clock, where: str
) -> None:
    place = tmp_path / "store" if where == "folder" else f"file://{tmp_path}/store"
    before = EpisodeStore(BOUNDS, open_storage(place), clock)
    episode, other = before.add("a", OPENING, RULES), before.add("a", OPENING, RULES)
    before.put(episode, EpisodeState((0.5,)))
    clock.now += 30
    after = EpisodeStore(BOUNDS, open_storage(place), clock)
    assert after.get("a", episode.id).state.rewards == (0.5,)
    with pytest.raises(GatewayError) as error:
        after.add("a", OPENING, RULES)
    assert status_of(error) == 429
    with pytest.raises(GatewayError):
        after.get("b", other.id)
    clock.now += 31
    assert len(after.add("a", OPENING, RULES).id) == 32
    assert {one.name for one in (tmp_path / "store").glob("*.json")}.isdisjoint({f"{episode.id}.json"})


def test_gateways_with_one_store_see_the_steps_of_each_other(tmp_path: Path, clock: Clock) -> None:
    one, other = (EpisodeStore(BOUNDS, open_storage(tmp_path), clock) for _ in range(2))
    episode = one.add("a", OPENING, RULES)
    other.put(other.get("a", episode.id), EpisodeState((0.5,)))
    clock.now += 59
    other.put(other.get("a", episode.id), EpisodeState((0.5, 0.75)))
    clock.now += 59  # later than what the first has noted
    one.add("b", OPENING, RULES)
    assert one.get("a", episode.id).state.rewards == (0.5, 0.75)


def test_a_damaged_file_of_a_store_is_no_episode(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / ("x" * 32 + ".json")).write_text('{"id": 1}')
    (tmp_path / ("y" * 32 + ".json")).write_text("[")
    store = EpisodeStore(BOUNDS, open_storage(tmp_path))
    assert len(caplog.messages) == 2
    with pytest.raises(GatewayError) as error:
        store.get("a", "x" * 32)
    assert status_of(error) == 404
