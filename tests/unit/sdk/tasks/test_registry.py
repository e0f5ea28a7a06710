import pytest

from i2s_sdk.errors import UnknownNameError
from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.metrics import image_metrics, metrics_of
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import SPECS, TASKS, open_task, task_spec
from i2s_sdk.tasks.spec import TaskSpec
from i2s_sdk.tasks.structure import Structure
from i2s_sdk.tasks.webpage import SiteStructure
from i2s_wire.metrics.profile import Profile


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("profile", Profile)
def test_every_task_opens_with_every_profile(name: str, profile: Profile) -> None:
    task = open_task(name, profile)
    assert (task.name, task.profile) == (name, profile)
    metrics = [metric.name for metric in metrics_of(task)]
    spec = task_spec(name)
    main = next(
        (average.of[0] for average in spec.averages if average.name == spec.main_metric), spec.main_metric
    )
    assert metrics[0] == ("ems" if image_metrics(task) else main)


WITH_CANARY = [spec for spec in SPECS.values() if spec.canary is not None and spec.structure_suffix]


@pytest.mark.parametrize("spec", WITH_CANARY, ids=lambda spec: spec.name)
def test_the_answer_that_knows_the_truth_is_read_as_that_structure(spec: TaskSpec) -> None:
    site = {"index.html": b"<h1>`Here`</h1>", "picture.png": b"\x89PNG"}
    content = Content(b"", site=site) if spec.structure_is_site else Content(b"", structure=spec.canary.code)
    assert spec.structure_fault(content) == ""
    structure = spec.open(Profile.PAPER).structure_from(spec.answer(content, Question(())))
    assert isinstance(structure, Structure)
    if isinstance(structure, SiteStructure):
        assert structure.files == {"index.html": "<h1>`Here`</h1>"}
    else:
        assert structure.code.strip() == spec.canary.code


def test_an_unknown_task_is_told_what_was_perhaps_meant() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'webpage'"):
        open_task("webpages")
