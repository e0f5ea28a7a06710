"""A software bill of materials, as SPDX 2.3 in JSON: the Debian packages and Python distributions."""

from __future__ import annotations

import datetime
import json
import re
import uuid
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any
from urllib.parse import quote

from finish.debian import DebianPackage, installed_packages

PLACE = Path("opt/i2s/sbom.spdx.json")
_SITE_PACKAGES = ("opt/i2s/venv/lib/python3*/site-packages", "usr/lib/python3/dist-packages")
_UNKNOWN = "NOASSERTION"
_LICENSE = re.compile(r"[A-Za-z0-9.+() -]+")


def write_sbom(root: Path, image: str, created: datetime.datetime) -> None:
    """Write the bill of materials of an image into it.

    Args:
        root: The root file system.
        image: The name of the image.
        created: The time that the document states.
    """
    debian = installed_packages(root).values()
    python = (one for glob in _SITE_PACKAGES for path in sorted(root.glob(glob)) for one in _found(path))
    bill = document(image, debian, python, created)
    path = root / PLACE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(bill, indent=1) + "\n", encoding="utf-8")


def document(
    image: str,
    debian: Iterable[DebianPackage],
    python: Iterable[Distribution],
    created: datetime.datetime,
) -> dict[str, Any]:
    """Return the document: the image, and what it contains.

    Args:
        image: The name of the image.
        debian: Its Debian packages.
        python: Its Python distributions.
        created: The time that the document states.
    """
    parts = [*map(_debian, debian), *map(_python, python)]
    content = json.dumps([image, parts], sort_keys=True)
    whole = {**_package("Image", image, _UNKNOWN, ""), "primaryPackagePurpose": "CONTAINER"}
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": image,
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}",
        "creationInfo": {
            "created": created.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: deploy/images/finish"],
        },
        "packages": [whole, *parts],
        "relationships": [
            _relation("SPDXRef-DOCUMENT", "DESCRIBES", whole),
            *(_relation(whole["SPDXID"], "CONTAINS", part) for part in parts),
        ],
    }


def _found(folder: Path) -> Iterable[Distribution]:
    return sorted(distributions(path=[str(folder)]), key=lambda distribution: distribution.name.lower())


def _debian(package: DebianPackage) -> dict[str, Any]:
    address = f"pkg:deb/debian/{quote(package.name)}@{quote(package.version)}?arch={package.architecture}"
    source = package.source.replace("(", "").replace(")", "")
    return {
        **_package("Debian", package.name, package.version, address),
        "sourceInfo": f"built from the Debian source package {source}",
    }


def _python(distribution: Distribution) -> dict[str, Any]:
    name = re.sub(r"[-_.]+", "-", distribution.name).lower()
    address = f"pkg:pypi/{quote(name)}@{quote(distribution.version)}"
    about = _package("Python", distribution.name, distribution.version, address)
    # This field, unlike the older License, is an expression of SPDX by definition.
    if "License-Expression" in distribution.metadata:
        expression = distribution.metadata["License-Expression"]
        if _LICENSE.fullmatch(expression):
            about["licenseDeclared"] = expression
    return about


def _package(kind: str, name: str, version: str, address: str) -> dict[str, Any]:
    about: dict[str, Any] = {
        "SPDXID": f"SPDXRef-{kind}-{re.sub(r'[^A-Za-z0-9.-]', '-', name.replace('+', 'plus'))}",
        "name": name,
        "versionInfo": version,
        "downloadLocation": _UNKNOWN,
        "filesAnalyzed": False,
        "licenseConcluded": _UNKNOWN,
        "licenseDeclared": _UNKNOWN,
        "copyrightText": _UNKNOWN,
    }
    if address:
        about["externalRefs"] = [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": address,
            }
        ]
    return about


def _relation(element: str, kind: str, other: Mapping[str, Any]) -> dict[str, str]:
    return {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": other["SPDXID"]}
