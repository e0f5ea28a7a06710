"""The description of a published data set in the format Croissant 1.0, which machines read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from i2s_collect.publishing.published_rows import COLUMNS

_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(
    name: str, description: str, published: str, version: str, files: Mapping[str, tuple[str, str, int]]
) -> dict[str, Any]:
    """Return the description.

    Args:
        name: Name of the data set.
        description: A sentence.
        published: Day of publication, as 2026-11-30.
        version: Version, such as 1.0.0.
        files: Files of each subset: path of the Parquet file, its SHA-256 and its size in bytes.
    """
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": name,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "description": description,
        "datePublished": published,
        "version": version,
        "license": "other",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": subset,
                "name": subset,
                "contentUrl": path,
                "contentSize": f"{size} B",
                "encodingFormat": "application/x-parquet",
                "sha256": digest,
            }
            for subset, (path, digest, size) in files.items()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": f"{subset}-instances",
                "name": f"{subset}-instances",
                "field": [_field(subset, column) for column in COLUMNS],
            }
            for subset in files
        ],
    }


def _field(subset: str, column: str) -> dict[str, Any]:
    source: dict[str, Any] = {"fileObject": {"@id": subset}, "extract": {"column": column}}
    if column == "image":
        source["transform"] = {"jsonPath": "bytes"}
    return {
        "@type": "cr:Field",
        "@id": f"{subset}-instances/{column}",
        "name": column,
        "dataType": "sc:ImageObject" if column == "image" else "sc:Text",
        "source": source,
    }
