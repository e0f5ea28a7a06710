"""Everything renders, and what Kubernetes itself defines has the form that it asks for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import kubernetes_validate
import pytest

from i2s_client.service_table import RENDERERS

KUBERNETES = Path(__file__).resolve().parents[3] / "deploy" / "kubernetes"
OLDEST, NEWEST = "1.30", "1.36"

#: Folders that only others name: both Jobs the first, base the others.
PARTS = {
    "large-run/run",
    "renderer",
    "base/documents",
    *(f"base/{name}" for name in RENDERERS),
}

#: Groups whose schemas do not come with Kubernetes.
FOREIGN = ("cert-manager.io", "monitoring.coreos.com", "keda.sh")


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.slow
def test_every_object_fits_the_schema(everything, version):
    distinct = {json.dumps(one): one for rendered in everything for one in rendered.objects}
    for one in distinct.values():
        if not one["apiVersion"].startswith(FOREIGN):
            kubernetes_validate.validate(one, version, strict=True)


def test_a_misspelt_field_does_not_fit(base):
    broken = dict(base.of("Deployment")["metrics"])
    broken["spec"] = {**broken["spec"], "replica": 2}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, NEWEST, strict=True)


def test_every_object_has_a_name_of_its_own_and_the_same_namespace(variant):
    keys = [(one["kind"], one["metadata"]["name"]) for one in variant.objects]
    assert len(keys) == len(set(keys))
    spaces = {one["metadata"].get("namespace") for one in variant.objects if one["kind"] != "Namespace"}
    assert spaces == {"image2struct"}


def test_images_name_no_registry(variant):
    for name, container in variant.containers():
        assert re.fullmatch(r"i2s-[a-z-]+(:latest)?", container["image"]), name


def test_every_folder_is_tried_here(everything):
    """A change of each kustomization is seen by some variant, because each is in one."""
    folders = {str(path.parent.relative_to(KUBERNETES)) for path in KUBERNETES.rglob("kustomization.yaml")}
    tried = {folder for one in everything for folder in one.folders}
    assert folders - tried == PARTS
