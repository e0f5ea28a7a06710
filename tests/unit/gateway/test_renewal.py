"""Certificates that are renewed while a gateway serves."""

import asyncio
import shutil
import ssl
import subprocess

import httpx
import pytest

from i2s_gateway import renewal
from served_gateway import served


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Folders with certificates that differ."""
    folders = [tmp_path_factory.mktemp(name) for name in ("first", "second")]
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for folder in folders:
        files = ("-keyout", folder / "tls.key", "-out", folder / "tls.crt")
        command = ["openssl", "req", "-x509", *curve, *files, "-subj", f"/CN={folder.name}"]
        subprocess.run(command, check=True, capture_output=True)
    return folders


async def shown(url):
    """The certificate that the gateway shows to a new connection."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    address = httpx.URL(url)
    _, writer = await asyncio.open_connection(address.host, address.port, ssl=context)
    certificate = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return ssl.DER_cert_to_PEM_cert(certificate).strip()


async def test_callers_see_a_renewed_certificate_once_its_key_is_there_too(
    pairs, tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(renewal, "LOOK_EVERY", 0.01)
    first, second = ((folder / "tls.crt").read_text().strip() for folder in pairs)
    certificate, key = (shutil.copy(pairs[0] / name, tmp_path) for name in ("tls.crt", "tls.key"))
    async with served({}, certificate=tmp_path / "tls.crt", key=tmp_path / "tls.key") as url:
        assert await shown(url) == first
        shutil.copy(pairs[1] / "tls.crt", certificate)
        while "cannot be used yet" not in caplog.text:
            await asyncio.sleep(0.01)
        assert await shown(url) == first
        shutil.copy(pairs[1] / "tls.key", key)
        while await shown(url) != second:
            await asyncio.sleep(0.01)


async def test_files_that_stay_as_they_are_are_not_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(renewal, "LOOK_EVERY", 0.01)
    read, file = asyncio.Event(), tmp_path / "tls.crt"
    async with renewal.watched((file, None), read.set):
        await asyncio.sleep(0.05)
        assert not read.is_set()
        file.touch()
        await read.wait()
