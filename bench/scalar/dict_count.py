# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Counting in dictionaries, with integer, string and tuple keys.

def numbers(n):
    state = 12345
    for _ in range(n):
        state = (state * 1103515245 + 12345) % 2147483648
        yield state >> 8


def count(n):
    by_number = {}
    by_name = {}
    by_pair = {}
    names = ['k' + str(i) for i in range(1000)]
    for value in numbers(n):
        number = value % 5003
        by_number[number] = by_number.get(number, 0) + 1
        name = names[value % 1000]
        if name in by_name:
            by_name[name] += 1
        else:
            by_name[name] = 1
        pair = (value % 50, value % 30)
        by_pair[pair] = by_pair.get(pair, 0) + value
    return by_number, by_name, by_pair


a, b, c = count(700000)
print(len(a), max(a.values()), sum(k * v for k, v in a.items()) % 1000003)
print(len(b), b['k7'], len(c), c[(3, 3)])
