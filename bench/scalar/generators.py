# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Generators: pipelines, delegation, expressions.

def count(n):
    i = 0
    while i < n:
        yield i
        i += 1


def squares(source):
    for value in source:
        yield value * value


def odd(source):
    for value in source:
        if value & 1:
            yield value


def chain(n):
    yield from odd(squares(count(n)))
    yield from count(n)


def running():
    total = 0
    while True:
        total += yield total


def run(n):
    first = sum(chain(n))
    second = sum(v % 3 for v in count(n) if v % 2)
    totals = running()
    next(totals)
    for i in range(n):
        last = totals.send(i & 7)
    return first, second, last


print(run(1200000))
