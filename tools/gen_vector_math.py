#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Writes backends/cpu/loops/vector_table.h: tables and coefficients of the vector functions, from nothing
# but the functions themselves.
#
#   tools/gen_vector_math.py > backends/cpu/loops/vector_table.h
#
# Polynomials are those whose largest error, weighted, is least (Remez' exchange algorithm, on a
# grid of points).

from decimal import Decimal as D, getcontext
import math
import struct

getcontext().prec = 60
LN2 = D(2).ln()
POINTS = 16


# --- Polynomials ---------------------------------------------------------------------------------

def solved(rows, right):
    """The x of rows @ x = right, by elimination."""
    n = len(rows)
    rows = [list(row) + [value] for row, value in zip(rows, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(i + 1, n):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    x = [D(0)] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][k] * x[k] for k in range(i + 1, n))) / rows[i][i]
    return x


def value(coefficients, x):
    result = D(0)
    for c in reversed(coefficients):
        result = result * x + c
    return result


def extremes(errors, count):
    """Places of `count` extremes of alternating signs, the largest ones."""
    runs = []
    for i, e in enumerate(errors):
        if runs and (errors[runs[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[runs[-1]]):
                runs[-1] = i
        else:
            runs.append(i)
    while len(runs) > count:
        if len(runs) == count + 1:
            del runs[0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1]
        else:
            least = min(range(len(runs) - 1),
                        key=lambda i: max(abs(errors[runs[i]]), abs(errors[runs[i + 1]])))
            del runs[least:least + 2]
    return runs


def minimax(f, weight, low, high, degree, grid=800):
    """Coefficients of the best polynomial, from the constant on, and its weighted error."""
    middle, half = (low + high) / 2, (high - low) / 2
    xs = [middle - half * D(math.cos(math.pi * (i + 0.5) / grid)) for i in range(grid)]
    fs, ws = [f(x) for x in xs], [weight(x) for x in xs]
    count = degree + 2
    chosen = [round((grid - 1) * (i + 0.5) / count) for i in range(count)]
    for _ in range(40):
        rows = [[xs[i] ** k for k in range(degree + 1)] + [(-1) ** n / ws[i]]
                for n, i in enumerate(chosen)]
        *coefficients, level = solved(rows, [fs[i] for i in chosen])
        errors = [w * (value(coefficients, x) - y) for x, y, w in zip(xs, fs, ws)]
        largest = max(abs(e) for e in errors)
        if largest <= abs(level) * D('1.001'):
            break
        better = extremes(errors, count)
        assert len(better) == count, 'no alternation'
        chosen = better
    return coefficients, largest


# --- Tables --------------------------------------------------------------------------------------

def rounded(x, bits):
    """To a multiple of 2**-bits."""
    return D(int((x * 2 ** bits).to_integral_value())) / 2 ** bits


def two_parts(values, bits=None):
    """Doubles, the first ones multiples of 2**-bits, and what they leave."""
    high = [rounded(v, bits) if bits else D(float(v)) for v in values]
    return high, [v - h for v, h in zip(values, high)]


# The first of the points between which a number's significand, in 0.703 … 1.406, is looked for: they are
# a sixteenth of their power of two apart, and 1 is one of them.
FIRST = -9


def centers():
    return [D(1) + D(i) / (16 if i > 0 else 32) for i in range(FIRST, FIRST + POINTS)]


def short_reciprocals():
    """Near 1/c, of so few bits that z/c - 1 is exact, or nearly so; and how far that gets from 0."""
    found, furthest = [], D(0)
    for i, c in zip(range(FIRST, FIRST + POINTS), centers()):
        bits = 6 if c < 1 else 7
        low = c - D(1) / (64 if i <= 0 else 32)
        high = c + D(1) / (64 if i < 0 else 32)
        inverses = [D(1)] if i == 0 else [(rounded(1 / c, bits) + D(k) / 2 ** bits) for k in (-1, 0, 1)]
        reach = lambda inverse: max(abs(low * inverse - 1), abs(high * inverse - 1))
        found.append(min(inverses, key=reach))
        furthest = max(furthest, reach(found[-1]))
    return found, furthest


# --- Writing -------------------------------------------------------------------------------------

def number(x):
    return float(x).hex().replace('0x1.0000000000000p', '0x1p').replace('0x0.0p+0', '0')


def table(name, values, comment=None):
    if comment:
        print(f'// {comment}')
    print(f'static const double {name}[{len(values)}] = {{')
    texts = [number(v) for v in values]
    for i in range(0, len(texts), 4):
        print('    ' + ', '.join(texts[i:i + 4]) + ',')
    print('};')


def constants(**values):
    for name, x in values.items():
        print(f'#define {name} {number(x)}')


def polynomial(name, text, f, weight, bound, degree):
    coefficients, error = minimax(f, weight, -bound, bound, degree)
    table(name, coefficients, f'{text}; error 2**{math.log2(error):.1f}.')


def series(first, step, x, terms=40):
    """sum of x**i * first(i)"""
    return sum(first(i) * (x ** i) for i in range(0, terms, step))


def bits_less(x, j):
    """The double whose bits, as an integer, are smaller than those of x by j/16 of a power of two."""
    bits, = struct.unpack('<q', struct.pack('<d', float(x)))
    return struct.unpack('<d', struct.pack('<q', bits - (j << 48)))[0]


def write_exp():
    bound = LN2 / (2 * POINTS) * D('1.001')
    powers = [(LN2 * j / POINTS).exp() for j in range(POINTS)]
    high = [rounded(p, 51) for p in powers]
    table('power_less', [bits_less(h, j) for j, h in enumerate(high)],
          '2**(j/16) to 52 bits, less j/16 in its bits; what is left, beside them.')
    table('power_rest', [p / h - 1 for p, h in zip(powers, high)])
    (high,), (low,) = two_parts([LN2 / POINTS])
    constants(LN2_16_HIGH=high, LN2_16_LOW=low, LN2_16_INVERSE=POINTS / LN2)
    polynomial('exp_terms', 'exp(r) = 1 + r + r*r * terms(r)',
               lambda r: sum(r ** i / math.factorial(i + 2) for i in range(20)),
               lambda r: r * r, bound, 4)
    polynomial('expm1_terms', 'exp(r) = 1 + r + r*r * terms(r)',
               lambda r: sum(r ** i / math.factorial(i + 2) for i in range(20)),
               lambda r: abs(r), bound, 5)
    polynomial('exp2_terms', '2**r = 1 + r * terms(r)',
               lambda r: sum(LN2 ** (i + 1) * r ** i / math.factorial(i + 1) for i in range(20)),
               lambda r: abs(r), D(1) / (2 * POINTS) * D('1.001'), 5)


def log_terms(r):
    """log(1 + r) = r + r*r * terms"""
    return sum((-1) ** (i + 1) * r ** i / (i + 2) for i in range(60))


def write_log():
    inverses, furthest = short_reciprocals()
    table('log_inverse', inverses, 'Near 1/c.')
    for name, scale in ('log', D(1)), ('log2', 1 / LN2), ('log10', 1 / D(10).ln()):
        high, low = two_parts([-inverse.ln() * scale for inverse in inverses], bits=42)
        table(f'{name}_value', high, 'The logarithm of its inverse, and what 42 bits leave of that.')
        table(f'{name}_value_low', low)
        polynomial(f'{name}_terms', f'{name}(1 + r) = {"r" if scale == 1 else "scale * r"} + r*r * terms(r)',
                   lambda r: scale * log_terms(r), lambda r: abs(r), furthest, 8)
    high, low = two_parts([LN2, LN2 / D(10).ln()], bits=42)
    constants(LN2_HIGH=high[0], LN2_LOW=low[0], LOG10_2_HIGH=high[1], LOG10_2_LOW=low[1])
    high, low = two_parts([1 / LN2, 1 / D(10).ln()])
    constants(LOG2_E_HIGH=high[0], LOG2_E_LOW=low[0], LOG10_E_HIGH=high[1], LOG10_E_LOW=low[1])


def write_pow():
    high, low = two_parts([c.ln() / LN2 for c in centers()], bits=40)
    table('center_high', high, 'log2(c), of 40 bits, and the rest.')
    table('center_low', low)
    (high,), (low,) = two_parts([2 / LN2])
    constants(TWO_LOG2_E_HIGH=high, TWO_LOG2_E_LOW=low)
    bound = (D(1) / 64 * D('1.001')) ** 2
    coefficients, error = minimax(
        lambda v: 2 / LN2 * sum(v ** i / (2 * i + 3) for i in range(20)), lambda v: v, D(0), bound, 3)
    table('pow_terms', coefficients,
          f'log2((1 + s) / (1 - s)) = 2/log(2) * s + s**3 * terms(s*s); error 2**{math.log2(error):.1f}.')


def main():
    print('// SPDX-License-Identifier: Apache-2.0')
    print('// Copyright 2026 The Nacre Authors')
    print('//')
    print('// Tables and coefficients of the vector functions, written by tools/gen_vector_math.py.')
    print()
    print('#ifndef NACRE_BACKENDS_CPU_VECTOR_TABLE_H')
    print('#define NACRE_BACKENDS_CPU_VECTOR_TABLE_H')
    print()
    write_exp()
    print()
    write_log()
    print()
    write_pow()
    print()
    print('#endif')


if __name__ == '__main__':
    main()
