# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Cases of run.py without arrays: each function is timed; with names as arguments only those that begin so."""
import json
import heapq
import math
import operator
import functools
import itertools
import collections
import dataclasses
import timing

N = 20000
numbers = list(range(N))
pairs = [(i % 97, str(i)) for i in range(N)]
words = [str(i % 1000) for i in range(N)]
sevens = [7] * N
halves = [i / 2 for i in range(N)]
deque = collections.deque(numbers)
record = {"name": "value", "list": [1, 2.5, None, True, "text"], "nested": {"a": [1, 2, 3], "b": {}}}
records = [dict(record, id=i) for i in range(400)]
text = json.dumps(records)
big = 3 ** 20000
mixed = [x * 7919 % 20011 for x in range(2000)]
bigger = 7 ** 9000 * 3 ** 500


def double(x):
    return x + x


def odd(x):
    return x & 1


def add(x, y):
    return x + y


def compare(a, b):
    return (a > b) - (a < b)


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


@dataclasses.dataclass(order=True)
class Rank:
    x: int
    y: int


ranks = [Rank(i * 7919 % 1009, i) for i in range(2000)]
places = [Place(i % 7, 2, 3) for i in range(N // 4)]


def map_language(): drain(map(double, numbers))
def map_native(): drain(map(str, numbers))
def map_list(): return len(list(map(abs, numbers)))
def map_two(): drain(map(add, numbers, numbers))
def map_generator(): drain(map(double, (x for x in numbers)))
def filter_language(): drain(filter(odd, numbers))
def map_lambda(): return list(map(lambda x: x + 1, numbers))
def map_native_two(): return list(map(max, numbers, sevens))
def map_sum(): return sum(map(len, words))
def map_method(): return list(map(str.upper, words))
def filter_none(): return len(list(filter(None, numbers)))
def filter_lambda(): return list(filter(lambda x: x > 10, numbers))
def filter_native(): return list(filter(str.isdigit, words))
def filter_native_loop(): drain(filter(abs, numbers))
def filter_class(): drain(filter(bool, numbers))
def zip_loop():
    for x, y in zip(numbers, numbers):
        pass
def zip_three():
    for x, y, z in zip(numbers, sevens, words):
        pass
def zip_list(): return list(zip(numbers, sevens))
def zip_drain(): drain(zip(numbers, sevens))
def zip_dict(): return dict(zip(numbers, words))
def zip_map():
    for x, y in zip(numbers, map(double, numbers)):
        pass
def enumerate_loop():
    for i, x in enumerate(numbers):
        pass
def enumerate_list(): return list(enumerate(numbers))
def enumerate_map():
    for i, x in enumerate(map(double, numbers)):
        pass
def enumerate_generator():
    for i, x in enumerate(x for x in numbers):
        pass
def combinations(): drain(itertools.combinations(range(30), 4))
def permutations(): drain(itertools.permutations(range(8)))
def product(): drain(itertools.product(range(12), repeat=4))
def chain(): drain(itertools.chain(numbers, numbers))
def chain_list(): return list(itertools.chain(numbers, sevens))
def chain_short(): drain(itertools.chain.from_iterable(pairs))
def chain_generator(): drain(itertools.chain((x for x in numbers), sevens))
def accumulate(): drain(itertools.accumulate(numbers))
def accumulate_list(): return list(itertools.accumulate(numbers))
def accumulate_floats(): drain(itertools.accumulate(halves))
def accumulate_native(): drain(itertools.accumulate(numbers, max))
def accumulate_lambda(): drain(itertools.accumulate(numbers, lambda x, y: x + y))
def accumulate_operator(): drain(itertools.accumulate(sevens, operator.add))
def islice(): drain(itertools.islice(itertools.count(), N))
def islice_list(): return list(itertools.islice(numbers, 10, N, 3))
def islice_generator(): drain(itertools.islice((x for x in numbers), 5, N))
def product_two(): drain(itertools.product(range(140), repeat=2))
def combinations_pairs(): drain(itertools.combinations(range(200), 2))
def permutations_pairs(): drain(itertools.permutations(range(140), 2))
def repeat(): drain(itertools.repeat(1, N))
def compress(): drain(itertools.compress(numbers, numbers))
def zip_longest(): drain(itertools.zip_longest(numbers, sevens))
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
def deque_rotate_far():
    d = collections.deque(numbers)
    for _ in range(10):
        d.rotate(N // 3)
def deque_walk():
    for x in deque:
        pass
def deque_sum(): return sum(deque)
def deque_list(): return list(deque)
def deque_make(): return collections.deque(numbers)
def deque_index():
    d = deque
    for i in range(0, N, 10):
        d[i]
def deque_reversed(): drain(reversed(deque))
def namedtuple_make():
    for x in numbers:
        p = Point(x, 2, 3)
def namedtuple_unpack():
    p = Point(1, 2, 3)
    for _ in numbers:
        x, y, z = p
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
def heap_replace():
    heap = numbers[:100]
    for x in numbers:
        heapq.heapreplace(heap, x)
def heap_merge(): drain(heapq.merge(numbers[::2], numbers[1::2]))
def heap_pairs():
    heap = []
    for x in pairs[:5000]:
        heapq.heappush(heap, x)
    while heap:
        heapq.heappop(heap)
def nsmallest(): return heapq.nsmallest(10, numbers)
def nlargest(): return heapq.nlargest(10, numbers)
def nsmallest_key(): return heapq.nsmallest(10, numbers, key=lambda x: -x)
def lru_hits():
    for x in sevens:
        cached(x)
def lru_misses():
    for x in numbers:
        cached_few(x)
def reduce_language(): return functools.reduce(add, numbers)
def reduce_native(): return functools.reduce(max, numbers)
def reduce_operator(): return functools.reduce(operator.add, numbers)
def partial_calls():
    f = functools.partial(add, 1)
    for x in numbers:
        f(x)
def sort_key(): return sorted(numbers[::-7], key=lambda x: -x)
def cmp_to_key_mixed(): return sorted(mixed, key=functools.cmp_to_key(compare))
def cmp_to_key(): return sorted(numbers[::-7], key=functools.cmp_to_key(lambda a, b: a - b))
def dataclass_make():
    for x in numbers:
        Place(x, 2)
def dataclass_eq():
    p = Place(1, 2, 3)
    for q in places:
        q == p
def dataclass_lt(): return sorted(ranks)
def dataclass_read():
    p = Place(1, 2, 3)
    for _ in numbers:
        p.x + p.z
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


timing.report([f for name, f in list(globals().items()) if type(f) is type(double)
               and name not in ("double", "odd", "add", "compare", "drain", "cached", "cached_few")])
