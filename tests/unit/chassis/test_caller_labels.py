from __future__ import annotations

from i2s_chassis.caller_labels import ANONYMOUS, MAX_CALLERS, OTHERS, CallerLabels


def test_names_and_certificates_are_labels_and_addresses_are_not():
    labels = CallerLabels()
    assert labels.label("caller:lab") == "caller:lab"
    assert labels.label("cert:CN=lab") == "cert:CN=lab"
    for stranger in ("", "peer:10.0.0.7", "peer:2001:db8::/64", "unix:/run/i2s.sock"):
        assert labels.label(stranger) == ANONYMOUS


def test_no_number_of_callers_makes_more_labels_than_the_bound():
    labels = CallerLabels()
    found = [labels.label(f"cert:CN={number}") for number in range(5 * MAX_CALLERS)]
    assert found[:MAX_CALLERS] == [f"cert:CN={number}" for number in range(MAX_CALLERS)]
    assert set(found[MAX_CALLERS:]) == {OTHERS}
    assert labels.label("cert:CN=0") == "cert:CN=0"
    assert labels.label("peer:10.0.0.7") == ANONYMOUS


def test_a_long_name_is_cut():
    assert CallerLabels().label("cert:" + "x" * 5000) == "cert:" + "x" * 123


def test_no_identity_looks_like_a_label_of_ours():
    labels = CallerLabels(most=2)
    assert labels.label("caller:anonymous") not in {ANONYMOUS, OTHERS}
    assert labels.label("caller:others") not in {ANONYMOUS, OTHERS}
