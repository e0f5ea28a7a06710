"""A process of networks without torch: compares the first levels of images, and can be made to fail."""

import os
import signal
import threading
import time

from i2s_metrics.networks.host import serve
from i2s_metrics.networks.messages import Description

#: Levels of a prediction that make it fail, and one that makes it compute for so many seconds of CPU.
CRASHES, HANGS, FAULTS, WORKS = 66, 77, 88, 99
WORK_SECONDS = 0.3


class MeanNetwork:
    """Answers the difference of the first levels, plus a thousandth of the size of the batch."""

    def answer(self, batch):
        levels = [inputs.prediction[0] for inputs in batch]
        if CRASHES in levels:
            os.kill(os.getpid(), signal.SIGSEGV)
        if HANGS in levels:
            threading.Event().wait()
        if WORKS in levels:
            end = time.process_time() + WORK_SECONDS
            while time.process_time() < end:
                pass
        if FAULTS in levels:
            raise RuntimeError("a fault of the network")
        return [abs(i.prediction[0] - i.reference[0]) + len(batch) / 1000 for i in batch]


def run(connection, settings):
    serve(connection, settings, lambda _: (MeanNetwork(), Description("cpu", "levels")))


def run_and_fail(connection, settings):
    def load(_):
        raise RuntimeError("these networks do not load")

    serve(connection, settings, load)


def run_and_hang(connection, settings):
    serve(connection, settings, lambda _: threading.Event().wait())


def run_and_die(connection, settings):
    connection.close()
