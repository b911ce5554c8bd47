// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Assigns buffers to values, and functions to instructions, before tiles are computed.

#include <string.h>

#include "backends/cpu/loops/vector.h"
#include "backends/cpu/native/native.h"
#include "backends/cpu/tile/move.h"
#include "backends/cpu/tile/tile.h"

// --- Sizes -------------------------------------------------------------------------------------

static size_t wider(size_t widest, DType type) {
    return dtype_size(type) > widest ? dtype_size(type) : widest;
}

static size_t widest_type(const Kernel *k) {
    size_t widest = 1;
    for (int i = 0; i < k->load_count; i++) widest = wider(widest, k->loads[i].dtype);
    for (int i = 0; i < k->param_count; i++) widest = wider(widest, k->param_types[i]);
    for (int i = 0; i < k->code_count; i++) widest = wider(widest, (DType)k->code[i].type);
    return widest;
}

// Tile sizes. Vector functions have a call overhead, so they want long tiles, as long as
// intermediates fit into the first-level cache (any cache for library functions). Plain arithmetic
// wants short tiles, so that the processor can start loading the next tile; but not too many of
// them if there is little work.
enum { SHORT_BYTES = 512, LITTLE = 2 * TILE, TILE_FUNCTIONS = 256, NEAR_BYTES = 1 << 14 };
enum { TILE_NATIVE = 512 }; // for code that may be compiled: it has no intermediates
// Elements of a tile, and bytes of all its values, if operands are in the cache, so that nothing is loaded ahead.
enum { TILE_NEAR = 512, ALL_NEAR_BYTES = 1 << 15 };

static bool is_function(const KernInstr *in) {
    return op_has_vector((OpId)in->op) && (in->from == DT_FLOAT32 || in->from == DT_FLOAT64);
}

static size_t value_count(const Kernel *k) {
    return (size_t)(k->load_count + k->param_count + k->code_count);
}

static bool wants_long_tiles(const Cpu *cpu, const Kernel *k) {
    bool own = false;
    for (int i = 0; i < k->code_count; i++) {
        if (!is_function(&k->code[i])) continue;
        if (!own_of(cpu, (OpId)k->code[i].op, (DType)k->code[i].from)) return true;
        own = true;
    }
    return own && value_count(k) * TILE_FUNCTIONS * widest_type(k) <= NEAR_BYTES;
}

static size_t near_length(const Kernel *k) {
    size_t length = TILE_NEAR;
    while (length > SHORT_BYTES / widest_type(k) && value_count(k) * length * widest_type(k) > ALL_NEAR_BYTES)
        length /= 2;
    return length;
}

static bool is_little(const Kernel *k) {
    int64_t elements = 1;
    for (int d = 0; d < k->ndim; d++) elements *= k->shape[d];
    return elements <= LITTLE;
}

// Returns whether a kernel may get machine code. The result is the same before and after there is code, since the
// workspace is sized before.
static bool may_be_compiled(const Cpu *cpu, const Kernel *k) {
    Form form;
    return cpu->native && form_of(k, &form);
}

size_t tile_length(const Cpu *cpu, const Kernel *k, const NarrowRows *rows) {
    int64_t inner = k->shape[k->ndim - 1], elements = 1;
    for (int d = 0; d < k->ndim; d++) elements *= k->shape[d];
    size_t most = TILE, row = inner ? (size_t)inner : 1;
    if (cpu->tile) most = cpu->tile;
    else if (cpu->near) most = near_length(k);
    else if (elements > LITTLE && may_be_compiled(cpu, k)) most = TILE_NATIVE;
    else if (elements > LITTLE) most = wants_long_tiles(cpu, k) ? TILE_FUNCTIONS : SHORT_BYTES / widest_type(k);
    if (rows) most = most < (size_t)rows->width ? (size_t)rows->width : most / (size_t)rows->width * (size_t)rows->width;
    return row < most ? row : most;
}

enum { HEAD_BYTES = (sizeof(Tiles) + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN };

static size_t buffer_bytes(const Kernel *k, size_t length) {
    return aligned_bytes(length * widest_type(k));
}

size_t tiles_bytes(const Cpu *cpu, const Kernel *k, const NarrowRows *rows) {
    size_t most = (size_t)(k->load_count + k->param_count + k->code_count);
    return HEAD_BYTES + most * buffer_bytes(k, tile_length(cpu, k, rows));
}

// --- Buffers -----------------------------------------------------------------------------------

// Buffers are shared: one is free after its value's last use.
typedef struct Layout {
    const Kernel *kernel;
    Tiles *tiles;
    int8_t last[KERN_VALUES]; // last instruction that uses each value; code_count if stored, -1 if
                              // unused
    char *free[KERN_CODE];
    int free_count;
    char *next; // memory not yet used by any value
} Layout;

static void find_last_uses(Layout *l) {
    const Kernel *k = l->kernel;
    memset(l->last, -1, sizeof l->last);
    for (int i = 0; i < k->code_count; i++)
        for (int a = 0; a < 3; a++)
            if (k->code[i].args[a] >= 0) l->last[k->code[i].args[a]] = (int8_t)i;
    for (int i = 0; i < k->store_count; i++) l->last[k->stores[i].value] = (int8_t)k->code_count;
}

static char *fresh(Layout *l) {
    char *buffer = l->next;
    l->next += l->tiles->bytes;
    return buffer;
}

static bool is_reduced(const Kernel *k, int store) {
    return store < k->reduction_count;
}

static bool is_dense(const Kernel *k, const KernAccess *access) {
    return access->strides[k->ndim - 1] == (int64_t)dtype_size(access->dtype) || k->shape[k->ndim - 1] == 1;
}

static bool is_overwritten(const Kernel *k, int load) {
    for (int s = 0; s < k->store_count; s++)
        if (!is_reduced(k, s) && k->stores[s].to.storage == k->loads[load].storage) return true;
    return false;
}

static bool overwrites(const Kernel *k) {
    for (int i = 0; i < k->load_count; i++)
        if (is_overwritten(k, i)) return true;
    return false;
}

// Only the first of a computed load's four loads has values.
static void place_lines(Layout *l) {
    Tiles *tiles = l->tiles;
    for (int i = 0; i < l->kernel->lines_count; i++) {
        const KernLines *lines = &l->kernel->lines[i];
        tiles->lines[lines->load] = lines;
        for (int n = 0; n < LINE_LOADS; n++) tiles->direct[lines->load + n] = n > 0;
        tiles->load_buffer[lines->load] = fresh(l);
    }
}

// A load is used in place if it is contiguous, unless its value is stored and its elements may be overwritten before.
static void place_loads(Layout *l) {
    const Kernel *k = l->kernel;
    for (int i = 0; i < k->load_count; i++) {
        l->tiles->lines[i] = NULL;
        if (kernel_is_of_lines(k, i)) continue;
        bool copied = l->last[i] == k->code_count && is_overwritten(k, i);
        bool by_rows = l->tiles->rows && l->tiles->rows->by_rows[i];
        l->tiles->direct[i] = is_dense(k, &k->loads[i]) && !copied && !by_rows;
        l->tiles->load_buffer[i] = l->tiles->direct[i] ? NULL : fresh(l);
        l->tiles->repeated[i] = 0;
    }
}

// Fills a buffer with each parameter, once for all tiles.
static void place_params(Layout *l) {
    const Kernel *k = l->kernel;
    for (int i = 0; i < k->param_count; i++) {
        char first[DTYPE_SIZE_MAX], *buffer = fresh(l);
        dtype_store(k->param_types[i], first, k->params[i]);
        gather(first, 0, buffer, dtype_size(k->param_types[i]), l->tiles->length);
        l->tiles->values[KERN_FIRST_PARAM + i] = buffer;
    }
}

// Stores larger than the caches are non-temporal, unless they overwrite loaded elements, which are
// cached anyway.
static void choose_streams(Tiles *t, const Kernel *k) {
    enum { LARGE = 1 << 24, ROW = 1 << 12 }; // bytes
    int64_t elements = 1, row = k->shape[k->ndim - 1];
    for (int d = 0; d < k->ndim; d++) elements *= k->shape[d];
    bool over = overwrites(k);
    for (int s = 0; s < k->store_count; s++) {
        const KernAccess *to = &k->stores[s].to;
        int64_t size = (int64_t)dtype_size(to->dtype);
        t->streamed[s] = !over && !is_reduced(k, s) && is_dense(k, to) && elements * size >= LARGE &&
                         row * size >= ROW;
    }
}

// Finds where the values of each reduction are. Several reductions may use the same values.
static void find_values(Tiles *t, const Kernel *k) {
    for (int r = 0; r < k->reduction_count; r++) {
        int value = k->stores[r].value, first = 0;
        while (k->stores[first].value != value) first++;
        bool loaded = value < k->load_count && t->direct[value];
        t->value_access[r] = (int8_t)(loaded ? value : k->load_count + first);
    }
}

// Returns whether an instruction can write its result non-temporally: own functions can, if the result is stored
// once and not used otherwise.
static bool can_stream(const Layout *l, int code) {
    const Kernel *k = l->kernel;
    const KernInstr *in = &k->code[code];
    int uses = 0;
    for (int a = 0; a < k->code_count; a++)
        for (int i = 0; i < 3; i++) uses += k->code[a].args[i] == KERN_FIRST_CODE + code;
    for (int s = 0; s < k->store_count; s++) uses += k->stores[s].value == KERN_FIRST_CODE + code;
    return uses == 1 && own_of(l->tiles->cpu, (OpId)in->op, (DType)in->from);
}

// Returns the access number of a store that an instruction may write its result to directly. -1: none, for example
// because the store overlaps an operand that is still needed.
static int access_of(const Layout *l, int code) {
    const Kernel *k = l->kernel;
    for (int s = 0; s < k->store_count; s++) {
        const KernAccess *to = &k->stores[s].to;
        if (k->stores[s].value != KERN_FIRST_CODE + code) continue;
        if (is_reduced(k, s)) return k->load_count + s;
        if (!is_dense(k, to) || (l->tiles->streamed[s] && !can_stream(l, code))) return -1;
        for (int i = 0; i < k->load_count; i++)
            if (k->loads[i].storage == to->storage && (l->last[i] > code || l->tiles->telling == TELL_BY_TILE))
                return -1;
        return k->load_count + s;
    }
    return -1;
}

static void free_operands(Layout *l, int code) {
    const int8_t *args = l->kernel->code[code].args;
    for (int a = 0; a < 3; a++) {
        int arg = args[a];
        bool again = (a > 0 && arg == args[0]) || (a > 1 && arg == args[1]);
        if (arg >= KERN_FIRST_CODE && l->last[arg] == code && !again)
            l->free[l->free_count++] = l->tiles->calls[arg - KERN_FIRST_CODE].buffer;
    }
}

static void place_results(Layout *l) {
    for (int i = 0; i < l->kernel->code_count; i++) {
        Call *call = &l->tiles->calls[i];
        call->access = (int8_t)access_of(l, i);
        call->buffer = l->free_count > 0 ? l->free[--l->free_count] : fresh(l);
        free_operands(l, i);
        if (l->last[KERN_FIRST_CODE + i] < 0) l->free[l->free_count++] = call->buffer;
    }
}

// --- Instructions ------------------------------------------------------------------------------

static void prepare(const Tiles *t, const Kernel *k, const KernInstr *in, Call *call) {
    const Cpu *cpu = t->cpu;
    int store = call->access - k->load_count;
    for (int a = 0; a < 3; a++) call->args[a] = in->args[a] < 0 ? 0 : (uint8_t)in->args[a];
    call->vector = NULL;
    call->special = in->op == AOP_WRAP_INDEX ||
                    (in->op == AOP_POWER && dtype_kind((DType)in->from) == DK_INT);
    if (in->op == AOP_CAST) {
        call->loop = call->exact = cpu->loops->casts[in->type][in->from];
        return;
    }
    call->loop = call->exact = cpu->loops->ops[in->op][in->from];
    if (!is_function(in)) return;
    const OwnLoops *own = own_of(cpu, (OpId)in->op, (DType)in->from);
    if (own) call->loop = store >= 0 && t->streamed[store] ? own->streamed : own->loop;
    call->vector = cpu->vectors[in->op][in->from == DT_FLOAT64];
    call->run = cpu->loops->vectors[in->from == DT_FLOAT64][op_info[in->op].arity - 1];
    call->special = (own || call->vector) && k->underflow;
}

static Telling telling_of(const Kernel *k) {
    if (!k->flags) return TELL_NEVER;
    if (!k->told_apart) return TELL_AT_END;
    return overwrites(k) ? TELL_BY_TILE : TELL_BY_SPAN;
}

static void find_body(Tiles *tiles, const Kernel *k) {
    Form form;
    // for a few short tiles, looking for code takes longer than running them
    bool little = tiles->cpu->tier != TIER_KERNEL && is_little(k);
    if (little || k->underflow || !form_of(k, &form)) return;
    tiles->body = native_body(tiles->cpu->native, &form, k);
    tiles->out_count = form.out_count;
    memcpy(tiles->outs, form.outs, sizeof form.outs);
    for (int i = 0; i < k->param_count; i++)
        dtype_store(k->param_types[i], tiles->params + i * PARAM_BYTES, k->params[i]);
}

Tiles *tiles_init(const Cpu *cpu, void *memory, const Kernel *k, const NarrowRows *rows) {
    Tiles *tiles = memory;
    tiles->cpu = cpu;
    tiles->rows = rows;
    tiles->length = tile_length(cpu, k, rows);
    tiles->bytes = buffer_bytes(k, tiles->length);
    tiles->telling = telling_of(k);
    choose_streams(tiles, k);
    Layout layout = {.kernel = k, .tiles = tiles, .next = (char *)memory + HEAD_BYTES};
    find_last_uses(&layout);
    place_loads(&layout);
    place_lines(&layout);
    find_values(tiles, k);
    place_params(&layout);
    place_results(&layout);
    tiles->plain = true;
    for (int i = 0; i < k->code_count; i++) {
        prepare(tiles, k, &k->code[i], &tiles->calls[i]);
        tiles->plain &= !tiles->calls[i].vector && !tiles->calls[i].special;
    }
    tiles->body = NULL;
    if (cpu->native) find_body(tiles, k);
    return tiles;
}
