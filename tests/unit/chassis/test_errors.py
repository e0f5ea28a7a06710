import inspect

import grpc

from i2s_chassis import errors
from i2s_chassis.errors import CallError, InternalError, InvalidArgumentError, Status


def test_statuses_are_those_of_grpc():
    for status in Status:
        assert grpc.StatusCode[status.name].value[0] == status


def test_docstring_draws_the_whole_tree():
    classes = [item for _, item in inspect.getmembers(errors, inspect.isclass) if issubclass(item, Exception)]
    assert all(item.__name__ in errors.__doc__ for item in classes)


def test_every_call_error_has_a_status_of_its_own():
    statuses = [kind.status for kind in CallError.__subclasses__()]
    assert len(set(statuses)) == len(statuses)
    assert Status.UNKNOWN not in statuses


def test_invalid_argument_names_the_field():
    assert (
        InvalidArgumentError("options.page.dpi", "must be above 0").message
        == "options.page.dpi: must be above 0"
    )


def test_internal_error_tells_its_id_and_nothing_else():
    assert "abc123" in InternalError("abc123").message
