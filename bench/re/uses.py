# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Typical uses of module re. Each is timed by itself: the best of several turns, in microseconds a call.

import re
import time

TEXT = ' '.join(['The quick brown fox jumps over 13 lazy dogs, and %d more; mail: user%d@example.com.' % (i, i) for i in range(2000)])
WIDE = ' '.join(['Ärger über %d schöne Bücher größer als %d' % (i, i) for i in range(2000)])
LOG = ['2024-03-%02d 12:%02d:07 [INFO] worker-%d: finished job %d in %d.5 ms' % (i % 28 + 1, i % 60, i, i * 7, i) for i in range(300)]
CODE = 'def f(x, y=10): return (x + y) * 3.14 - "text" # comment\n' * 200
CSV = ','.join(['field%d' % i for i in range(2000)])

log_line = re.compile(r'(\d{4})-(\d\d)-(\d\d) (\d+):(\d+):(\d+) \[(\w+)\] ([\w-]+): (.*)')
token = re.compile(r'(?P<num>\d+(?:\.\d*)?)|(?P<name>[A-Za-z_]\w*)|(?P<str>"[^"]*")|(?P<comment>#[^\n]*)|(?P<op>[-+*/=():,])|(?P<space>\s+)')
word = re.compile(r'\w+')
mail = re.compile(r'[\w.+-]+@[\w-]+\.[\w.-]+')
number = re.compile(r'\d+')
key_value = re.compile(r'\s*(\w+)\s*=\s*(.*?)\s*$')


def lines():
    """match a line of a log and take its groups, 300 times"""
    return [log_line.match(line).groups() for line in LOG]


def tokens():
    """finditer over named alternatives, lastgroup and group"""
    return [(m.lastgroup, m.group()) for m in token.finditer(CODE)]


def words():
    """findall of words"""
    return word.findall(TEXT)


def wide_words():
    """findall of words beyond ASCII"""
    return word.findall(WIDE)


def wide_places():
    """spans of words beyond ASCII"""
    return [m.span() for m in word.finditer(WIDE)]


def mails():
    """findall of mail addresses"""
    return mail.findall(TEXT)


def rare():
    """search for what is at the end of a long text"""
    return re.search(r'user1999@(\w+)', TEXT).group(1)


def substitute():
    """sub by a text"""
    return number.sub('#', TEXT)


def swap():
    """sub by a template with groups"""
    return re.sub(r'(\w+)@(\w+)', r'\2 at \1', TEXT)


def double():
    """sub by a function"""
    return number.sub(lambda m: str(int(m.group()) * 2), TEXT)


def fields():
    """split at commas"""
    return re.split(r'\s*,\s*', CSV)


def settings():
    """match short texts, 100 times"""
    return [key_value.match('  name = value  ').group(1, 2) for _ in range(100)]


def cached():
    """re.match with a pattern in the cache, 100 times"""
    return [re.match(r'(\w+)\.(\w+)', 'module.name') is None for _ in range(100)]


def ignoring():
    """findall ignoring case"""
    return re.findall('fox|DOGS|the', TEXT, re.I)


def alternatives():
    """search for one of many words"""
    return len(re.findall('jumps|lazy|brown|example|nothing|quick', TEXT))


def failing():
    """search that fails, 100 short texts"""
    return [number.search('no digits in this short text') for _ in range(100)]


def compiling():
    """compile 20 patterns anew"""
    re.purge()
    return [re.compile(r'(?P<a>\w+)-%d[a-z]*(?:x|y)+$' % i).groups for i in range(20)]


def measure(function):
    turns = 3
    function()
    begin = time.process_time()
    function()
    once = time.process_time() - begin
    calls = max(1, int(0.02 / max(once, 1e-7)))
    best = 1e9
    for _ in range(turns):
        begin = time.process_time()
        for _ in range(calls):
            function()
        best = min(best, (time.process_time() - begin) / calls)
    return best * 1e6


for function in (lines, tokens, words, wide_words, wide_places, mails, rare, substitute, swap, double, fields, settings,
                 cached, ignoring, alternatives, failing, compiling):
    print(function.__name__, '%.2f' % measure(function), (function.__doc__ or '').replace(' ', '_'))
