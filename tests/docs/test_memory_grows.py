"""The programs of docs/memory-grows.md print the documented output."""

import re

import pytest

from tests.docs.blocks import run_as_train, the_block

PAGE = "memory-grows.md"
HEADS = [
    "What does each step leave behind?", "What has grown?", "What is alive now?",
    "What does backward keep?",
]  # fmt: skip


def settled(text):
    """Return lines without folders, ages, times and the numbers of lines of the library."""
    text = re.sub(r"/\S*/train\.py", "train.py", text)
    text = re.sub(r"(?<=> )(\S+\.py):\d+", r"\1:N", text)
    text = re.sub(r"(?<=\] ) +\d+\.\d\d  ", "  AGE  ", text)
    text = re.sub(r"[IW]\d{4} [\d:.]+ +\d+ |Thread \d+|:\d+\](?= )|0x\w+", "N", text)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    # The nearest holder is first: from Python 3.13 on an object, before that its dict.
    return [
        "; ".join(sorted(re.split("; |[,:] (?=the )", each))) for each in lines if each.strip(".")
    ]


@pytest.mark.parametrize(
    "head", [*HEADS[:2], *(pytest.param(each, marks=pytest.mark.deep) for each in HEADS[2:])]
)
def test_the_program_prints_what_the_page_says(head, tmp_path):
    printed = settled(run_as_train(tmp_path, the_block(PAGE, head, "python")))
    wanted = settled(the_block(PAGE, head, "text"))
    assert len(wanted) > 4
    assert [line for line in wanted if line not in printed] == []


def test_the_log_of_allocations(tmp_path):
    program = "import jaxeager as paddle\nx = paddle.to_tensor([1.0, 2.0]); del x\n"
    levels = "stream_safe_cuda_allocator=9,memcpy=4"
    printed = settled(run_as_train(tmp_path, program, {"GLOG_vmodule": levels}))
    wanted = settled(the_block(PAGE, "Each allocation, as it happens", "console"))[1:]
    assert printed == wanted
