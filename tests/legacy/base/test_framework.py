"""paddle.base.framework: the names that programs use."""

import jaxeager as paddle


def test_the_guards_of_the_debug_guide_are_here_too():
    """They are where the pull request added them; Paddle 3.3.1 has them in paddle.utils."""
    from jaxeager.base.framework import (
        capture_backward_subgraph_guard,
        capture_forward_subgraph_guard,
    )

    assert capture_backward_subgraph_guard is paddle.utils.capture_backward_subgraph_guard
    assert capture_forward_subgraph_guard is paddle.utils.capture_forward_subgraph_guard
