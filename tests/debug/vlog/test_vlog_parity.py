"""The verbose log of forward, against real Paddle's, over the corpus, at levels 3, 4, 5 and 6."""

import re

import pytest

from tests.debug.corpus import PROGRAMS
from tests.debug.vlog_lines import entries_of

LEVELS = (3, 4, 5, 6)
RECORDED_TOOLS = tuple(f"vlog{level}" for level in LEVELS)
FORWARD = frozenset(
    "dygraph_functions multiply_fwd_func conv2d_fwd_function add_n_fwd_func api".split()
)
POINTER = re.compile(r"0x[0-9a-f]+")
INFO = re.compile(r", \n\tTensorInfo: \[ (?:[^]]*)\]\}")
# A tensor that stops gradients may have an empty ADInfo in Paddle, and has none here.
STOPPED = re.compile(
    r"ADInfo:\{ \n\t\tGrad:(?:(?!\n\tADInfo|StopGradient:)[\s\S])*StopGradient: \[ 1 \] \n\t\}"
)
# A gradient that does not exist yet.
ABSENT = re.compile(r"(Grad:  \{\s+)Name: Tensor_[0-9a-f]+,(?=\s+Initialized: 0)")
LEAF = re.compile(r"(BackwardInMeta:   \{\s+SlotSize: \[1\]: \s+SlotID: 0,\s+StopGradients: )1, ,")


def messages(text: str, level: int) -> list[str]:
    """Return the forward messages of ops, up to the first backward, in one form."""
    found = []
    for _, module, message in entries_of(text):
        if module == "backward":
            break
        if module == "grad_node_info" and not message.startswith("Add Edges"):
            continue
        if module.removeprefix("dygraph_") == "api":
            module = "api"
        if module in FORWARD or module == "grad_node_info":
            message = normal(message, module, level)
            if message is not None:
                found.append(message)
    return found


def normal(message: str, module: str, level: int) -> str | None:
    """Return a message without intended differences; None for one that is ignored."""
    is_by_hand = module.endswith(("_fwd_func", "_fwd_function"))
    if (
        message.startswith(("Got different data", "got different data"))
        and "The type" not in message
    ):
        return None  # the warning: once a process, and one process runs all programs here
    if is_by_hand and message.startswith(("{ Input", "Create node", "\n" + "=" * 26 + "Finish_AD")):
        return None  # some files write these, some do not; here all do
    if " kernel cache: " in message:
        return None  # an extra line of this library
    if " kernel: {" in message:  # the dtypes of outputs differ: Paddle does not know them yet
        name, _, rest = message.partition(" kernel: {")
        return name + " kernel" + rest.partition('"attribute"')[2]
    message = (
        POINTER.sub("PTR", message).replace("Finshi", "Finish").replace(" : \n Input", " \nInput")
    )
    message = message.replace("\n Output: [", "\nOutput: [")
    message = ABSENT.sub(r"\1Name: Tensor_HEX,", message)
    message = re.sub(r"Name: (Tensor_[0-9a-f]+|eager_(in_)?tmp_\d+)", "Name: None", message)
    message = re.sub(r"Name: generated_tensor_\d+", "Name: generated_tensor", message)
    message = re.sub(r"Tensor_Ptr:\w+", "Tensor_Ptr:PTR", message)
    message = re.sub(r"Tensor_Impl_Ptr: \w+", "Tensor_Impl_Ptr: PTR", message)
    message = STOPPED.sub("ADInfo:{ None \n\t}", message)
    message = LEAF.sub(r"\g<1>0, ,", message)
    if level == 4:
        message = INFO.sub(" }", message)
    return message.rstrip()


def difference(ours: list[str], theirs: list[str]) -> str:
    """Return the first messages that differ, "" when none do."""
    for number in range(max(len(ours), len(theirs))):
        mine = ours[number] if number < len(ours) else "(nothing)"
        yours = theirs[number] if number < len(theirs) else "(nothing)"
        if mine != yours:
            return f"message {number}:\n{mine}\n--- Paddle:\n{yours}"
    return ""


# Program: the lowest level, and the reason.
KNOWN = {
    "cross_entropy_of_labels": (3, "Paddle looks at the labels with ops of its own before"),
    "a_training_step_of_two_layers": (3, "Paddle looks at the labels with ops of its own before"),
    "dropout_of_ones": (3, "Paddle has a seed tensor, and a mask of uint8"),
    "layer_norm_without_weight": (3, "mean and variance keep the axes here, and have no ADInfo"),
    "created_tensors": (4, "Paddle's kernel of arange is called arange_tensor"),
    "two_layer_perceptron": (4, "Paddle shows parameters without memory, and renames them"),
}
SAME = {("layer_norm_without_weight", 4)}  # because the shape is not part of that comparison


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_forward_lines_are_paddles(recorded, program, level):
    folders = recorded(f"vlog{level}")
    assert not (folders.ours / program / "error").exists()
    ours, theirs = (
        messages((folder / program / "stderr").read_text(), level) for folder in folders
    )
    found = difference(ours, theirs)
    if level >= KNOWN.get(program, (99,))[0] and (program, level) not in SAME:
        assert found, f"{program} is listed as different: {KNOWN[program]}"
    else:
        assert ours, "the log is empty"
        assert not found, found
