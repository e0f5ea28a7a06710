"""The workflow of releases runs scripts that there are, and its jobs have the rights that they need alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

WORKFLOW = Path(__file__).resolve().parents[3] / ".github/workflows/release.yml"
#: Rights with which something is published; a signature of a package is not.
PUBLISHES = {"packages", "contents"}


@pytest.fixture(scope="module")
def workflow() -> dict[str, Any]:
    return yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))


def jobs_before(jobs: dict[str, Any], name: str) -> set[str]:
    """Names of the jobs that must have succeeded before one begins."""
    needs = jobs[name].get("needs", [])
    direct = {needs} if isinstance(needs, str) else set(needs)
    return direct.union(*(jobs_before(jobs, one) for one in direct))


def test_every_job_states_its_rights_and_none_has_a_secret(workflow):
    assert workflow["permissions"] == {}
    assert all("permissions" in job for job in workflow["jobs"].values())
    assert "secrets." not in WORKFLOW.read_text(encoding="utf-8")


def test_what_builds_and_tries_can_publish_and_sign_nothing(workflow):
    for name in ("build", "try", "compare"):
        assert "write" not in workflow["jobs"][name]["permissions"].values(), name


def test_nothing_is_published_that_was_not_tried_nor_without_a_tag(workflow):
    jobs = workflow["jobs"]
    publishing = {
        name
        for name, job in jobs.items()
        if PUBLISHES & {right for right, level in job["permissions"].items() if level == "write"}
        or any("gh-action-pypi-publish" in step.get("uses", "") for step in job["steps"])
    }
    assert publishing == {"testpypi", "pypi", "images", "provenance", "docs"}
    for name in publishing:
        before = jobs_before(jobs, name)
        assert {"build", "try", "attest"} <= before, name
        assert "environment" in jobs[name] or "images" in before, name
    assert jobs["attest"]["if"] == "github.ref_type == 'tag'"
    assert {"testpypi", "compare"} <= jobs_before(jobs, "pypi")


def test_every_file_that_it_names_is_in_the_repository(root, workflow):
    commands = " ".join(step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"])
    named = set(re.findall(r"\b(?:scripts|deploy|requirements)/[\w./-]+", commands))
    assert {"scripts/wheels", "deploy/images/publish", "requirements/publish.txt"} <= named
    assert {name for name in named if not (root / name).is_file()} == set()
