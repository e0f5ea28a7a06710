"""Files of ``deploy`` follow from its templates and the renderers, of this project and of other packages."""

import dataclasses
import os
import shutil
import subprocess

import pytest
import yaml

from deployed_renderers import RENDER_DOT
from docker_engine import ROOT
from i2s_client.service_table import RENDERERS
from i2s_sdk.errors import UnknownNameError, UsageError
from i2s_sdk.stack.deployment import chosen_renderers, deployment_files, write_deployment
from i2s_wire.renderer import ContainerLimits
from i2s_wire.renderers import RENDERER_SPECS

DEPLOY = ROOT / "deploy"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with a deployment that has a renderer of another package."""
    folder = tmp_path_factory.mktemp("operations")
    assert write_deployment(folder, (*RENDERER_SPECS, RENDER_DOT)) == folder / "deploy"
    return folder / "deploy"


def compose(folder):
    return yaml.safe_load((folder / "compose/compose.yaml").read_text(encoding="utf-8"))


def test_the_files_of_the_checkout_are_what_the_templates_give():
    files = deployment_files()
    stale = [path for path, text in files.items() if (DEPLOY / path).read_text(encoding="utf-8") != text]
    assert stale == [], "run `make deploy`"
    assert {f"images/{name}.Dockerfile" for name in RENDERERS} < files.keys()


def test_a_renderer_of_another_package_gets_what_renderers_of_this_project_have(written):
    services = compose(written)["services"]
    ours = yaml.safe_dump(services["render-lilypond"])
    for old, new in (("lilypond", "dot"), ("LILYPOND", "DOT"), ("10013", "17791")):
        ours = ours.replace(old, new)
    assert services["render-dot"] == yaml.safe_load(ours)
    assert compose(written)["networks"]["render-dot"] == compose(written)["networks"]["render-lilypond"]
    assert {"7791=render-dot:7791", "9791=render-dot:9090"} <= set(services["proxy"]["command"])
    assert "127.0.0.1:${I2S_RENDER_DOT_PORT:-7791}:7791" in services["proxy"]["ports"]
    for name in ("sdk", "gateway"):
        assert services[name]["environment"]["I2S_OTHER_RENDERERS"] == "render-dot=render-dot:7791"
        assert "render-dot" in services[name]["networks"]
        assert "I2S_RENDER_DOT" not in services[name]["environment"]


def test_the_rest_is_as_in_the_checkout(written):
    before, after = compose(DEPLOY), compose(written)
    joined = ("proxy", "sdk", "gateway")
    assert {
        name: service for name, service in after["services"].items() if name not in ("render-dot", *joined)
    } == {name: service for name, service in before["services"].items() if name not in joined}
    names = {str(path.relative_to(DEPLOY)) for path in DEPLOY.rglob("*") if path.is_file()}
    copied = {str(path.relative_to(written)) for path in written.rglob("*") if path.is_file()}
    missing = {
        name for name in names - copied if not name.startswith("templates/") and "__pycache__" not in name
    }
    assert missing == set()
    assert os.access(written / "images/build", os.X_OK)
    profile = "seccomp/i2s-namespace.json"
    assert (written / profile).read_bytes() == (DEPLOY / profile).read_bytes()


def test_compose_takes_the_file(written):
    program = shutil.which("docker-compose")
    if program is None:
        pytest.skip("docker-compose is not installed")
    taken = subprocess.run(
        [program, "config"], cwd=written / "compose", check=False, capture_output=True, text=True
    )
    assert taken.returncode == 0, taken.stderr
    assert "render-dot" in yaml.safe_load(taken.stdout)["services"]


def test_the_recipe_of_its_image_has_its_packages_and_takes_wheels_as_they_are(written):
    recipe = (written / "images/render-dot.Dockerfile").read_text(encoding="utf-8")
    assert recipe.startswith("# The Graphviz renderer.\n")
    assert "COPY build/images/wheels/render-dot /wheels\nRUN install-wheels\n" in recipe
    assert "RUN install-packages bubblewrap graphviz fontconfig \\\n    && fc-cache -s\n" in recipe
    assert "requirements" not in recipe
    assert 'ENTRYPOINT ["/opt/i2s/start", "i2s-render-dot"]' in recipe
    lilypond = (written / "images/render-lilypond.Dockerfile").read_text(encoding="utf-8")
    end = lilypond[lilypond.index("USER i2s") :].replace("lilypond", "dot").replace("7730", "7791")
    assert recipe[recipe.index("USER i2s") :] == end


def test_what_makes_namespaces_of_its_own_gets_the_profile_for_them():
    browser = dataclasses.replace(RENDER_DOT, nesting=True, container=ContainerLimits(job_disk="1GiB"))
    files = deployment_files((browser,))
    service = yaml.safe_load(files["compose/compose.yaml"])["services"]["render-dot"]
    assert service["security_opt"] == ["no-new-privileges", "seccomp:../seccomp/i2s-namespace.json"]
    assert "org.image2struct.seccomp=i2s-namespace" in files["images/render-dot.Dockerfile"]
    assert "sizeLimit: 2560Mi" in files["kubernetes/base/render-dot/kustomization.yaml"]
    assert "render-latex" not in files["compose/compose.yaml"]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"name": "render-latex"}, "the name render-latex"),
        ({"port": 7740}, "the port 7740"),
        ({"port": 7780}, "the port 7780"),
        ({"port": 8081}, "the port 8081"),
        ({"port": 9090}, "the port 9090"),
        ({"port": 9710}, "the port 9710"),
        ({"port": 5710}, "the port 7710"),
        ({"port": 5780}, "the port 7780"),
        ({"port": 9780}, "the port 9780"),
        ({"container": ContainerLimits(user=10_011)}, "the user 10011"),
        ({"container": ContainerLimits(user=10_019)}, "the user 10019"),
        ({"name": f"render-{'dot' * 20}"}, "longer than 50"),
        ({"container": ContainerLimits(job_disk="much")}, "no size"),
    ],
)
def test_what_cannot_be_deployed_together_is_refused(changed, reason, tmp_path):
    with pytest.raises(UsageError, match=reason):
        write_deployment(tmp_path, (*RENDERER_SPECS, dataclasses.replace(RENDER_DOT, **changed)))
    assert list(tmp_path.iterdir()) == []


def test_users_of_the_other_containers_are_taken():
    services = compose(DEPLOY)["services"]
    users = {int(service["user"].partition(":")[0]) for service in services.values() if "user" in service}
    for user in users:
        with pytest.raises(UsageError, match=f"the user {user}"):
            deployment_files(
                (*RENDERER_SPECS, dataclasses.replace(RENDER_DOT, container=ContainerLimits(user=user)))
            )


def test_a_checkout_is_not_written_over():
    with pytest.raises(UsageError, match="name another folder"):
        write_deployment(ROOT, RENDERER_SPECS)


def test_only_renderers_that_are_named_are_chosen():
    assert [
        chosen_renderer.name for chosen_renderer in chosen_renderers(("render-python", "render-html"))
    ] == [
        "render-html",
        "render-python",
    ]
    assert chosen_renderers()[: len(RENDERER_SPECS)] == RENDERER_SPECS
    with pytest.raises(UnknownNameError, match="render-nothing"):
        chosen_renderers(("render-nothing",))
