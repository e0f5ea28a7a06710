"""The command line as a user meets it."""

import json
import os
import signal

import pytest

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["serve", "--slot", "3"], ["--slot", "did you mean --slots"]),
        (["serve", "--slots", "many"], ["--slots", "I2S_ECHO_SLOTS"]),
        (["serve", "--slots", "0"], ["--slots", "greater than or equal to 1"]),
        (["serve", "--slots"], ["--slots"]),
        (["serve", "--listen", "0.0.0.0:0"], ["--listen 0.0.0.0:0", "--tls-cert", "--insecure"]),
        (["serve", "--listen", "[::]:0"], ["--listen [::]:0", "--insecure"]),
        (["serve", "--listen", "nowhere"], ["--listen", "host:port"]),
        (["serve", "--tls-cert", "a.pem"], ["--tls-cert", "--tls-key"]),
        (["serve", "--limit-cpu-seconds", "500"], ["cpu_seconds", "500", "maximum 120"]),
        (["serve", "--limit-memory-bytes", "2 big"], ["memory_bytes", "512MiB"]),
        (["serve", "--reflection", "maybe"], ["--reflection", "auto"]),
        (["serve", "--config", "/nowhere.toml"], ["--config /nowhere.toml", "no such file"]),
        (["bake"], ["bake", "serve"]),
        ([], ["serve"]),
    ],
)
async def test_mistake_of_a_user_is_one_line_and_exit_code_2(command, arguments, names):
    code, out, error = await command(*arguments)
    assert (code, out, error.count("\n")) == (2, "", 1)
    for name in names:
        assert name in error


async def test_missing_engine_is_one_line_and_exit_code_1(command):
    code, _, error = await command(
        "serve", "--engine", "missing", "--listen", "127.0.0.1:0", "--log-level", "error"
    )
    assert code == 1
    assert error == "echo: the echo engine is not installed; install the package echo-engine\n"


async def test_a_start_that_something_outside_disturbs_each_time_ends_with_the_reason(command):
    code, _, error = await command("serve", "--kills", "3", "--listen", "127.0.0.1:0", "--log-level", "error")
    assert (code, error) == (os.EX_TEMPFAIL, "echo: the echo engine does not start\n")


async def test_print_config_shows_what_is_in_force_and_hides_secrets(command, tmp_path):
    file = tmp_path / "echo.toml"
    file.write_text("slots = 3\nqueue = 5\n[limit]\ncpu_seconds = 7\nmemory_bytes = '512MiB'\n")
    code, out, _ = await command(
        *("serve", "--config", str(file), "--queue", "9", "--token", "hidden", "--print-config"),
        I2S_ECHO_QUEUE="8",
        I2S_ECHO_LIMIT_PAGES="4",
    )
    config = json.loads(out)
    assert code == 0
    assert (config["slots"], config["queue"], config["listen"]) == (3, 9, "127.0.0.1:7790")
    assert config["limit"] == {**config["limit"], "cpu_seconds": 7.0, "memory_bytes": 512 << 20, "pages": 4}
    assert "hidden" not in out


async def test_help_shows_options_variables_and_examples(command):
    code, out, _ = await command("serve", "--help")
    assert code == 0
    for words in (
        "--drain-seconds",
        "I2S_ECHO_DRAIN_SECONDS",
        "--limit-cpu-seconds",
        "examples:",
        "echo serve",
    ):
        assert words in out


async def test_address_that_is_not_loopback_is_served_with_insecure(start):
    async with start("--listen", "0.0.0.0:0", "--insecure") as echo:
        assert echo.addresses["address"].startswith("0.0.0.0:")
        assert (await echo.one("say hello")).value == "hello"
        echo.process.send_signal(signal.SIGTERM)
        assert await echo.ended() == 0
