"""Every block of the debugging pages is run, and prints the documented output."""

import re
import subprocess
import sys
from typing import NamedTuple

import pytest

from tests.docs.blocks import blocks_of, run_as_train

PAGES = (
    "debugging.md", "backward-errors.md", "logs.md", "graphs.md", "nan-and-precision.md",
    "two-runs.md", "slow-or-too-large.md",
)  # fmt: skip
BLOCKS = [block for page in PAGES for block in blocks_of(page)]
# The parts of the pages and the number of blocks in each: a block is identified by its place in its
# part, so that a new part between others changes no number.
PARTS = [
    ("Backward raises, and the traceback ends in `loss.backward()`", 3),
    ("Which line of my model made `matmul7`, in the log or the graph?", 4),
    ("I want to see every op that runs, with its inputs and outputs", 3),
    ("Which gradient goes where, and which node runs when?", 2),
    ("My model is large; I want the backward of this one block", 2),
    ("Which of my two hundred matmuls is this?", 2),
    ("What does my model really compute?", 2),
    ("What does my backward do, and in which order?", 1),
    ("The gradient goes wrong somewhere in these ten lines", 1),
    ("The loss is NaN. Which op made the first one?", 2),
    ("float16 goes wrong where float32 does not. From which op on?", 2),
    ("Which ops run in half precision, and which do not?", 2),
    ("Two runs of the same program give different losses. Where do they diverge?", 2),
    ("Which calls, with which shapes, does this program make?", 1),
    ("A flag does nothing", 2),
    ("An error comes up far from the op that failed", 2),
    ("An index is out of range, and nothing is said", 2),
    ("A result changes from run to run", 1),
    ("The memory runs out", 2),
    ("Some steps are slow: what is compiled, and why?", 3),
]
IMPORT = "import jaxeager as paddle\n"
TEMPERED = """
class Outer(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2
"""
NET = """
paddle.seed(0)
net = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.LayerNorm(8), paddle.nn.Linear(8, 2))
x, labels = paddle.randn([3, 4]), paddle.to_tensor([0, 1, 0])
adam = paddle.optimizer.Adam(parameters=net.parameters())
"""
CLIPPED = """
import sys
paddle.seed(0)
first, second = paddle.nn.Linear(4, 8), paddle.nn.Linear(8, 2)
sgd = paddle.optimizer.SGD(0.1, parameters=[*first.parameters(), *second.parameters()])
x = paddle.to_tensor([[1.0 + 100 * CHANGE, 2.0, 3.0, 4.0]] * 3)
for _ in range(2):
    y = second(paddle.nn.functional.relu(first(x)))
    if "--clip" in sys.argv:
        y = paddle.clip(y, -0.1, 0.1)
    (y * y).mean().backward()
    sgd.step()
    sgd.clear_grad()
"""
LATE = """
import jax

calls = []

@paddle.autograd.from_jax
def looked_up(x):
    def connect(values):
        calls.append(values)
        if len(calls) > 1:
            raise RuntimeError("no connection to the feature store")
        return values

    return jax.pure_callback(connect, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

x = looked_up(paddle.ones([1500, 1500]))
y = paddle.matmul(x, x)
z = looked_up(y)
loss = z.sum()
print(loss.item())
"""
LENGTHS = """
import numpy as np

paddle.seed(0)
w = paddle.nn.Parameter(paddle.ones([4, 4]))
sgd = paddle.optimizer.SGD(0.1, parameters=[w])


def step(length):
    x = paddle.full([length, 4], 0.5)
    y = paddle.matmul(x, w)
    loss = (y + x).mean()
    loss.backward()
    sgd.step()
    sgd.clear_grad()


for length in [2, *range(7, 26)]:
    step(length)
"""
X_AND_Y = "x, y = paddle.ones([2, 3]), paddle.ones([2, 3], 'float64')\n"


def text(number):
    """Return the text of a block, by its number: see PARTS."""
    for head, count in PARTS:
        if number < count:
            return [each for each in BLOCKS if each.head == head][number].text
        number -= count
    raise IndexError(number)


class Case(NamedTuple):
    """A program, and the blocks that show its output.

    Attributes:
        program: its text; None: the block is a separate session, see ``test_sessions``.
        shown: the blocks with its output to the terminal, or to files.
        files: patterns of the files whose text counts as printed too.
        flags: of the environment.
        arguments: of the program.
        is_counting: whether numbers are compared.
    """

    program: str
    shown: tuple = ()
    files: tuple = ()
    flags: dict = {}  # noqa: RUF012 - never written
    arguments: tuple = ()
    is_counting: bool = True


def scale_shift(has_write):
    """Return the program of the first parts, which an in-place write makes fail."""
    lines = text(1).splitlines(keepends=True)
    return "".join(line for line in lines if has_write or "h.add_" not in line)


CASES = {
    "errors": Case(IMPORT + text(0) + scale_shift(True), (2,)),
    "stack files": Case(
        IMPORT + "\n" + re.sub("  # line .*", "", scale_shift(False)),
        (4, 5), ("stacks/*",), {"FLAGS_dump_api_and_gradnode_python_stack_dir": "stacks"},
    ),
    "frames": Case(
        IMPORT + "\npaddle.set_flags({'FLAGS_call_stack_level': 3})\n"
        "layer = paddle.nn.TransformerEncoderLayer(8, 2, 16)\n"
        "encoder = paddle.nn.TransformerEncoder(layer, 2)\nx = paddle.ones([2, 3, 8])\n\n\n"
        "loss = encoder(x).mean()\nloss.backward(dump_backward_graph_path='dump')\n",
        (6,), ("dump/*call_stack.log",), {"FLAGS_draw_backward_graphs": "0"},
    ),
    "levels of the log": Case(IMPORT + X_AND_Y + text(7)),
    "log of forward": Case(
        IMPORT + X_AND_Y
        + "with paddle.utils.vlog_guard({'dygraph_functions': 3, 'api': 4}):\n    x + y\n", (8,)
    ),
    "prefix": Case(
        IMPORT + "\n" * 4 + X_AND_Y + "with paddle.utils.vlog_guard(3):\n    z = y + y\n", (9,),
        (), {"FLAGS_log_prefix": "program"},
    ),
    "log of backward": Case(
        IMPORT + TEMPERED + "x = paddle.ones([2])\nx.stop_gradient = False\n"
        "loss = Outer.apply(x).sum()\n" + text(10), (11,),
    ),
    "log of a block": Case(
        IMPORT + "x = paddle.ones([1, 2])\nx.stop_gradient = False\n"
        "block = lambda x: paddle.tanh(x.exp())\n"
        + text(12).replace("...", "loss = y.sum()"), (13,),
    ),
    "forward graph": Case(
        IMPORT + TEMPERED.replace("Outer", "Scale") + "model = paddle.nn.Linear(4, 3)\n"
        "x = paddle.ones([2, 4])\n" + text(16), (17,), ("out/forward",),
    ),
    "backward graph": Case(
        IMPORT + "x = paddle.ones([2])\nx.stop_gradient = False\nloss = (x * x).sum()\n"
        + text(18) + "import glob\nassert len(glob.glob('debug_info/*.dot')) == 2\n"
    ),
    "subgraph": Case(
        IMPORT + "x, y, z1 = (paddle.ones([2, 3]) for _ in '123')\nx.stop_gradient = False\n"
        + text(19) + "import glob\nassert len(glob.glob('subgraph/*_grad_tensors.log')) == 1\n"
    ),
    "not a number": Case(text(20).replace("paddle.set", IMPORT + "paddle.set", 1), (21,)),
    "checker": Case(IMPORT + text(22), (23,)),
    "operators": Case(IMPORT + NET + text(24), (25,), is_counting=False),
    "device errors, late": Case(IMPORT + LATE, (31,)),
    "device errors, where they are": Case(
        IMPORT + LATE, (32,), (), {"FLAGS_check_cuda_error": "1"}
    ),
    "flags": Case(IMPORT, (29,), (), {
        "FLAGS_check_naninf": "1", "FLAGS_cudnn_deterministic": "1",
        "FLAGS_alloc_fill_value": "300",
    }),
    "table of flags": Case("from jaxeager.__main__ import main\nmain(['flags'])\n", (30,)),
    "memory": Case(
        IMPORT + "x, y, z = paddle.ones([1024, 1024]), paddle.ones([2]), paddle.rand([2])\n"
        "print(paddle.device.cuda.memory_summary())\n",
        (36, 37), (), {"FLAGS_enable_gpu_memory_usage_log": "1"}, is_counting=False,
    ),
    "compilations": Case(
        IMPORT + LENGTHS + text(38), (39, 40), (),
        {
            "FLAGS_kernel_files": "0", "JAXEAGER_COMPILATION_CACHE": "cache",
            "FLAGS_warn_compilations": "16",
        }, is_counting=False,
    ),
}  # fmt: skip


def settled(line, is_counting=True):
    """Return a line without the parts that differ between runs."""
    line = re.sub(r"^(\t*)([IWE])\d{4} [\d:.]+ +\d+ ", r"\2 ", line.strip())
    line = re.sub(r"0x[0-9a-f]+", "0x", line)
    line = re.sub(r"(\w\.(?:cc|h|py)):\d+([\])]|$)", r"\1:N\2", line)
    line = re.sub(r'"\S*/(\w+\.py)"', r'"\1"', line)
    line = re.sub(r"^/\S*/(\w+\.py:)", r"\1", line)
    line = re.sub(r'("(?!train\.py)\w+\.py", line) \d+', r"\1 N", line)  # of this package
    line = re.sub(r"^\d+ +(?=jaxeager\.)", "", line)  # a path has a varying number of frames
    line = re.sub(r"\bI \d+\b", "I", line)
    if not is_counting:
        line = re.sub(r"\d+(\.\d+)?", "N", line)
        line = re.sub(r"(N, )+\.\.\.|operand.*|a static.*", "", line)
    return re.sub(r"\s+", " ", line).strip()


def missing(number, printed, is_counting=True):
    """Return the lines of a block that were not printed; "..." matches anything."""
    lines = [settled(line, is_counting) for line in printed.splitlines()]
    whole = "\n".join(lines)
    lost = []
    for line in text(number).splitlines():
        wanted = settled(line, is_counting)
        if not wanted or wanted == "..." or line.startswith("$ "):
            continue
        parts = ".*?".join(re.escape(part.strip()) for part in wanted.split("..."))
        if not re.search(f"^{parts}$", whole, re.MULTILINE | re.DOTALL):
            lost.append(wanted)
    return lost


# Of the parts with several tools each, and those whose programs compile most.
LATER = {
    "frames", "log of forward", "prefix", "log of a block", "subgraph", "operators",
    "device errors, where they are", "table of flags", "memory", "compilations",
    "levels of the log", "backward graph", "checker",
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.deep] * (each in LATER)) for each in CASES]
)
def test_a_case_prints_what_the_page_shows(name, tmp_path):
    case = CASES[name]
    printed = run_as_train(tmp_path, case.program, case.flags, case.arguments)
    for pattern in case.files:
        printed += "".join(each.read_text() for each in tmp_path.glob(pattern))
    for number in case.shown:
        assert missing(number, printed, case.is_counting) == [], printed
    if not case.shown:
        assert "Traceback" not in printed


def test_names_are_those_in_the_comments(tmp_path):
    program = IMPORT + "x, w = paddle.rand([2, 10]), paddle.ones([10, 10])\n"
    program += "x.stop_gradient = False\npaddle.set_flags({'FLAGS_enable_unique_name': True})\n"
    program = program.replace("x, w", "paddle.set_flags({'FLAGS_enable_unique_name': True})\nx, w")
    wanted = []
    for number in (14, 15):
        lines = text(number).splitlines()
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            expression, _, comment = line.partition("  # ")
            shown = comment if " | " in comment else following.removeprefix("# ")
            if line.startswith("#"):
                continue
            if " | " in shown and (" | " in comment or following.startswith("# ")):
                program += f"print(*[{expression}], sep=' | ')\n"
                wanted.append(shown)
            else:
                program += line + "\n"
    printed = re.sub(r"0x[0-9a-f]+", "0x", run_as_train(tmp_path, program)).splitlines()
    assert printed == [re.sub(r"0x[0-9a-f]+", "0x", each) for each in wanted]
    assert len(wanted) == 4


def _without_numbers(line):
    return re.sub(r"\d+", "N", line)


@pytest.mark.deep
def test_checksums_of_two_runs_diverge_where_the_page_says(tmp_path):
    path, details = [f"FLAGS_tensor_md5_checksum_{name}" for name in ("output_path", "details")]
    runs = (("a", "0.0", ()), ("b", "0.0", ("--clip",)), ("e", "0.0001", ()))
    for name, change, arguments in runs:
        flags = {path: f"{name}.log"} | ({} if arguments else {details: "8"})
        run_as_train(tmp_path, IMPORT + CLIPPED.replace("CHANGE", change), flags, arguments)

    def compared(*files):
        command = [sys.executable, "-m", "jaxeager", "diff-md5", *files]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout

    heads = [_without_numbers(line) for line in text(26).splitlines()]
    printed = compared("a.log", "b.log")
    found = [_without_numbers(line) for line in printed.splitlines()]
    for begin in ("a: ", "b: ", "The runs diverge"):
        assert [each for each in heads if each.startswith(begin)] == [
            each for each in found if each.startswith(begin)
        ]
    assert re.search(r"^b +\d+ +clip1_out_float32_3x2 +\w{12}  only in b$", printed, re.M), printed
    assert re.search(r"^Only in b.log: clip@Grad x\d+, clip x2\.$", printed, re.MULTILINE)
    assert (tmp_path / "a.log").read_text().startswith("uniform1_out_float32_4x8:")
    printed = compared("a.log", "e.log")
    assert re.search(r"The runs diverge at line \d+ of a: \w+1_out_float32_3x\d differs\.", printed)
    assert re.search(r"^! +\d+ +\d+ +\w+ +\w{12} in a, \w{12} in b$", printed, re.MULTILINE)
    frames = [line for line in text(27).splitlines() if " in linear" in line or "called by" in line]
    assert all(re.sub(r"train\.py:\d+", "", line) in _places(printed) for line in frames), printed
    assert "8 of the first 8 of 24 values differ." in printed
    assert "8 of the first 8 of 24 values differ." in text(27)


def _places(printed):
    """Return a report without the program's lines, which are those of another file."""
    return re.sub(r"\S+\.py:\d+(?= in <module>)", "", printed)


def test_the_configurations_of_calls_are_the_pages(tmp_path):
    parts = re.split(r"^\$ (.*)\n", text(28), flags=re.MULTILINE)
    commands = dict(zip(parts[1::2], parts[2::2], strict=True))
    (tmp_path / "api.yaml").write_text(commands["cat api.yaml"])
    program = IMPORT + (
        "x, y = paddle.ones([2, 3]), paddle.ones([2, 3])\npaddle.concat([x, y], axis=0)\n"
        "paddle.nn.functional.softmax(x[0, 1:], axis=-1)\ntry:\n    paddle.matmul(x, y)\n"
        "except ValueError:\n    pass\n"
    )
    run_as_train(tmp_path, program, {"FLAGS_trace_api": "api.yaml,config.txt"})
    assert (tmp_path / "config.txt").read_text() == commands["cat config.txt"]
    failed = (tmp_path / "config.txt.failed").read_text().strip()
    pattern = ".*".join(map(re.escape, commands["cat config.txt.failed"].strip().split("...")))
    assert re.match(pattern, failed, re.DOTALL), failed


def test_an_index_on_a_device_is_reported_at_its_line():
    """Block 34 needs an accelerator: tests/debug/checks tests its output."""
    assert "The index was given at train.py:7; it was checked on the device." in text(34)


@pytest.mark.parametrize("number", [33, pytest.param(35, marks=pytest.mark.deep)])
def test_sessions(number, tmp_path):
    expression, answer = text(number).strip().split("\n", 1)
    program = IMPORT + "x = paddle.ones([1024, 2])\n"
    if number == 35:
        program += "paddle.set_flags({'FLAGS_alloc_fill_value': 255})\n"
        expression = (
            f"print(*[each.tolist() for each in ({expression.removeprefix('>>> ')})], sep='  ')"
        )
    printed = run_as_train(tmp_path, program + expression.removeprefix(">>> ") + "\n")
    last = re.sub(r"^jaxeager\.errors\.\w+: ", "IndexError: ", printed.strip().split("\n[")[0])
    assert printed.strip() == answer or last.endswith(answer.removeprefix("IndexError: ")), printed


def test_every_block_is_in_a_test():
    shown = {number for case in CASES.values() for number in case.shown}
    run_above = {0, 1, 3, 7, 10, 12, 14, 15, 16, 18, 19, 20, 22, 24, 26, 27, 28, 33, 34, 35, 38}
    assert shown | run_above == set(range(sum(count for _, count in PARTS)))
    heads = [each.head for each in BLOCKS]
    assert {head: heads.count(head) for head in heads} == dict(PARTS), "a new block needs a Case"
