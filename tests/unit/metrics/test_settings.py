import subprocess
import sys

import pytest

from i2s_chassis.errors import ServiceSettingsError
from i2s_chassis.limits import DEFAULT_LIMITS
from i2s_metrics.settings import MetricsSettings


def test_defaults_are_complete():
    settings = MetricsSettings.load({})
    assert settings.listen == "127.0.0.1:7740"
    assert 2 * settings.max_image_bytes < settings.max_request_bytes


def test_what_a_renderer_delivers_by_default_is_taken():
    settings = MetricsSettings.load({})
    assert settings.max_image_pixels >= DEFAULT_LIMITS.pixels
    assert settings.max_image_bytes >= DEFAULT_LIMITS.picture_bytes


def test_a_request_must_hold_two_pictures():
    with pytest.raises(ServiceSettingsError, match="does not hold two pictures of --max-image-bytes 1048576"):
        MetricsSettings.load({"max_image_bytes": "1MiB", "max_request_bytes": "2MiB"})


def test_more_pixels_than_pillow_reads_cannot_be_allowed():
    with pytest.raises(ServiceSettingsError, match=r"max.image.pixels"):
        MetricsSettings.load({"max_image_pixels": "200000000"})


def test_help_imports_nothing_heavy():
    program = (
        "import sys; import i2s_metrics.__main__\n"
        "print({'numpy', 'PIL', 'ot', 'skimage', 'grpc', 'torch'} & set(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert shown.stdout.strip() == "set()"


@pytest.mark.slow
def test_the_service_itself_never_imports_torch():
    program = "import sys; import i2s_metrics.service, i2s_metrics.worker; print('torch' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert shown.stdout.strip() == "False"


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:x", "CPU"])
def test_devices_are_named_as_torch_names_them(device):
    with pytest.raises(ServiceSettingsError, match="device"):
        MetricsSettings.load({"device": device})


def test_weights_are_looked_for_in_the_cache_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("TORCH_HOME", raising=False)
    settings = MetricsSettings.load({})
    assert settings.weights_dir == tmp_path / "i2s" / "weights"
    assert settings.hub_dir == tmp_path / "torch" / "hub"
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "elsewhere"))
    assert MetricsSettings.load({}).hub_dir == tmp_path / "elsewhere" / "hub"
