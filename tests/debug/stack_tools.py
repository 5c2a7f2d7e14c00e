"""Tools for record.py: files of Python stacks, and what errors of backward say at level 3."""

import json


def stacks(paddle, program, folder):
    """The stack files of the API calls and of the nodes, of a forward and a backward."""
    flags = {
        "FLAGS_dump_api_python_stack_path": str(folder / "api"),
        "FLAGS_dump_grad_node_forward_stack_path": str(folder / "node"),
    }
    paddle.set_flags(flags)
    try:
        program(paddle)["loss"].backward()
    finally:
        paddle.set_flags(dict.fromkeys(flags, ""))


def failures(paddle, program, folder):
    """What an error says at level 3, raised in turn behind every node of an op."""
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    try:
        loss = program(paddle)["loss"]
        nodes, failing, texts = [loss.grad_fn], [None], []
        for node in nodes:  # grows while it is read
            behind = [each for each in node.next_functions if each is not None]
            nodes += [each for each in behind if not any(each is seen for seen in nodes)]
        # real Paddle dies of a post hook on a PyLayer
        nodes = [node for node in nodes if not node.name().startswith("GradNode")]
        for node in nodes:
            node._register_post_hook(_raiser(node, failing))
        for node in nodes:
            failing[0] = node
            try:
                loss.backward(retain_graph=True)
            except Exception as error:
                notes = getattr(error, "__notes__", [])
                texts.append({"node": node.name(), "text": "\n".join([str(error), *notes])})
            paddle.set_grad_enabled(True)  # real Paddle leaves it off
    finally:
        paddle.set_flags({"FLAGS_call_stack_level": 1})
    (folder / "failures.json").write_text(json.dumps(texts, indent=1))


def _raiser(node, failing):
    def hook(outputs, inputs):
        if failing[0] is node:
            raise KeyError("on purpose")
        return outputs

    return hook


TOOLS = {"stacks": stacks, "failures": failures}
