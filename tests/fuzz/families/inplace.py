"""Chains of ops, some in place, some through views, whose gradients meet."""

STEPS = """
{v} = {u} * {u}
{v} = {u} + 1.5
{v} = paddle.tanh({u})
{v} = paddle.exp({u}) * 0.5
{v} = {u}.clone()
{v} = {u}.detach()
{v} = {u}.reshape([-1])
{v} = {u}.flatten()
{v} = {u}.unsqueeze(0)
{v} = {u}.squeeze()
{v} = {u}[0:1]
{v} = {u}[..., ::2]
{v} = {u}.sum(-1, keepdim=True)
{v} = {u}.transpose(list(range({u}.ndim))[::-1])
{v} = paddle.maximum({u}, {w})
{v} = {u} * {w}
{v} = {u} - {w}
{v} = paddle.where({u} > 0, {u}, {w})
{v} = paddle.concat([{u}, {u}], 0)
{v} = {u}.cumsum(0)
{v} = {u}.astype('float64').astype('float32')
{v} = paddle.broadcast_to({u}, [2] + {u}.shape)
""".strip().splitlines()
WRITES = """
{u}.add_({w})
{u}.multiply_({w})
{u}.subtract_(paddle.to_tensor(0.5))
{u}.scale_(2.0)
{u}.tanh_()
{u}.exp_()
{u}.clip_(-0.5, 0.5)
{u}.zero_()
{u}.fill_(0.25)
{u}.relu_() if False else F.relu_({u})
{u}[0] = 0.5
{u}[..., 0] = {w}[..., 0]
{u}[{u} > 0] = 0.0
{u} += {w}
{u} *= 0.5
{u} /= 2.0
{u} **= 2
{u}.floor_divide_(paddle.to_tensor(0.5))
{u}.set_value(np.zeros({u}.shape, 'float32'))
paddle.assign({w}, {u})
{u}.copy_({w}, False)
{u}.floor_()
{u}.unsqueeze_(0)
{u}.reshape_([-1])
{u}.detach().zero_()
{u}.stop_gradient = True
""".strip().splitlines()


def program(draw):
    """Adds two leaves, some steps and writes, and one backward from what is left."""
    shape = draw.choice(("2,3", "3", "2,3", "0d", "2,1,3"))
    names = [draw.tensor(shape, "float32", "plain", draw.random.random() < 0.8)]
    names.append(draw.tensor("same", "float32", "plain", draw.random.random() < 0.6))
    draw.lines.append("v0 = a * 2.0")
    names.append("v0")
    for number in range(1, draw.random.randint(2, 6)):
        writes = draw.random.random() < 0.4
        text = draw.choice(WRITES if writes else STEPS)
        target = draw.choice(names[2:]) if writes else draw.choice(names)
        draw.lines.append(text.format(v=f"v{number}", u=target, w=draw.choice(names)))
        if not writes:
            names.append(f"v{number}")
    if draw.random.random() < 0.15:
        draw.lines.append(f"g = paddle.grad(({names[-1]} * {names[-1]}).sum(), {names[0]})")
    else:
        draw.lines.append(f"back({', '.join(sorted({names[-1], draw.choice(names[2:])}))})")
    return draw.lines
