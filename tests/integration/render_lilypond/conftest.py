"""A running engine with real LilyPond, a real jail and warm processes."""

import pytest
import pytest_asyncio

from i2s_chassis.jail import Jail, JailSettings
from i2s_render_lilypond.engine import open_engine
from i2s_render_lilypond.installation import find_installation
from i2s_render_lilypond.settings import LilypondSettings

LIMITS = LilypondSettings().limit_table().default


@pytest.fixture(scope="session")
def installation():
    return find_installation()


@pytest.fixture(scope="session")
def limits():
    return LIMITS


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def jail():
    jail = await Jail.start(JailSettings())
    yield jail
    await jail.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def engine(jail, installation):
    async with open_engine(jail, installation, LilypondSettings(warm="zygote", warm_spare=0)) as engine:
        yield engine
