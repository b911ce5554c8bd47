#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Writes vm/value/float_pow10_table.h: powers of five from which any power of ten of a double's
# range is rebuilt to 128 bits by one 192 x 64 bit multiplication.
#
#   tools/gen_pow10.py > vm/value/float_pow10_table.h
#
# 10^k and 5^k have the same significant bits. With k = 27 j + r and 0 <= r < 27 the table keeps
# 5^(27 j) rounded down to 192 bits and 5^r exactly (5^26 < 2^64). Truncating the coarse entry
# leaves 64 spare bits in the product, which is enough: the loop at the end checks that the top
# 128 bits are the exact ones, rounded down, for every k.

STEP = 27
FIRST, LAST = -13, 12  # of j
COARSE_BITS, RESULT_BITS = 192, 128


def floor_bits(k, bits):
    """The first `bits` significant bits of 5^k, rounded down."""
    if k >= 0:
        power = 5**k
        shift = bits - power.bit_length()
        return power << shift if shift >= 0 else power >> -shift
    power = 5**-k
    return (1 << (bits + power.bit_length() - 1)) // power


def rebuilt(k):
    """What float_pow10.c computes for 10^k."""
    j, r = divmod(k, STEP)
    product = floor_bits(STEP * j, COARSE_BITS) * 5**r
    return product >> (product.bit_length() - RESULT_BITS)


def check():
    for k in range(STEP * FIRST, STEP * LAST + STEP):
        assert rebuilt(k) == floor_bits(k, RESULT_BITS), k
        assert (k * 1741647) >> 19 == floor_log2_pow10(k), k
    for e in range(-1150, 1100):
        assert (e * 1262611) >> 22 == floor_log10(1, 1, e), e
        assert (e * 1262611 - 524031) >> 22 == floor_log10(3, 4, e), e


def floor_log2_pow10(k):
    return (10**k).bit_length() - 1 if k >= 0 else -((10**-k).bit_length())


def floor_log10(numerator, denominator, e):
    """floor(log10(numerator / denominator * 2^e))"""
    numerator <<= max(e, 0)
    denominator <<= max(-e, 0)
    k = 0
    while numerator >= 10 * denominator:
        denominator *= 10
        k += 1
    while numerator < denominator:
        numerator *= 10
        k -= 1
    return k


def words(value, count):
    return [value >> (64 * i) & (2**64 - 1) for i in reversed(range(count))]


def main():
    check()
    print("""// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Written by tools/gen_pow10.py, which says how it is used and checks that it suffices.

#ifndef NACRE_VM_VALUE_FLOAT_POW10_TABLE_H
#define NACRE_VM_VALUE_FLOAT_POW10_TABLE_H

#include <stdint.h>
""")
    print(f"enum {{ POW10_STEP = {STEP}, POW10_FIRST = {FIRST}, POW10_LAST = {LAST} }};\n")
    print("// The first 192 bits of 5^(27 j), most significant word first.")
    print("static const uint64_t pow5_coarse[POW10_LAST - POW10_FIRST + 1][3] = {")
    for j in range(FIRST, LAST + 1):
        row = ", ".join(f"0x{w:016x}" for w in words(floor_bits(STEP * j, COARSE_BITS), 3))
        print(f"    {{{row}}},")
    print("};\n\n// 5^r.\nstatic const uint64_t pow5_fine[POW10_STEP] = {")
    fine = [f"0x{5**r:x}" for r in range(STEP)]
    for i in range(0, STEP, 5):
        print("    " + ", ".join(fine[i:i + 5]) + ",")
    print("};\n\n#endif")


if __name__ == "__main__":
    main()
