"""The specification of the task: its data, its answers of known rank, and its view in the report."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.tasks.benchmark import published_tables
from i2s_sdk.tasks.graded import FEWEST_TOKENS, SPELLING, Grade, Rung
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.shapecode.program import ProgramError, read_program
from i2s_sdk.tasks.shapecode.scorer import EXACT, IOU, NAME
from i2s_sdk.tasks.shapecode.task import MAX_TOKENS, ShapeCodeTask
from i2s_sdk.tasks.spec import FILE, TaskSpec, fields
from i2s_sdk.tasks.view import DiffPanel, DiffRow, Panel, RowMark, ShownSample, TextRun
