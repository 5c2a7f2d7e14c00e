"""No argument is accepted and ignored: each is read, or is listed here with the reason why not.

An argument that could change a number is respected or refused. A hint that changes none causes a
warning, once per process (core/ignored_arguments.py), which reads it, so it is not listed here.
"""

import ast
import hashlib
import shutil
import warnings
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.core import ignored_arguments
from jaxeager.errors import UnimplementedError

PACKAGE = Path(paddle.__file__).parent

# Functions with the parameters of a protocol: observers of events, nodes, captures.
PROTOCOLS = ("debug/", "graph/", "launcher/", "jit/saved_model/outermost.py")
# Kernels have those of their row, update rules those of Rule, callbacks those of Callback.
KERNELS = ("_forward", "_vjp", "_reference", "_samples")
RULES = {"grad", "slots", "powers", "rate", "hyper", "param"}

PADDLE = "Paddle ignores it as well"
STATIC = "it belongs to static graphs"
ALWAYS = "what it asks for is always so"
HINT = "it concerns a buffer, a stream or a chip of Paddle's; the result is the same"
INSIDE = "another function calls it with arguments that a protocol names"
REFUSED = "what it is a setting of is refused"

_PLANS = "distributed/auto_parallel/intermediate/tensor_parallel.py"

ALLOWED = {
    "legacy/_C_ops_by_hand/elements.py slice infer_flags": STATIC,
    "legacy/_C_ops_by_hand/elements.py repeat_interleave_with_tensor_index output_size": ALWAYS,
    "legacy/_C_ops_by_hand/elements.py unique return_index return_inverse return_counts": PADDLE,
    "legacy/_C_ops_by_hand/layers.py prelu mode": "the shape of the slopes says it",
    "legacy/_C_ops_by_hand/losses.py cross_entropy_with_softmax numeric_stable_mode": ALWAYS,
    "legacy/_C_ops_by_hand/norms.py p_norm epsilon": "the gradient at 0 is 0 without it",
    "legacy/_C_ops_by_hand/norms.py norm is_test": STATIC,
    "legacy/_C_ops_by_hand/random.py uniform_inplace_ diag_num diag_step diag_val": PADDLE,
    "nn/layer/rnn_loops.py concat_states bidirectional": "the order of the tensors is the same",
    "amp/auto_cast.py autocast device_type cache_enabled": PADDLE,
    "amp/auto_cast.py is_autocast_enabled device_type": PADDLE,
    "amp/auto_cast.py get_autocast_dtype device_type": PADDLE,
    "amp/operator_stats.py OperatorStats.step_ended state": INSIDE,
    "legacy/base/data_feeder.py convert_float_to_uint16 data_format": ALWAYS,
    "legacy/base/dygraph/base.py to_static_mode_guard is_to_static": STATIC,
    "legacy/base/dygraph/base.py param_guard parameters": STATIC,
    "legacy/base/data_feeder.py check_type input input_name expected_type op_name "
    "extra_message": PADDLE,
    "legacy/base/data_feeder.py check_dtype input_dtype input_name expected_dtype op_name "
    "extra_message": PADDLE,
    "legacy/base/data_feeder.py check_variable_and_dtype input input_name expected_dtype op_name "
    "extra_message": PADDLE,
    "legacy/base/data_feeder.py check_shape shape op_name *expected": PADDLE,
    "compat/__init__.py load_ipython_extension shell": INSIDE,
    "compat/__init__.py unload_ipython_extension shell": INSIDE,
    "compat/functions.py sort stable": ALWAYS,
    "compat/functions.py unique sorted": ALWAYS,
    "arrays/random.py get_rng_state device": "one generator serves every device",
    "arrays/random.py set_rng_state device": "one generator serves every device",
    "legacy/dataset/mnist.py reader_creator buffer_size": HINT,
    "device/generators.py get_rng_state device": "one generator serves every device",
    "device/generators.py set_rng_state device": "one generator serves every device",
    "device/streams.py Event.__init__ blocking interprocess": HINT,
    "device/streams.py Stream.__init__ stream_base": HINT,
    "device/streams.py Stream.wait_event event": HINT,
    "device/streams.py Stream.wait_stream stream": HINT,
    f"{_PLANS} ConvParallel.apply shard_param_list": PADDLE,
    f"{_PLANS} PrepareLayerInput.apply shard_param_list": PADDLE,
    f"{_PLANS} PrepareLayerOutput.apply shard_param_list": PADDLE,
    f"{_PLANS} SequenceParallelBegin.apply shard_param_list": PADDLE,
    f"{_PLANS} SequenceParallelDisable.apply shard_param_list": PADDLE,
    f"{_PLANS} SequenceParallelEnable.apply shard_param_list": PADDLE,
    f"{_PLANS} SequenceParallelEnd.apply shard_param_list": PADDLE,
    "distributed/communication/group_call.py discard arrays": INSIDE,
    "distributed/communication/group.py wait group use_calc_stream": HINT,
    "distributed/ranks/environment.py new_group backend": "it names what carries calls: XLA",
    "distributed/ranks/environment.py shutdown_process_group group": HINT,
    "distributed/ranks/environment.py restart_process_group group": HINT,
    "distributed/fleet/meta_optimizers/dygraph_optimizer/hybrid_parallel_optimizer.py "
    "HybridParallelOptimizer.minimize *args **kwargs": STATIC,
    "distributed/fleet/meta_parallel/layer_spec.py get_spec_layer **additional_kwargs": PADDLE,
    "distributed/fleet/meta_parallel/meta_parallel_base.py MetaParallelBase.__init__ **kwargs":
        INSIDE,
    "distributed/fleet/meta_parallel/pipeline_parallel.py "
    "NoPipelineParallel.is_pipeline_last_stage ignore_virtual": ALWAYS,
    "distributed/fleet/meta_parallel/pipeline_parallel.py "
    "NoPipelineParallel.eval_batch compute_loss": PADDLE,
    "distributed/fleet/meta_parallel/sharding/group_sharded_optimizer_stage2.py "
    "GroupShardedOptimizerStage2.__init__ device": "parameters stay where they are",
    "distributed/fleet/meta_parallel/sharding/group_sharded_stage2.py "
    "GroupShardedStage2.__init__ device": "parameters stay where they are",
    "distributed/fleet/meta_parallel/sharding/group_sharded_stage3.py "
    "GroupShardedStage3.__init__ device": "parameters stay where they are",
    "distributed/fleet/meta_parallel/stages.py "
    "PipelineParallel.is_pipeline_first_stage ignore_virtual": ALWAYS,
    "distributed/fleet/meta_parallel/stages.py "
    "PipelineParallel.is_pipeline_last_stage ignore_virtual": ALWAYS,
    "distributed/fleet/meta_parallel/stages.py PipelineParallel.eval_batch compute_loss": PADDLE,
    "distributed/fleet/utils/fs.py LocalFS.mv test_exists": PADDLE,
    "distributed/fleet/utils/mix_precision_utils.py MixPrecisionOptimizer.minimize "
    "loss *args **kwargs": STATIC,
    "distributed/fleet/utils/sequence_parallel_utils.py "
    "register_sequence_parallel_allreduce_hooks fuse_sequence_parallel_allreduce": HINT,
    "distributed/mesh/sharded_optimizers.py ShardingStage.__call__ key": INSIDE,
    "distributed/ranks/synchronize.py sync_params_buffers fuse_params": ALWAYS,
    "framework/restricted_pickle/arrays.py Dtype.made machine parts": INSIDE,
    "framework/restricted_pickle/arrays.py Array.made machine parts": INSIDE,
    "framework/restricted_pickle/draw_states.py DrawState.made parts": INSIDE,
    "distributed/fleet/utils/timer_helper.py Timers.__call__ use_event": HINT,
    "distribution/lkj_cholesky.py vec_to_tril_matrix diag": PADDLE,
    "incubate/framework/random.py get_rng_state device": "one generator serves every device",
    "incubate/framework/random.py set_rng_state device": "one generator serves every device",
    "incubate/framework/random.py register_rng_state_as_index device":
        "one generator serves every device",
    "legacy/base/core/tensors.py DenseTensor.set place": "it is on the host",
    "legacy/base/core/tensors.py default_cuda_generator device_id":
        "one generator serves every device",
    "geometric/reindex.py reindex_graph value_buffer index_buffer": HINT,
    "geometric/reindex.py reindex_heter_graph value_buffer index_buffer": HINT,
    "geometric/sampling.py sample_neighbors perm_buffer": HINT,
    "hub.py list force_reload": "nothing is downloaded that could be again",
    "hub.py help force_reload": "nothing is downloaded that could be again",
    "hub.py load force_reload": "nothing is downloaded that could be again",
    "incubate/graphs.py graph_reindex flag_buffer_hashtable": HINT,
    "incubate/graphs.py graph_sample_neighbors flag_perm_buffer": HINT,
    "incubate/jit.py is_inference_mode function": "no function runs otherwise for inference",
    "incubate/nn/functional/cached_attention.py masked_multihead_attention "
    "quant_round_type quant_max_bound quant_min_bound": REFUSED,
    "incubate/nn/functional/norms.py fused_rms_norm "
    "quant_round_type quant_max_bound quant_min_bound": REFUSED,
    "incubate/nn/functional/norms.py fused_layer_norm "
    "quant_round_type quant_max_bound quant_min_bound": REFUSED,
    "incubate/nn/functional/products.py fused_bias_act "
    "quant_round_type quant_max_bound quant_min_bound": REFUSED,
    "incubate/nn/layer/transformer.py FusedMultiHeadAttention.forward key value": PADDLE,
    "incubate/nn/layer/transformer.py FusedFeedForward.forward cache": PADDLE,
    "incubate/optimizer/model_average.py ModelAverage.minimize "
    "loss startup_program parameters no_grad_set": PADDLE,
    "jit/programs/program.py Program.input_avals node": INSIDE,
    "module_aliases.py AliasFinder.find_spec path target": INSIDE,
    "module_aliases.py InnerFinder.find_spec path target": INSIDE,
    "metric/metrics.py Accuracy.compute *args": PADDLE,
    "metric/metrics.py Metric.update *args": INSIDE,
    "metric/metrics.py Accuracy.update *args": PADDLE,
    "nn/clip.py ClipGradBase.check_rows params_grads": INSIDE,
    "nn/decode.py BeamSearchDecoder.finalize sequence_lengths": INSIDE,
    "nn/decode.py dynamic_decode is_test": STATIC,
    "nn/functional/flash_attention.py flash_attn_unpadded max_seqlen_q max_seqlen_k": HINT,
    "nn/functional/loss.py softmax_with_cross_entropy numeric_stable_mode": ALWAYS,
    "nn/functional/norm.py instance_norm running_mean running_var momentum": PADDLE,
    "nn/initializer/constant.py Assign.compute shape": INSIDE,
    "nn/initializer/initializer.py Initializer.forward block": STATIC,
    "nn/layer/common.py Identity.__init__ *args **kwargs": PADDLE,
    "nn/layer/helper.py LayerObjectHelper.append_activation use_cudnn": HINT,
    "nn/layer/norm.py BatchNorm.__init__ in_place": HINT,
    "nn/layer/state.py LayerState.load_state_dict assign": PADDLE,
    "nn/quant/quant_layers.py QuantizedMatmul.__init__ layer weight_bits weight_quantize_type "
    "weight_pre_layer weight_quant_layer": PADDLE,
    "nn/quant/quant_layers.py FakeQuantMAOutputScaleLayer.__init__ "
    "weight_bits reduce_type *args **kwargs": PADDLE,
    "nn/quant/quantized_linear.py weight_quantize arch": HINT,
    "nn/quant/quantized_linear.py weight_dequantize out_dtype": PADDLE,
    "nn/quant/quantized_linear.py weight_only_linear arch": HINT,
    "nn/utils/spectral_norm_hook.py SpectralNorm.__call__ inputs": INSIDE,
    "nn/utils/weight_norm_hook.py WeightNorm.__call__ inputs": INSIDE,
    "ops/derived/view_steps.py write_reshaped **attrs": INSIDE,
    "ops/elementwise/complex.py write_as_real base": INSIDE,
    "ops/elementwise/complex.py write_as_complex base": INSIDE,
    "ops/indexing/box_rows.py write_slice squeeze": INSIDE,
    "ops/indexing/positions.py unique sorted": ALWAYS,
    "ops/shape/manipulation.py write_transposed base": INSIDE,
    "ops/shape/strided.py write_view_dtype dtype": INSIDE,
    "quantization/bases.py BaseQuanter.forward input": INSIDE,
    "quantization/quantize.py Quantization.quantize model inplace": INSIDE,
    "quantization/observers/abs_max.py AbsmaxObserverLayer.__init__ layer": INSIDE,
    "quantization/observers/groupwise.py GroupWiseWeightObserver.__init__ group_size": PADDLE,
    "quantization/quanters/abs_max.py FakeQuanterWithAbsMaxObserverLayer.__init__ layer": INSIDE,
    "quantization/imperative/ptq_quantizer.py BaseQuantizer.sample_data layer tensors": INSIDE,
    "quantization/imperative/ptq_quantizer.py AbsmaxQuantizer.sample_data layer": INSIDE,
    "quantization/imperative/ptq_quantizer.py BaseHistQuantizer.sample_data layer": INSIDE,
    "legacy/reader/decorator.py xmap_readers order": ALWAYS,
    "legacy/reader/decorator.py multiprocess_reader use_pipe": HINT,
    "sparse/tensors.py SparseCooTensor.to_sparse_coo sparse_dim": PADDLE,
    "sparse/tensors.py SparseCsrTensor.to_sparse_coo sparse_dim": PADDLE,
    "sparse/tensors.py SparseCsrTensor.rebuilt is_coalesced": INSIDE,
    "static/guards.py name_scope prefix": STATIC,
    "static/nn/control_flow.py cond return_names": STATIC,
    "static/nn/control_flow.py while_loop is_test": STATIC,
    "tensor/array.py create_array dtype": "a list of tensors, which have dtypes of their own",
    "tensor/conversions.py ConversionMethods.cuda blocking": HINT,
    "tensor/conversions.py ConversionMethods.pin_memory blocking": HINT,
    "tensor/layout.py LayoutMethods.resize_ fill_zero": ALWAYS,
    "tensor/selected_rows.py SelectedRows.numpy copy": PADDLE,
    "tensor/sources.py asarray copy": PADDLE,
    "tensor/tensor.py Tensor.copy_ blocking non_blocking": HINT,
    "tensor/values.py ValueMethods.numpy copy force": PADDLE,
    **{
        f"{path} {name}.__init__ download": "without the file, which nothing downloads, it raises"
        for path, name in (
            ("text/datasets/conll05.py", "Conll05st"),
            ("text/datasets/imdb.py", "Imdb"),
            ("text/datasets/imikolov.py", "Imikolov"),
            ("text/datasets/movielens.py", "Movielens"),
            ("text/datasets/uci_housing.py", "UCIHousing"),
            ("text/datasets/wmt14.py", "WMT14"),
            ("text/datasets/wmt16.py", "WMT16"),
            ("vision/datasets/cifar.py", "Cifar10"),
            ("vision/datasets/flowers.py", "Flowers"),
            ("vision/datasets/mnist.py", "MNIST"),
            ("vision/datasets/voc2012.py", "VOC2012"),
        )
    },
    "utils/download.py get_path_from_url method": HINT,
    "utils/layers_utils.py hold_mutable_vars structure": STATIC,
    "vision/ops/proposals.py generate_proposals return_rois_num": PADDLE,
    "vision/transforms/on_pil.py erase inplace": PADDLE,
    "vision/transforms/on_tensors.py normalize to_rgb": PADDLE,
}  # fmt: skip


def unread(function, is_method):
    """Return the parameters that no line of a function reads; none if it only raises."""
    read = {
        each.id
        for line in function.body
        for each in ast.walk(line)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }
    is_text = isinstance(getattr(function.body[0], "value", None), ast.Constant)
    lines = function.body[is_text:]
    if read & {"locals", "vars"} or (lines and isinstance(lines[0], ast.Raise)):
        return []
    arguments = function.args
    names = [each.arg for each in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
    is_static = any(getattr(each, "id", "") == "staticmethod" for each in function.decorator_list)
    names = names[is_method and not is_static :]
    extra = [(arguments.vararg, "*"), (arguments.kwarg, "**")]
    names += [f"{stars}{each.arg}" for each, stars in extra if each is not None]
    plain = [(each, each.lstrip("*")) for each in names]
    return [each for each, name in plain if name not in read and name != "name" and name[0] != "_"]


def public_functions(node, outer=()):
    """Yield (path of names, function, whether it is a method) of a module or class."""
    for each in node.body:
        if isinstance(each, ast.ClassDef) and each.name[0] != "_":
            yield from public_functions(each, (*outer, each.name))
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and (
            each.name[0] != "_" or each.name in ("__init__", "__call__", "__new__")
        ):
            yield ".".join((*outer, each.name)), each, bool(outer)


def is_signature(function):
    """Return whether a function is an overload, or a method of a protocol: its body is "..."."""
    last = function.body[-1]
    return isinstance(last, ast.Expr) and getattr(last.value, "value", None) is ...


def unread_of(source, path):
    """Return "path function parameters" of each public function that does not read some."""
    found = []
    for name, function, is_method in public_functions(ast.parse(source)):
        if is_signature(function):
            continue
        names = unread(function, is_method)
        if path.startswith("ops/") and name.endswith(KERNELS):
            continue
        if "optimizer/" in path and not is_method and RULES.issuperset(names):
            continue
        if path.startswith("hapi/") and ".on_" in name:
            continue
        if names:
            found.append(" ".join([path, name, *names]))
    return found


def test_every_argument_is_read():
    """Unread arguments are in the list, and the list has no others."""
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE).as_posix()
        if not path.startswith(PROTOCOLS):
            found += unread_of(file.read_text(encoding="utf-8"), path)
    assert {"new": sorted({*found} - {*ALLOWED}), "gone": sorted({*ALLOWED} - {*found})} == {
        "new": [],
        "gone": [],
    }


def test_an_argument_that_is_ignored_is_found():
    """The search finds one in a function and in a method, and skips functions that only raise."""
    source = """
def f(x, offload=False, *args):
    return x
class A:
    def g(self, level): pass
    def h(self, level): raise NotImplementedError
"""
    assert unread_of(source, "io/x.py") == ["io/x.py f offload *args", "io/x.py A.g level"]


# ---- hints warn once; arguments that change numbers are respected or refused


def layer():
    """Return a layer with an optimizer."""
    made = paddle.nn.Linear(2, 2)
    return made, paddle.optimizer.SGD(0.5, parameters=made.parameters())


def params():
    return layer()[0].parameters()


HINTS = {
    "Adam: use_multi_tensor": lambda: paddle.optimizer.Adam(
        parameters=params(), use_multi_tensor=True
    ),
    "Momentum: use_multi_tensor": lambda: paddle.optimizer.Momentum(
        parameters=params(), use_multi_tensor=True
    ),
    "hsigmoid_loss: is_sparse": lambda: paddle.nn.functional.hsigmoid_loss(
        paddle.ones([1, 2]), paddle.to_tensor([[1]]), 3, paddle.ones([2, 2]), is_sparse=True
    ),
    "set_code_level: also_to_stdout": lambda: paddle.jit.set_code_level(also_to_stdout=True),
    "set_verbosity: also_to_stdout": lambda: paddle.jit.set_verbosity(also_to_stdout=True),
    "to_variable: zero_copy": lambda: paddle.base.dygraph.to_variable([1.0], zero_copy=True),
    "UserDefinedRoleMaker: init_gloo": lambda: paddle.distributed.fleet.UserDefinedRoleMaker(
        init_gloo=True, current_id=0, role=1, worker_num=1
    ),
    "group_sharded_parallel: offload": lambda: paddle.distributed.sharding.group_sharded_parallel(
        *layer(), "os", offload=True
    ),
    "Profiler: custom_device_types": lambda: paddle.profiler.Profiler(custom_device_types=["npu"]),
}


@pytest.mark.parametrize("what", HINTS)
def test_a_hint_warns_once(what, monkeypatch):
    """The warning names function, argument and value; the second call is silent."""
    monkeypatch.setattr(ignored_arguments, "_said", set())
    with pytest.warns(UserWarning, match=f"{what}=.* has no effect: "):
        HINTS[what]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HINTS[what]()


REFUSALS = {
    "gradient_accumulation_steps=2": lambda: paddle.distributed.shard_optimizer(
        layer()[1], gradient_accumulation_steps=2
    ),
    "ring_id=0": lambda: paddle.incubate.nn.functional.fused_feedforward(
        paddle.ones([1, 1, 2]), paddle.ones([2, 2]), paddle.ones([2, 2]), ring_id=0
    ),
    "use_dualpipev": lambda: paddle.distributed.fleet.meta_parallel.PipelineLayer(
        [], num_stages=1, use_dualpipev=True
    ),
    "safetensors=True": lambda: paddle.distributed.save_state_dict(
        {"x": paddle.ones([1])}, "x", safetensors=True
    ),
    "'server'": lambda: paddle.distributed.fleet.UtilBase().all_reduce([1], "sum", "server"),
    "is_moe_sharding_parallel": lambda: paddle.distributed.parallel.sync_params_buffers(
        layer()[0], is_moe_sharding_parallel=True
    ),
    "strategy.amp": lambda: paddle.distributed.to_static(
        layer()[0], strategy=SimpleNamespace(amp=SimpleNamespace(enable=True))
    ),
    "correction=0": lambda: paddle._C_ops.std(paddle.ones([2]), [0], correction=0),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_an_argument_that_would_change_numbers_is_refused(what):
    """The error names the argument."""
    with pytest.raises(UnimplementedError, match=what):
        REFUSALS[what]()


@pytest.mark.parametrize("kind", [paddle.metric.Accuracy, paddle.metric.Precision])
def test_metrics_take_no_more(kind):
    """As in Paddle, an unknown argument of a metric is a TypeError."""
    with pytest.raises(TypeError):
        kind(threshold=0.5)


def dropped(seed):
    return paddle._C_ops.dropout(
        paddle.ones([64]), None, 0.5, False, "upscale_in_train", seed, True
    )


INITIALIZERS = paddle.nn.initializer
SEEDED = {
    "MSRAInitializer": lambda seed: paddle.create_parameter(
        [4], "float32", default_initializer=INITIALIZERS.MSRAInitializer(seed=seed, fan_in=4)
    ),
    "XavierInitializer": lambda seed: paddle.create_parameter(
        [4, 2], "float32", default_initializer=INITIALIZERS.XavierInitializer(seed=seed)
    ),
    "gaussian_": lambda seed: paddle.tensor.random.gaussian_(paddle.zeros([4]), 0.0, 1.0, seed),
    "_C_ops.gaussian_inplace_": lambda seed: paddle._C_ops.gaussian_inplace_(
        paddle.zeros([4]), 0.0, 1.0, seed
    ),
    "_C_ops.truncated_gaussian_random": lambda seed: paddle._C_ops.truncated_gaussian_random(
        [4], 0.0, 1.0, seed, -2.0, 2.0, "float32"
    ),
    "_C_ops.dropout": dropped,
}


@pytest.mark.parametrize("what", SEEDED)
def test_only_a_given_seed_is_drawn_from(what):
    """Two calls with one seed give the same numbers, and leave the generator where it was."""
    paddle.seed(1)
    expected = paddle.rand([2]).numpy()
    paddle.seed(1)
    first, again, other = (SEEDED[what](seed).numpy() for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    np.testing.assert_array_equal(paddle.rand([2]).numpy(), expected)


def test_statistics_that_are_trained_are_those_of_the_batch():
    """Paddle's operator also uses them while it tests, with trainable_statistics."""
    x, ones = paddle.to_tensor([[0.0], [2.0]]), paddle.ones([1])
    given = (x, ones * 0, ones, ones, ones * 0, True, 0.9, 0.0, "NCHW", False)
    assert paddle._C_ops.batch_norm(*given, False)[0].tolist() == [[0.0], [2.0]]
    assert paddle._C_ops.batch_norm(*given, True)[0].tolist() == [[-1.0], [1.0]]


def test_the_digest_in_the_name_of_a_file(tmp_path):
    """check_hash compares it, and requires one."""
    paddle.save({"w": paddle.ones([1])}, str(tmp_path / "net.pdparams"))
    digest = hashlib.sha256((tmp_path / "net.pdparams").read_bytes()).hexdigest()
    for name, fails in ((f"net-{digest[:8]}.pdparams", None), ("net-00000000.pdparams", "begins")):
        shutil.copy(tmp_path / "net.pdparams", tmp_path / name)
        with nullcontext() if fails is None else pytest.raises(ValueError, match=fails):
            found = paddle.hub.load_state_dict_from_url(f"x/{name}", str(tmp_path), check_hash=True)
            assert found["w"].tolist() == [1.0]
    with pytest.raises(ValueError, match="is not called name-"):
        paddle.hub.load_state_dict_from_url("x/net.pdparams", str(tmp_path), check_hash=True)
