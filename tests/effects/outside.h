// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Texts of programs that ask for much of what is outside of them, and keep the answers in the list `seen`. The environment
// names a folder for them and the rank (EFFECTS_FOLDER, EFFECTS_RANK). Modules are imported by who uses this.

#ifndef NACRE_TESTS_EFFECTS_OUTSIDE_H
#define NACRE_TESTS_EFFECTS_OUTSIDE_H

// Clocks, the environment, files, other processes; at() and note().
#define OUTSIDE_ANSWERS \
    "seen = []\n" \
    "note = seen.append\n" \
    "folder = os.environ['EFFECTS_FOLDER']\n" \
    "def at(name): return os.path.join(folder, name)\n" \
    /* Files: handles, lines, exceptions. */ \
    "with open(at('a.txt'), 'w') as f:\n" \
    "    note(f.write('one\\n'))\n" \
    "    f.writelines(iter(['two\\n', 'three\\n']))\n" \
    "    print('four', [5], file=f)\n" \
    "    note((f.closed, f.name, f.mode, f.writable(), f.readable(), f.encoding, f.tell()))\n" \
    "note((f.closed, isinstance(f, io.IOBase), type(f).__name__))\n" \
    "try: f.write('late')\n" \
    "except ValueError as e: note(str(e))\n" \
    "with open(at('a.txt')) as f:\n" \
    "    note([next(f), f.readline(), *f])\n" \
    "    f.seek(0)\n" \
    "    note(sorted(f))\n" \
    "    f.seek(0)\n" \
    "    note([line.strip() for line in f if 'o' in line])\n" \
    "    f.seek(0)\n" \
    "    note(list(map(len, f)))\n" \
    "    f.seek(0)\n" \
    "    note(dict(enumerate(f)))\n" \
    "    note('one\\n' in f)\n" \
    "with open(at('b.bin'), 'wb') as f: note(f.write(np.arange(3, dtype=np.int16)))\n" \
    "note(open(at('b.bin'), 'rb').read())\n" \
    "for path, mode in (('none', 'r'), ('no/where', 'w'), ('', 'r')):\n" \
    "    try: open(at(path), mode)\n" \
    "    except OSError as e: note((type(e).__name__, e.errno, e.filename, e.args))\n" \
    "note(sorted(os.listdir(folder)))\n" \
    "note((os.stat(at('a.txt')).st_mtime_ns, os.path.exists(at('c')), os.getcwd(), os.getpid(), os.cpu_count()))\n" \
    "note([p.name for p in sorted(pathlib.Path(folder).iterdir())])\n" \
    "note(glob.glob(at('*')))\n" \
    "pathlib.Path(at('p.txt')).write_text('text'); note(pathlib.Path(at('p.txt')).read_text())\n" \
    "with open(at('j.json'), 'w') as f: json.dump({'a': [1, 2.5, None]}, f)\n" \
    "with open(at('j.json')) as f: note(json.load(f))\n" \
    "with tempfile.TemporaryDirectory() as d: note((d, os.path.isdir(d)))\n" \
    "with tempfile.NamedTemporaryFile('w+') as f:\n" \
    "    f.write('abc'); f.seek(0); note((f.read(), f.name))\n" \
    /* Other programs, the machine, clocks, chance. */ \
    "note(subprocess.run(['sh', '-c', 'echo $EFFECTS_RANK $$; exit 3'], capture_output=True, text=True))\n" \
    "note((os.environ['EFFECTS_RANK'], os.getenv('EFFECTS_RANK'), platform.node(), sys.argv, sys.path))\n" \
    "note((time.time(), time.perf_counter_ns(), time.localtime(), datetime.datetime.now(), time.process_time()))\n" \
    "note(list(map(lambda f: f(), [time.monotonic_ns] * 3)))\n" \
    "note((random.random(), uuid.uuid4(), uuid.uuid1(), secrets.token_hex(), os.urandom(4)))\n" \
    "random.seed(); note(random.getrandbits(70)); random.seed(7); note(random.sample(range(100), 5))\n" \
    "note(np.random.rand()); note(np.random.default_rng().integers(0, 1 << 60, 3).tolist())\n" \
    /* Objects: identities, texts, hashes, the order of sets. */ \
    "class C: pass\n" \
    "some = [C() for i in range(50)]\n" \
    "print(some[7])\n" \
    "note([id(c) for c in some[:9]]); note([hash(c) for c in some[3:]]); note(repr(some)); note(f'{C} {C().__init__}')\n" \
    "note([some.index(c) for c in set(some)]); note({C: 1, len: 2, some[0]: 3}[some[0]])\n" \
    "note(str([len, iter([]), (i for i in ()), lambda: 0, map(len, ''), some[0].__eq__, object(), note]))\n" \
    "note(hash(('a', some[1], 1.5, len))); note(hash('abc'))\n" \
    "s = 'a'; i = id(s * 3); s += 'b'; t = s + 'c'; note((i, id(t)))\n" \
    "t += 'd' * 100; note((id(t), t)); note(weakref.ref(some[2])() is some[2]); note(str(weakref.ref(some[2])))\n" \
    "del some[10:]; note([id(C()) for i in range(3)]); note(sys.getsizeof([1, 2]))\n" \
    /* Arrays. */ \
    "a = np.linspace(0, 1, 7).reshape(7, 1) * [1, 2]\n" \
    "np.save(at('a.npy'), a); note(np.load(at('a.npy'))); np.savetxt(at('t.txt'), a); note(np.loadtxt(at('t.txt')))\n" \
    "np.savez(at('z.npz'), a=a, b=[1]); note(dict(np.load(at('z.npz')))); a.tofile(at('f.bin'))\n" \
    "note(np.fromfile(at('f.bin'))); note(np.genfromtxt(at('t.txt')).sum())\n" \
    "m = np.load(at('a.npy'), mmap_mode='r+'); note((m, m.sum(), m.filename, m.mode, m.offset)); m[0] = 5; m.flush()\n" \
    "note((m, np.load(at('a.npy'))[0], isinstance(m, np.memmap)))\n" \
    "del m\n" \
    "with np.errstate(divide='raise'):\n" \
    "    try: print(np.ones(3) / np.zeros(3))\n" \
    "    except FloatingPointError as e: note(str(e))\n" \
    /* Modules, input, output. */ \
    "with open(at('beside.py'), 'w') as f: f.write('import os\\nfile = os.path.basename(__file__)\\n')\n" \
    "os.mkdir(at('apart')); open(at('apart/inner.py'), 'w').write('value = 1')\n"

// Imports that fail, input and output, a loop that asks for the time.
#define OUTSIDE_TEXT \
    "try: import missing\n" \
    "except ImportError as e: note(str(e))\n" \
    "note(input('? ')); note(sys.stdin.readline()); note(sys.stdout.write('out\\n')); sys.stdout.flush()\n" \
    "class S:\n" \
    "    def __str__(self): return f'S at {time.time()}'\n" \
    "print(S(), end='!'); print(*(str(i) for i in range(3)), sep='-', flush=True)\n" \
    "try: print(1, sep=2)\n" \
    "except TypeError as e: note(str(e))\n" \
    "buffer = io.StringIO(); print('kept', S(), file=buffer); note(buffer.getvalue())\n" \
    "x = np.arange(1000.); total = 0.\n" \
    "for i in range(1000):\n" \
    "    total += x[i] * 2\n" \
    "    if i % 100 == 0: total += time.time()\n" \
    "note(total)\n"

#endif
