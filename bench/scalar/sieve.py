# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# The sieve of Eratosthenes on a list.

def sieve(n):
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
        i += 1
    return prime


prime = sieve(3000000)
found = [i for i in range(len(prime)) if prime[i]]
print(len(found), found[-1], sum(found) % 1000003)
