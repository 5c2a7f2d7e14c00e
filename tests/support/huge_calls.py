"""Calls with a size N beyond any memory: each must be refused, and the process must continue.

`tests/kernels/test_size_limit.py` runs them, `python huge_calls.py` prints the outcome of each. In
a call, x is float32[4], y the same with a gradient required, i int64[1], sparse a matrix of one
entry.
"""

import resource
import sys
import warnings

GIB = 2**30

CREATION = """
paddle.zeros([N, N])
paddle.zeros(N, 4)
paddle.zeros([N], 'complex128')
paddle.zeros([N], device='cpu')
paddle.ones([N, 4])
paddle.ones([2, N], 'int8')
paddle.full([N], 2.5)
paddle.full([N], i)
paddle.empty([N, 3])
x.new_zeros([N, 4])
x.new_full([N, 4], 1.0)
paddle.arange(N)
paddle.arange(N, 0, -1)
paddle.range(0, N)
paddle.linspace(0, 1, N)
paddle.logspace(0, 1, N)
paddle.eye(N)
paddle.eye(3, N)
paddle.tril_indices(N, 3)
paddle.triu_indices(N, N)
paddle.hamming_window(N)
paddle.create_parameter([N, 4], 'float32')
paddle.rand([N])
paddle.randn([N, 4])
paddle.uniform([N, 4])
paddle.normal(0., 1., [N, 4])
paddle.randint(0, 4, [N, 4])
paddle.randperm(N)
paddle.multinomial(x, N, True)
paddle.distribution.Normal(0., 1.).sample([N, N])
paddle.distribution.Categorical(x).sample([N, N])
"""

SHAPES = """
x.expand([N, 4])
y.expand([N, 4])
x.broadcast_to([N, 4])
x.sum().expand([N, N]).mean()
x.tile([N])
y.tile([N, N, 4])
paddle.repeat_interleave(x, N)
paddle.repeat_interleave(x, paddle.to_tensor([min(N, 2**62)] * 4))
F.pad(x.reshape([1, 1, 4]), [0, N])
F.pad(x.reshape([1, 1, 2, 2]), [N, N, N, N])
F.pad(x.reshape([1, 1, 2, 2]), [1, N, 1, N], mode='replicate')
F.pad(x.reshape([1, 1, 2, 2]), [1, N, 1, N], mode='circular')
nn.Pad1D(N)(x.reshape([1, 1, 4]))
paddle.reshape(x, [N, 4])
x.resize_([N])
x.view([N, 4])
paddle.unflatten(x, 0, [N, 2])
paddle.diag(x, N)
paddle.diag_embed(x, N)
paddle.vander(x, N)
paddle.combinations(x, N, True)
paddle.combinations(paddle.ones([4096]), 5)
paddle.meshgrid([paddle.ones([4096])] * 6)
paddle.cartesian_prod([paddle.ones([4096])] * 6)
paddle.as_strided(x, [N, N], [0, 0])
x.unfold(0, N, 1)
paddle.split(x, N)
paddle.tensor_split(x, N)
paddle.topk(x, N)
paddle.scatter_nd(paddle.to_tensor([[0]]), x[:1], [N])
paddle.scatter_nd(paddle.to_tensor([[0, 0]]), x[:1], [N, N])
"""

NUMBERS = """
F.one_hot(i, N)
F.sequence_mask(i, N)
F.class_center_sample(i, N, 1)
paddle.bincount(i, minlength=N)
paddle.histogram(x, N)
paddle.histogram_bin_edges(x, N)
paddle.histogramdd(x.reshape([2, 2]), [N, N])
paddle.geometric.send_u_recv(x, i, i, out_size=N)
paddle.outer(paddle.ones([2**20]), paddle.ones([2**20]))
paddle.kron(paddle.ones([2**20]), paddle.ones([2**20]))
paddle.add(paddle.ones([2**20, 1]), paddle.ones([2**20]))
paddle.einsum('i,j,k->ijk', *[paddle.ones([2**21])] * 3)
paddle.pdist(paddle.ones([2**20, 1]))
paddle.matmul(paddle.ones([2**20, 1]), paddle.ones([1, 2**20]))
paddle.fft.fft(x, N)
paddle.fft.irfft(x, N)
paddle.fft.fft2(x.reshape([2, 2]), [N, N])
paddle.fft.fftfreq(N)
paddle.signal.stft(paddle.ones([16]), N)
paddle.audio.functional.get_window('hann', N)
paddle.audio.functional.compute_fbank_matrix(16000, N)
paddle.audio.functional.create_dct(N, N)
paddle.audio.functional.mel_frequencies(N)
paddle.audio.functional.fft_frequencies(16000, N)
paddle.sparse.sparse_coo_tensor([[0], [0]], [1.], [N, N]).to_dense()
paddle.sparse.sparse_coo_tensor([[0], [0]], [1.], [N, N]).coalesce()
paddle.sparse.sparse_csr_tensor([0, 1], [0], [1.], [1, N]).to_dense()
paddle.sparse.reshape(sparse, [N, 4])
"""

LAYERS = """
nn.Embedding(N, 4)
nn.Linear(N, 4)
nn.Linear(N, N)
nn.Conv2D(3, 4, N)
nn.Conv3D(3, N, 3)
nn.LSTM(N, N)
nn.TransformerEncoderLayer(N, 1, N)
nn.BatchNorm2D(N)
nn.LayerNorm([N, N])
nn.SpectralNorm([N, N])
nn.Layer().create_parameter([N, N], default_initializer=nn.initializer.Orthogonal())
nn.Layer().create_parameter([N, N, 3], default_initializer=nn.initializer.Dirac())
F.interpolate(x.reshape([1, 1, 2, 2]), size=[N, N])
F.interpolate(x.reshape([1, 1, 2, 2]), size=[N, N], mode='bilinear')
F.interpolate(x.reshape([1, 1, 2, 2]), size=[N, N], mode='bicubic')
F.interpolate(x.reshape([1, 1, 2, 2]), scale_factor=N)
F.fold(x.reshape([1, 4, 1]), [N, N], [2, 2])
F.unfold(x.reshape([1, 1, 2, 2]), 1, paddings=N)
F.adaptive_avg_pool2d(x.reshape([1, 1, 2, 2]), N)
F.adaptive_max_pool2d(x.reshape([1, 1, 2, 2]), N)
F.fractional_max_pool2d(x.reshape([1, 1, 2, 2]), N)
F.avg_pool2d(x.reshape([1, 1, 2, 2]), N)
F.max_pool2d(x.reshape([1, 1, 2, 2]), N, 1, N // 2)
F.max_unpool2d(x.reshape([1, 1, 2, 2]), paddle.zeros([1, 1, 2, 2], 'int32'), 2, output_size=[N, N])
F.conv2d(x.reshape([1, 1, 2, 2]), x.reshape([1, 1, 2, 2]), padding=N)
F.conv2d(x.reshape([1, 1, 2, 2]), x.reshape([1, 1, 2, 2]), padding=N, dilation=N)
F.conv2d_transpose(x.reshape([1, 1, 2, 2]), x.reshape([1, 1, 2, 2]), stride=N)
F.pixel_shuffle(x.reshape([1, 4, 1, 1]), N)
F.affine_grid(paddle.ones([1, 2, 3]), [1, 1, N, N])
paddle.vision.ops.roi_align(image, boxes, paddle.to_tensor([1], 'int32'), N)
paddle.vision.ops.roi_pool(image, boxes, paddle.to_tensor([1], 'int32'), N)
paddle.vision.transforms.resize(paddle.ones([1, 2, 2]), [N, N])
"""

CALLS = [
    call for table in (CREATION, SHAPES, NUMBERS, LAYERS) for call in table.split("\n") if call
]
SIZES = [2**40, 2**62, 2**63, 2**70]


def outcome(call: str, size: int) -> str:
    """Return the name of the error that a call ends in, "" when it has none."""
    import jaxeager as paddle
    from jaxeager import errors

    x, y, i = paddle.ones([4]), paddle.ones([4]), paddle.to_tensor([1])
    y.stop_gradient = False
    scope = {"paddle": paddle, "nn": paddle.nn, "F": paddle.nn.functional, "N": size}
    scope |= {"x": x, "y": y, "i": i, "image": x.reshape([1, 1, 2, 2])}
    scope["boxes"] = paddle.to_tensor([[0.0, 0.0, 1.0, 1.0]])
    scope["sparse"] = paddle.sparse.sparse_coo_tensor([[0], [0]], [1.0], [2, 2])
    try:
        eval(call, scope)
    except Exception as error:
        is_own = isinstance(error, errors.JaxEagerError)
        return ("" if is_own else "foreign ") + type(error).__name__
    return "nothing"


def main(memory_bytes: int) -> None:
    """Print, in a process with limited memory, the outcome of every call."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    for call in CALLS:
        for size in SIZES if "N" in call else [0]:
            print(f"{call} | {size} | {outcome(call, size)}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
