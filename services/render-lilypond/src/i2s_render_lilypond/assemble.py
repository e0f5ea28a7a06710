"""Bring up an engine with the warm processes that can be had here."""

from __future__ import annotations

import functools
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from i2s_chassis.errors import WarmError
from i2s_chassis.jail import Jail
from i2s_chassis.server.telemetry import Telemetry
from i2s_chassis.warm.pool import WarmPool
from i2s_chassis.warm.program import WarmSettings
from i2s_render_lilypond.converter import open_converter
from i2s_render_lilypond.engine import EngineSettings, LilypondEngine
from i2s_render_lilypond.installation import Installation
from i2s_render_lilypond.zygote import open_zygote

_STARTS = {"zygote": open_zygote, "converter": open_converter}
_log = logging.getLogger(__name__)


@asynccontextmanager
async def open_engine(
    jail: Jail,
    installation: Installation,
    settings: EngineSettings,
    warm: WarmSettings | None,
    *,
    must_be_warm: bool = False,
    slots: int = 1,
    telemetry: Telemetry | None = None,
) -> AsyncIterator[LilypondEngine]:
    """Give an engine; its processes end with the context.

    Args:
        jail: The jail that jobs run in.
        installation: What pictures are made with.
        settings: Settings of the engine.
        warm: Settings of warm processes; None starts every process anew.
        must_be_warm: Fail if there can be no zygote, instead of doing without.
        slots: Jobs at the same time.
        telemetry: The metrics that count warm processes.

    Raises:
        WarmError: There can be no zygote here, and there must be.
        JailError: A fault of the jail.
    """
    pools: dict[str, WarmPool] = {}
    async with AsyncExitStack() as stack:
        for kind, start in _STARTS.items():
            if warm is None:
                continue
            opener = functools.partial(start, jail, installation, warm)
            pool = WarmPool(kind, opener, warm, slots=slots, telemetry=telemetry)
            try:
                pools[kind] = await stack.enter_async_context(pool.open())
            except WarmError as error:
                if must_be_warm and kind == "zygote":
                    raise
                if telemetry is not None:
                    telemetry.self_test_failure(kind)
                _log.warning("no warm process", extra={"fields": {"kind": kind, "reason": str(error)}})
        yield LilypondEngine(
            settings, jail, installation, zygotes=pools.get("zygote"), converters=pools.get("converter")
        )
