"""The first program of docs/distributed.md prints the documented output, on 8 devices."""

import os
import subprocess
import sys

from tests.docs.blocks import DOCS, blocks_of
from tests.support.xla_flags import for_several_devices

BLOCKS = blocks_of("distributed.md")


def test_it_prints_that():
    at = next(n for n, each in enumerate(BLOCKS) if each.language == "python")
    done = subprocess.run(
        [sys.executable, "-c", BLOCKS[at].text],
        env=for_several_devices(dict(os.environ), 8),
        cwd=DOCS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == BLOCKS[at + 1].text
