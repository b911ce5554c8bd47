// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Any bytes as an archive that should have a sparse array in it, for load_npz. It gives an exception, or an array whose
// every operation succeeds, and takes no more memory than the file's own bytes account for.
//
// If the first byte is even, the rest is the archive. Checksums would keep nearly all of those from being read far, so
// if it is odd, the rest is the members: for each a byte for its name, two for its length, and its contents, of which the
// archive is made here. The first inputs are made here, too, of what save_npz writes.

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nacre/nacre.h"
#include "tests/fuzz/vm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { FILE_MAX = 4096, MEMBERS_MAX = 12, RUNS_EACH_VM = 128, PATH_ROOM = 512 };
enum { ARCHIVE_MAX = FILE_MAX + 256 * MEMBERS_MAX + 64 };
// A byte that is deflated may be 1032 later, each of which is read into an array of wider elements.
enum { BYTES_FREE = 2 << 20, BYTES_EACH = 8192, MEMORY_LIMIT = 256 << 20 };

static const char *const names[] = {"format", "shape", "data", "indices", "indptr", "row", "col", "coords", "offsets", "_is_array"};
enum { NAMES = sizeof names / sizeof *names };

static const char prologue[] =
    "import io, warnings, numpy as np\n"
    "from scipy.sparse import load_npz, save_npz\n"
    "warnings.simplefilter('ignore')\n"
    "def read(path):\n"
    "    try:\n"
    "        A = load_npz(path)\n"
    "    except (KeyboardInterrupt, SystemError):\n"
    "        raise\n"
    "    except Exception:\n"
    "        return\n"
    "    use(A)\n"
    "def use(A):\n"
    "    told = repr(A), A.nnz, A.dtype, A.data.sum()\n"
    "    file = io.BytesIO()\n"
    "    save_npz(file, A)\n"
    "    file.seek(0)\n"
    "    back = load_npz(file)\n"
    "    assert (back.shape, back.nnz, back.dtype) == (A.shape, A.nnz, A.dtype)\n"
    "    if A.ndim > 2 or max(A.shape) > 64:\n"
    "        return\n"
    "    dense = A.toarray()\n"
    "    made = [A.tocsr(), A.tocoo(), A + A, abs(A), A @ np.ones(A.shape[-1])]\n"
    "    if A.ndim == 2:\n"
    "        made += [A.tocsc(), A.T, A.tolil(), A.sum(axis=0), A @ A.T]\n"
    "    assert np.array_equal(A.tocsr().toarray(), dense, equal_nan=dense.dtype.kind in 'fc')\n";

// Writes the first inputs; `folder` is given.
static const char seeds[] =
    "from scipy.sparse import coo_array, random\n"
    "names = 'format shape data indices indptr row col coords offsets _is_array'.split()\n"
    "def members(archive, **others):\n"
    "    parts = b'\\x01'\n"
    "    for name in archive.files:\n"
    "        whole = others.get(name, archive._contents(name))\n"
    "        parts += bytes([names.index(name)]) + len(whole).to_bytes(2, 'little') + whole\n"
    "    return parts\n"
    "def as_file(array):\n"
    "    made = io.BytesIO()\n"
    "    np.save(made, array)\n"
    "    return made.getvalue()\n"
    "def seed(name, made):\n"
    "    with open(folder + '/made-' + name, 'wb') as file:\n"
    "        file.write(made)\n"
    "A = random(5, 6, density=0.4, rng=1)\n"
    "kinds = [A.asformat(f) for f in ('csr', 'csc', 'coo', 'bsr', 'dia')]\n"
    "kinds += [coo_array([0, 1.5, 2j]), coo_array(np.ones((2, 1, 2))), A.tocsr().astype('int8'), A.tocsr().astype(bool)]\n"
    "for number, made in enumerate(kinds):\n"
    "    for compressed in (False, True):\n"
    "        file = io.BytesIO()\n"
    "        save_npz(file, made, compressed)\n"
    "        seed(f'{number}-{compressed}', b'\\x00' + file.getvalue())\n"
    "    archive = np.load(io.BytesIO(file.getvalue()))\n"
    "    seed(f'{number}-members', members(archive))\n"
    "    seed(f'{number}-huge', members(archive, shape=as_file(np.array([10**9, 10**9]))))\n"
    "    data = archive._contents('data')\n"
    "    lie = data.replace(b'(', b'(9' + b'9' * 9, 1).replace(b' ' * 10 + b'\\n', b'\\n')\n"
    "    seed(f'{number}-lie', members(archive, data=lie))\n"
    "    seed(f'{number}-object', members(archive, data=data.replace(b\"'<f8'\", b\"'|O' \")))\n"
    "    if 'indptr' in archive:\n"
    "        seed(f'{number}-indptr', members(archive, indptr=as_file(archive['indptr'] * 10**6)))\n";

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
}

static void free_vm(void) {
    free_counted_vm(now.vm, &now.memory);
    now.vm = NULL;
}

static void remove_file(void) {
    unlink(now.path);
}

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

// The first folder among the arguments takes new inputs.
static void make_seeds(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' || !is_folder(argv[i])) continue;
        char text[PATH_ROOM];
        snprintf(text, sizeof text, "folder = '%s'", argv[i]);
        make_vm();
        run(text);
        run(seeds);
        free_vm();
        return;
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(now.path, sizeof now.path, "%s/nacre_npz_%d", folder, (int)getpid());
    make_seeds(*argc, *argv);
    return atexit(remove_file);
}

// --- The archive ---------------------------------------------------------------------------------

typedef struct Member {
    const char *name;
    const uint8_t *bytes;
    uint32_t size, at, sum;
} Member;

typedef struct Archive {
    uint8_t bytes[ARCHIVE_MAX];
    uint32_t size;
} Archive;

static uint32_t checksum(const uint8_t *bytes, size_t size) {
    uint32_t sum = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) sum = (sum >> 1) ^ (0xedb88320 & -(sum & 1));
    }
    return ~sum;
}

static void put_bytes(Archive *a, const void *bytes, size_t size) {
    require(a->size + size <= sizeof a->bytes, "no room for an archive");
    memcpy(a->bytes + a->size, bytes, size);
    a->size += (uint32_t)size;
}

static void put(Archive *a, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) put_bytes(a, &(uint8_t){(uint8_t)(value >> (8 * i))}, 1);
}

// What a member's header has in both places.
static void put_entry(Archive *a, const Member *m) {
    put(a, 20, 2); // version, then no flags, stored, no time
    put(a, 0, 4);
    put(a, 0, 4);
    put(a, m->sum, 4);
    put(a, m->size, 4);
    put(a, m->size, 4);
    put(a, (uint32_t)strlen(m->name) + 4, 2);
    put(a, 0, 2);
}

static void put_name(Archive *a, const Member *m) {
    put_bytes(a, m->name, strlen(m->name));
    put_bytes(a, ".npy", 4);
}

static void put_directory(Archive *a, const Member *members, int count) {
    const uint32_t start = a->size;
    for (int i = 0; i < count; i++) {
        put(a, 0x02014b50, 4);
        put(a, 20, 2);
        put_entry(a, &members[i]);
        for (int zeros = 0; zeros < 5; zeros++) put(a, 0, 2); // comment, disk, attributes
        put(a, members[i].at, 4);
        put_name(a, &members[i]);
    }
    const uint32_t size = a->size - start;
    put(a, 0x06054b50, 4);
    put(a, 0, 4);
    put(a, (uint32_t)count, 2);
    put(a, (uint32_t)count, 2);
    put(a, size, 4);
    put(a, start, 4);
    put(a, 0, 2);
}

static void make_archive(const uint8_t *data, size_t size, Archive *a) {
    Member members[MEMBERS_MAX];
    int count = 0;
    a->size = 0;
    while (size >= 3 && count < MEMBERS_MAX) {
        Member *m = &members[count++];
        size_t length = (size_t)data[1] | (size_t)data[2] << 8;
        if (length > size - 3) length = size - 3;
        *m = (Member){names[data[0] % NAMES], data + 3, (uint32_t)length, a->size, checksum(data + 3, length)};
        data += 3 + length;
        size -= 3 + length;
        put(a, 0x04034b50, 4);
        put_entry(a, m);
        put_name(a, m);
        put_bytes(a, m->bytes, m->size);
    }
    put_directory(a, members, count);
}

static void write_file(const uint8_t *data, size_t size) {
    int file = open(now.path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    require(file >= 0 && write(file, data, size) == (ssize_t)size, "the file was not written");
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Archive archive;
    if (size < 1 || size > FILE_MAX) return -1;
    if (!now.vm) make_vm();
    if (data[0] & 1) {
        make_archive(data + 1, size - 1, &archive);
        write_file(archive.bytes, archive.size);
    } else {
        write_file(data + 1, size - 1);
    }
    char text[128];
    snprintf(text, sizeof text, "read('%s')", now.path);
    // Once unmeasured, when the functions of the language that a reader is written in are loaded.
    if (now.runs == 0) run(text);
    size_t before = now.memory.peak = now.memory.bytes;
    run(text);
    require(now.memory.peak - before <= BYTES_FREE + size * BYTES_EACH, "more memory than the file is worth");
    if (++now.runs == RUNS_EACH_VM) free_vm();
    return 0;
}
