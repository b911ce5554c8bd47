// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Any bytes as a file, for everything that reads arrays and objects from files. The first byte chooses the
// reader. Whatever the file says, the reader ends with a value or an exception, and takes no more
// memory than the file's own bytes account for: sizes that a header declares are not trusted.

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nacre/nacre.h"
#include "tests/fuzz/vm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

// A Python object for every other byte of a text, and lists of them that grow, are the most that a
// byte of a file can cost. Compressed members are the exception: deflate makes up to 1032 of one.
enum { FILE_MAX = 4096, BYTES_FREE = 1 << 20, BYTES_EACH = 2048, RUNS_EACH_VM = 256 };
enum { MEMORY_LIMIT = 256 << 20 };

// What is done with the file. `path` is its name.
static const char *const readers[] = {
    "np.load(path)",
    "[(k, v[k]) for v in [np.load(path)] for k in v.files]",
    "np.load(path, mmap_mode='r')",
    "np.loadtxt(path)",
    "np.loadtxt(path, delimiter=',', dtype=int, ndmin=2)",
    "np.loadtxt(path, delimiter=',', dtype=str, quotechar='\"')",
    "np.loadtxt(path, dtype=complex, comments=['%', '//'], usecols=(0, -1), unpack=True)",
    "np.loadtxt(path, skiprows=1, max_rows=2, converters={0: float}, encoding='latin1')",
    "np.genfromtxt(path)",
    "np.genfromtxt(path, delimiter=',', missing_values='N/A', filling_values=-1, usecols=(0, 1))",
    "np.genfromtxt(path, delimiter=(2, 3), dtype=int, skip_header=1, skip_footer=1)",
    "np.genfromtxt(path, delimiter=',', dtype=str, autostrip=True, invalid_raise=False)",
    "np.fromfile(path)",
    "np.fromfile(path, dtype='>i4', count=3, offset=2)",
    "np.fromfile(path, sep=' ')",
    "np.fromfile(path, dtype=np.int16, sep=',')",
    "np.fromfile(path, dtype=complex, sep=' ; ')",
    "np.fromstring(open(path, encoding='latin1').read(), sep=',')",
    "np.fromregex(path, 'x', float) if hasattr(np, 'fromregex') else None",
    "np.frombuffer(open(path, 'rb').read(), dtype='<f2', offset=1)",
    "np.memmap(path, dtype='u1', mode='r')",
    "np.memmap(path, dtype='f8', mode='r', offset=8, shape=(2, 3))",
    "np.lib.format.open_memmap(path, mode='r')",
    "np.lib.format.read_magic(open(path, 'rb'))",
    "np.lib.format.read_array(open(path, 'rb'))",
    "np.load(io.BytesIO(open(path, 'rb').read()))",
    "np.loadtxt(open(path, encoding='latin1'))",
    "len([pickle.load(open(path, 'rb'))])", // not its text, which may be longer than any memory
};
enum { READERS = sizeof readers / sizeof *readers };

static const char prologue[] = "import io, pickle, warnings, numpy as np\n"
                               "warnings.simplefilter('ignore')\n"
                               "def read(reader, path):\n"
                               "    try:\n"
                               "        value = readers[reader](path)\n"
                               "    except (KeyboardInterrupt, SystemError):\n"
                               "        raise\n"
                               "    except Exception as e:\n"
                               "        return type(e)\n"
                               "    return type(str(value))\n";

static struct {
    NacreVm *vm;
    int runs;
    Counted memory; // of the VM
    char path[64];
} now;

static void run(const char *text) {
    run_text(now.vm, text);
}

static void make_vm(void) {
    now.vm = counted_vm(&now.memory, MEMORY_LIMIT, 0);
    now.runs = 0;
    run(prologue);
    char text[256];
    run("readers = []");
    for (int i = 0; i < READERS; i++) {
        snprintf(text, sizeof text, "readers.append(lambda path: %s)", readers[i]);
        run(text);
    }
}

static void free_vm(void) {
    free_counted_vm(now.vm, &now.memory);
    now.vm = NULL;
}

static void remove_file(void) {
    unlink(now.path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(now.path, sizeof now.path, "%s/nacre_fuzz_%d", folder, (int)getpid());
    return atexit(remove_file);
}

static void write_file(const uint8_t *data, size_t size) {
    int file = open(now.path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    require(file >= 0 && write(file, data, size) == (ssize_t)size, "the file was not written");
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1 || size > FILE_MAX) return -1;
    if (!now.vm) make_vm();
    write_file(data + 1, size - 1);
    char text[128];
    snprintf(text, sizeof text, "read(%d, '%s')", data[0] % READERS, now.path);
    // Once unmeasured, when the functions of the language that a reader is written in are loaded.
    if (now.runs == 0) run(text);
    size_t before = now.memory.peak = now.memory.bytes;
    run(text);
    require(now.memory.peak - before <= BYTES_FREE + size * BYTES_EACH,
            "more memory than the file is worth");
    if (++now.runs == RUNS_EACH_VM) free_vm();
    return 0;
}
