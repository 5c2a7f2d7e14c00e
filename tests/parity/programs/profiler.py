"""paddle.profiler: schedules, which steps give results, the tree of events, texts of the timer."""

import contextlib
import io
import json
import os
import re
import tempfile
import warnings

from ..registry import program

_OWN_STAGES = ("OperatorInner", "DygraphKernelLaunch")


@program
def profiler_schedules(paddle, np):
    """The state of each step, for schedules with and without rounds."""
    make = paddle.profiler.make_scheduler
    kinds = [
        {"closed": 1, "ready": 1, "record": 2, "repeat": 1},
        {"closed": 1, "ready": 1, "record": 4, "skip_first": 1},
        {"closed": 0, "ready": 1, "record": 1, "repeat": 2, "skip_first": 2},
        {"closed": 2, "ready": 2, "record": 1},
    ]
    return [[make(**kind)(step).name for step in range(14)] for kind in kinds]


@program
def profiler_results(paddle, np):
    """At which steps a result is there, for each kind of scheduler, and what is warned of."""
    profiler = paddle.profiler
    state = profiler.ProfilerState
    improper = [state.READY, state.CLOSED, state.RECORD, state.READY, state.RECORD, state.CLOSED]
    kinds = {
        "none": None,
        "pair": (2, 4),
        "from the first": (0, 2),
        "rounds": profiler.make_scheduler(closed=0, ready=1, record=2),
        "each": lambda step: state.RECORD_AND_RETURN,
        "improper": lambda step: improper[step % len(improper)],
        "ready at the end": lambda step: state.READY,
    }
    out = {}
    for name, scheduler in kinds.items():
        seen = []

        def ready(prof, seen=seen):
            seen.append([prof.step_num, prof.current_state.name, prof.previous_state.name])

        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            with profiler.Profiler(
                targets=[profiler.ProfilerTarget.CPU], scheduler=scheduler, on_trace_ready=ready
            ) as prof:
                for _ in range(6):
                    paddle.ones([2]) + 1
                    prof.step()
        texts = [re.sub(r"\s+", " ", str(each.message)) for each in told]
        out[name] = [seen, texts, prof.profiler_result is not None]
        del prof  # Paddle makes no second one while there is one
    return out


def _tree(node, depth=0):
    """Returns the names and kinds of what stands in a node, without the stages of ops."""
    lines = []
    for child in sorted(node.children_node, key=lambda child: child.start_ns):
        kind = str(child.type).rpartition(".")[2]
        if kind in _OWN_STAGES or child.name.endswith("pybind_imperative_func"):
            lines += _tree(child, depth)
        else:
            lines.append(f"{' ' * depth}{child.name} {kind}")
            lines += _tree(child, depth + 1)
    return lines


@program
def profiler_tree(paddle, np):
    """What a step consists of: a Layer, ops, a backward with its nodes, an optimizer, an event."""
    profiler = paddle.profiler
    net = paddle.nn.Sequential(paddle.nn.Linear(4, 3, bias_attr=False), paddle.nn.Tanh())
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    x = paddle.to_tensor(np.ones([2, 4], "float32"))

    @profiler.RecordEvent("a function")
    def forward():
        return net(x).sum()

    with profiler.Profiler(
        targets=[profiler.ProfilerTarget.CPU], scheduler=(1, 3), on_trace_ready=lambda prof: None
    ) as prof:
        for _ in range(4):
            loss = forward()
            event = profiler.RecordEvent("by hand")
            event.begin()
            loss.backward()
            event.end()
            sgd.step()
            sgd.clear_grad()
            prof.step()
    (root,) = prof.profiler_result.get_data().values()
    return [root.name, *_tree(root), profiler.utils.in_profiler_mode()]


def _shape_of(text):
    return re.sub(r"\d+\.\d+|\binf\b", "N", text)  # inf where no step was measured


@program
def profiler_timer(paddle, np):
    """``step_info``, and the summary at the end, with the numbers left out."""
    profiler = paddle.profiler
    data = [np.full([2], i, "float32") for i in range(28)]
    loader = paddle.io.DataLoader(data, batch_size=2)
    out = []
    for samples, unit in ((2, "images"), (None, None)):
        told = io.StringIO()
        with contextlib.redirect_stdout(told), profiler.Profiler(timer_only=True) as prof:
            for _ in loader:
                prof.step(num_samples=samples)
            first, again = prof.step_info(unit), prof.step_info(unit)
        lines = [re.sub(r" *N *", "N", _shape_of(line)) for line in told.getvalue().splitlines()]
        out.append([_shape_of(first), again, lines])
    return out


@program
def profiler_files(paddle, np):
    """Names of exported files, and the form of a trace."""
    profiler = paddle.profiler
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "new", "log")
        for export in (profiler.export_chrome_tracing, profiler.export_protobuf):
            with profiler.Profiler(
                targets=[profiler.ProfilerTarget.CPU], on_trace_ready=export(target, "worker")
            ):
                paddle.ones([2]).tanh()
        names = sorted(re.sub(r"\d", "0", name) for name in os.listdir(target))
        (trace,) = [name for name in os.listdir(target) if name.endswith("json")]
        with open(os.path.join(target, trace), encoding="utf-8") as file:
            told = json.load(file)
    (tanh,) = [each for each in told["traceEvents"] if "tanh dygraph" in each.get("name", "")]
    return [
        names,
        sorted(told),
        told["displayTimeUnit"],
        told["schemaVersion"],
        sorted(tanh),
        tanh["ph"],
        tanh["cat"],
        sorted(tanh["args"]),
        sorted(key for key in told["ExtraInfo"] if not key.isdigit()),
    ]


@program
def profiler_summary(paddle, np):
    """The tables that are the same program's, with the numbers left out."""
    profiler = paddle.profiler
    net = paddle.nn.Linear(4, 3)
    x = paddle.to_tensor(np.ones([2, 4], "float32"))
    with profiler.Profiler(
        targets=[profiler.ProfilerTarget.CPU], scheduler=(1, 3), on_trace_ready=lambda prof: None
    ) as prof:
        for _ in range(4):
            with profiler.RecordEvent("mine"):
                loss = net(x).sum()
            loss.backward()
            prof.step()
    out = {}
    views = profiler.SummaryView
    for view in (views.ModelView, views.UDFView, views.DeviceView, views.KernelView):
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            prof.summary(views=view, time_unit="us")
        lines = [re.sub(r"-+", "-", re.sub(r" +", " ", _shape_of(line)))
                 for line in told.getvalue().partition("Note:")[0].splitlines()]  # fmt: skip
        out[view.name] = [*lines, told.getvalue().count("Note:")]
    return out
