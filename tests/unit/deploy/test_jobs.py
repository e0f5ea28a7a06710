"""Jobs of a large run: which exit codes end them, and how their end is noticed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from i2s_sdk.cli.main import BELOW_COVERAGE, FAULT, IN_USE, USAGE
from i2s_sdk.errors import InUseError, StoreError, StoreRefusedError, UsageError, WriteError
from i2s_sdk.settings import Settings

WAIT = Path(__file__).resolve().parents[3] / "deploy" / "kubernetes" / "wait-for-job"
JOBS = ("evaluate", "merge")
DAY = 24 * 3600


def action(rendered, job, code):
    """What the Job does with a pod that ends with an exit code; Count is what it does without a rule."""
    for rule in rendered.of("Job")[job]["spec"]["podFailurePolicy"]["rules"]:
        on = rule.get("onExitCodes")
        if on is not None and on["operator"] == "In" and code in on["values"]:
            assert on["containerName"] == "sdk"
            return rule["action"]
    return "Count"


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("error", [UsageError, StoreRefusedError, WriteError])
def test_what_no_attempt_can_help_fails_the_job_at_once(job, error, render):
    assert error.exit_code == USAGE
    assert action(render(job), job, error.exit_code) == "FailJob"


@pytest.mark.parametrize("job", JOBS)
def test_a_run_of_another_process_is_waited_for_and_is_no_failed_attempt(job, render):
    assert InUseError.exit_code == IN_USE
    assert action(render(job), job, InUseError.exit_code) == "Ignore"
    (config,) = render(job).of("ConfigMap").values()
    environment = {name: value for name, value in config["data"].items() if name.startswith("I2S_")}
    settings = Settings.load(environ=environment)
    assert settings.lock_seconds > settings.lease_seconds
    grace = render(job).of("Job")[job]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    assert settings.lock_seconds > grace


@pytest.mark.parametrize("job", JOBS)
def test_a_fault_is_tried_again_a_bounded_number_of_times(job, render):
    assert StoreError.exit_code == FAULT
    assert action(render(job), job, FAULT) == "Count"
    spec = render(job).of("Job")[job]["spec"]
    assert 0 < spec.get("backoffLimitPerIndex", spec.get("backoffLimit")) <= 5


def test_samples_without_a_score_are_tried_again_by_evaluate_and_by_no_merge(render):
    assert action(render("evaluate"), "evaluate", BELOW_COVERAGE) == "Count"
    assert action(render("merge"), "merge", BELOW_COVERAGE) == "FailJob"


@pytest.mark.parametrize("job", JOBS)
def test_an_evicted_pod_is_no_failed_attempt(job, render):
    rules = render(job).of("Job")[job]["spec"]["podFailurePolicy"]["rules"]
    assert {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]} in rules


@pytest.mark.parametrize("job", JOBS)
def test_a_job_ends_at_some_time_and_leaves_what_it_was_for_a_while(job, render):
    spec = render(job).of("Job")[job]["spec"]
    assert 3600 <= spec["activeDeadlineSeconds"] <= 30 * DAY
    assert DAY <= spec["ttlSecondsAfterFinished"] <= 30 * DAY


@pytest.fixture
def wait(tmp_path):
    """Run wait-for-job with a kubectl that prints one file after the other, and the last one for ever."""
    program = tmp_path / "kubectl"
    program.write_text(
        "#!/bin/sh\n"
        f'cd {tmp_path}\nprintf "%s\\n" "$*" >>calls\n'
        'case "$*" in *" logs "*) echo "[pod/x/sdk] error: no such bucket"; exit ;; esac\n'
        'file=$(ls answers | head -1); cat "answers/$file"; code=$(cat code 2>/dev/null || echo 0)\n'
        '[ "$(ls answers | wc -l)" = 1 ] || rm "answers/$file"\nexit "$code"\n'
    )
    program.chmod(0o755)
    (tmp_path / "answers").mkdir()

    def run(*arguments, answers=("",), code=0):
        (tmp_path / "code").write_text(str(code))
        for number, text in enumerate(answers):
            (tmp_path / "answers" / str(number)).write_text(text)
        environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "I2S_WAIT_PAUSE": "0"}
        return subprocess.run(
            [WAIT, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=60
        )

    return run


def test_a_complete_job_ends_the_wait(wait):
    ended = wait("evaluate", answers=["", "SuccessCriteriaMet: CompletionsReached \n", "Complete:  \n"])
    assert (ended.returncode, ended.stdout) == (0, "job evaluate is complete\n")


def test_a_failed_job_ends_the_wait_with_its_reason_and_the_last_line_of_its_pods(wait):
    reason = "Failed: PodFailurePolicy Container sdk exited with code 2\n"
    ended = wait("evaluate", answers=["", "FailureTarget: PodFailurePolicy \n", reason])
    assert ended.returncode == 1
    assert reason in ended.stderr
    assert "error: no such bucket" in ended.stderr


def test_a_job_that_does_not_end_ends_the_wait_after_its_time(wait):
    ended = wait("evaluate", "0")
    assert (ended.returncode, ended.stderr) == (3, "job evaluate has not ended after 0 s\n")


def test_a_kubectl_that_fails_ends_the_wait(wait, tmp_path):
    assert wait("evaluate", code=1).returncode == 4
    assert (tmp_path / "calls").read_text().count(" get job evaluate ") == 10


@pytest.mark.parametrize("arguments", [(), ("evaluate", "soon")])
def test_wrong_usage_is_named(wait, arguments):
    ended = wait(*arguments)
    assert ended.returncode == 2
    assert ended.stderr.startswith("usage: ")
