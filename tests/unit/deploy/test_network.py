"""Who may talk to whom: nobody out of a service, only clients and Prometheus into it."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

import pytest

#: Variants whose services export traces.
TRACED = {"tracing", "together", "gateway-tracing"}
GATEWAY = "gateway"


def namespace(name):
    return {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": name}}}


def selects(policy, labels):
    selector = policy["spec"]["podSelector"]
    assert selector.keys() <= {"matchLabels", "matchExpressions"}
    among = selector.get("matchExpressions", ())
    assert {one["operator"] for one in among} <= {"In"}
    return selector.get("matchLabels", {}).items() <= labels.items() and all(
        labels.get(one["key"]) in one["values"] for one in among
    )


def labels_of(rendered, kind):
    return {name: one["spec"]["template"]["metadata"]["labels"] for name, one in rendered.of(kind).items()}


def test_everything_is_denied_first(base):
    assert base.of("NetworkPolicy")["deny-all"]["spec"] == {
        "podSelector": {},
        "policyTypes": ["Ingress", "Egress"],
    }


def test_nothing_leaves_a_service(variant):
    for name, labels in labels_of(variant, "Deployment").items():
        if name == GATEWAY:
            continue
        policies = [one for one in variant.of("NetworkPolicy").values() if selects(one, labels)]
        assert any("Egress" in policy["spec"]["policyTypes"] for policy in policies), name
        out = [policy["metadata"]["name"] for policy in policies if policy["spec"].get("egress")]
        assert out == (["traces"] if variant.name in TRACED else []), name


def ways(policy, direction):
    """Whom a policy lets through, and where: the labels of peers, and ports."""
    return [
        (
            sorted({next(iter(next(iter(peer.values()))["matchLabels"].items())) for peer in rule[end]}),
            [port["port"] for port in rule["ports"]],
        )
        for end in ({"ingress": "from", "egress": "to"}[direction],)
        for rule in policy["spec"][direction]
    ]


def test_the_gateway_takes_callers_of_its_own_and_calls_services_and_names_alone(render):
    rendered = render(GATEWAY)
    labels = labels_of(rendered, "Deployment")[GATEWAY]
    policies = {name: one for name, one in rendered.of("NetworkPolicy").items() if selects(one, labels)}
    assert policies.keys() == {"deny-all", GATEWAY}
    dns = [("kubernetes.io/metadata.name", "kube-system")]
    assert ways(policies[GATEWAY], "egress") == [
        (dns, [53, 53]),
        ([("image2struct/role", "service")], ["grpc"]),
    ]
    assert ways(policies[GATEWAY], "ingress") == [
        ([("image2struct/http-client", "true")], ["http"]),
        ([("kubernetes.io/metadata.name", "monitoring")], ["metrics"]),
    ]


def test_services_let_the_gateway_in_and_its_callers_not(render):
    rendered = render(GATEWAY)
    pods = labels_of(rendered, "Deployment")
    gateway = pods.pop(GATEWAY)
    assert "image2struct/client" not in gateway  # which would open the way to models and stores
    policy = rendered.of("NetworkPolicy")["gateway-to-services"]
    assert all(selects(policy, labels) for labels in pods.values())
    assert not selects(policy, gateway)
    (way,) = ways(policy, "ingress")
    assert way == ([("image2struct/role", "gateway")], ["grpc"])
    assert ("image2struct/role", "gateway") in gateway.items()


def test_the_service_of_the_gateway_has_an_address_and_leads_to_it_alone(render):
    rendered = render(GATEWAY)
    spec = rendered.of("Service")[GATEWAY]["spec"]
    assert "clusterIP" not in spec
    pods = labels_of(rendered, "Deployment")
    assert [one for one, labels in pods.items() if spec["selector"].items() <= labels.items()] == [GATEWAY]


@pytest.mark.parametrize(
    ("component", "more"), [("dns-node-local", "169.254.20.10/32"), ("dns-openshift", "openshift-dns")]
)
def test_the_gateway_asks_for_names_where_the_cluster_has_them(component, more, render):
    policy = render(f"gateway-{component}").of("NetworkPolicy")[GATEWAY]
    assert {peer for peer, _, _ in names_at(policy)} == {"kube-system", more}


def test_traces_go_to_the_collector_alone(render):
    """What the component tracing opens, and that it is one endpoint for services and clients."""
    services, clients = render("tracing"), render("evaluate-tracing")
    names, collector = services.of("NetworkPolicy")["traces"]["spec"]["egress"]
    assert names["to"] == [namespace("kube-system")]
    assert [port["port"] for port in names["ports"]] == [53, 53]
    assert collector == {"to": [namespace("monitoring")], "ports": [{"protocol": "TCP", "port": 4317}]}
    assert collector in clients.of("NetworkPolicy")["clients"]["spec"]["egress"]
    for rendered in (services, clients):
        for name, container in rendered.containers():
            variables = {one["name"]: one.get("value") for one in container["env"]}
            assert variables["OTEL_TRACES_EXPORTER"] == "otlp", name
            endpoint = urlsplit(variables["OTEL_EXPORTER_OTLP_ENDPOINT"])
            assert (endpoint.hostname, endpoint.port) == ("otel-collector.monitoring.svc", 4317), name


def test_only_clients_and_prometheus_come_in(base):
    clients, prometheus = base.of("NetworkPolicy")["services"]["spec"]["ingress"]
    assert [port["port"] for port in clients["ports"]] == ["grpc"]
    assert all(
        next(iter(peer.values()))["matchLabels"] == {"image2struct/client": "true"}
        for peer in clients["from"]
    )
    assert [port["port"] for port in prometheus["ports"]] == ["metrics"]
    assert len(prometheus["from"]) == 1


def test_the_policy_covers_every_service_and_no_client(base, render):
    policy = base.of("NetworkPolicy")["services"]
    assert all(selects(policy, labels) for labels in labels_of(base, "Deployment").values())
    for job in ("evaluate", "merge"):
        assert not any(selects(policy, labels) for labels in labels_of(render(job), "Job").values())


def test_clients_reach_services_and_the_world_but_not_its_private_networks(render):
    run = render("evaluate")
    policy = run.of("NetworkPolicy")["clients"]
    (labels,) = labels_of(run, "Job").values()
    assert selects(policy, labels)
    assert labels["image2struct/client"] == "true"
    blocks = [
        peer["ipBlock"] for rule in policy["spec"]["egress"] for peer in rule["to"] if "ipBlock" in peer
    ]
    for address in ("169.254.169.254", "10.96.0.1", "192.168.1.1", "172.17.0.1", "127.0.0.1"):
        for block in blocks:
            assert any(ipaddress.ip_address(address) in ipaddress.ip_network(net) for net in block["except"])


def names_at(policy):
    """Where a policy lets pods ask for names: a peer, a protocol and a port, for each of them."""
    return [
        (
            peer["ipBlock"]["cidr"]
            if "ipBlock" in peer
            else peer["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"],
            port["protocol"],
            port["port"],
        )
        for rule in policy["spec"]["egress"]
        for port in rule.get("ports", ())
        if port["port"] in (53, 5353)
        for peer in rule["to"]
    ]


@pytest.mark.parametrize("job", ["evaluate", "merge"])
@pytest.mark.parametrize(
    ("component", "more"),
    [
        ("", []),
        ("-dns-node-local", [("169.254.20.10/32", 53)]),
        ("-dns-openshift", [("openshift-dns", 5353)]),
    ],
)
def test_clients_ask_for_names_where_the_cluster_has_them(job, component, more, render):
    policy = render(f"{job}{component}").of("NetworkPolicy")["clients"]
    assert names_at(policy) == [
        (peer, protocol, port) for peer, port in [("kube-system", 53), *more] for protocol in ("UDP", "TCP")
    ]


def test_services_are_headless_and_lead_to_their_pods(base):
    pods = labels_of(base, "Deployment")
    for name, service in base.of("Service").items():
        assert service["spec"]["clusterIP"] == "None", name
        chosen = [
            one for one, labels in pods.items() if service["spec"]["selector"].items() <= labels.items()
        ]
        assert chosen == [name]
