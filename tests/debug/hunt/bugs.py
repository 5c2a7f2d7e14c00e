"""The planted bugs of the hunt: each is a program, and one command that names its line."""

from pathlib import Path
from typing import NamedTuple

PROGRAMS = Path(__file__).with_name("programs")
RUN = "python -m jaxeager"
LAUNCH = "python -m jaxeager.distributed.launch --nproc_per_node 2"


class Bug(NamedTuple):
    """A planted bug.

    Attributes:
        name: its program, ``programs/NAME.py``. The line with the comment BUG is the one to find.
        what: the bug, in a few words.
        command: what finds it; flags in front, as in a shell. The tools that a program calls itself
            are in ``tool``.
        tool: the tool, if it is not the command.
        before: what runs first: the run that was good.
        names: what the output says of the place, where that is not the line: a layer, a commit.
        paddle: what Paddle 3.3.1 offers for it; "-": nothing that names a place.
        torch: what PyTorch 2.13 offers for it.
    """

    name: str
    what: str
    command: str
    tool: str = ""
    before: str = ""
    names: str = ""
    paddle: str = "-"
    torch: str = "-"

    @property
    def program(self) -> Path:
        """Return the program."""
        return PROGRAMS / f"{self.name}.py"

    @property
    def places(self) -> tuple[str, ...]:
        """Return texts of which the output has to contain one."""
        if self.names:
            return (self.names,)
        lines = self.program.read_text().splitlines()
        at = next(number for number, line in enumerate(lines, 1) if line.endswith("# BUG"))
        file = f"{self.name}.py"
        return f"{file}:{at}", f'{file}", line {at}'


BUGS = [
    Bug("leaked_sum", "a sum of losses keeps the graph of each step", f"{RUN} leaked_sum.py",
        tool="debug.leaks(step)",
        torch="a snapshot of a GPU's memory: the stacks of allocations, no holders"),
    Bug("leaked_closure", "a list keeps hooks, and these the activations",
        f"{RUN} leaked_closure.py", tool="debug.leaks(step)", torch="as above"),
    Bug("log_of_zero", "`p * log(p)` where p is 0",
        f"FLAGS_check_nan_inf=1 {RUN} log_of_zero.py", paddle="the same flag: the op, and the line "
        "of the call", torch="-"),
    Bug("slope_of_sqrt", "the forward is finite, the slope of `sqrt` at 0 is not",
        f"FLAGS_nan_birth=1 FLAGS_call_stack_level=3 {RUN} slope_of_sqrt.py",
        paddle="FLAGS_check_nan_inf: the kernel, no line of the forward",
        torch="detect_anomaly: the line of the forward"),
    Bug("wrong_rule", "a PyLayer whose backward is wrong", f"{RUN} wrong_rule.py",
        tool="debug.audit(loss, step=step)", torch="gradcheck of one function in float64"),
    Bug("lost_gradient", "a trip through NumPy cuts the graph", f"{RUN} lost_gradient.py",
        tool="debug.why(weight, loss, step)"),
    Bug("queue_never_filled", "the program waits for a batch that never comes",
        f"FLAGS_op_timeout=3 {RUN} queue_never_filled.py", torch="py-spy, faulthandler"),
    Bug("straggler", "rank 1 sleeps in every step",
        f"{LAUNCH} --profile seen straggler.py",
        paddle="timelines of each rank, to be merged by hand",
        torch="Holistic Trace Analysis, on traces of GPUs"),
    Bug("wrong_rank", "ranks make different calls", f"{LAUNCH} wrong_rank.py",
        paddle="it hangs", torch="TORCH_DISTRIBUTED_DEBUG=DETAIL: the ops, no lines"),
    Bug("new_length", "a shape that grows, so each step compiles", f"{RUN} profile new_length.py",
        torch="TORCH_LOGS=recompiles, for torch.compile"),
    Bug("promoted", "an array of NumPy makes the loss float64",
        f"{RUN} profile --against before.json promoted.py",
        before=f"DTYPE=float32 {RUN} profile --save before.json promoted.py"),
    Bug("own_generator", "noise from a generator that no seed resets", f"{RUN} own_generator.py",
        tool="debug.determinism(step, model)"),
    Bug("stale_value", "a value that backward needs is overwritten",
        f"FLAGS_call_stack_level=3 {RUN} stale_value.py", paddle="an error with the node's name",
        torch="an error; with detect_anomaly the line of the forward, not of the write"),
    Bug("half_overflow", "300 squared in float16", f"FLAGS_check_nan_inf=1 {RUN} half_overflow.py",
        paddle="the same flag"),
    Bug("saturated", "a bias of 30 in front of tanh", f"{RUN} saturated.py",
        tool="debug.gradient_report(model, optimizer)",
        names="100%  gradient is all zeros"),
    Bug("exploding_sample", "one sample of the batch has no variance",
        f"{RUN} exploding_sample.py", tool="debug.sensitivity(loss_of, model, x)",
        torch="gradients by sample (torch.func), no place"),
    Bug("slow_reader", "the reader takes 0.2 s a batch", f"{RUN} profile slow_reader.py",
        paddle="the profiler's time of a DataLoader", torch="the same"),
    Bug("read_in_each_step", "a value is read for each weight in each step",
        f"{RUN} profile read_in_each_step.py", torch="torch.cuda.set_sync_debug_mode, on a GPU"),
    Bug("cancellation", "a variance as the difference of two squares", f"{RUN} cancellation.py",
        tool="debug.numerics(step)"),
    Bug("label_out_of_range", "label 3 of 3 classes", f"{RUN} label_out_of_range.py",
        paddle="an error of the kernel; on a GPU an assertion",
        torch="an error; on a GPU an assertion later"),
    Bug("changed_constant", "a run differs from the last one", f"{RUN} diff-md5 a.log b.log",
        before="SCALE=1.0 FLAGS_tensor_md5_checksum_output_path=a.log "
        f"FLAGS_tensor_md5_checksum_details=8 {RUN} changed_constant.py; "
        "FLAGS_tensor_md5_checksum_output_path=b.log FLAGS_tensor_md5_checksum_details=8 "
        f"{RUN} changed_constant.py", paddle="the checksums, to be compared by hand"),
    Bug("unstable_softmax", "a softmax by hand loses digits in float32",
        f"{RUN} lockstep --sides jaxeager,jaxeager:float64 unstable_softmax.py"),
    Bug("stale_graph", "a captured program reads state that has changed",
        f"FLAGS_check_static=1 {RUN} stale_graph.py"),
    Bug("segfault", "C code reads address 0 in backward", f"{RUN} segfault.py",
        paddle="the C++ stack", torch="python -X faulthandler"),
    Bug("backward_raises", "a PyLayer's backward returns another shape, for one of two calls",
        f"FLAGS_call_stack_level=3 {RUN} backward_raises.py",
        paddle="an error without the line of the forward",
        torch="detect_anomaly: the line of the forward"),
    Bug("forgotten_parameter", "a layer is added after the optimizer is made",
        f"{RUN} forgotten_parameter.py", tool="debug.gradient_report(model, optimizer)",
        names="is not updated"),
    Bug("pairwise_memory", "backward keeps an array of all pairs",
        f"FLAGS_call_stack_level=3 {RUN} pairwise_memory.py", tool="debug.saved_tensors(loss)",
        torch="saved_tensors_hooks, by hand"),
    Bug("segment_ends", "lazy mode stops at an `if` on a tensor, in each layer",
        f"{RUN} profile --lazy segment_ends.py",
        torch="TORCH_LOGS=graph_breaks, for torch.compile"),
    Bug("weights_are_nan", "the weights are NaN since some step", f"{RUN} weights_are_nan.py",
        tool="debug.time_machine(model, optimizer)"),
    Bug("uninitialized", "a row of `empty` is never written",
        f"FLAGS_alloc_fill_value=255 FLAGS_check_nan_inf=1 {RUN} uninitialized.py",
        paddle="the same flags", torch="torch.utils.deterministic.fill_uninitialized_memory"),
    Bug("half_call", "one call of a program overflows in float16",
        f"{RUN} bisect --ops float16 half_call.py"),
    Bug("make_commits", "a commit of the last week", f"{RUN} bisect --good HEAD~3 --bad HEAD "
        "checkout/train.py", before="python make_commits.py", names="first bad commit: Factor 3",
        paddle="git bisect", torch="git bisect"),
    Bug("package_version", "a new version of a package",
        f"PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels {RUN} bisect --package scales --good 1.0 --bad 1.3 "
        "package_version.py", before="python make_wheels.py",
        names="1.2 is the first bad version of scales"),
    Bug("crossed_shapes", "`[16, 1]` minus `[16]` in a loss", f"{RUN} crossed_shapes.py",
        tool="debug.gradient_report(model, optimizer)"),
    Bug("not_cleared", "no `clear_grad`", f"{RUN} not_cleared.py",
        tool="debug.gradient_report(model, optimizer)"),
    Bug("softmax_twice", "cross entropy of probabilities", f"{RUN} softmax_twice.py",
        tool="debug.gradient_report(model, optimizer)"),
    Bug("schedule_twice", "a schedule moves twice a step", f"{RUN} schedule_twice.py",
        tool="debug.gradient_report(model, optimizer)",
        names="CosineAnnealingDecay moved by at least 2"),
    Bug("eval_mode", "dropout in eval mode while it trains", f"{RUN} eval_mode.py",
        tool="debug.gradient_report(model, optimizer)", names="it drops nothing: 1"),
    Bug("frozen", "a weight that was frozen for a test", f"{RUN} frozen.py",
        tool="debug.gradient_report(model, optimizer)", names="not trained: 0.weight"),
    Bug("cached_norms", "`functools.cache` keeps tensors", f"{RUN} cached_norms.py",
        tool="debug.leaks(step)"),
    Bug("finalizer", "the callback of a finalizer keeps a loss", f"{RUN} finalizer.py",
        tool="debug.leaks(step)"),
    Bug("deadlock", "a lock is taken twice", f"FLAGS_op_timeout=3 {RUN} deadlock.py",
        torch="py-spy, faulthandler"),
    Bug("half_underflow", "a loss of float16 has gradients of 0", f"{RUN} half_underflow.py",
        tool="debug.why(weight, loss, step)"),
    Bug("masked_row", "softmax of a row where all is masked",
        f"FLAGS_check_nan_inf=1 {RUN} masked_row.py", paddle="the same flag"),
    Bug("second_backward", "a second backward through a graph that is gone",
        f"{RUN} second_backward.py", paddle="an error with the node's name",
        torch="an error; with detect_anomaly the line of the forward"),
    Bug("wrong_on_device", "tanh is wrong on one of two devices",
        "XLA_FLAGS=--xla_force_host_platform_device_count=2 "
        f"{RUN} bisect --ops cpu:1 wrong_on_device.py"),
]  # fmt: skip
