"""What runs of tests left in the engine's data when they were killed together with their engine."""

import secrets

import docker_engine
from docker_engine import PROJECT_LABEL


def test_what_a_killed_run_left_is_removed_and_nothing_else(engine, images):
    name = f"i2s-left-{secrets.token_hex(3)}"
    killed, other = f"{name}-killed", f"{name}-other"
    for project in (killed, other):
        label = f"--label={PROJECT_LABEL}={project}"
        engine.undo("docker", "network", "rm", project)
        engine.undo("docker", "volume", "rm", project)
        engine.undo("docker", "rm", "--force", project)
        engine.docker("network", "create", "--internal", label, project)
        engine.docker("volume", "create", label, project)
        mounted = ("--network", project, f"--volume={project}:/left", "--entrypoint=sleep")
        engine.docker(
            "run", "--detach", "--restart=always", "--name", project, label, *mounted, images["sdk"], "600"
        )

    docker_engine.remove_projects(engine, killed)

    for listing in (("ps", "--all", "--format={{.Names}}"), ("network", "ls"), ("volume", "ls")):
        listed = engine.docker(*listing)
        assert killed not in listed
        assert other in listed
    docker_engine.remove_projects(engine, other)
