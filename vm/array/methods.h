// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Natives that are both array methods and functions of module numpy: the first argument may be
// anything convertible to an array.

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
// Methods that are also functions: the signature after the array, and the docstring.
#define ARRAY_METHODS(X) \
    X(sum, SIGNATURE_SUM, \
      "Sums along axes. Small integers and bool are added in 64 bits; floats in pairs of\n" \
      "halves, which keeps errors small.\n\n>>> np.sum([[1, 2], [3, 4]], axis=0)\narray([4, 6])\n" \
      ">>> np.sum([0.1] * 10)\nnp.float64(1.0)") \
    X(prod, SIGNATURE_SUM, \
      "Products along axes. Small integers and bool are multiplied in 64 bits.\n" \
      "\n>>> np.prod([[1, 2], [3, 4]], axis=1)\narray([ 2, 12])") \
    X(max, SIGNATURE_EXTREME, \
      "The largest elements along axes; NaN where there is one. ValueError where nothing is\n" \
      "compared and there is no initial=.\n\n>>> np.max([[1, 5], [7, 2]], axis=0)\narray([7, 5])") \
    X(min, SIGNATURE_EXTREME, \
      "The smallest elements along axes; NaN where there is one. ValueError where nothing is\n" \
      "compared and there is no initial=.\n\n>>> np.min([[1, 5], [7, 2]], axis=0)\narray([1, 2])") \
    X(any, SIGNATURE_TRUTH, \
      "Whether any element along axes is true.\n" \
      "\n>>> np.any([[0, 0], [0, 3]], axis=1)\narray([False,  True])") \
    X(all, SIGNATURE_TRUTH, \
      "Whether all elements along axes are true.\n" \
      "\n>>> np.all([[1, 0], [2, 3]], axis=1)\narray([False,  True])") \
    X(argmax, SIGNATURE_PLACE, \
      "Where the first of the largest elements along an axis is; without one, its place among\n" \
      "all elements in C order.\n\n>>> np.argmax([[1, 5], [7, 2]])\nnp.int64(2)\n" \
      ">>> np.argmax([[1, 5], [7, 2]], axis=1)\narray([1, 0])") \
    X(argmin, SIGNATURE_PLACE, \
      "Where the first of the smallest elements along an axis is; without one, its place among\n" \
      "all elements in C order.\n\n>>> np.argmin([[1, 5], [7, 2]], axis=0)\narray([0, 1])") \
    X(mean, SIGNATURE_MEAN, \
      "Arithmetic means along axes; integers' in float64.\n" \
      "\n>>> np.mean([[1, 2], [3, 6]], axis=1)\narray([1.5, 4.5])") \
    X(cumsum, "axis=None, dtype=None, out=None", \
      "Running sums along an axis, or of all elements in C order.\n" \
      "\n>>> np.cumsum([[1, 2], [3, 4]])\narray([ 1,  3,  6, 10])\n" \
      ">>> np.cumsum([[1, 2], [3, 4]], axis=0)\narray([[1, 2],\n       [4, 6]])") \
    X(cumprod, "axis=None, dtype=None, out=None", \
      "Running products along an axis, or of all elements in C order.\n" \
      "\n>>> np.cumprod([1, 2, 3, 4])\narray([ 1,  2,  6, 24])") \
    X(clip, "min=None, max=None, out=None", \
      "Elements no smaller than the one bound and no larger than the other; None is no bound.\n" \
      "\n>>> np.clip([1, 5, 9], 2, 8)\narray([2, 5, 8])") \
    X(round, "decimals=0, out=None", \
      "To so many decimals, halves to the even digit; before the point for negative ones.\n" \
      "\n>>> np.round([0.5, 1.5, 2.345], 2)\narray([0.5 , 1.5 , 2.35])\n>>> np.round(1234, -2)\n" \
      "np.int64(1200)") \
    X(dot, "b, out=None", \
      "The product of two vectors, matrices, or of the last axis of the first with the\n" \
      "second-to-last of the second. Other than matmul it takes numbers too.\n\n" \
      ">>> np.dot([1, 2], [3, 4])\nnp.int64(11)\n>>> np.dot([[1, 0], [0, 2]], [3, 4])\n" \
      "array([3, 8])") \
    X(ravel, "order='C'", \
      "All elements in a row: a view where there is one, otherwise a copy.\n" \
      "\n>>> np.ravel([[1, 2], [3, 4]], order='F')\narray([1, 3, 2, 4])") \
    X(squeeze, "axis=None", \
      "The array without axes of extent 1, all or those that are named. A view.\n" \
      "\n>>> np.squeeze([[[1], [2]]]).shape\n(2,)") \
    X(nonzero, "", \
      "For each axis the indexes of the elements that are not zero, in C order.\n" \
      "\n>>> np.nonzero([[1, 0], [0, 2]])\n(array([0, 1]), array([0, 1]))") \
    X(swapaxes, "axis1, axis2", \
      "A view with two axes in each other's place.\n" \
      "\n>>> np.swapaxes(np.ones((2, 3, 4)), 0, 2).shape\n(4, 3, 2)") \
    X(argsort, "axis=-1, kind=None, order=None, *, stable=None", \
      "Where along an axis the sorted elements stand. Equal ones stay in order, whatever the\n" \
      "kind.\n\n>>> np.argsort([3, 1, 2])\narray([1, 2, 0])") \
    X(argpartition, "kth, axis=-1, kind='introselect', order=None", \
      "Where the elements stand of which the k-th is in its sorted place, smaller ones before\n" \
      "it.\n\n>>> np.argpartition([3, 1, 2], 0)[0]\nnp.int64(1)") \
    X(searchsorted, "v, side='left', sorter=None", \
      "Where elements are to be put into a sorted row so that it stays sorted: before equal\n" \
      "ones, or with side='right' behind them.\n\n>>> np.searchsorted([1, 3, 3, 5], [3, 4])\n" \
      "array([1, 3])\n>>> np.searchsorted([1, 3, 3, 5], 3, side='right')\nnp.int64(3)")

#define X(name, signature, doc) Status array_m_##name(Vm *vm, const Value *args, Value *out);
ARRAY_METHODS(X)
#undef X
// array_m_… are the methods; only the functions have correction=.
Status array_m_var(Vm *vm, const Value *args, Value *out);
Status array_m_std(Vm *vm, const Value *args, Value *out);
Status array_var(Vm *vm, const Value *args, Value *out);
Status array_std(Vm *vm, const Value *args, Value *out);
// args: a, repeats, axis.
Status array_m_repeat(Vm *vm, const Value *args, Value *out);
// take_put.c
Status array_repeat_each(Vm *vm, Value a, Value counts, Value axis, Value *out); // ST_DEFER: not the simple case
Status array_take_true(Vm *vm, Value a, Value mask, Value axis, Value *out); // the axis is a valid int
Status array_m_take(Vm *vm, const Value *args, Value *out);
Status array_m_put(Vm *vm, const Value *args, Value *out);
Status array_m_copy(Vm *vm, const Value *args, Value *out); // only a method: numpy.copy differs
Status array_m_view(Vm *vm, const Value *args, Value *out);   // retype.c
Status array_m_resize(Vm *vm, const Value *args, Value *out); // resize.c
// buffers.c
Status array_m_tobytes(Vm *vm, const Value *args, Value *out);
// sort.c: array_m_… sort in place; the others return a copy, and axis may be None.
Status array_m_sort(Vm *vm, const Value *args, Value *out);
Status array_m_partition(Vm *vm, const Value *args, Value *out);
Status array_sorted(Vm *vm, const Value *args, Value *out);
Status array_partitioned(Vm *vm, const Value *args, Value *out);
// diagonal.c. args: array, offset, axis1, axis2. array_diagonal's result is writeable if the array
// is.
Status array_diagonal(Vm *vm, const Value *args, Value *out);
Status array_m_diagonal(Vm *vm, const Value *args, Value *out);
Status array_m_trace(Vm *vm, const Value *args, Value *out);
// selecting.c: simple cases; ST_DEFER: others.
Status array_compress(Vm *vm, Value a, Value condition, Value axis, Value into, Value *out);
Status array_putmask(Vm *vm, Value a, Value mask, Value values, Value *out);
Status array_place(Vm *vm, Value a, Value mask, Value values, Value *out);
Status array_choose(Vm *vm, Value numbers, const Value *choices, size_t count, Value mode, Value *out);
// Returns whether all elements, at least one int64, are in 0 … count-1.
Status array_is_within(Vm *vm, Value numbers, int64_t count, bool *within);
Status array_distinct(Vm *vm, const Value *args, Value *out); // distinct.c
// Returns the indices that sort by several keys of the same length, the last key first. ST_DEFER: the keys are no rows.
Status array_lexsort(Vm *vm, const Value *keys, size_t count, Value *out);
Status array_m_byteswap(Vm *vm, const Value *args, Value *out); // retype.c
Status truth_from(Vm *vm, Value v, bool *out); // parses an argument that must be a number
Status array_bincount(Vm *vm, const Value *args, Value *out);
// histogram.c. args: a row, edges of equal bins, weights (or None). Returns counts as int64, or sums of
// weights as float64.
Status array_histogram(Vm *vm, const Value *args, Value *out);
// convolve.c: computes the convolution of two rows of one type (correlation if `turned`): `count` of the
// sums, from `first` on.
Status array_convolve(Vm *vm, Value a, Value v, bool turned, int64_t first, int64_t count, Value *out);
Status array_interpolate(Vm *vm, const Value *args, Value *out);

#endif
