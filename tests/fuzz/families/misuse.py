"""Programs of the other families with one argument replaced by something nobody expects."""

import ast
import importlib

SOURCES = """reductions shapes indexing creation linalg activations normalisation convolution pooling
losses layers vision signals""".split()
ODD = """None|True|-1|0|1|2|7|-100|0.5|-0.5|'abc'|''|[]|[0]|[1, 2]|[[1]]|(0, 0)|2**31|1e30
float('nan')|np.int32(1)|np.float64(0.5)|np.array([1])|paddle.to_tensor(1)|paddle.to_tensor([0, 1])
paddle.to_tensor([])|paddle.to_tensor(True)|paddle.zeros([0])|paddle.ones([1, 2, 3])|'float32'|1+1j
b'a'|object|paddle.to_tensor(0.5)|[-1]|[0, 1, 2]|'NHWC'|paddle.float64|()"""
ODD = ODD.replace("\n", "|").split("|")


def program(draw):
    """Adds a program of another family, one argument of its last call replaced."""
    family = importlib.import_module(f"{__package__}.{draw.choice(SOURCES)}")
    family.program(draw)
    for number in reversed(range(len(draw.lines))):
        if draw.lines[number].startswith(("back(", "_")):
            continue
        draw.lines[number] = _replaced(draw, draw.lines[number])
        break
    return draw.lines


def _replaced(draw, line):
    tree = ast.parse(line)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls = [call for call in calls if call.args or call.keywords]
    if not calls:
        return line
    call = calls[0]
    odd = ast.parse(draw.choice(ODD), mode="eval").body
    position = draw.random.randrange(len(call.args) + len(call.keywords))
    if position < len(call.args):
        call.args[position] = odd
    else:
        call.keywords[position - len(call.args)].value = odd
    return ast.unparse(tree)
