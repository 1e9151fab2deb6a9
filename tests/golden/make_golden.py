#!/usr/bin/env python3
"""Golden vectors for ops/: what PyTorch computes on the CPU.

    python3 -m venv VENV && VENV/bin/pip install torch numpy
    VENV/bin/python tests/golden/make_golden.py > tests/golden/golden.json

A vector is an operator, a storage type, scalars, inputs as the bits of that
type, `y` as the bits of a float64 computation by PyTorch on those inputs, and
`stored` as the bits of PyTorch's float32 computation, rounded once to the
storage type: what a correct kernel returns.  tests/unit/ops/t_golden.c holds
every reference against `y` and every error bound against `stored`.  Neither
build nor tests need Python.
"""
import json
import platform
import struct

import torch

TYPES = {
    "float32": (torch.float32, torch.int32, 8),
    "float16": (torch.float16, torch.int16, 4),
    "bfloat16": (torch.bfloat16, torch.int16, 4),
}
F = torch.nn.functional


def bits(tensor, ints, digits):
    mask = (1 << 4 * digits) - 1
    flat = tensor.contiguous().view(ints).flatten().tolist()
    return "".join("%0*x" % (digits, v & mask) for v in flat)


def doubles(tensor):
    return "".join(struct.pack(">d", v).hex() for v in tensor.double().flatten().tolist())


def specials(dtype):
    """Values that any elementwise operator must take."""
    info = torch.finfo(dtype)
    tiny = info.tiny
    least = {torch.float32: 2.0**-149, torch.float16: 2.0**-24, torch.bfloat16: 2.0**-133}[dtype]
    inf = float("inf")
    some = [0.0, -0.0, inf, -inf, float("nan"), tiny, -tiny, least, -least,
            tiny - least, info.max, -info.max, 1.0, -1.0, 0.5, 88.0, -88.0, 100.0,
            -100.0, 10.0, -10.0, 3.0, -3.0, info.eps]
    return torch.tensor(some, dtype=torch.float64).to(dtype).reshape(2, 12)


def special_rows(dtype, gen):
    """Rows with one special value each, and plain ones between."""
    x = torch.randn(6, 12, generator=gen, dtype=torch.float64)
    x[0, 3] = float("nan")
    x[1, 0] = float("inf")
    x[2, 11] = float("-inf")
    x[3, 5] = -0.0
    x[4, 1], x[4, 2] = float("inf"), float("-inf")
    return x.to(dtype)


def rope(x, positions, base, batch, seq, dim):
    half = dim // 2
    x = x.reshape(batch, seq, dim)
    d = torch.arange(half, dtype=x.dtype)
    angle = positions.to(x.dtype)[:, None] * torch.pow(torch.tensor(base, dtype=x.dtype), -2 * d / dim)
    c, s = angle.cos(), angle.sin()
    x1, x2 = x[..., :half], x[..., half:]
    return torch.cat([x1 * c - x2 * s, x1 * s + x2 * c], dim=-1)


def gelu(x):
    """F.gelu in float32 takes a short cut (2.15: NaN for infinity, 5e-7 off)."""
    if x.dtype == torch.float64:
        return F.gelu(x)
    return x * 0.5 * (1 + torch.erf(x * 0.5**0.5))


UNARY = {
    "relu": F.relu, "silu": F.silu, "tanh": torch.tanh, "sigmoid": torch.sigmoid,
    "gelu": gelu, "exp": torch.exp, "log": torch.log, "sqrt": torch.sqrt, "abs": torch.abs,
}
BINARY = {
    "elementwise_add": torch.add, "elementwise_mul": torch.mul,
    "swiglu": lambda g, u: F.silu(g) * u,
}
ROWS = {
    "softmax": lambda x: torch.softmax(x, -1),
    "sum_last": lambda x: x.sum(-1), "mean_last": lambda x: x.mean(-1),
    "max_last": lambda x: x.amax(-1),
}


def cases(dtype, gen):
    """(operator, scalars, inputs, positions, function)"""
    def randn(*shape):
        return torch.randn(*shape, generator=gen, dtype=torch.float64).to(dtype)

    for name, f in UNARY.items():
        for x in (randn(3, 7), specials(dtype)):
            yield name, {"rows": x.shape[0], "cols": x.shape[1]}, [x], None, f
    for name, f in BINARY.items():
        for x in (randn(3, 7), specials(dtype)):
            y = randn(*x.shape)
            yield name, {"rows": x.shape[0], "cols": x.shape[1]}, [x, y], None, f
    for name, f in ROWS.items():
        for x in (randn(3, 17), (randn(2, 9) * 30).to(dtype), special_rows(dtype, gen)):
            yield name, {"rows": x.shape[0], "cols": x.shape[1]}, [x], None, f
    for x in (randn(3, 17), (randn(2, 9) * 1e-3).to(dtype), special_rows(dtype, gen)):
        n, eps = x.shape[1], 2.0**-17
        scalars = {"rows": x.shape[0], "cols": n, "eps": eps}
        w, b = randn(n), randn(n)
        yield "rmsnorm", scalars, [x, w], None, lambda x, w: F.rms_norm(x, (n,), w, eps)
        yield "layernorm", scalars, [x, w, b], None, lambda x, w, b: F.layer_norm(x, (n,), w, b, eps)
    for batch, seq, dim, base, top in ((2, 3, 8, 10000.0, 50), (1, 4, 6, 500000.0, 8000)):
        p = torch.randint(0, top, (seq,), generator=gen, dtype=torch.int32)
        x = randn(batch * seq, dim)
        yield ("rope", {"batch": batch, "seq": seq, "dim": dim, "base": base}, [x], p,
               lambda x: rope(x, p, base, batch, seq, dim))
    for m, n, k in ((3, 5, 7), (1, 4, 33)):
        yield "matmul", {"m": m, "n": n, "k": k}, [randn(m, k), randn(k, n)], None, torch.matmul
    a = special_rows(dtype, gen)
    yield "matmul", {"m": 6, "n": 3, "k": 12}, [a, randn(12, 3)], None, torch.matmul


def main():
    vectors = []
    for name, (dtype, ints, digits) in TYPES.items():
        gen = torch.Generator().manual_seed(20)
        for op, scalars, inputs, positions, f in cases(dtype, gen):
            vectors.append({
                "op": op, "dtype": name, "scalars": scalars,
                "in": [bits(t, ints, digits) for t in inputs],
                "positions": positions.tolist() if positions is not None else [],
                "y": doubles(f(*[t.double() for t in inputs])),
                "stored": bits(f(*[t.float() for t in inputs]).to(dtype), ints, digits),
            })
    print('{"torch":"%s","python":"%s","vectors":[' % (torch.__version__, platform.python_version()))
    print(",\n".join(json.dumps(v, separators=(",", ":")) for v in vectors))
    print("]}")


main()
