"""What is in reach from inside of a container: nothing but its own /tmp."""

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from i2s_client.service_table import SERVICES as TABLE

PORTS = {one.name: one.port for one in TABLE}
SERVICES = tuple(PORTS)
IN_FRONT = ("proxy", "gateway", "http-proxy")
# An address of the network for documentation: nobody has it.
NOWHERE = "192.0.2.1"

CONNECT = """
import concurrent.futures, json, socket, sys

def attempt(target):
    try:
        socket.create_connection((target[0], target[1]), 3).close()
    except OSError as error:
        return str(error)

targets = json.loads(sys.argv[1])
with concurrent.futures.ThreadPoolExecutor(len(targets)) as pool:  # a name is asked for during 10 seconds
    answers = list(pool.map(attempt, targets))
reached = [target for target, error in zip(targets, answers) if error is None]
refused = {str(target): error for target, error in zip(targets, answers) if error is not None}
print(json.dumps({"reached": reached, "refused": refused}))
"""
WRITE = """
import errno, json, os, sys
places = ["/", "/etc", "/opt/i2s", "/opt/i2s/venv/bin", "/usr/bin", "/var/cache", "/var/tmp", "/home", "/run"]
written = []
for place in places:
    try:
        with open(f"{place}/i2s-test", "w") as file:
            file.write("x")
        written.append(place)
    except OSError as error:
        assert error.errno in (errno.EROFS, errno.EACCES), (place, error)
with open("/tmp/i2s-test", "w") as file:
    file.write("x")
os.unlink("/tmp/i2s-test")
mounts = [line.split() for line in open("/proc/mounts")]
status = dict(line.rstrip().split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
print(json.dumps({
    "written": written,
    "tmp": next(one[3] for one in mounts if one[1] == "/tmp"),
    "root": next(one[3] for one in mounts if one[1] == "/"),
    "capabilities": [status[key] for key in ("CapEff", "CapPrm", "CapBnd", "CapInh")],
    "no_new_privileges": status["NoNewPrivs"], "seccomp": status["Seccomp"], "uid": os.getuid(),
    "sockets": [path for path in ("/var/run/docker.sock", "/run/docker.sock") if os.path.exists(path)],
}))
"""


@pytest.fixture(scope="module")
def canary():
    """A port of this machine that listens on all of its addresses."""
    server = socket.create_server(("0.0.0.0", 0))
    seen = []

    def accept():
        while True:
            try:
                connection, peer = server.accept()
            except OSError:
                return
            seen.append(peer)
            connection.close()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    yield server.getsockname()[1], seen
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(5)


def addresses_of_this_machine(engine):
    """All that bridges of the engine have, and the one that leads to others."""
    gateways = []
    for network in engine.docker("network", "ls", "--quiet").split():
        about = json.loads(engine.docker("network", "inspect", network))[0]
        gateways += [one["Gateway"] for one in about["IPAM"]["Config"] or [] if "Gateway" in one]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((NOWHERE, 9))  # sends nothing: it only chooses an address
        gateways.append(probe.getsockname()[0])
    return gateways


def neighbours(system, service):
    """Addresses of all other services, with the ports that they serve."""
    found = []
    for other in SERVICES:
        if other != service:
            networks = system.inspect(other)["NetworkSettings"]["Networks"]
            port = PORTS[other]
            found += [(network["IPAddress"], port) for network in networks.values()] + [(other, port)]
    return found


@pytest.fixture(scope="module")
def attempts(system, canary):
    """What each service has tried to reach, and the answers. All try at once: a name takes 10 seconds."""
    port, _ = canary
    here = [(address, port) for address in addresses_of_this_machine(system.engine)]
    targets = {service: [*here, *neighbours(system, service), (NOWHERE, 80)] for service in SERVICES}

    def answers(service):
        return json.loads(system.python(service, CONNECT, json.dumps(targets[service])))

    with ThreadPoolExecutor(len(SERVICES)) as pool:
        given = dict(zip(SERVICES, pool.map(answers, SERVICES), strict=True))
    return {service: (targets[service], given[service]) for service in SERVICES}


@pytest.mark.parametrize("service", SERVICES)
def test_no_address_is_reachable_from_inside(attempts, canary, service):
    _, seen = canary
    targets, answer = attempts[service]
    assert answer["reached"] == []
    assert len(answer["refused"]) == len({str(list(target)) for target in targets})
    assert seen == []


def test_the_gateway_has_no_way_out(system, canary):
    port, seen = canary
    targets = [*((one, port) for one in addresses_of_this_machine(system.engine)), (NOWHERE, 80)]
    assert json.loads(system.python("gateway", CONNECT, json.dumps(targets)))["reached"] == []
    assert seen == []


def test_the_probe_sees_what_is_in_reach(system, canary):
    """The proxy is in a network with a way out, so there the same probe must succeed."""
    port, seen = canary
    targets = [(address, port) for address in addresses_of_this_machine(system.engine)]
    answer = json.loads(system.python("proxy", CONNECT, json.dumps(targets)))
    assert answer["reached"]
    assert seen
    seen.clear()


@pytest.mark.parametrize("service", [*SERVICES, *IN_FRONT])
def test_only_tmp_can_be_written_and_nothing_is_privileged(system, service):
    answer = json.loads(system.python(service, WRITE))
    assert answer["written"] == []
    assert answer["root"].split(",")[0] == "ro"
    for option in ("size=", "nr_inodes=", "nosuid", "nodev"):
        assert option in answer["tmp"]
    assert ("noexec" in answer["tmp"]) == (service != "metrics")
    assert set(answer["capabilities"]) == {"0000000000000000"}
    assert (answer["no_new_privileges"], answer["seccomp"]) == ("1", "2")
    assert answer["uid"] >= 10_000
    assert answer["sockets"] == []


@pytest.mark.parametrize("service", [*SERVICES, *IN_FRONT])
def test_the_engine_holds_all_limits(system, service):
    host = system.inspect(service)["HostConfig"]
    assert host["Privileged"] is False
    assert host["ReadonlyRootfs"] is True
    assert host["Init"] is True
    assert host["CapDrop"] == ["ALL"]
    assert not host["CapAdd"]
    assert host["Memory"] == host["MemorySwap"] > 0
    assert host["PidsLimit"] > 0
    assert host["NanoCpus"] > 0
    assert host["PidMode"] == host["UTSMode"] == ""
    assert host["NetworkMode"] != "host"
    assert not host["Binds"]
    assert "seccomp=unconfined" not in host["SecurityOpt"]
