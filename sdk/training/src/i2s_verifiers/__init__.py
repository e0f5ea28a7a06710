"""The name under which verifiers finds the tasks of the benchmark: ``vf-eval i2s-verifiers``.

verifiers imports a taskset by the name of a package, and takes the classes that it exports: the taskset, the
environment in which a model may correct its answer, and the harness of plain questions and answers, which is
used unless the command names another one.
"""

from verifiers.v1.harnesses.null import NullHarness

from i2s_verifiers.environment import RoundTripEnv
from i2s_verifiers.taskset import RoundTripTaskset

__all__ = ["NullHarness", "RoundTripEnv", "RoundTripTaskset"]
