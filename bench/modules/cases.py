# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Cases of run.py: each function is timed; with names as arguments only those that begin so."""
import sys
import time
import json
import heapq
import math
import functools
import itertools
import collections
import dataclasses

N = 20000
numbers = list(range(N))
pairs = [(i % 97, str(i)) for i in range(N)]
words = [str(i % 1000) for i in range(N)]
sevens = [7] * N
record = {"name": "value", "list": [1, 2.5, None, True, "text"], "nested": {"a": [1, 2, 3], "b": {}}}
records = [dict(record, id=i) for i in range(400)]
text = json.dumps(records)
big = 3 ** 20000
bigger = 7 ** 9000 * 3 ** 500


def double(x):
    return x + x


def odd(x):
    return x & 1


def add(x, y):
    return x + y


def drain(it):
    for _ in it:
        pass


@functools.lru_cache(maxsize=None)
def cached(x):
    return x


@functools.lru_cache(maxsize=100)
def cached_few(x):
    return x


Point = collections.namedtuple("Point", "x y z")


@dataclasses.dataclass
class Place:
    x: int
    y: int
    z: int = 0


places = [Place(i % 7, 2, 3) for i in range(N // 4)]


def map_language(): drain(map(double, numbers))
def map_native(): drain(map(str, numbers))
def map_list(): return len(list(map(abs, numbers)))
def map_two(): drain(map(add, numbers, numbers))
def map_generator(): drain(map(double, (x for x in numbers)))
def filter_language(): drain(filter(odd, numbers))
def filter_none(): return len(list(filter(None, numbers)))
def zip_loop():
    for x, y in zip(numbers, numbers):
        pass
def zip_map():
    for x, y in zip(numbers, map(double, numbers)):
        pass
def enumerate_loop():
    for i, x in enumerate(numbers):
        pass
def enumerate_generator():
    for i, x in enumerate(x for x in numbers):
        pass
def combinations(): drain(itertools.combinations(range(30), 4))
def permutations(): drain(itertools.permutations(range(8)))
def product(): drain(itertools.product(range(12), repeat=4))
def chain(): drain(itertools.chain(numbers, numbers))
def accumulate(): drain(itertools.accumulate(numbers))
def islice(): drain(itertools.islice(itertools.count(), N))
def groupby(): drain(itertools.groupby(words, len))
def starmap(): drain(itertools.starmap(add, zip(numbers, numbers)))
def pairwise(): drain(itertools.pairwise(numbers))
def takewhile(): drain(itertools.takewhile(lambda x: x < N, numbers))
def deque_ends():
    d = collections.deque()
    for x in numbers:
        d.append(x)
    while d:
        d.popleft()
def deque_rotate():
    d = collections.deque(range(100), maxlen=100)
    for x in numbers:
        d.append(x)
        d.rotate(1)
def deque_walk():
    d = collections.deque(numbers)
    for x in d:
        pass
    return sum(d) + d[100]
def namedtuple_make():
    for x in numbers:
        p = Point(x, 2, 3)
def namedtuple_read():
    p = Point(1, 2, 3)
    for _ in numbers:
        p.x + p.z
def heap_push_pop():
    heap = []
    for x in numbers:
        heapq.heappush(heap, x * 7919 % 20011)
    while heap:
        heapq.heappop(heap)
def heapify():
    heap = [x * 7919 % 20011 for x in numbers]
    heapq.heapify(heap)
def heap_pairs():
    heap = []
    for x in pairs[:5000]:
        heapq.heappush(heap, x)
    while heap:
        heapq.heappop(heap)
def nsmallest(): return heapq.nsmallest(10, numbers)
def lru_hits():
    for x in sevens:
        cached(x)
def lru_misses():
    for x in numbers:
        cached_few(x)
def reduce_language(): return functools.reduce(add, numbers)
def reduce_native(): return functools.reduce(max, numbers)
def partial_calls():
    f = functools.partial(add, 1)
    for x in numbers:
        f(x)
def cmp_to_key(): return sorted(numbers[::-7], key=functools.cmp_to_key(lambda a, b: a - b))
def dataclass_make():
    for x in numbers:
        Place(x, 2)
def dataclass_eq():
    p = Place(1, 2, 3)
    for q in places:
        q == p
def json_dumps(): return len(json.dumps(records))
def json_loads(): return len(json.loads(text))
def json_indent(): return len(json.dumps(records, indent=2))
def counter(): return len(collections.Counter(words))
def defaultdict_list():
    d = collections.defaultdict(list)
    for k, v in pairs:
        d[k].append(v)
def defaultdict_int():
    d = collections.defaultdict(int)
    for w in words:
        d[w] += 1
def ordered_dict():
    d = collections.OrderedDict()
    for x in numbers:
        d[x] = x
    for x in range(0, N, 3):
        d.move_to_end(x)
    while d:
        d.popitem(last=False)
def gcd_big(): return math.gcd(big, bigger)
def isqrt_big(): return math.isqrt(big)
def gcd_small():
    for x in numbers:
        math.gcd(x, 360360)


cases = [f for name, f in list(globals().items()) if type(f) is type(double)
         and name not in ("double", "odd", "add", "drain", "cached", "cached_few")]
wanted = tuple(sys.argv[1:])
for case in cases:
    if not wanted or case.__name__.startswith(wanted):
        case()
        best = 1e9
        for _ in range(5):
            start = time.perf_counter()
            case()
            best = min(best, time.perf_counter() - start)
        print(case.__name__, best)
