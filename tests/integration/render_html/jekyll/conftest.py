"""A builder with real Ruby in a real jail, and the plain command to compare it with."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import pytest_asyncio

import i2s_render_html.jekyll
from i2s_chassis.jail import Jail, JailSettings
from i2s_render_html.jekyll import JekyllBuilder, JekyllSettings
from i2s_render_html.jekyll.site import pins

SETTINGS = JekyllSettings(processes=2)
_CODE = Path(i2s_render_html.jekyll.__file__).parent


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def jail():
    jail = await Jail.start(JailSettings(uid_base=24_000 + os.getpid() % 1000 * 16, uid_count=16))
    yield jail
    await jail.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def builder(jail):
    async with JekyllBuilder(jail, SETTINGS) as builder:
        yield builder


@pytest.fixture
def cold(tmp_path):
    """`jekyll build --safe` as a plain command, with the same pins, clock and order of files."""

    def build(files):
        work = tmp_path / str(len(list(tmp_path.iterdir())))
        for name, content in files.items():
            path = work / "site" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for path in (work / "site").rglob("*"):
            os.utime(path, (SETTINGS.epoch, SETTINGS.epoch))
        (work / "pins.yml").write_text(json.dumps(pins(SETTINGS)))
        configuration = ["site/_config.yml"] if "_config.yml" in files else []
        command = ["jekyll", "build", "--safe", "--disable-disk-cache", "-s", "site", "-d", "out"]
        command += ["--config", ",".join([*configuration, "pins.yml"])]
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(work),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "JEKYLL_NO_BUNDLER_REQUIRE": "true",
            "SOURCE_DATE_EPOCH": str(SETTINGS.epoch),
            "RUBYOPT": f"-r{_CODE / 'deterministic.rb'}",
        }
        ended = subprocess.run(
            command, cwd=work, env=environment, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        out = work / "out"
        return {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}

    return build
