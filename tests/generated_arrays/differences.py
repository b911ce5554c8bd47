# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Differences from NumPy that are meant: each with a name, which a run counts.

A row: (name, steps it belongs to, kinds of difference, what Nacre says, what NumPy says); the last
two are patterns. Keep it short: what is not meant is a mistake. No row matches values that merely
differ: what may differ in a value is a kind of its own (see milder_kind in comparing.py).
"""

import re

ROWS = (
    ("wording of calls with wrong arguments", ".", "message",
     r"TypeError: .*(missing required|invalid keyword|takes|positional)",
     r"TypeError: .*(missing|unexpected keyword|takes|positional)"),
    ("more than 32 dimensions", ".", "passes type message value result",
     ".", r"only supports up to 32 dimensions|maximum supported dimension for an ndarray is"),
    ("dtype=np.floating", ".", "warnings", "none",
     r"Converting `np\.\w+` or `np\.\w+` to a dtype"),
    # NumPy writes elements one after the other until it comes to the one that it refuses.
    ("integer powers refused half-way leave the array alone", r"\*\*=$|np\.power$", "half-way",
     "ndarray", "ndarray"),
    # NumPy leaves in them what was in the memory; here they are 0.
    ("elements that where= leaves out of a new array", r"np\.\w+$", "unwritten", ".", "."),
    # NumPy casts whole blocks of operands and outputs, whatever of them is computed.
    ("casts of elements that where= leaves out", r"np\.\w+$", "masked-warnings", ".",
     r"ComplexWarning|(overflow|invalid value) encountered in"),
    # C comparisons of complex numbers say so in NumPy, those of floats do not.
    ("comparing complex numbers with NaN does not warn",
     r"(less|greater)|operator [<>]|argm|maximum|minimum", "warnings", "none",
     r"invalid value encountered in (less|greater)"),
    # Such a loop ends by clearing the flags, those of the casts of its operands too.
    ("loops that cannot overflow tell of their operands' casts",
     r"^np\.(absolute|negative|maximum|minimum)$", "warnings",
     r"^RuntimeWarning: overflow encountered in (absolute|negative|maximum|minimum)$", "^none$"),
    # Equal elements are swapped or not, and the first or second of two is the larger, as its loop
    # for the processor and the operands' strides has it.
    ("which of two equal zeros",
     r"^np\.(union1d|intersect1d|setxor1d|unique)$|^(overlap )?np\.clip$|^clip$", "zeros",
     "ndarray float", "ndarray float"),
    # Whether such a number has infinite parts or NaN ones depends on what is fused and in which
    # order the four products of the parts are added.
    ("complex products that overflow",
     r"^(cumprod|prod|multiply\.(reduce|accumulate|reduceat))$|^np\.(convolve|correlate)$"
     r"|^overlap .*(\*=|multiply)",
     "infinite", "complex", "complex"),
    # C leaves it to the library whether exact infinities, and NaN of NaN, raise a flag.
    ("powers of infinite exponents tell of nothing",
     r"\*\*=?$|^np\.(float_)?power$|^power\.", "warnings", r"^(?!.*(divide by zero|overflow))",
     r"(divide by zero|overflow) encountered in (float_)?power"),
    ("arctan(nan * 1j) and arctanh(nan + 0j) are not invalid", r"^np\.arctanh?$", "warnings",
     r"^(?!.*invalid)", r"invalid value encountered in arctanh?"),
    # NumPy says either, by which of two single numbers knows the other's class.
    ("words of remainders of complex scalars", r"(operator|augmented) (%|//)", "message",
     r"unsupported operand type\(s\) for .*complex",
     r"ufunc '(remainder|floor_divide)' not supported"),
    # NumPy steps along the diagonal by the second of the two extents, which are not compared then.
    ("einsum with a diagonal of extent 0", r"np\.einsum$", "raises",
     r"ValueError: dimensions in .* don't match \(0 != \d+\)", r"ndarray|scalar"),
    ("array_str and array_repr of NumPy scalars", r"^print$", "raises message",
     r"TypeError: an array is required$", r"text|descriptor '__getitem__' requires"),
    ("dtype= of any() and all()", r"^(any|all)$", "raises type message",
     r"TypeError: 'dtype' is an invalid keyword argument for (any|all)\(\)$", "."),
    # NumPy's quick loops for one index array do not ask.
    ("ufunc.at writes read-only elements", r"^ufunc\.at$", "raises",
     r"ValueError: operand array with iterator write flag set is read-only$", "."),
    # NumPy writes nothing where source and destination are the same elements.
    ("copyto of read-only elements to themselves", r"^overlap np\.copyto$", "raises",
     r"ValueError: assignment destination is read-only$", "ndarray"),
    # Bools are 0 or 1 everywhere, so what sees them as numbers may not write.
    ("bools seen as numbers are read-only", r"^index =$", "raises",
     r"ValueError: assignment destination is read-only$", r"^\d+ = ndarray u?int8"),
    # It is a copy of the overlapping output that cannot be written back.
    ("words of read-only outputs that overlap", r"^overlap np\.take$", "message",
     r"ValueError: assignment destination is read-only$",
     r"ValueError: WRITEBACKIFCOPY base is read-only$"),
    ("too much memory for an array", r"np\.pad$", "type", r"MemoryError: Unable to allocate",
     r"ValueError: array is too big; "),
    # Of two wrong arguments either may be the one that is spoken of.
    ("which of two wrong arguments is named",
     r"^(arg(max|min)|cum(sum|prod)|mean|std|var|median"
     r"|np\.(concatenate|nanmedian|array|sort|matmul))$", "message type",
     r"TypeError: (output must be an array|data type 'nosuch' not|Cannot interpret|'float' object"
     r"|an integer is required)"
     r"|ValueError: (zero-dimensional arrays cannot|matmul: Input operand \d does not have enough)",
     r"(TypeError|AxisError|OverflowError): .*(integer|out of bounds|iterable)"),
    # It puts the new axis in last.
    ("shapes to stack are looked at before the axis", r"^np\.stack$", "message",
     r"axis -?\d+ is out of bounds for array of dimension \d+$",
     r"ValueError: all input arrays must have the same shape$"),
    ("extents are multiplied before they are used", r"^np\.resize$", "message",
     r"TypeError: can't multiply sequence by non-int of type 'float'$",
     r"TypeError: 'float' object cannot be interpreted as an integer$"),
    # It takes an empty list for one of the other operand's type.
    ("type of a product with an empty list", r"^(method \.|np\.)dot$", "result",
     r"^\d+ = scalar float64\n\[0\.0\]", r"^\d+ = scalar \w+\n\[(False|0|0\.0)\]"),
    ("types are read before keywords", r"^cum(sum|prod)$", "message",
     r"TypeError: '\w+' is an invalid keyword argument for cum(sum|prod)\(\)$",
     r"TypeError: (Cannot interpret '3' as a data type|data type 'nosuch' not understood)$"),
    ("out= of a scan is measured before it is written to", r"^overlap np\.cumsum$", "message",
     r"ValueError: operand array with iterator write flag set is read-only$",
     r"ValueError: provided out is the wrong size for the accumulation\.$"),
    ("a lone int among index arrays is looked at before the value", r"index =|overlap", "type",
     r"OverflowError: Python integer", r"IndexError: index -?\d+ is out of bounds"),
    # It takes out= for a part of what is iterated over, and repeats a single element.
    ("scans into an out= of another shape", r"^cum(sum|prod)$", "raises",
     r"ValueError: (operands could not be broadcast|provided out is the wrong size)", r"ndarray"),
    ("order statistics of nothing", r"^np\.(nan)?(quantile|percentile|median)$", "message passes",
     r"IndexError: index|ndarray",
     r"IndexError: (index|cannot do a non-empty take)|cannot reshape array of size 0"),
    # It names the axes as its iterator has sorted them.
    ("axes of out= by their order in memory", r"^(max|min|sum|prod|any|all)$|\.reduce$", "message",
     r"operand was set up as a reduction along axis \d+",
     r"operand was set up as a reduction along axis \d+"),
    ("refused by name", ".", "raises type", r"NotImplementedError: ", "."),
)


def known_difference(found):
    """The name of the row that a difference belongs to, or None."""
    for name, step, kinds, got, want in ROWS:
        if re.search(step, found.label) and found.kind in kinds.split():
            if re.search(got, found.got) and re.search(want, found.want):
                return name
    return None
