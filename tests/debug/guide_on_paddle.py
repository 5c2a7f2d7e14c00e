"""Real Paddle runs the model of the debug guide, and draws the backward graph its own way.

    python guide_on_paddle.py EXAMPLES FOLDER

EXAMPLES is the folder with the model.
"""

import sys
import types


def main(examples: str, folder: str) -> None:
    """Runs a backward whose graph Paddle writes into a folder."""
    import paddle  # not above: pytest imports this file where there is no Paddle

    debug = types.ModuleType("jaxeager.debug")
    debug.draw_backward_graph = None  # pyright: ignore[reportAttributeAccessIssue]
    sys.modules |= {"jaxeager": paddle, "jaxeager.nn": paddle.nn, "jaxeager.debug": debug}
    sys.path.insert(0, examples)
    from debug_guide_model import SmallNet

    loss = SmallNet()(paddle.randn([4, 1, 28, 28])).square().mean()
    loss.backward(dump_backward_graph_path=folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
