import threading

import pytest

from i2s_metrics.model import Inputs, NetworkComparison
from i2s_metrics.networks.host import Inbox

FOREVER = 1000.0


def inputs(comparison):
    return Inputs(comparison, bytes(comparison.nbytes), bytes(comparison.nbytes))


LPIPS, POOL, LOGITS = (inputs(comparison) for comparison in NetworkComparison)


def numbers(batch):
    return [request.number for request in batch]


def test_a_full_batch_does_not_wait():
    inbox = Inbox(2, FOREVER)
    for number in range(3):
        inbox.put(number, LPIPS)
    assert numbers(inbox.take()) == [0, 1]


def test_a_batch_waits_for_what_comes_in_time():
    inbox = Inbox(2, FOREVER)
    inbox.put(0, LPIPS)
    later = threading.Timer(0.05, inbox.put, (1, LPIPS))
    later.start()
    assert numbers(inbox.take()) == [0, 1]


def test_a_batch_goes_as_it_is_when_its_oldest_has_waited_long_enough():
    now = 0.0
    inbox = Inbox(8, 5.0, clock=lambda: now)
    inbox.put(0, LPIPS)
    now = 4.0
    inbox.put(1, LPIPS)
    now = 5.0
    assert numbers(inbox.take()) == [0, 1]


def test_the_oldest_request_decides_the_network_and_nobody_is_forgotten():
    inbox = Inbox(8, 0.0)
    for number, wanted in enumerate([POOL, LPIPS, LOGITS, LPIPS]):
        inbox.put(number, wanted)
    assert numbers(inbox.take()) == [0, 2]
    assert numbers(inbox.take()) == [1, 3]


def test_what_was_dropped_is_not_taken():
    inbox = Inbox(8, 0.0)
    inbox.put(0, LPIPS)
    inbox.put(1, LPIPS)
    inbox.drop(0)
    inbox.drop(7)
    assert numbers(inbox.take()) == [1]


@pytest.mark.parametrize("waiting", [0, 1])
def test_closing_ends_the_wait(waiting):
    inbox = Inbox(8, FOREVER)
    for number in range(waiting):
        inbox.put(number, LPIPS)
    threading.Timer(0.05, inbox.close).start()
    assert numbers(inbox.take()) == list(range(waiting))
    assert inbox.take() == []
