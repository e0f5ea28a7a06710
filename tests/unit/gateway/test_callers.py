"""Callers: credentials name the same one however they are written, and an address bounds invented ones."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image
from starlette.requests import Request

from i2s_gateway.callers import Caller, caller_of
from i2s_gateway.episode_store import EpisodeBounds, EpisodeStore
from i2s_gateway.fair_slots import Places
from i2s_gateway.guard import GatewayError
from i2s_gateway.references import References
from i2s_training.episode import EpisodeRules
from served_rewards import rewards_of


def called_with(authorization: str | None, address: str = "10.0.0.1") -> Caller:
    headers = [] if authorization is None else [(b"authorization", authorization.encode())]
    return caller_of(Request({"type": "http", "headers": headers, "client": (address, 1)}))


@pytest.mark.parametrize("written", ["bearer T", "BEARER T", "Bearer  T", "Bearer T ", "bearer   T"])
def test_a_token_is_one_caller_however_it_is_written(written: str) -> None:
    assert called_with(written).key == called_with("Bearer T").key
    assert called_with(written).authorization == written


def test_a_token_is_one_caller_wherever_it_calls_from() -> None:
    assert called_with("Bearer T", "10.0.0.2").key == called_with("Bearer T").key
    assert len({called_with(one).key for one in ("Bearer T", "Bearer t", "Basic T", None)}) == 4
    assert called_with(None, "10.0.0.2").key != called_with(None).key


def test_invented_callers_of_one_address_leave_places_to_others() -> None:
    places = Places(9, 900)
    with places.held(Caller("a", "here"), 3, 300), places.held(Caller("b", "here"), 3, 300):
        for number in range(3):
            with (
                pytest.raises(GatewayError) as sent_away,
                places.held(Caller(f"invented {number}", "here"), 1, 1),
            ):
                pass
            assert sent_away.value.http == 429
        with places.held(Caller("c", "there"), 1, 1):
            assert places.taken == 7
    assert places.taken == 0


def test_uploads_of_invented_callers_do_not_push_out_those_of_another_address() -> None:
    references = References(100)
    honest = Caller("honest", "there")
    (digest,) = references.add(honest, [b"h" * 40])
    for number in range(50):
        references.add(Caller(f"invented {number}", "here"), [bytes([number]) * 10])
    assert references.get(honest, digest) == b"h" * 40


def test_episodes_of_invented_callers_leave_some_to_another_address() -> None:
    store = EpisodeStore(EpisodeBounds(count=9, each=9, size=9000, seconds=60))
    for number in range(6):
        store.add(f"invented {number}", {}, EpisodeRules(), "here")
    with pytest.raises(GatewayError) as sent_away:
        store.add("invented", {}, EpisodeRules(), "here")
    assert sent_away.value.http == 429
    assert store.add("honest", {}, EpisodeRules(), "there").owner == "honest"


async def test_nothing_is_kept_while_no_service_says_that_it_knows_the_caller() -> None:
    file = io.BytesIO()
    Image.linear_gradient("L").save(file, "PNG")
    image = base64.b64encode(file.getvalue()).decode()
    async with rewards_of(dict.fromkeys(("render-python", "render-latex"), "127.0.0.1:1")) as client:
        answer = await client.post("/v1/references", json={"references": [{"image": image}]})
    assert (answer.status_code, answer.json()["error"]["status"]) == (503, "UNAVAILABLE")
    assert "Retry-After" in answer.headers
