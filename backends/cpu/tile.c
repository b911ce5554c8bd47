// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The tile interpreter: runs a kernel's body op by op over tiles that stay in the cache.

#include <string.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/flags.h"

// --- Moving elements ---------------------------------------------------------------------------

#define STRIDED(name, T)                                                           \
    static void gather_##name(const char *from, int64_t stride, void *to, size_t n) { \
        T *out = to;                                                               \
        if (stride == 0 && n > 0) {                                                \
            const T first = *(const T *)from;                                      \
            for (size_t i = 0; i < n; i++) out[i] = first;                         \
        } else                                                                     \
            for (size_t i = 0; i < n; i++, from += stride) out[i] = *(const T *)from; \
    }                                                                              \
    static void scatter_##name(const void *from, char *to, int64_t stride, size_t n) { \
        const T *in = from;                                                        \
        for (size_t i = 0; i < n; i++, to += stride) *(T *)to = in[i];             \
    }
STRIDED(8, uint8_t)
STRIDED(16, uint16_t)
STRIDED(32, uint32_t)
STRIDED(64, uint64_t)
STRIDED(128, Wide)

void gather(const char *from, int64_t stride, void *to, size_t size, size_t n) {
    if (stride == (int64_t)size) {
        memcpy(to, from, n * size);
        return;
    }
    switch (size) {
    case 1: gather_8(from, stride, to, n); break;
    case 2: gather_16(from, stride, to, n); break;
    case 4: gather_32(from, stride, to, n); break;
    case 8: gather_64(from, stride, to, n); break;
    default: gather_128(from, stride, to, n); break;
    }
}

void scatter(const void *from, char *to, int64_t stride, size_t size, size_t n) {
    if (stride == (int64_t)size) {
        memmove(to, from, n * size);
        return;
    }
    switch (size) {
    case 1: scatter_8(from, to, stride, n); break;
    case 2: scatter_16(from, to, stride, n); break;
    case 4: scatter_32(from, to, stride, n); break;
    case 8: scatter_64(from, to, stride, n); break;
    default: scatter_128(from, to, stride, n); break;
    }
}

bool odometer_next(int ndim, const int64_t *shape, int64_t *index, char **at,
                   const int64_t *const *strides, int count) {
    for (int d = ndim - 1; d >= 0; d--) {
        if (++index[d] < shape[d]) {
            for (int i = 0; i < count; i++) at[i] += strides[i][d];
            return true;
        }
        index[d] = 0;
        for (int i = 0; i < count; i++) at[i] -= strides[i][d] * (shape[d] - 1);
    }
    return false;
}

// --- Buffers of a thread -----------------------------------------------------------------------

// Which buffer each value lies in while a tile is computed. Results of instructions share buffers: one
// is free again after its value's last use.
typedef struct Layout {
    int8_t slot[KERN_VALUES]; // -1: it needs none
    int8_t store[KERN_CODE];  // the store that may take the result at once; -1: none
    bool copied[KERN_LOADS];  // a load that is wanted when its memory has been stored to
    int slots;
} Layout;

struct Tiles {
    const Cpu *cpu;
    size_t tile_bytes; // of a buffer
    char *buffers;
    Layout layout;
    const void *values[KERN_VALUES];
    size_t repeated[KERN_LOADS]; // so often a load's buffer holds its first element
};

// The last instruction that uses a value: code_count if it is stored at the end, -1 if none does.
static void last_uses(const Kernel *k, int8_t last[KERN_VALUES]) {
    memset(last, -1, KERN_VALUES);
    for (int i = 0; i < k->code_count; i++)
        for (int a = 0; a < 3; a++)
            if (k->code[i].args[a] >= 0) last[k->code[i].args[a]] = (int8_t)i;
    for (int i = 0; i < k->store_count; i++) last[k->stores[i].value] = (int8_t)k->code_count;
}

static bool is_reduced(const Kernel *k, int store) {
    return store == 0 && k->reduce != AOP_NONE;
}

// A result may be written where it is stored unless that is where an operand comes from that is
// wanted again.
static int store_of(const Kernel *k, int code, const int8_t *last) {
    for (int s = 0; s < k->store_count; s++) {
        if (k->stores[s].value != KERN_FIRST_CODE + code || is_reduced(k, s)) continue;
        for (int i = 0; i < k->load_count; i++)
            if (k->loads[i].storage == k->stores[s].to.storage && last[i] > code) return -1;
        return s;
    }
    return -1;
}

static bool is_overwritten(const Kernel *k, int load) {
    for (int s = 0; s < k->store_count; s++)
        if (k->stores[s].to.storage == k->loads[load].storage) return true;
    return false;
}

static void lay_out(Layout *layout, const Kernel *k) {
    int8_t last[KERN_VALUES], free[KERN_CODE];
    int free_count = 0;
    last_uses(k, last);
    layout->slots = 0;
    memset(layout->slot, -1, sizeof layout->slot);
    for (int i = 0; i < k->load_count; i++) {
        bool dense = k->loads[i].strides[k->ndim - 1] == (int64_t)dtype_size(k->loads[i].dtype);
        layout->copied[i] = last[i] == k->code_count && is_overwritten(k, i);
        if (!dense || layout->copied[i]) layout->slot[i] = (int8_t)layout->slots++;
    }
    for (int i = 0; i < k->param_count; i++)
        layout->slot[KERN_FIRST_PARAM + i] = (int8_t)layout->slots++;
    for (int i = 0; i < k->code_count; i++) {
        int value = KERN_FIRST_CODE + i;
        layout->store[i] = (int8_t)store_of(k, i, last);
        layout->slot[value] = (int8_t)(free_count > 0 ? free[--free_count] : layout->slots++);
        for (int a = 0; a < 3; a++) {
            int arg = k->code[i].args[a];
            bool again = (a > 0 && arg == k->code[i].args[0]) || (a > 1 && arg == k->code[i].args[1]);
            if (arg >= KERN_FIRST_CODE && last[arg] == i && !again) free[free_count++] = layout->slot[arg];
        }
        if (last[value] < 0) free[free_count++] = layout->slot[value];
    }
}

// Params become tiles of equal elements, once.
static void fill_params(Tiles *tiles, const Kernel *k) {
    int64_t inner = k->ndim ? k->shape[k->ndim - 1] : 1;
    size_t longest = inner < TILE ? (size_t)inner : TILE;
    for (int i = 0; i < k->param_count; i++) {
        char first[DTYPE_SIZE_MAX];
        int value = KERN_FIRST_PARAM + i;
        char *buffer = tiles->buffers + (size_t)tiles->layout.slot[value] * tiles->tile_bytes;
        dtype_store(k->param_types[i], first, k->params[i]);
        gather(first, 0, buffer, dtype_size(k->param_types[i]), longest);
        tiles->values[value] = buffer;
    }
}

enum { HEAD_BYTES = (sizeof(Tiles) + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN };

static size_t wider(size_t widest, DType type) {
    return dtype_size(type) > widest ? dtype_size(type) : widest;
}

// Of the buffer of one value.
static size_t tile_bytes(const Kernel *k) {
    size_t widest = 8;
    for (int i = 0; i < k->load_count; i++) widest = wider(widest, k->loads[i].dtype);
    for (int i = 0; i < k->param_count; i++) widest = wider(widest, k->param_types[i]);
    for (int i = 0; i < k->code_count; i++) widest = wider(widest, (DType)k->code[i].type);
    return TILE * widest;
}

size_t tiles_bytes(const Kernel *k) {
    Layout layout;
    lay_out(&layout, k);
    return HEAD_BYTES + (size_t)layout.slots * tile_bytes(k);
}

Tiles *tiles_init(const Cpu *cpu, void *memory, const Kernel *k) {
    Tiles *tiles = memory;
    tiles->cpu = cpu;
    tiles->tile_bytes = tile_bytes(k);
    tiles->buffers = (char *)memory + HEAD_BYTES;
    lay_out(&tiles->layout, k);
    for (int i = 0; i < k->load_count; i++) tiles->repeated[i] = 0;
    fill_params(tiles, k);
    return tiles;
}

// --- Evaluating --------------------------------------------------------------------------------

static const void *load(Tiles *tiles, const Kernel *k, int i, const char *at, size_t n) {
    int64_t stride = k->loads[i].strides[k->ndim - 1];
    size_t size = dtype_size(k->loads[i].dtype);
    bool copied = tiles->layout.copied[i];
    if ((stride == (int64_t)size || n == 1) && !copied) return at;
    char *buffer = tiles->buffers + (size_t)tiles->layout.slot[i] * tiles->tile_bytes;
    if (stride == 0 && !copied) { // the same element again, most often
        if (n <= tiles->repeated[i] && memcmp(buffer, at, size) == 0) return buffer;
        tiles->repeated[i] = n;
    }
    gather(at, stride, buffer, size, n);
    return buffer;
}

bool refuses_exponents(OpId op, DType type, const char *at, int64_t stride, size_t n) {
    if (op != AOP_POWER || dtype_kind(type) != DK_INT) return false;
    for (size_t i = 0; i < n; i++, at += stride)
        if (dtype_load(type, at).i < 0) return true;
    return false;
}

static bool any_outside(const int64_t *indexes, const int64_t *extent, size_t n) {
    for (size_t i = 0; i < n; i++)
        if ((uint64_t)indexes[i] >= (uint64_t)*extent) return true;
    return false;
}

// The vector function for an instruction; NULL: the loop does it.
static VectorFn vector_of(const Cpu *cpu, const KernInstr *in) {
    bool is_float = in->from == DT_FLOAT32 || in->from == DT_FLOAT64;
    return is_float ? cpu->vectors[in->op][in->from == DT_FLOAT64] : NULL;
}

// Vector functions say nothing of results that are too small for their type; the loop does.
static void tell_underflow(LoopFn loop, const void *const *args, size_t n) {
    double unused[TILE];
    loop(args[0], args[1], NULL, unused, n);
}

static void run_instr(Tiles *tiles, const Kernel *k, const KernInstr *in, void *out, size_t n,
                      uint32_t *flags) {
    const Loops *loops = tiles->cpu->loops;
    VectorFn vector = vector_of(tiles->cpu, in);
    const void *args[3];
    for (int a = 0; a < 3; a++) args[a] = in->args[a] < 0 ? NULL : tiles->values[in->args[a]];
    if (in->op == AOP_CAST) {
        loops->casts[in->type][in->from](args[0], NULL, NULL, out, n);
        return;
    }
    if (vector) {
        VectorRun run = loops->vectors[in->from == DT_FLOAT64][op_info[in->op].arity - 1];
        LoopFn loop = loops->ops[in->op][in->from];
        if (k->underflow) tell_underflow(loop, args, n);
        run(vector, loop, in->op == AOP_POWER, args[0], args[1], out, n);
        return;
    }
    int64_t size = (int64_t)dtype_size((DType)in->from);
    if (refuses_exponents(in->op, (DType)in->from, args[1], size, n)) {
        *flags |= FLAG_NEGATIVE_POWER;
        memset(out, 0, n * dtype_size((DType)in->type));
        return;
    }
    loops->ops[in->op][in->from](args[0], args[1], args[2], out, n);
    if (in->op == AOP_WRAP_INDEX && any_outside(out, args[1], n)) *flags |= FLAG_INDEX;
}

// Where an instruction's result goes: to a store's memory, or to a buffer.
static void *place_of(const Tiles *tiles, const Kernel *k, int code, char *const *at, size_t n) {
    int store = tiles->layout.store[code];
    if (store >= 0) {
        const KernAccess *to = &k->stores[store].to;
        bool dense = to->strides[k->ndim - 1] == (int64_t)dtype_size(to->dtype) || n == 1;
        if (dense) return at[k->load_count + store];
    }
    return tiles->buffers + (size_t)tiles->layout.slot[KERN_FIRST_CODE + code] * tiles->tile_bytes;
}

static void store(const Tiles *tiles, const Kernel *k, int i, char *to, size_t n) {
    const KernStore *s = &k->stores[i];
    const void *value = tiles->values[s->value];
    int64_t stride = s->to.strides[k->ndim - 1];
    size_t size = dtype_size(s->to.dtype);
    if (value != to) scatter(value, to, n == 1 ? (int64_t)size : stride, size, n);
}

const void *tiles_run(Tiles *tiles, const Kernel *k, char *const *at, size_t n, uint32_t *flags) {
    bool reduces = k->reduce != AOP_NONE;
    if (k->told_apart && reduces) flags_tell(&flags[k->reduce_site], ~k->untold, true);
    for (int i = 0; i < k->load_count; i++) tiles->values[i] = load(tiles, k, i, at[i], n);
    for (int i = 0; i < k->code_count; i++) {
        const KernInstr *in = &k->code[i];
        void *out = place_of(tiles, k, i, at, n);
        run_instr(tiles, k, in, out, n, &flags[in->site]);
        if (k->told_apart) flags_tell(&flags[in->site], in->tells ? ~0u : 0, in->op > AOP_DIVIDE);
        tiles->values[KERN_FIRST_CODE + i] = out;
    }
    for (int i = reduces; i < k->store_count; i++) store(tiles, k, i, at[k->load_count + i], n);
    return tiles->values[k->stores[0].value];
}

// --- Elementwise kernels -----------------------------------------------------------------------

int access_count(const Kernel *k) {
    return k->load_count + k->store_count;
}

const KernAccess *access_number(const Kernel *k, int i) {
    return i < k->load_count ? &k->loads[i] : &k->stores[i - k->load_count].to;
}

// Walks tiles `from` … `to` of the kernel; a row is a run of the innermost dimension.
static void some_tiles(const Cpu *cpu, Tiles *tiles, const Kernel *k, int64_t from, int64_t to,
                       uint32_t *flags) {
    int inner = k->ndim - 1, accesses = access_count(k);
    int64_t n = k->shape[inner], per_row = (n + TILE - 1) / TILE;
    const int64_t *strides[KERN_ACCESSES];
    char *row_at[KERN_ACCESSES], *at[KERN_ACCESSES];
    int64_t index[NDIM_MAX], row = from / per_row, column = from % per_row;
    for (int i = 0; i < accesses; i++) {
        strides[i] = access_number(k, i)->strides;
        row_at[i] = access_at(access_number(k, i));
    }
    for (int d = inner - 1; d >= 0; d--) {
        index[d] = row % k->shape[d];
        row /= k->shape[d];
        for (int i = 0; i < accesses; i++) row_at[i] += index[d] * strides[i][d];
    }
    for (int64_t t = from; t < to && !left(cpu, k, flags); t++) {
        int64_t begin = column * TILE, count = n - begin < TILE ? n - begin : TILE;
        for (int i = 0; i < accesses; i++) at[i] = row_at[i] + begin * strides[i][inner];
        tiles_run(tiles, k, at, (size_t)count, flags);
        if (++column < per_row) continue;
        column = 0;
        odometer_next(inner, k->shape, index, row_at, strides, accesses);
    }
}

static int64_t tile_count(const Kernel *k) {
    int64_t rows = 1, n = k->shape[k->ndim - 1];
    for (int d = 0; d < k->ndim - 1; d++) rows *= k->shape[d];
    return rows * ((n + TILE - 1) / TILE);
}

static int64_t work_of(const Kernel *k) {
    int64_t work = 1;
    for (int d = 0; d < k->ndim; d++) work *= k->shape[d];
    return work;
}

static bool is_shared(const Cpu *cpu, const Kernel *k) {
    return work_of(k) >= PARALLEL_WORK && cpu->threads > 1 && tile_count(k) > 1;
}

size_t elementwise_workspace(const Cpu *cpu, const Kernel *k) {
    if (work_of(k) == 0) return 0;
    return (size_t)(is_shared(cpu, k) ? cpu->threads : 1) * tiles_bytes(k);
}

static void tiles_between(const Cpu *cpu, const Kernel *k, int worker, int64_t from, int64_t to,
                          uint32_t *flags) {
    Tiles *buffers = tiles_init(cpu, (char *)k->workspace + (size_t)worker * tiles_bytes(k), k);
    flags_clear();
    some_tiles(cpu, buffers, k, from, to, flags);
    if (k->flags && !k->told_apart) flags_tell(&flags[0], ~0u, true);
}

typedef struct ElementwiseJob {
    Job job;
    SiteFlags sites;
    const Kernel *kernel;
    int64_t tiles;
    int parts;
} ElementwiseJob;

static void elementwise_part(void *argument, int part, int worker) {
    ElementwiseJob *e = argument;
    int64_t from = e->tiles * part / e->parts, to = e->tiles * (part + 1) / e->parts;
    uint32_t raised[KERN_SITES] = {0};
    tiles_between(e->job.cpu, e->kernel, worker, from, to, raised);
    sites_tell(&e->sites, raised);
}

void tile_elementwise(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    int64_t tiles = tile_count(k);
    if (tiles == 0) return;
    vectors_prepare(cpu, k);
    if (!is_shared(cpu, k)) {
        tiles_between(cpu, k, 0, 0, tiles, flags);
        return;
    }
    ElementwiseJob e = {.kernel = k, .tiles = tiles, .parts = parts_for(cpu, tiles)};
    sites_clear(&e.sites, k);
    share_out(cpu, elementwise_part, &e, e.parts, flags);
    sites_gather(&e.sites, flags);
}
