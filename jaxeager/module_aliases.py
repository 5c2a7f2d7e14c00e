"""Modules of Paddle that are elsewhere here, or only list functions that other modules define.

Note [Module aliases]
Paddle has most functions in several modules, and old programs import them from any. Those modules
are not files here, but entries of two tables: ``MOVED`` has those that are another module of
jaxeager, the same object under two names, and ``NAMES`` has those that only list names. So a folder
has only the files that define something. The older rooms of Paddle are in ``legacy/``.

Paddle's other inner modules need no entry: the record of its modules (``launcher/known_names.py``)
has their names, and a package above them, or the module that they import a name from, has what the
names are. ``InnerFinder`` makes such a module when it is imported.

Modules that users' own code often names (``callbacks``, ``device.cuda``,
``distribution.transform``, ``utils.dlpack``, ``vision.transforms.functional``) are files: editors
find what is in them.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from jaxeager.launcher.finder import ExistingModule, their_name

_OURS = "jaxeager."

MOVED = {
    "_C_ops": "legacy._C_ops",
    "_legacy_C_ops": "legacy._legacy_C_ops",
    "_typing": "legacy._typing",
    "base": "legacy.base",
    "base.unique_name": "utils.unique_name",
    "common_ops_import": "legacy.common_ops_import",
    "cuda": "legacy.cuda",
    "base.libpaddle": "legacy.base.core",
    "hapi.progressbar": "hapi.progress_bar",
    "dataset": "legacy.dataset",
    "functional": "legacy.functional",
    "pir": "legacy.pir",
    "reader": "legacy.reader",
    "sysconfig": "legacy.sysconfig",
}
"""Module -> the module that it is; those below it are the ones below that."""

NAMES: dict[str, dict[str, str]] = {
    "audio.backends.backend": {
        "audio.backends.wave_backend": "AudioInfo",
    },
    "base.initializer": {
        "nn.initializer": "set_global_initializer",
    },
    "base.reader": {
        "io.dataloader": "DataLoader",
    },
    "distributed.auto_parallel.api": {
        "distributed.auto_parallel.strategy": "Strategy",
        "distributed.mesh.dist_model": "DistModel to_static",
        "distributed.ranks.environment": "in_auto_parallel_align_mode",
        "distributed.mesh.local_tensors": "dtensor_from_local dtensor_to_local",
        "distributed.mesh.placements": "DistAttr",
        "distributed.mesh.sharded_data": "ShardDataloader shard_dataloader",
        "distributed.mesh.sharded_optimizers": """
            ShardingStage1 ShardingStage2 ShardingStage3 shard_optimizer shard_scaler
        """,
        "distributed.mesh.sharded_tensors": """
            dtensor_from_fn reshard shard_layer shard_tensor unshard_dtensor
        """,
    },
    "distributed.auto_parallel.interface": {
        "distributed.mesh.placements": "create_mesh get_mesh set_mesh",
    },
    "distributed.auto_parallel.process_mesh": {
        "distributed.mesh.placements": "ProcessMesh",
    },
    "distributed.auto_parallel.static.utils": {
        "utils.structure": "to_list",
    },
    "distributed.communication.batch_isend_irecv": {
        "distributed.communication.point_to_point": """
            P2POp _coalescing_manager batch_isend_irecv
        """,
    },
    "distributed.fleet.optimizer": {
        "distributed.fleet": "distributed_optimizer",
    },
    "distributed.utils.log_utils": {
        "distributed.fleet.utils.log_util": "get_logger",
    },
    "distributed.parallel": {
        "device.kinds": "get_all_custom_device_type",
        "distributed.communication.group": "Group barrier is_initialized",
        "distributed.ranks.data_parallel": "DataParallel",
        "distributed.ranks.environment": "ParallelEnv get_rank get_world_size init_parallel_env",
        "distributed.ranks.synchronize": "sync_params_buffers",
    },
    "framework.dtype": {
        "core.dtypes": """
            dtype=DType bfloat16 complex64 complex128 finfo float8_e4m3fn float8_e5m2
            float16 float32 float64 iinfo int8 int16 int32 int64 uint8 uint16 uint32 uint64
            bool=bool_
        """,
    },
    "jit.api": {
        "jit.saved_model.saving": "save",
        "jit.sot_mode": "ENV_ENABLE_SOT sot_mode_guard",
        "jit.static_function": """
            ignore_module not_to_static set_code_level set_verbosity to_static
        """,
        "jit.switching": "enable_to_static",
        "jit.translated_layer": "load",
    },
    "io.dataloader.collate": {
        "io.collate": "default_collate_fn default_convert_fn",
    },
    "hapi.dynamic_flops": {
        "hapi.model_flops": "flops",
    },
    "jit.dy2static.program_translator": {
        "jit.static_function": "StaticFunction",
    },
    "nn.layer.distance": {
        "nn.layer.common": "PairwiseDistance",
    },
    "nn.layer.layers": {
        "nn.layer.hooks": "HookRemoveHelper",
        "nn.layer.layer": "Layer",
    },
    "nn.layer.loss": {
        "nn.layer.embedding_loss": """
            CosineEmbeddingLoss TripletMarginLoss TripletMarginWithDistanceLoss
        """,
        "nn.layer.likelihood_loss": "GaussianNLLLoss PoissonNLLLoss",
        "nn.layer.many_classes_loss": "AdaptiveLogSoftmaxWithLoss HSigmoidLoss",
        "nn.layer.margin_loss": """
            HingeEmbeddingLoss MarginRankingLoss MultiLabelMarginLoss
            MultiLabelSoftMarginLoss MultiMarginLoss SoftMarginLoss
        """,
        "nn.layer.plain_loss": """
            BCELoss BCEWithLogitsLoss CrossEntropyLoss KLDivLoss L1Loss MSELoss NLLLoss
            SmoothL1Loss
        """,
        "nn.layer.sequence_loss": "CTCLoss RNNTLoss",
    },
    "static.quantization.cal_kl_threshold": {
        "quantization.imperative.kl_threshold": "cal_kl_threshold",
    },
    "tensor.attribute": {
        "tensor": "assign imag is_complex is_floating_point is_integer rank real shape",
    },
    "tensor.logic": {
        "tensor": """
            allclose bitwise_and bitwise_and_ bitwise_invert bitwise_invert_ bitwise_not
            bitwise_not_ bitwise_or bitwise_or_ bitwise_xor bitwise_xor_ broadcast_shape
            equal equal_ equal_all full greater_equal greater_equal_ greater_than
            greater_than_ gt is_empty is_tensor isclose less_ less_equal less_equal_
            less_than less_than_ logical_and logical_and_ logical_not logical_not_
            logical_or logical_or_ logical_xor logical_xor_ not_equal not_equal_
        """,
    },
    "tensor.math": {
        "tensor": """
            abs abs_ acos acos_ acosh acosh_ add add_ add_n addmm addmm_ all amax amin angle
            any asin asin_ asinh asinh_ atan atan2 atan_ atanh atanh_ baddbmm baddbmm_
            bitwise_left_shift bitwise_left_shift_ bitwise_right_shift bitwise_right_shift_
            broadcast_shape broadcast_shapes cartesian_prod cast cast_ ceil ceil_ clip clip_
            combinations conj copysign copysign_ cos cos_ cosh cosh_ count_nonzero cummax
            cummin cumprod cumprod_ cumsum cumsum_ cumulative_trapezoid deg2rad diff digamma
            digamma_ divide divide_ erf erf_ erfinv erfinv_ exp exp_ expm1 expm1_ floor
            floor_ floor_divide floor_divide_ floor_mod floor_mod_ fmax fmin frac frac_
            frexp gammainc gammainc_ gammaincc gammaincc_ gammaln gammaln_ gcd gcd_
            heaviside hypot hypot_ i0 i0_ i0e i1 i1e increment inner inverse isfinite isin
            isinf isnan isneginf isposinf isreal kron lcm lcm_ ldexp ldexp_ lerp lerp_
            lgamma lgamma_ log log10 log10_ log1p log1p_ log2 log2_ log_ logaddexp
            logcumsumexp logit logit_ logsumexp max maximum min minimum mm mod mod_ mul
            multigammaln multigammaln_ multiplex multiply multiply_ nan_to_num nan_to_num_
            nanmean nansum neg neg_ negative nextafter outer polygamma polygamma_ positive
            pow pow_ prod rad2deg reciprocal reciprocal_ reduce_as remainder remainder_
            renorm renorm_ round round_ rsqrt rsqrt_ scale scale_ sgn sigmoid sigmoid_ sign
            signbit sin sin_ sinc sinc_ sinh sinh_ sqrt sqrt_ square square_ stanh subtract
            subtract_ sum take tan tan_ tanh tanh_ trace trapezoid true_divide trunc trunc_
            vander
        """,
    },
    "tensor.ops": {
        "tensor": """
            abs abs_ acos acos_ acosh acosh_ asin asin_ asinh asinh_ atan atan_ atanh atanh_
            ceil ceil_ cos cos_ cosh cosh_ erf erf_ exp exp_ expm1 expm1_ floor floor_
            reciprocal reciprocal_ round round_ rsqrt rsqrt_ sigmoid sigmoid_ sin sin_ sinh
            sinh_ sqrt sqrt_ square square_ tan tan_
        """,
    },
    "tensor.search": {
        "ops.indexing.search": "TopKRetType",
        "tensor": """
            argmax argmin argsort argwhere assign bucketize index_sample index_select
            kthvalue masked_select mode msort nonzero searchsorted sort top_p_sampling topk
            where where_
        """,
    },
    "tensor.stat": {
        "tensor": "cast mean median nanmedian nanquantile numel quantile std var",
    },
    "tensor.to_string": {
        "tensor.printing": "set_printoptions",
    },
    "utils.bwd_graph_utils": {
        "debug.graphs.subgraph": "capture_backward_subgraph_guard",
    },
    "utils.fwd_graph_utils": {
        "debug.graphs.forward_graph": "capture_forward_subgraph_guard",
    },
    "utils.install_check": {
        "utils.requirements": "run_check",
    },
    "utils.lazy_import": {
        "utils.requirements": "try_import",
    },
}
"""Module -> {the module that defines them: names}; ``a=b`` is b under the name a."""


class AliasFinder:
    """Finds the modules of the two tables."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the tables, None for any other.

        A module below a moved one has two names, with ``legacy`` and without.
        """
        if not name.startswith(_OURS):
            return None
        own = name.removeprefix(_OURS)
        alias = own.removeprefix("legacy.")
        if own in NAMES:
            return ModuleSpec(name, _ListLoader())
        real = alias if alias in NAMES else moved(alias)
        is_moved = real != own and (alias in NAMES or real != alias)
        found = importlib.util.find_spec(_OURS + real) if is_moved else None
        if found is None:
            return None
        is_package = found.submodule_search_locations is not None
        loader = ExistingModule(_OURS + real)
        return ModuleSpec(name, loader, origin=found.origin, is_package=is_package)


def moved(module: str) -> str:
    """Return the name of the module that a module is, both without the package.

    Example:
        >>> from jaxeager.module_aliases import moved
        >>> moved("base.core"), moved("base.unique_name"), moved("nn.functional")
        ('legacy.base.core', 'utils.unique_name', 'nn.functional')
    """
    head, rest = module, ""
    while head:
        if head in MOVED:
            return MOVED[head] + rest
        head, dot, last = head.rpartition(".")
        rest = dot + last + rest
    return module


class _ListLoader(importlib.abc.Loader):
    """Makes a module of ``NAMES``."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a module that looks up each of its names when it is first used."""
        alias = spec.name.removeprefix(_OURS)
        sources = dict(_sources(alias))
        module = ModuleType(spec.name, f"paddle.{alias}: names that other modules define.")

        def find(name: str) -> object:
            if name not in sources:
                raise AttributeError(f"module {spec.name!r} has no attribute {name!r}")
            source, defined = sources[name]
            found = getattr(importlib.import_module(_OURS + source), defined)
            setattr(module, name, found)
            return found

        names = sorted(sources)
        vars(module).update(__all__=names, __getattr__=find, __dir__=lambda: names)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: there is no source."""


def _sources(alias: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each name of a module, with the module that defines it and its name there."""
    for source, names in NAMES[alias].items():
        for each in names.split():
            name, _, defined = each.partition("=")
            yield name, (source, defined or name)


class InnerFinder:
    """Finds Paddle's inner modules that are no file here: what they define is kept elsewhere."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of an inner module of Paddle, None if nothing of it is here."""
        if not name.startswith(_OURS) or _is_file(name):
            return None
        from jaxeager.launcher import known_names

        theirs = their_name(name)
        is_above = any(f"{_OURS}{each}".startswith(f"{name}.") for each in NAMES)
        if not is_above and not known_names.is_offered(theirs):
            return None
        return ModuleSpec(name, _InnerLoader(), is_package=theirs in known_names.packages())


def _is_file(name: str) -> bool:
    """Return whether a module is a file or folder, though the importer looked elsewhere for it.

    pytest looks for a package in the package's own folder, and then asks the other finders. The
    search for the names of an inner module would import the package, and pytest once more.
    """
    package = sys.modules.get(name.rpartition(".")[0])
    folders = getattr(package, "__path__", None)
    return bool(folders) and PathFinder.find_spec(name, folders) is not None


class _InnerLoader(importlib.abc.Loader):
    """Makes a module of Paddle's names, as the tables of launcher/known_names.py list them."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a module that looks up each of its names when it is first used."""
        from jaxeager.launcher import known_names

        theirs = their_name(spec.name)
        module = _InnerModule(spec.name, f"Names of {theirs} that are kept elsewhere here.")

        def find(name: str) -> object:
            found = None if name.startswith("__") else known_names.given(theirs, name)
            if found is None:
                raise AttributeError(f"module {spec.name!r} has no attribute {name!r}")
            setattr(module, name, found)
            return found

        names = {each: known_names.above(theirs, each) for each in known_names.modules()[theirs]}
        vars(module).update((each, value) for each, value in names.items() if value is not None)
        vars(module)["__getattr__"] = find
        if not names:  # a star import gives what Paddle's module imports
            listed = known_names.names_from_others(theirs)
            found = [each for each in listed if known_names.given(theirs, each) is not None]
            vars(module)["__all__"] = found
        _keep_name(spec.name)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: there is no source."""


class _Package(ModuleType):
    """A package whose function ``x`` stays, though a module ``x`` of ``InnerFinder`` is imported.

    The import system binds a module to its package, where Paddle imports the function later.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, _InnerModule) and name in vars(self)):
            super().__setattr__(name, value)


class _InnerModule(_Package):
    """A module of ``InnerFinder``."""


def _keep_name(module: str) -> None:
    """Let the package of a module keep what else it has under the module's name."""
    package, _, name = module.rpartition(".")
    parent = sys.modules[package]
    if name in getattr(parent, "__all__", ()):
        setattr(parent, name, getattr(parent, name))  # some names are imported on first use
    elif package == "jaxeager.tensor":
        function = importlib.import_module("jaxeager.tensor.names").function(name)
        if function is not None:
            setattr(parent, name, function)
    if name in vars(parent) and not isinstance(parent, _Package):
        kind = type(parent)
        parent.__class__ = (
            _Package if kind is ModuleType else type(kind.__name__, (_Package, kind), {})
        )


def install() -> None:
    """Insert one finder before those of files, which would load a moved module a second time.

    The other one is the last: it is asked only for modules that no file is.
    """
    if AliasFinder not in sys.meta_path:
        sys.meta_path.insert(0, AliasFinder)  # pyright: ignore[reportArgumentType]
        sys.meta_path.append(InnerFinder)  # pyright: ignore[reportArgumentType]


install()
