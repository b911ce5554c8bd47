// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Natives that are both methods of arrays and functions of module numpy: the first argument may be
// anything an array can be made of.

#ifndef NACRE_VM_ARRAY_METHODS_H
#define NACRE_VM_ARRAY_METHODS_H

#include "vm/array/array.h"

#define SIGNATURE_SUM "axis=None, dtype=None, out=None, keepdims=False, initial=?, where=True"
#define SIGNATURE_TRUTH "axis=None, out=None, keepdims=False, *, where=True"
#define SIGNATURE_MEAN "axis=None, dtype=None, out=None, keepdims=False, *, where=True"
#define SIGNATURE_SPREAD                                                                        \
    "axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=?"
#define SIGNATURE_EXTREME "axis=None, out=None, keepdims=False, initial=?, where=True"
#define SIGNATURE_PLACE "axis=None, out=None, *, keepdims=False"
#define ARRAY_METHODS(X)                                                                       \
    X(sum, SIGNATURE_SUM)                                                                      \
    X(prod, SIGNATURE_SUM)                                                                     \
    X(max, SIGNATURE_EXTREME)                                                                  \
    X(min, SIGNATURE_EXTREME)                                                                  \
    X(any, SIGNATURE_TRUTH)                                                                    \
    X(all, SIGNATURE_TRUTH)                                                                    \
    X(argmax, SIGNATURE_PLACE)                                                                 \
    X(argmin, SIGNATURE_PLACE)                                                                 \
    X(mean, SIGNATURE_MEAN)                                                                    \
    X(cumsum, "axis=None, dtype=None, out=None")                                               \
    X(cumprod, "axis=None, dtype=None, out=None")                                              \
    X(clip, "min=None, max=None, out=None")                                                    \
    X(round, "decimals=0, out=None")                                                           \
    X(dot, "b, out=None")                                                                      \
    X(ravel, "order='C'")                                                                      \
    X(squeeze, "axis=None")                                                                    \
    X(nonzero, "")                                                                             \
    X(swapaxes, "axis1, axis2")                                                                \
    X(argsort, "axis=-1, kind=None, order=None, *, stable=None")                               \
    X(argpartition, "kth, axis=-1, kind='introselect', order=None")                            \
    X(searchsorted, "v, side='left', sorter=None")

#define X(name, signature) Status array_m_##name(Vm *vm, const Value *args, Value *out);
ARRAY_METHODS(X)
#undef X
// Of var and std only the functions have correction=, too.
Status array_m_var(Vm *vm, const Value *args, Value *out);
Status array_m_std(Vm *vm, const Value *args, Value *out);
Status array_var(Vm *vm, const Value *args, Value *out);
Status array_std(Vm *vm, const Value *args, Value *out);
// A count for each element is left to numpy_repeat of the prelude.
Status array_m_repeat(Vm *vm, const Value *args, Value *out);
Status array_m_take(Vm *vm, const Value *args, Value *out);
Status array_m_put(Vm *vm, const Value *args, Value *out);
Status array_m_copy(Vm *vm, const Value *args, Value *out); // only a method: numpy.copy is another
Status array_m_view(Vm *vm, const Value *args, Value *out);   // retype.c
Status array_m_resize(Vm *vm, const Value *args, Value *out); // resize.c
// buffers.c
Status array_m_tobytes(Vm *vm, const Value *args, Value *out);
// sort.c: in place, and of a copy, whose axis may be None.
Status array_m_sort(Vm *vm, const Value *args, Value *out);
Status array_m_partition(Vm *vm, const Value *args, Value *out);
Status array_sorted(Vm *vm, const Value *args, Value *out);
Status array_partitioned(Vm *vm, const Value *args, Value *out);
// diagonal.c. args: array, offset, axis1, axis2. array_diagonal's can be written where the array can.
Status array_diagonal(Vm *vm, const Value *args, Value *out);
Status array_m_diagonal(Vm *vm, const Value *args, Value *out);
Status array_m_trace(Vm *vm, const Value *args, Value *out);
// selecting.c: plain cases; ST_DEFER: another one.
Status array_compress(Vm *vm, Value a, Value condition, Value axis, Value into, Value *out);
Status array_putmask(Vm *vm, Value a, Value mask, Value values, Value *out);
Status array_place(Vm *vm, Value a, Value mask, Value values, Value *out);
Status array_choose(Vm *vm, Value numbers, const Value *choices, size_t count, Value mode, Value *out);
// Whether all elements, of int64 and one at least, are 0 … count-1.
Status array_is_within(Vm *vm, Value numbers, int64_t count, bool *within);
// Where the elements stand when keys of the same length sort them, the last one first. ST_DEFER: no rows.
Status array_lexsort(Vm *vm, const Value *keys, size_t count, Value *out);
Status array_m_byteswap(Vm *vm, const Value *args, Value *out); // retype.c
Status truth_from(Vm *vm, Value v, bool *out); // of an argument that has to be a number
Status array_bincount(Vm *vm, const Value *args, Value *out);
// histogram.c. args: a row, the edges of bins of one width, weights (or None). What is in each bin: how many
// elements as int64, or their weights' float64 sums.
Status array_histogram(Vm *vm, const Value *args, Value *out);
Status array_interpolate(Vm *vm, const Value *args, Value *out);

#endif
