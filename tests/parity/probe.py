"""Small helpers that the programs share; they use nothing but Paddle's public face."""

import builtins
import re

_COUNTED_NAME = re.compile(r"\b(generated_tensor|eager_tmp|eager_in_tmp)_\d+")


def leaf(paddle, value, dtype=None):
    """Return a leaf tensor that requires a gradient."""
    return paddle.to_tensor(value, dtype=dtype, stop_gradient=False)


def array(tensor):
    """Return the tensor's values, None for None."""
    return None if tensor is None else tensor.numpy()


def grads(*tensors):
    """Return the gradients of the tensors, None for missing ones."""
    return [array(tensor.grad) for tensor in tensors]


def pull(paddle, np, *tensors):
    """Run backward from tensors, each with weights that distinguish its elements.

    Cheaper than a weighted sum: no further op has to be compiled for the shape.
    """
    for tensor in tensors:
        shape = tensor.shape
        weights = np.linspace(-1.0, 2.0, int(np.prod(shape))).reshape(shape) + 0.125
        seed = paddle.to_tensor(weights.astype(str(tensor.dtype).rpartition(".")[2]))
        tensor.backward(seed, retain_graph=tensor is not tensors[-1])


def facts(tensor):
    """Return the visible properties of a tensor besides its values.

    The node of a constant is omitted: Paddle gives some of them an accumulation node, some none.
    """
    constant = tensor.is_leaf and tensor.stop_gradient
    return {
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype),
        "stop_gradient": tensor.stop_gradient,
        "is_leaf": tensor.is_leaf,
        "node": None if constant else tensor.grad_fn.name(),
    }


def graph(tensor):
    """Return the recorded graph upstream of a tensor as text: `MultiplyGradNode(leaf, None)`."""
    if tensor.grad_fn is None:
        return None
    return _node_text(tensor.grad_fn)


def _node_text(node):
    if node is None:
        return "None"
    name = node.name()
    if name == "GradNodeAccumulation":
        return "leaf"
    return f"{name}({', '.join(_node_text(above) for above in node.next_functions)})"


def attempt(call):
    """Return the result of the call, or its error: builtin class and stable part of its text."""
    try:
        return call()
    except Exception as error:
        return {"error": error_class(error), "text": stable_text(str(error))}


def refuses(call):
    """Return the error of a call that must raise, by builtin class and Paddle's category alone.

    Used where Paddle's text names its own C++ (kernel keys, attribute containers).
    """
    try:
        call()
    except Exception as error:
        category = re.match(r"\s*\((\w+)\)", str(error))
        return {"error": error_class(error), "category": category and category.group(1)}
    return "no error"


def error_of(call):
    """Return the builtin class alone of the error of a call that must raise.

    Used where Paddle raises it in Python, without a category.
    """
    found = refuses(call)
    return found if isinstance(found, str) else found["error"]


def error_class(error):
    """Return the name of the first builtin class of an error, the one that users can catch."""
    return next(c.__name__ for c in type(error).__mro__ if getattr(builtins, c.__name__, None) is c)


def stable_text(text):
    """Return an error's text without C++ hint and place, and with equal counted names."""
    text = re.sub(r"\[Hint: .*", "", text, flags=re.DOTALL)
    text = re.sub(r"\(at [^)]*\)", "", text)
    text = _COUNTED_NAME.sub(r"\1_N", text)
    text = re.sub(r"paddle\.Size\((\[[^\]]*\])\)", r"\1", text)
    return " ".join(text.split())


def names(found):
    """Return the names with each prefix counted from 0, as in a new process."""
    seen: dict[str, dict[str, int]] = {}

    def renumber(match):
        numbers = seen.setdefault(match.group(1), {})
        return f"{match.group(1)}_{numbers.setdefault(match.group(2), len(numbers))}"

    return [re.sub(r"^(\w+?)_(\d+)(?=$|\.)", renumber, name) for name in found]
