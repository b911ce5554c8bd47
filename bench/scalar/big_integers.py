# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Integers beyond 64 bits: a factorial, a modular power, Fibonacci numbers.

def factorial(n):
    product = 1
    for i in range(2, n + 1):
        product *= i
    return product


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def power(base, exponent, modulus):
    result = 1
    while exponent:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


print(factorial(5000) % 1000000007, fibonacci(40000) % 1000000007)
total = 0
for i in range(5000):
    total += power(i + 2, (1 << 127) - 1, (1 << 107) - 1) % 97
print(total)
