# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Functions of module numpy and methods, as templates.

In a template {name} stands for a choice that rendering.py makes, and <…> for a part that is there at
times. {a} is any array, {n} one of numbers, {i} of integers, {m} of bool, {f} of floats, {v} with one
axis, {w} with at least two, {e} whose elements sum exactly; the first of them is the subject, which
{axis}, {x} and other choices refer to.

Rows: (template, how exact). None: exactly the same. A number: so many units in the last place of
each element. ("sum", n): n units of the sum of the subject's magnitudes; ("square", n): of its square.
"""

# A view of the subject, or at least a rearrangement of its elements.
VIEWS = """
{a}[{slices}]
{a}[{slices}]
{a}[{basic}]
{a}[{basic}]
{a}.T
{a}.transpose({perm})
{a}.reshape({reshape})
{a}.swapaxes({axis}, {axis})
{a}[..., None]
{a}[np.newaxis]
{a}.ravel()
{a}.squeeze(<{axis}>)
{a}.flatten()
{a}.copy()
{a}.real
np.transpose({a}<, {perm}>)
np.reshape({a}, {reshape})
np.swapaxes({a}, {axis}, {axis})
np.moveaxis({a}, {axis}, {axis})
np.rollaxis({a}, {axis}<, {axis}>)
np.expand_dims({a}, {newaxis})
np.squeeze({a}<, {axes}>)
np.broadcast_to({a}, {broadcast})
np.ravel({a})
np.flip({a}<, {axes}>)
np.fliplr({w})
np.flipud({a})
np.rot90({w}<, {k}>)
np.diagonal({w}<, {k}>)
np.atleast_1d({a})
np.atleast_2d({a})
np.atleast_3d({a})
np.asarray({a})
np.ascontiguousarray({a})
np.matrix_transpose({w})
np.permute_dims({a}, {perm})
{a}.view()
{i}.view({idtype})
{w}.mT
"""

REDUCTIONS = (
    ("sum", "dtype", ("sum", 16)), ("prod", "dtype", 64), ("max", "", None), ("min", "", None),
    ("any", "", None), ("all", "", None), ("mean", "dtype", ("sum", 16)),
    ("var", "ddof", ("square", 64)), ("std", "ddof", ("sum", 4096)), ("argmax", "", None),
    ("argmin", "", None), ("cumsum", "dtype", ("sum", 64)), ("cumprod", "dtype", 128),
)

EXACT = """
np.clip({o}, {lo}, {hi}<, out={out}>)
np.clip({o}, {b}, {b})
{o}.clip({lo}, {hi})
np.where({m}, {b}, {b})
np.where({a})
np.where({a} > {b}, {x}, {b})
np.nonzero({a})
{a}.nonzero()
np.argwhere({a})
np.flatnonzero({a})
np.count_nonzero({a}<, axis={axes}>)
np.concatenate(({a}, {same})<, axis={axis}><, dtype={dtype}>)
np.concatenate([{a}, {c}]<, axis={axis}>)
np.concatenate([{a}, {joined}, {joined}], axis={axis})
np.stack(({a}, {same})<, axis={newaxis}>)
np.stack([{a}, {c}, {c}])
np.vstack(({a}, {c}))
np.hstack(({a}, {c}))
np.dstack(({a}, {same}))
np.column_stack(({v}, {same}))
np.split({a}, {sections}<, axis={axis}>)
np.array_split({a}, {sections}<, axis={axis}>)
np.hsplit({a}, {sections})
np.vsplit({w}, {sections})
np.repeat({a}, {repeats}<, axis={axis}>)
{a}.repeat({repeats}<, {axis}>)
np.tile({a}, {reps})
np.roll({a}, {k}<, axis={axis}>)
np.roll({a}, ({k}, {k}), axis=({axis}, {axis}))
np.sort({o}<, axis={axis}><, kind='stable'>)
np.sort({o}, axis=None)
np.argsort({o}<, axis={axis}>, kind='stable')
{o}.argsort({axis}, kind='stable')
np.searchsorted(np.sort({ov}), {b}<, side={side}>)
np.sort({ov}).searchsorted({b}, {side})
np.lexsort(({ov}, {same}))
np.unique({o})
np.unique({o}, return_counts=True)
np.unique({o}, return_inverse=True, return_index=True)
np.isin({o}, {b})
np.union1d({o}, {c})
np.intersect1d({o}, {c})
np.setdiff1d({o}, {c})
np.setxor1d({o}, {c})
np.take({a}, {ints}<, axis={axis}>)
np.take({a}, {ints}<, axis={axis}>, mode={mode})
{a}.take({ints}<, {axis}>)
np.take_along_axis({o}, np.argsort({x}, kind='stable'), axis=-1)
np.compress({row}, {a}, axis={axis})
np.extract({a} > 1, {x})
np.choose({i} % 3, [{b}, {b}, {b}])
np.select([{a} > 1, {x} < 0], [{x}, {b}]<, {scalar}>)
np.delete({a}, {int}<, axis={axis}>)
np.insert({a}, {int}, {scalar}<, axis={axis}>)
np.append({a}, {same}<, axis={axis}>)
np.resize({a}, {shape})
np.diff({n}<, n={k}><, axis={axis}>)
np.ediff1d({n})
np.pad({a}, {small}<, mode={pad}>)
np.pad({a}, {small}, constant_values={scalar})
np.bincount({small_ints}<, minlength={k}>)
np.digitize({o}, np.array([-1.0, 0.0, 2.0, 5.0]))
np.tril({w}<, {k}>)
np.triu({w}<, {k}>)
np.diag({a}<, {k}>)
np.diagflat({v}<, {k}>)
np.fill_diagonal({w}, {scalar})
np.eye({small}<, {small}><, k={k}><, dtype={dtype}>)
np.identity({small}<, dtype={dtype}>)
np.zeros({shape}<, dtype={dtype}>)
np.ones({shape}<, {dtype}>)
np.full({shape}, {scalar}<, dtype={dtype}>)
np.zeros_like({a}<, dtype={dtype}>)
np.ones_like({a}<, dtype={dtype}>)
np.full_like({a}, {scalar}<, dtype={dtype}>)
np.empty({shape}<, {dtype}>).shape
np.empty_like({a}).dtype
np.arange({int}, {int}<, {k}><, dtype={dtype}>)
np.arange({bound}<, {bound}<, {bound}>>)
np.array({a}<, dtype={dtype}><, ndmin={small}>)
np.array([{scalar}, {scalar}, {scalar}]<, dtype={dtype}>)
np.array([{v}, {same}]<, dtype={dtype}>)
np.array([[{scalar}, {scalar}], [{scalar}, {scalar}]])
np.array([[{scalar}], [{scalar}, {scalar}]])
np.asarray([{v}, {c}])
np.meshgrid({v}, {c}<, indexing={indexing}>)
np.indices({shape})
np.ix_({ints1}, {ints1})
np.array_equal({a}, {b})
np.array_equal({a}, {x})
np.array_equiv({a}, {b})
np.isclose({n}, {b})
np.allclose({n}, {b})
np.ptp({n}<, axis={axis}>)
np.broadcast_arrays({a}, {b})
np.broadcast_shapes({shape}, {shape})
np.result_type({a}, {b})
np.result_type({dtype}, {dtype})
np.promote_types({dtype}, {dtype})
np.can_cast({dtype}, {dtype}<, casting={casting}>)
np.min_scalar_type({scalar})
np.isscalar({scalar})
np.shape({a})
np.ndim({b})
np.size({a}<, {axis}>)
np.iinfo({idtype}).max
np.finfo({fdtype}).eps
np.unravel_index({int}, {shape})
np.ravel_multi_index(({int}, {int}), {shape})
np.nan_to_num({f})
np.isposinf({f})
np.isneginf({f})
np.rint({n})
np.round({n}<, {k}>)
{n}.round(<{k}>)
np.fix({n})
np.heaviside({f}, {scalar})
np.modf({n})
np.divmod({n}, {b})
np.gcd({i}, {b})
np.lcm({i}, {b})
np.logical_and({a}, {b})
np.tri({small}<, {small}><, {k}>)
np.vander({vi}<, {small}>)
np.outer({e}, {c})
np.kron({e}, {c})
np.trim_zeros({v})
np.linalg.{matrix_function}({square})
np.linalg.solve({square}, np.ones({small1})).dtype
np.linalg.lstsq({square}, np.ones({small1}))[2]
np.nanmax({n}<, axis={axis}>)
np.nanmin({n}<, axis={axis}>)
np.nanargmax({n}<, axis={axis}>)
np.max({n}<, axis={axes}>, initial={scalar})
np.partition({ov}, 1)[1]
np.unwrap({tiny})
np.apply_along_axis(np.sum, {axis}, {e})
np.atleast_2d({a}, {c})
np.ndenumerate({a}).__class__.__name__
np.tril_indices({small}<, {k}>)
np.diag_indices({small})
np.place({a}, {x} > 1, [{scalar}, {scalar}])
np.putmask({a}, {x} > 1, {scalar})
np.put({a}, {ints}, {scalar})
np.copyto({a}, {b}<, casting={casting}><, where={wmask}>)
{a}.fill({scalar})
{o}.sort(<{axis}>)
{a}.put({ints}, {scalar})
{a}.shape
{a}.size
{a}.nbytes
{a}.ndim
{a}.itemsize
{a}.dtype
{a}.dtype.name
{a}.item(<{int}>)
{a}.tolist()
{a}.astype({dtype}<, casting={casting}>)
{a}.astype({dtype})
{a}.astype({dtype}, copy=False)
{a}.item()
{a}.nosuch
{a}.sum({axis}).dtype
{a}.__len__()
len({a})
bool({a})
int({a})
float({a})
list({a})
{a}.flat[{int}]
{b} in {a}
iter({a}).__next__()
np.nosuch({a})
np.sum({a}, axes=0)
np.sum()
np.zeros()
np.reshape({a})
{scalar} in {a}
[row for row in {a}]
(lambda first, *rest: first)(*{a})
divmod({n}, {b})
abs({n})
max({v})
min({v})
sorted({ov})
any({v})
complex({n})
isinstance({a}, np.ndarray)
hash({a}.dtype) == hash({x}.dtype)
{a}.dtype == {dtype}
np.dtype({dtype}).itemsize
np.dtype('nosuch')
np.array({a}, dtype='nosuch')
np.array([1, [2, 3]])
np.issubdtype({dtype}, np.{abstract})
"""

INEXACT = (
    ("np.average({t}<, axis={axis}>)", ("sum", 32)),
    ("np.average({v}, weights={same})", ("sum", 4096)),
    ("np.median({o}<, axis={axes}>)", 4),
    ("np.nanmedian({o}<, axis={axis}>)", 4),
    ("np.quantile({t}, {q}<, axis={axis}>)", ("sum", 8)),
    ("np.percentile({t}, {p}<, axis={axis}>)", ("sum", 8)),
    ("np.nanmean({t}<, axis={axis}>)", ("sum", 16)),
    ("np.nanstd({t}<, axis={axis}>)", ("sum", 4096)),
    ("np.linspace({bound}, {bound}<, {small}><, endpoint={flag}>)", 16),
    ("np.logspace({k}, {k}, {small})", 32),
    ("np.geomspace({small1}, {small1}, {small1})", 64),
    ("np.gradient({t})", ("sum", 8)),
    ("np.trapezoid({t})", ("sum", 32)),
    ("np.interp({t}, [0.0, 1.0, 2.5], [1.0, -2.0, 4.0])", ("sum", 16)),
    ("np.convolve({tv}, {same})", ("square", 16)),
    ("np.correlate({tv}, {same})", ("square", 16)),
    ("np.polyval([1.0, -2.0, 0.5], {t})", ("square", 16)),
    ("np.cov({tv})", ("square", 64)),
    ("np.corrcoef({tv}, {same})", ("sum", 4096)),
    ("np.histogram({t}, bins=4)[1]", ("sum", 16)),
    ("np.sinc({t})", ("sum", 64)),
    ("np.float_power({t}, 2)", 8),
    ("np.ldexp({t}, 2)", 0),
    ("np.trace({w})", ("square", 64)),
    ("np.inner({e}, {same})", ("square", 64)),
    ("np.dot({e}, {b})", ("square", 64)),
    ("{e}.dot({b})", ("square", 64)),
    ("np.matmul({e}, {b})", ("square", 64)),
    ("np.vdot({e}, {same})", ("square", 64)),
    ("np.tensordot({e}, {same}, axes={small})", ("square", 64)),
    ("np.cross({e}, {same})", ("square", 64)),
    ("np.einsum({ein1}, {ew})", ("square", 64)),
    ("np.sum({e}<, axis={axes}><, keepdims={flag}><, initial={scalar}>)", ("sum", 64)),
    ("np.nansum({e}<, axis={axis}>)", ("sum", 16)),
    ("sum({ve})", ("sum", 16)),
    ("{t} @ {same}", ("square", 64)),
    ("np.matmul({t}, {tb})", ("square", 64)),
    ("np.dot({t}, {tb})", ("square", 64)),
    ("np.linspace(0, {small}, {small}, dtype={dtype})", 4),
)

# Of linear algebra: what is compared are shapes, types and refusals.
MATRIX_FUNCTIONS = ("inv", "det", "slogdet", "qr", "svd", "eigh", "eig", "cholesky", "matrix_rank",
                    "eigvalsh", "pinv", "norm")

# Done to the subject in place; it is printed afterwards.
OVERLAPPING = """
{e}[1:] += {x}[:-1]
{a}[1:] = {x}[:-1]
{a}[:-1] = {x}[1:]
{a}[::-1] = {x}
{a}[...] = {x}[::-1]
{a}.T[...] = {x}
{a}[:] = {x}.T
np.add({n}[1:], {x}[:-1], out={x}[1:])
np.add({n}[:-1], {x}[1:], out={x}[1:])
np.subtract({n}, {x}[::-1], out={x})
np.multiply({n}, {x}, out={x})
np.maximum({n}[::-1], {x}, out={x})
np.negative({n}[::-1], out={x})
np.copyto({a}, {x}[::-1])
{n} -= {x}[0]
{n} *= {x}[::-1]
{a}[::2] = {x}[1::2]
{a}[{ints}] = {x}[{ints}]
{a}[0], {x}[-1] = {x}[-1], {x}[0]
np.logical_not({a}[::-1], out={x})
np.cumsum({n}, out={x})
np.clip({o}[::-1], 0, 3, out={x})
np.take({a}, {ints}, out={x})
"""

PRINTING = """
{a}
{a}[..., None]
{a} * 1.5
{f} / 3
np.array2string({a}<, precision={small}><, separator=', '>)
np.array_str({a})
np.array_repr({a})
repr({f})
'%s' % ({a},)
'{{}}'.format({a})
f'{{{a}}}'
str({a}.dtype)
repr({a}.dtype)
[{scalar}, {a}]
"""


def rows(text, exactness=None):
    return [(line.strip(), exactness) for line in text.strip().split("\n") if line.strip()]
