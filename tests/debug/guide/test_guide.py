"""The blocks of Paddle's debug guide that run on a CPU, with the lines that its reader looks for.

The programs are written for this test, after those of the guide; `run.py` has the variables that
the guide sets. What is looked for must be in the output here, and in what real Paddle has written.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.debug.guide.run import CASES, HERE
from tests.parity.questions import environment, paddle_says, write_files
from tests.support.here import AS_ON_A_CPU
from tests.support.often import only

_NODES = r"digraph G \{(.|\n)*\[label=\"conv2d1GradNode\\nPtr: 0x[0-9a-f]+\""
_STACK = (
    r"GradNodeBase matmul1GradNode ptr : 0x[0-9a-f]+ call stack: \n(.*\n)*?  File \".*model\.py\""
)
_BAR = "=" * 26
_W = r"^W\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ "
_I = r"^I\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ "
_VERSION = (
    r"Tensor '' used in gradient computation has been modified by an inplace operation\. Its "
    r"version is 1 but the expected version is 0\."
)
_RAISES = (
    "stderr", _W + r"backward\.cc:\d+\] While running Node \(PowGradNode\) raises an EnforceNotMet",
)  # fmt: skip
_SUMMARY = [
    ("stderr", r"^RuntimeError: $"),
    ("stderr", r"^C\+\+ Traceback \(most recent call last\):$"),
    ("stderr", r"^Error Message Summary:$"),
    ("stderr", "^PermissionDeniedError: " + _VERSION),
]
# Case: the file, or a pattern of its name, and what must be in it.
EXPECTED = {
    "1.1 level 1": [
        _RAISES,
        ("stderr", r"^RuntimeError: \(PermissionDenied\) " + _VERSION),
        ("stderr", r"^  \[Hint: Expected tensor_version == wrapper_version_snapshot, but "),
    ],
    "1.1 level 2": [_RAISES, *_SUMMARY],
    "1.1 level 3": [
        _RAISES,
        *_SUMMARY,
        ("stderr", r"Forward Traceback .*\n    File \".*version\.py\", line 6, in .*\n +kept"),
        ("stderr", r"^  \[GradNode < PowGradNode > error\]$"),
    ],
    "1.2.1 log": [
        ("stderr", rf"^{_BAR}Running_AD_API: add{_BAR}$"),
        ("stderr", _W + r"dygraph_functions\.cc:\d+\] Got different data type, run type promotion"),
        ("stderr", r"promotion automatically\. The type after type promotion is float64$"),
        ("stderr", r" No AMP for cast_ad_func because it is a inplace or cast api\. $"),
        ("stderr", r"^\( x , \{\n\tName: gaussian1_out_float32_2x3,$"),
        ("stderr", r"^\t\tGrad:  \{\n\t\t\tName: Tensor_([0-9a-f]+),\n.*\n\t\t\tTensor_Ptr:0x\1,$"),
        ("stderr", r"Create node CastGradNode addr 0x[0-9a-f]+$"),
        ("stderr", _I + r"api\.cc:\d+\] cast API kernel key: \[CPU, NCHW, float32\]$"),
        ("stderr", r"^\"attribute\":\[\n\t\"DataType\"\n\]\}$"),
        ("stderr", r"^\t\"IntArray\",\n\t\"float\",\n\t\"float\",\n\t\"int\",\n\t\"DataType\"$"),
        ("stderr", r"from add1GradNode\(0x[0-9a-f]+\) to cast1GradNode\(0x[0-9a-f]+\)$"),
        ("stderr", r"Edges\[  \{ \[0, 0\]: \[0x[0-9a-f]+, cast1GradNode\] \},  \]"),
        ("stderr", r"^Forward Debug Info \{\nAPI_Name: add1 ?\nInput: \[ ?\n\( x , \{\n"),
        ("stderr", rf"^{_BAR}Finish_AD_API: add{_BAR}$"),
    ],
    "1.2.2.1 modules": [
        ("stderr", r"UserWarning: The entry 'nodes4' of GLOG_vmodule is ignored"),
        ("stderr", r"Create node AddGradNode addr 0x[0-9a-f]+$"),
        ("stderr", r"^\tADInfo:\{ ?\n\t\tGrad:  \{"),
        ("stderr", r"Edges\[  \{ \[0, 0\]: \[0x[0-9a-f]+, cast1GradNode\] \},  \]"),
    ],
    "1.2.2.2 guards": [
        ("stderr", r"## backward of one line\n(.*\n)*?=+Running_AD_API_GRAD: subtract_grad=+\n"),
        ("stderr", r"Capture the grad nodeSubtractGradNode\(0x[0-9a-f]+\)for subgraph\.$"),
        ("stderr", r"## levels\n(.*\n)*?=+Finish_AD_API: tanh=+\n(.*\n)*?## off\n$"),
    ],
    "1.2.2.2 modules": [
        ("stderr", r"dygraph_functions\.cc:\d+\] Create node AddGradNode addr 0x[0-9a-f]+$"),
        ("stderr", r"nodes\.cc:\d+\] ?\n=+Running_AD_API_GRAD: subtract_grad=+$"),
        ("stderr", r"nodes\.cc:\d+\] \{ Input: \[ ?\n\( grad_out , \["),
        ("stderr", r"## off\n\Z"),
    ],
    "1.3.1 forward graph": [
        ("small_net", r"conv2d1\b"),
        ("small_net", r"sigmoid1 -> pool2d1"),
        ("small_net", r"add\d+"),
    ],
    "1.3.2 backward graph": [
        ("debug_info/*_backward_graph.dot", _NODES),
        ("debug_info/*_backward_graph.dot", r"label=\"\w+@Grad\\nPlace\(cpu\)\\nfloat32\[1, 3\]\""),
        ("debug_info/*_ref_forward_graph.dot", r"label=\"conv2d1\\nGradNode: 0x[0-9a-f]+\""),
        ("debug_info/*_call_stack.log", r"^Note : If you want to see the call stack information"),
        ("debug_info/*_call_stack.log", _STACK),
        ("debug_info/*_call_stack.log", r"GradNodeBase GradNodeAccumulation ptr : 0x"),
    ],
    "1.3.3 subgraph": [
        ("debug_info/*_backward_graph.dot", r"label=\"matmul1GradNode\\nPtr: .* color=\"#999999\""),
        ("debug_info/*_backward_graph.dot", r"label=\"reshape2GradNode\\nPtr: .* color=\"#FFE4B5"),
        ("debug_info/*_backward_graph.dot", r"label=\"GradNodeAccumulation\\nPtr: .*\"#148b97\""),
        ("debug_info/*_call_stack.log", _STACK),
        (
            "debug_info/*_grad_tensors.log",
            r"^Variable: add3_out_float32_1x3@Grad\n  - lod: \{\}\n  - place: Place\(cpu\)\n"
            r"  - shape: \[1, 3\]\n  - layout: NCHW\n  - dtype: float32\n"
            r"  - data: \[1\.000000 1\.000000 1\.000000\]$",
        ),
        ("debug_info/*_ref_forward_graph.dot", r"label=\"sigmoid2\\nGradNode: 0x"),
    ],
    "1.3.4 Netron": [
        ("model/line.json", r"^\{\"base_code\":\{\"magic\":\"pir\""),
        ("model/line.json", r"\"#\":\"1\.matmul\""),
        ("model/line.json", r"\"#\":\"1\.add\".*\"#\":\"1\.fetch\""),
    ],
    "1.4 all of it": [
        ("debug_info/net", r"conv2d1\b"),
        ("debug_info/apis.txt.[0-9]*", r"^conv2d1 : \n(.*\n)*?  File \".*model\.py\", line \d+"),
        ("debug_info/nodes.txt.[0-9]*", _STACK),
        ("stderr", r"Running_AD_API: full_?="),
    ],
    "1.5 device errors": [
        (
            "stdout",
            r"index_select_ad_func begin checking\.\.\.\nindex_select_ad_func begin check done\.\n"
            r"index_select_ad_func finish checking\.\.\.\n\Z",
        ),
        ("stdout", r"^full_ad_func finish check done\.$"),
        ("stderr", r"^  File \".*out_of_range\.py\", line 5, in <module>$"),
        ("stderr", r"^ValueError: \(InvalidArgument\) Variable value \(index\) of OP\(index_sel"),
    ],
    "1.6 NaN": [
        ("stdout", r"\[PRECISION\] \[ERROR\] in \[device=cpu, op=log, tensor=.*, dtype=fp32\], "),
        ("stderr", r"^RuntimeError: \(PreconditionNotMet\) There are NAN or INF \(num_nan=1"),
        ("stderr", r"^  File \".*not_a_number\.py\", line 4, in <module>$"),
    ],
    "1.7 memory that is not written": [("stdout", "^True$")],
    "2.1 core dump": [
        ("stderr", r"Segmentation fault"),
        ("stderr", r"File \".*segfault\.py\", line 6"),
    ],
    "2.3 PyLayers": [
        ("stderr", r"=+ Error message in backward of GradNodePyLayer_Around\(0x[0-9a-f]+\)=+$"),
        ("stderr", r"^    .*=+ Error message in backward of GradNodePyLayer_Within\(0x"),
        ("stderr", r"While running Node \(GradNodePyLayer_Within\) raises an EnforceNotMet"),
        ("stderr", r"layers_in_layers\.py\(12\): backward$"),
    ],
    "2.4 memory": [
        ("stdout", r"^now 4 at most 4$"),
        ("stdout", r"^reserved True True$"),
        ("std*", r"^\[Memory Usage \(MB\)\] \w+ 0 : Reserved = [\d.]+, Allocated = [\d.]+$"),
    ],
    "2.5.3 cProfile": [("stdout", r"^ +10 .*multiply\)?\}?$")],
    "2.6.2 hooks": [
        (
            "stdout",
            r"^add \[3\.0\] \[\[3\.0\], \[3\.0\]\]\nmultiply \[3\.0\] \[\[30\.0\], \[30\.0\]\]\n"
            r"d \[33\.0\]\n\[315\.0\]$",
        ),
    ],
    "2.6.3 configurations": [
        ("api_config.txt", r"^paddle\.concat\(tuple\(Tensor\(.*\[2, 3\]\)?,.*axis=0, \)$"),
    ],
    "2.6.5 checksums": [
        ("md5.log", r"^exp1_out_float32_2x2:[0-9a-f]{32}$"),
        ("md5.log", r"^exp1_out_float32_2x2@Grad:[0-9a-f]{32}$"),
    ],
    "2.6.5 checksums of bits": [("md5.log", r"^sum1_out_float32_:[0-9a-f]{32}$")],
    "2.8.1 to_static": [("stdout", r"\[2, 1, 3\]")],
}  # fmt: skip
USUAL = ["1.1 level 1", "1.3.3 subgraph", "1.5 device errors", "2.6.2 hooks"]


def missing(folder: Path, name: str) -> list[str]:
    """Return what is looked for and not found."""
    found = []
    for file, pattern in EXPECTED[name]:
        texts = [path.read_text(errors="replace") for path in folder.glob(file) if path.is_file()]
        if not any(re.search(pattern, text, re.MULTILINE) for text in texts):
            found.append(f"{file}: {pattern}")
    return found


def test_every_case_is_looked_at():
    assert EXPECTED.keys() == CASES.keys()


@pytest.mark.parametrize("name", only(USUAL, CASES))
def test_it_runs_here_with_the_lines_of_the_guide(name, tmp_path):
    command = [sys.executable, str(HERE / "run.py"), "jaxeager", str(tmp_path), name]
    subprocess.run(command, env=environment("jaxeager") | AS_ON_A_CPU, check=True, timeout=150)
    folder = tmp_path / name
    assert not missing(folder, name), (folder / "stderr").read_text()
    assert "launcher" not in (folder / "stderr").read_text() or name == "2.1 core dump"


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.not_on_paddle])
def test_paddle_writes_these_lines(name, tmp_path):
    answer = paddle_says("guide")
    files = {p: text for p, text in answer["files"].items() if p.startswith(f"{name}/")}
    write_files({"files": files}, tmp_path)
    assert not missing(tmp_path / name, name)
