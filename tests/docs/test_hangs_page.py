"""The worked cases of docs/hangs-and-crashes.md: run, and compared with the page."""

import os
import re
import signal
import subprocess
import sys

import pytest

from tests.docs.blocks import blocks_of, the_block

PAGE = "hangs-and-crashes.md"


def start(folder, head, **flags):
    """Start the program of a case as train.py in a folder."""
    (folder / "train.py").write_text(the_block(PAGE, head, "python"))
    return subprocess.Popen(
        [sys.executable, "train.py"], cwd=folder, env={**os.environ, **flags},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def settled(text):
    """Return a text without the parts that differ between runs."""
    text = re.sub(r'(File "|at |: |")\S*?/(?=[\w.]+\b(:\d|"|\.\d+$))', r"\1", text, flags=re.M)
    text = re.sub(r"^ +-[\d.]+ +\d+  (\w+) +(\w+) +(.*  )\S*/", r"\1 \2 \3", text, flags=re.M)
    text = re.sub(r"\d+\.\d s\b", "N s", text)
    text = re.sub(r"\b0x[0-9a-f]+\b|\b\d{2,}\b", "N", text)
    return text.splitlines()


def printed(head, language, position=0):
    """Return the lines of a block, without commands, prompts and omissions."""
    found = [each for each in blocks_of(PAGE) if (each.head, each.language) == (head, language)]
    lines = settled(found[position].text)
    return [line for line in lines if line.strip() and not line.startswith(("$ ", "..."))]


def missing(wanted, seen):
    """Return the expected lines that do not occur in the output."""
    seen = set(settled(seen))
    return [line for line in wanted if line not in seen]


def test_a_program_that_hangs_prints_what_the_page_shows(tmp_path):
    process = start(tmp_path, "It hangs", FLAGS_op_timeout="2")
    said = ""
    while "server.wait" not in said:
        said += process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    said += process.communicate(timeout=60)[1]
    wanted = printed("It hangs", "console")
    assert len(wanted) > 6
    assert missing(wanted, said) == []


@pytest.mark.deep
def test_a_program_that_crashes_prints_what_the_page_shows(tmp_path):
    process = start(tmp_path, "It crashed", FLAGS_flight_recorder="flight")
    said = process.communicate(timeout=60)[1]
    assert process.returncode == -signal.SIGSEGV
    wanted = printed("It crashed", "console")
    start_of = wanted.index(next(line for line in wanted if line.startswith("FatalError")))
    plain, wanted = wanted[:start_of], wanted[start_of:]
    assert len(plain) == 4
    assert len(wanted) == 5
    assert missing(wanted, said) == []
    alone = start(tmp_path, "It crashed").communicate(timeout=60)[1]
    assert missing(plain, alone) == []
    (path,) = tmp_path.glob("flight.*")
    wanted = printed("It crashed", "text")
    assert len(wanted) > 12
    assert missing(wanted, path.read_text()) == []


def test_the_files_have_the_last_call(tmp_path):
    flags = {
        "FLAGS_dump_api_python_stack_path": "api", "GLOG_v": "3", "FLAGS_check_cuda_error": "1",
        "FLAGS_trace_api": "all,calls.txt", "FLAGS_op_timeout": "0.5",
    }  # fmt: skip
    process = start(tmp_path, "It hangs", **flags)
    said = []
    while "has not ended" not in "".join(said):
        said.append(process.stderr.readline())
    process.send_signal(signal.SIGTERM)
    printed_there = process.communicate(timeout=60)[0]
    (path,) = tmp_path.glob("api.*")
    assert "feature_store1 : " in path.read_text().splitlines()[-5]
    assert "Running_C++_API: feature_store1=" in said[-2]
    assert printed_there.splitlines()[-1] == "feature_store_ad_func begin check done."
    assert (tmp_path / "calls.txt").read_text().splitlines()[-1].startswith("paddle.")
