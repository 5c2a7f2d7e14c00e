"""The modules of verbose logs, which are Paddle's C++ files, and levels parsed from text."""

import difflib
import fnmatch

from jaxeager.core import user_lines

# The files of the lines written here, and other files of Paddle; other names cause a warning.
FILES = {
    name.partition(".")[0]: name
    for name in (
        "accumulation_node.cc add_n_fwd_func.cc amp_utils.h api.cc backward.cc "
        "backward_api_base.cc conv2d_fwd_function.cc conv2d_nodes.cc dense_tensor.cc "
        "dygraph_functions.cc eager_math_op_patch.cc eager_method.cc eager_op_function.cc "
        "eager_py_layer.cc eager_utils.cc general_grad.h grad_node_info.cc grad_tensor_holder.cc "
        "kernel_dispatch.cc memcpy.cc multiply_fwd_func.cc multiply_node.cc nodes.cc ops_api.cc "
        "py_layer_node.cc pybind.cc stream_safe_cuda_allocator.cc "
        "tensor_wrapper.h utils.cc vlog_is_on.cc"
    ).split()
}
_ELSEWHERE = frozenset(
    "allocator_facade amp_auto_cast context_pool custom_device_op_list dygraph_api eager_functions "
    "imperative init nan_inf_utils pir_interpreter run_program_func "
    "run_program_impl run_program_node run_program_op_func run_program_op_node stats "
    "sync_batch_norm_node tensor_utils tracer".split()
)
_warned: set[str] = set()


def check_module(name: str) -> None:
    """Warn, once, of a name or pattern that matches no module."""
    known = FILES.keys() | _ELSEWHERE
    if name in known or fnmatch.filter(known, name):
        return
    near = difflib.get_close_matches(name.partition(".")[0], known, 1)
    hint = f" Did you mean {near[0]}?" if near else ""
    warn_once(
        f"No verbose log has a module named {name!r}.{hint} The modules that write here are: "
        f"{', '.join(sorted(FILES))}."
    )


def warn_once(text: str) -> None:
    """Warn, unless the same warning was issued before."""
    if text not in _warned:
        _warned.add(text)
        user_lines.warn(text)


def parse_levels(text: str) -> dict[str, int]:
    """Read "module=level,module=level"; skip entries that are invalid."""
    change = {}
    for entry in text.split(","):
        name, _, number = entry.strip().partition("=")
        level = number_in(number)
        if name.strip() and level is not None:
            check_module(name.strip())
            change[name.strip()] = level
        elif entry.strip():
            warn_once(
                f"The entry {entry.strip()!r} of GLOG_vmodule is ignored: entries are written "
                "module=level, such as dygraph_functions=4."
            )
    return change


def number_in(text: str) -> int | None:
    """Return the number that a text contains, None if it is not a number."""
    try:
        return int(text)
    except ValueError:
        return None
