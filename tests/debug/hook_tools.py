"""Tools for record.py: hooks on every node and tensor of a program, and the device checks."""

import json


def looking_hooks(paddle, program, folder):
    """What post hooks on every node, and hooks on every tensor, see in a backward, in order."""
    made = program(paddle)
    log = []
    for name, tensor in made.items():
        if not tensor.stop_gradient:
            tensor.register_hook(_tensor_hook(log, name))
    handles = [
        node._register_post_hook(_node_hook(log, node.name()))
        for node in _nodes(made["loss"].grad_fn)
    ]
    made["loss"].backward()
    said = [handle.remove() for handle in handles]
    (folder / "hooks.json").write_text(json.dumps([log, all(said)]))


def _nodes(root):
    """Returns the nodes behind a root that are no leaves, each once."""
    found, waiting = {}, [root]
    while waiting:
        node = waiting.pop(0)
        is_new = node is not None and node.node_ptr() not in found
        if is_new and node.name() != "GradNodeAccumulation":
            found[node.node_ptr()] = node
            waiting += node.next_functions
    return list(found.values())


def _tensor_hook(log, name):
    return lambda grad: log.append([f"tensor {name}", [_seen(grad)], []])


def _node_hook(log, name):
    def hook(outputs, inputs):
        log.append([name, [_seen(each) for each in inputs], [_seen(each) for each in outputs]])
        return outputs

    return hook


def _seen(grad):
    """Returns the shape, the dtype and the values of a gradient, or of each of a list."""
    if isinstance(grad, (list, tuple)):
        return [_seen(each) for each in grad]
    if grad is not None and 0 in grad.shape:
        return [list(grad.shape), str(grad.dtype).rpartition(".")[2], []]
    if grad is None or not getattr(grad, "_is_initialized", lambda: True)():  # Paddle's nothing
        return None
    array = grad.astype("complex128" if "complex" in str(grad.dtype) else "float64").numpy()
    parts = [array.real.tolist(), array.imag.tolist()]
    return [list(array.shape), str(grad.dtype).rpartition(".")[2], parts]


def device_checks(paddle, program, folder):
    """The gradients of a program while FLAGS_check_cuda_error is on."""
    paddle.set_flags({"FLAGS_check_cuda_error": True})
    try:
        made = program(paddle)
        made["loss"].backward()
    finally:
        paddle.set_flags({"FLAGS_check_cuda_error": False})
    found = {name: _seen(t.grad) for name, t in made.items() if t.is_leaf and not t.stop_gradient}
    (folder / "grads.json").write_text(json.dumps(found))


TOOLS = {"looking_hooks": looking_hooks, "device_checks": device_checks}
