"""The verbose log of backward and of PyLayers, against real Paddle's, over the corpus."""

import difflib
import re
from typing import NamedTuple

import pytest

from tests.debug.corpus import PROGRAMS
from tests.debug.vlog_lines import Entry, entries_of

LEVELS = (3, 4, 5, 6)
RECORDED_TOOLS = (*(f"vlog{level}" for level in LEVELS), "vlog_guard3", "vlog_guard5", "vlog_grad5")
# The files whose lines are compared. Paddle's lines about memory, threads and destructors are not.
MODULES = frozenset(
    "backward nodes multiply_node conv2d_nodes accumulation_node general_grad grad_tensor_holder "
    "tensor_wrapper py_layer_node eager_py_layer eager_utils backward_api_base".split()
)
NODE = re.compile(r"(\w+)\((0x[0-9a-f]+)\)")
POINTER = re.compile(r"0x[0-9a-f]+")
ITEM = re.compile(r"^ ?\( (\w+) , ", re.MULTILINE)
FIELD = re.compile(r"^(\t+)(Name|Dtype|Shape): ?(.*?),? *$", re.MULTILINE)
RECOVERED = re.compile(r"Recover tensor: (.*) for wrapper")
ANONYMOUS = re.compile(r"(Tensor_[0-9a-f]+|None|(eager_\w+|generated_tensor)_\d+)?(@Grad)*$")

# Actions that Paddle takes and logs, and this library does not.
THEIRS_ONLY = (
    "type_name: ",  # how Paddle's bindings read arguments
    "Do nothing here now",  # of a PyLayer's node, which frees its context here
    "Destruct GradNodeAccumulation",
    "Construct GradNodeAccumulation",
    "Conv2dGradNodeFinal grad_",
)
# For paddle.grad, Paddle copies the graph, and frees the copy after the run.
COPIES = (
    "Copied Node", "Copy Conv2dGradNodeFinal", "Get stop edge",
    "RunBackward: retain_graph is false",
)  # fmt: skip
# Where paddle.grad runs other nodes.
OTHER_NODES = {
    "concat_and_stack": "Paddle goes along all edges of a list, to unrequested leaves too",
    "a_pylayer_with_two_outputs": "Paddle stops an unrequested input, and then refuses the "
    "gradient that the PyLayer gives it",
}


def compared(text: str) -> list[Entry]:
    """Return the compared part of a log, with nodes numbered in the order of appearance."""
    numbers: dict[str, int] = {}

    def renumbered(match):
        number = numbers.setdefault(match[2], len(numbers))
        return f"{match[1]}(#{number})"

    found = []
    for depth, module, message in entries_of(text):
        if module in MODULES and not message.startswith(THEIRS_ONLY):
            message = NODE.sub(renumbered, message)
            found.append(Entry(depth, module, POINTER.sub("PTR", message).rstrip()))
    return found


def is_block(entry: Entry) -> bool:
    """Return whether a message lists tensors."""
    return "{ Input: [" in entry.text or "Forward Debug Info" in entry.text


def head_of(entry: Entry) -> Entry:
    """Return a message: a block of tensors by its labels alone, a kernel by its attributes."""
    text = entry.text
    if is_block(entry):
        labels = [match[1] for match in ITEM.finditer(text)]
        text = f"{text.split('[')[0].strip()} {labels}"
    elif text.startswith("Recover tensor: "):
        text = "Recover tensor"
    name, is_kernel, kernel = text.partition(" kernel: {")
    text = name + kernel.partition('"attribute"')[2] if is_kernel else text
    return Entry(entry.depth, entry.module, text.strip())


def tensors_of(entry: Entry, level: int) -> list[tuple[str, str]]:
    """Return a message's text about tensors, as far as both libraries have it at a level."""
    recovered = RECOVERED.match(entry.text)
    if recovered:
        return [("Name", recovered[1])]
    found = []
    for line in entry.text.split("\n") if is_block(entry) and level != 4 else ():
        field = FIELD.match(line)
        if field is None:
            continue
        depth, name, value = len(field[1]), field[2], field[3].rstrip(", ")
        if (name == "Name" and depth == 1 and level >= 6) or (name != "Name" and depth <= 2):
            found.append((name, value))
    pairs = zip(found, [*found[1:], ("", "")], strict=False)
    return [each for each, follower in pairs if _is_told(each, follower)]


def _is_told(field: tuple[str, str], follower: tuple[str, str]) -> bool:
    """Return whether a field is compared: the name of a tensor that holds nothing is not."""
    return field[0] != "Name" or follower[0] == "Dtype"


def differences(ours: list[Entry], theirs: list[Entry], level: int) -> list[str]:
    """Return the differences: "+" and "-" before lines of one library, "~" before tensors.

    A tensor without its own name in Paddle may have any here.
    """
    heads = [list(map(head_of, entries)) for entries in (theirs, ours)]
    found = []
    matcher = difflib.SequenceMatcher(None, *heads, autojunk=False)
    for what, i, i_end, j, j_end in matcher.get_opcodes():
        if what != "equal":
            found += [f"- {head.module}: {head.text}" for head in heads[0][i:i_end]]
            found += [f"+ {head.module}: {head.text}" for head in heads[1][j:j_end]]
            continue
        for their, our in zip(theirs[i:i_end], ours[j:j_end], strict=True):
            told = tensors_of(our, level), tensors_of(their, level)
            if len(told[0]) != len(told[1]):
                found.append(f"~ {our.module}: {len(told[0])} fields for {len(told[1])}")
            for (name, value), (_, expected) in zip(*told, strict=False):
                if value != expected and not (name == "Name" and ANONYMOUS.match(expected)):
                    found.append(f"~ {our.module}: {value} for {expected}")
    return found


def order_of(entries: list[Entry]) -> list[str]:
    """Return the nodes in the order in which they were run."""
    return [e.text for e in entries if e.module == "backward" and e.text.endswith(" Preparing")]


def read(folder, program: str) -> list[Entry]:
    """Return the compared part of a recorded program."""
    assert not (folder / program / "error").exists()
    return compared((folder / program / "stderr").read_text())


# ---- the tests


class Difference(NamedTuple):
    """Lines that only one library writes, or that the two write differently.

    Attributes:
        reason: why.
        pattern: of the lines that ``differences`` returns.
        programs: the places, by program; ``levels`` contains the levels.
        levels: 4 to 6 by default.
    """

    reason: str
    pattern: str
    programs: str
    levels: tuple[int, ...] = (4, 5, 6)


KNOWN = [
    Difference(
        "Paddle computes this gradient by calling forward ops, whose kernel it names; here every "
        "gradient is a kernel of its own",
        r"\+ backward_api_base: (scale|cast|assign|embedding|split_with_num)_grad"
        r"( API kernel .*|:\[[^]]*\]})",
        "add_in_place comparisons_and_where nested_pylayers relu_in_place scalars_are_scale "
        "set_item cast_there_and_back promotion_inserts_a_cast clone_of_a_leaf embedding_lookup "
        "split_uses_one_part",
    ),
    Difference(
        "Paddle has a kernel of another name for a scalar value",
        r"[+-] backward_api_base: set_value(_with_scalar)?_grad[\s\S]*",
        "set_item",
    ),
    Difference(
        "the tensor of this leaf is gone when backward runs: Paddle drops its gradient, here the "
        "graph keeps the leaf, and it is added to",
        r"\+ accumulation_node: CopyOrAddTensor: Move Copy Tensor ptr: PTR",
        "concat_and_stack functional_linear two_layer_perceptron a_training_step_of_two_layers",
        LEVELS,
    ),
    Difference(
        "Paddle writes Running where conv2d's kernel has finished",
        r"[+-] conv2d_nodes: =+(Running|Finish)_C\+\+_API: conv2d_grad1=+",
        "convolution_and_pooling",
        LEVELS,
    ),
    Difference(
        "the shape of the logits is kept too, and the operand is not called input",
        r"[+-] nodes: { Input: \[.*'softmax'.*\]",
        "cross_entropy_of_labels a_training_step_of_two_layers",
        (5, 6),
    ),
    Difference(
        "dropout keeps the shape of its operand too",
        r"[+-] (nodes: { Input: \['out_grad'.*\]|tensor_wrapper: Recover tensor)",
        "dropout_of_ones",
        (5, 6),
    ),
    Difference(
        "the shape of the logits is recovered too",
        r"(\+ tensor_wrapper: Recover tensor|~ tensor_wrapper: .* for (unsqueeze|cross_entropy).*)",
        "cross_entropy_of_labels a_training_step_of_two_layers",
        (6,),
    ),
    Difference(
        "a mask of dropout is bool here",
        r"~ tensor_wrapper: .* for dropout1_mask_uint8_4x4",
        "dropout_of_ones",
        (6,),
    ),
    Difference(
        "mean and variance have a last dimension of 1 here",
        r"~ (nodes|tensor_wrapper): (2, 1 for 2|layer_norm1_\w+_2x1 for layer_norm1_\w+_2)",
        "layer_norm_without_weight",
        (5, 6),
    ),
    Difference(
        "Paddle renames Parameters, and then optimizers lose their state; here they keep names",
        r"~ \w+: linear_\d\.\w_\d(@Grad)? for full_\d_out_\w+(@Grad)?",
        "two_layer_perceptron a_training_step_of_two_layers",
        (6,),
    ),
    Difference(
        "a gradient is named after the tensor it belongs to; Paddle names what a PyLayer or a hook "
        "made after the op that made it",
        r"~ \w+: \w+@Grad for (scale|add|Both)\d_\w+(@Grad)?",
        "a_gradient_hook a_pylayer a_pylayer_with_two_outputs nested_pylayers",
        (6,),
    ),
    Difference(
        "the gradient of a value that was overwritten has the name of that value; Paddle's has "
        "that of the new one",
        r"~ nodes: scale1_\w+@Grad for (add|relu|set_value)_1_\w+@Grad",
        "add_in_place relu_in_place set_item",
        (6,),
    ),
]

UNWANTED = Difference(
    "Paddle's conv2d makes only the gradients that somebody wants",
    r"~ conv2d_nodes: 10 fields for 8",
    "convolution_and_pooling",
    (5,),
)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_log_of_backward_is_paddles(program, level, recorded):
    folders = recorded(f"vlog{level}")
    ours, theirs = read(folders.ours, program), read(folders.paddles, program)
    assert order_of(ours) == order_of(theirs)
    assert order_of(ours)
    check(program, level, ours, theirs)


def check(program, level, ours, theirs, has_leaves=True, known=KNOWN) -> None:
    """Assert that two logs differ in known ways only."""
    found = differences(ours, theirs, level)
    for each in known:
        applies = program in each.programs.split() and level in each.levels
        if applies and (has_leaves or "leaf" not in each.reason) and (ours or theirs):
            left = [line for line in found if not re.fullmatch(each.pattern, line)]
            assert len(left) < len(found), f"no difference any more: {each.reason}"
            found = left
    assert found == []


@pytest.mark.parametrize("level", [3, 5])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_backward_guard_writes_what_paddles_does(program, level, recorded):
    folders = recorded(f"vlog_guard{level}")
    ours, theirs = read(folders.ours, program), read(folders.paddles, program)
    assert len(ours) > 0
    check(program, level, ours, theirs, has_leaves=False)


@pytest.mark.parametrize("program", PROGRAMS)
def test_paddle_grad_runs_the_nodes_that_paddles_does(program, recorded):
    folders = recorded("vlog_grad5")
    texts = [(folder / program / "stderr").read_text() for folder in folders]
    ours, theirs = [
        [entry for entry in compared(text) if not entry.text.startswith(COPIES)] for text in texts
    ]
    if program in OTHER_NODES:
        assert order_of(ours) != order_of(theirs)
        return
    assert order_of(ours) == order_of(theirs)
    check(program, 5, ours, theirs, has_leaves=False, known=[*KNOWN, UNWANTED])


def test_a_difference_is_seen():
    text = (
        "I1121 06:08:41.309419  8765 backward.cc:459] AddGradNode(0x55ad) Preparing \n"
        "I1121 06:08:41.309419  8765 nodes.cc:1] { Input: [ \n"
        "( x , [{\n\tName: None, \n\tType: DenseTensor,\n\tDtype: float64,\n"
        "\tShape: 2, 3,\n}]), ]} \n"
    )
    entries = compared(text)
    assert order_of(entries) == ["AddGradNode(#0) Preparing"]
    assert differences(entries, compared(text.replace("0x55ad", "0x1")), 5) == []
    assert differences(entries, compared(text.replace("2, 3", "2, 4")), 5) == [
        "~ nodes: 2, 3 for 2, 4"
    ]
    assert differences(entries, compared(text.replace("( x ,", "( y ,")), 5) == [
        "- nodes: { Input: ['y']",
        "+ nodes: { Input: ['x']",
    ]
    assert differences(entries, compared(text.replace("AddGrad", "SubGrad")), 5) == [
        "- backward: SubGradNode(#0) Preparing",
        "+ backward: AddGradNode(#0) Preparing",
    ]
