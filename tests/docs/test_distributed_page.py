"""The programs of docs/distributed.md print the documented output, on 8 devices."""

import os
from itertools import pairwise

import pytest

from tests.docs.blocks import blocks_of
from tests.support.processes import printed_by
from tests.support.xla_flags import for_several_devices

BLOCKS = blocks_of("distributed.md")
PROGRAMS = [
    (program.text, output.text)
    for program, output in pairwise(BLOCKS)
    if program.language == "python" and program.text.startswith("import") and not output.language
]


@pytest.mark.parametrize(
    ("program", "output"),
    [
        pytest.param(*PROGRAMS[0], id="tensors"),
        pytest.param(*PROGRAMS[1], id="parallelize", marks=pytest.mark.deep),
    ],
)
def test_a_program_prints_what_the_page_shows(program, output):
    assert printed_by(program, **for_several_devices(dict(os.environ), 8)) == output
