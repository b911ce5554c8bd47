# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Making strings: formatting, joining, slicing, replacing.

def digest(text):
    value = 5381
    for character in text:
        value = (value * 33 + ord(character)) % 1000003
    return value


def build(n):
    parts = []
    for i in range(n):
        parts.append(f'{i:06d}' + '-' + str(i * i % 9973))
    return ';'.join(parts)


text = build(200000)
words = text.split(';')
caps = ''
for word in words[:50000]:
    caps += word[2:5].upper()
print(len(text), len(words), digest(text[:1000000]))
print(len(caps), digest(caps), digest(text.replace('1-', 'xy')[-500000:]))
