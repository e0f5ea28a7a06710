"""The alerts fire when they must, and not otherwise: promtool's tests in alerts.test.yaml."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
RULES = ROOT / "deploy/kubernetes/components/monitoring/alerts.yaml"
TESTS = Path(__file__).with_name("alerts.test.yaml")
FETCHED = ROOT / ".i2s/promtool"


@pytest.fixture(scope="module")
def promtool() -> str:
    found = shutil.which("promtool", path=str(FETCHED)) or shutil.which("promtool")
    if found is None:
        missing = FETCHED / "missing"
        reason = missing.read_text().strip() if missing.exists() else "scripts/promtool has not fetched it"
        pytest.skip(f"ALERTS NOT TESTED: no promtool: {reason}")
    return found


@pytest.fixture
def spec() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(RULES.read_text())["spec"]
    return found


def rules_of(spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {rule["alert"]: rule for group in spec["groups"] for rule in group["rules"]}


def run(promtool: str, folder: Path, spec: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    """Have promtool try rules with the tests."""
    (folder / "rules.yaml").write_text(yaml.safe_dump(spec))
    shutil.copy(TESTS, folder)
    command = [promtool, "test", "rules", TESTS.name]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_rules_are_valid(promtool, spec, tmp_path):
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(spec))
    checked = subprocess.run(
        [promtool, "check", "rules", "rules.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    assert f"{len(rules_of(spec))} rules found" in checked.stdout


@pytest.mark.slow
def test_alerts_fire_when_they_must_and_not_otherwise(promtool, spec, tmp_path):
    tried = run(promtool, tmp_path, spec)
    assert tried.returncode == 0, tried.stdout + tried.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("alert", "expression"),
    [
        ("Image2structServiceDown", 'sum by (namespace, service) (up{service=~"metrics|render-latex"}) == 0'),
        ("Image2structSelfTestFailed", "increase(i2s_self_test_failures_total[15m]) > 0"),
        ("Image2structSlotsFull", "vector(0) > 1"),
        ("Image2structMemoryFull", "max by (namespace, service) (i2s_memory_bytes) > 0"),
    ],
)
def test_a_rule_that_is_wrong_is_found(promtool, spec, tmp_path, alert, expression):
    rules_of(spec)[alert]["expr"] = expression
    tried = run(promtool, tmp_path, spec)
    assert tried.returncode != 0
    assert alert in tried.stdout + tried.stderr


def test_each_alert_is_seen_firing_and_silent(spec):
    asked = [one for group in yaml.safe_load(TESTS.read_text())["tests"] for one in group["alert_rule_test"]]
    for alert in rules_of(spec):
        of_it = [bool(one.get("exp_alerts")) for one in asked if one["alertname"] == alert]
        assert set(of_it) == {True, False}, alert
