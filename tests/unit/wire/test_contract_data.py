"""The contract as data: what the package was built with is what the stubs were made of."""

from __future__ import annotations

import pytest

from i2s.documents.v1 import documents_pb2
from i2s.metrics.v1 import metrics_pb2
from i2s.render.v1 import render_pb2
from i2s_wire.contract import contract


@pytest.mark.parametrize("module", [render_pb2, metrics_pb2, documents_pb2])
def test_messages_are_those_of_the_stubs(module):
    for name, descriptor in module.DESCRIPTOR.message_types_by_name.items():
        found = contract().message(descriptor.full_name)
        assert [(field.name, field.number) for field in found.fields] == [
            (field.name, field.number) for field in descriptor.fields
        ], name


def test_a_method_has_classes_that_travel():
    method = contract().method("i2s.render.v1.RenderService", "Render")
    assert method.path == "/i2s.render.v1.RenderService/Render"
    sent = method.request(id="7").SerializeToString()
    assert render_pb2.RenderRequest.FromString(sent).id == "7"


def test_what_is_not_there_is_a_key_error():
    for look in (
        lambda: contract().service("i2s.render.v1.Nothing"),
        lambda: contract().message("i2s.render.v1.Nothing"),
        lambda: contract().method("i2s.render.v1.RenderService", "Nothing"),
    ):
        with pytest.raises(KeyError):
            look()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("i2s.render.v1.RenderService.Render", "Renders one source."),
        ("i2s.render.v1.RenderRequest.id", "Chosen by the caller"),
        ("i2s.render.v1.Verdict", "How a render ended."),
        ("i2s.render.v1.Verdict.VERDICT_RENDERED", "A picture, and no complaint."),
        ("i2s.metrics.v1.MetricService", ""),
    ],
)
def test_comments_are_found_by_full_names(name, said):
    assert contract().comments.get(name, "").startswith(said)


def test_every_message_field_and_method_that_the_files_explain_has_its_comment():
    assert len(contract().comments) > 300
