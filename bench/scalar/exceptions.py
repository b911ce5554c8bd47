# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Raising, catching, re-raising, and clean-up blocks.

class Odd(ValueError):
    def __init__(self, value):
        super().__init__('odd', value)
        self.value = value


def check(n):
    if n % 2:
        raise Odd(n)
    return n


def careful(n, log):
    try:
        return check(n)
    except Odd as error:
        log[0] += error.value
        if error.value % 3 == 0:
            raise
        return -1
    finally:
        log[1] += 1


def run(n):
    log = [0, 0]
    total = 0
    missing = 0
    table = {0: 1, 2: 3}
    for i in range(n):
        try:
            total += careful(i, log)
        except ValueError as error:
            total += error.args[1] % 10
        try:
            total += table[i % 4]
        except KeyError:
            missing += 1
    return total, missing, log


print(run(500000))
