# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Recursive calls: fib(30).

def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


print(fib(30))
