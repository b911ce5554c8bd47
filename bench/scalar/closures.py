# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Closures and first-class functions.

def adder(n):
    def add(x):
        return x + n
    return add


def counter():
    count = 0

    def step(by=1):
        nonlocal count
        count += by
        return count
    return step


def compose(f, g):
    return lambda x: f(g(x))


def run(n):
    functions = [adder(i) for i in range(16)]
    both = compose(functions[3], functions[5])
    step = counter()
    total = 0
    for i in range(n):
        total += functions[i & 15](i)
        total ^= both(i)
        step()
        step(by=2)
    made = 0
    for i in range(n):
        made += adder(i)(1) & 3
    return total, step(0), made


print(run(600000))
