// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The table of library operations on devices, and helpers for its rows.

#include "backends/grid/library.h"

#include <stdio.h>

#include "backends/emit/emit_numbers.h"
#include "grid_text_common.h"
#include "grid_text_keys.h"
#include "grid_text_view_h.h"

// A GridRow for each operation of ops.def that is not a loop over elements; a missing one is a link error.
#define ROW_ELEMENTWISE(ID)
#define ROW_REDUCTION(ID)
#define ROW_SCAN(ID) [AOP_##ID] = &grid_##ID,
#define ROW_CREATION(ID) ROW_SCAN(ID)
#define ROW_LIBRARY(ID) ROW_SCAN(ID)
const GridRow *const grid_rows[AOP_COUNT] = {
#define OP(ID, name, arity, CLASS, ...) ROW_##CLASS(ID)
#include "vm/graph/ops.def"
};

bool grid_library_form(const Dialect *dialect, const Kernel *kernel, GridForm *form) {
    const GridRow *row = grid_rows[kernel->library];
    *form = (GridForm){.op = (uint8_t)kernel->library};
    return row && row->form && row->form(dialect, kernel, form);
}

// Defines the dialect's keywords as macros, so that one text serves all device languages.
static void put_words(const Dialect *dialect, Buf *out) {
    const GridWords *w = dialect->grid;
    buf_printf(out, "#define KERNEL %s\n#define GLOBAL %s\n#define LOCAL %s\n#define BARRIER %s\n", w->kernel, w->global,
               w->local, w->barrier);
    buf_printf(out, "#define ITEM %s\n#define ROW %s\n#define LANE ((int)%s)\n#define GROUP ((int64_t)%s)\n", w->item[0],
               w->item[1], w->lane, w->group);
    buf_puts(out, w->atomics);
}

const char *const *grid_library_text(const Dialect *dialect, const GridForm *form, Buf *out) {
    buf_puts(out, dialect->prelude);
    put_words(dialect, out);
    buf_puts(out, GRID_TEXT_VIEW_H GRID_TEXT_COMMON);
    return grid_rows[form->op]->text(dialect, form, out);
}

bool grid_library_tells(const GridForm *form) {
    return grid_rows[form->op]->tells;
}

void grid_library_run(GridRun *run) {
    grid_rows[run->kernel->library]->run(run);
}

// --- For rows --------------------------------------------------------------------------------------------

// Leaves out dimensions of extent 1, and joins neighbouring dimensions whose strides allow it.
bool grid_view(const View *view, GridView *out) {
    *out = (GridView){.offset = view->offset};
    for (int d = 0; d < view->ndim; d++) {
        int64_t extent = view->shape[d], stride = view->strides[d];
        int last = (int)out->ndim - 1;
        if (extent == 1) continue;
        if (last >= 0 && out->stride[last] == extent * stride) {
            out->extent[last] *= extent;
            out->stride[last] = stride;
            continue;
        }
        if (out->ndim == GRID_VIEW_DIMS) return false;
        out->extent[out->ndim] = extent;
        out->stride[out->ndim++] = stride;
    }
    return true;
}

bool grid_has_type(const Dialect *dialect, DType type) {
    return dialect->types[type];
}

void grid_define_type(const Dialect *dialect, const char *name, DType type, Buf *out) {
    buf_printf(out, "typedef %s %s;\n", dialect->types[type], name);
}

void grid_define_number(const char *name, int64_t value, Buf *out) {
    buf_printf(out, "#define %s %lld\n", name, (long long)value);
}

void grid_define_word(const char *name, size_t size, Buf *out) {
    if (size == 2 * sizeof(uint64_t)) buf_printf(out, "typedef struct { uint64_t word[2]; } Wide;\n#define %s Wide\n", name);
    else buf_printf(out, "#define %s uint%d_t\n", name, (int)size * 8);
}

void grid_define_op(const Dialect *dialect, const char *name, OpId op, DType from, DType type, Buf *out) {
    buf_printf(out, "static inline %s %s(%s left, %s right) {\n    %s made;\n", dialect->types[type], name, dialect->types[from],
               dialect->types[from], dialect->types[type]);
    emit_expression(dialect, op, from, type, "made", (const char *const[]){"left", "right", NULL}, out);
    buf_puts(out, "    return made;\n}\n");
}

void grid_define_cast(const Dialect *dialect, const char *name, DType from, DType to, Buf *out) {
    buf_printf(out, "static inline %s %s(%s x) {\n    %s made;\n", dialect->types[to], name, dialect->types[from],
               dialect->types[to]);
    if (from == to) buf_puts(out, "    made = x;\n");
    else emit_cast_to(dialect, from, to, "made", "x", out);
    buf_puts(out, "    return made;\n}\n");
}

void grid_define_zero(const Dialect *dialect, const char *name, DType type, Buf *out) {
    (void)dialect;
    buf_printf(out, dtype_kind(type) == DK_COMPLEX ? "#define %s pair_%s(0, 0)\n" : "#define %s 0\n", name,
               type == DT_COMPLEX64 ? "c64" : "c128");
}

void grid_define_sum(const Dialect *dialect, const char *added, const char *multiplied, DType type, Buf *out) {
    const DType computed = type == DT_FLOAT16 ? DT_FLOAT32 : type;
    grid_define_op(dialect, added, AOP_ADD, computed, computed, out);
    grid_define_op(dialect, multiplied, AOP_MULTIPLY, computed, computed, out);
}

void grid_define_access(const Dialect *dialect, const char *name, DType type, Buf *out) {
    const char *spelled = dialect->types[type], *memory = emit_memory_type(dialect, type);
    char place[64];
    snprintf(place, sizeof place, "((GLOBAL const %s *)at)", memory);
    buf_printf(out, "static inline %s get_%s(GLOBAL const char *at) {\n    return ", spelled, name);
    emit_load(type, place, out);
    snprintf(place, sizeof place, "((GLOBAL %s *)at)", memory);
    buf_printf(out, ";\n}\nstatic inline void put_%s(GLOBAL char *at, %s value) {\n    ", name, spelled);
    emit_store(type, place, "value", out);
    buf_puts(out, "}\n");
}

// --- Combining -------------------------------------------------------------------------------------------

void grid_define_numbers(const Dialect *dialect, const DType *types, int count, OpId op, bool tells, Buf *out) {
    Needs needs = {0};
    for (int i = 0; i < count; i++) needs_type(&needs, (uint8_t)types[i]);
    needs_op(&needs, op, (uint8_t)types[count - 1], (uint8_t)types[count - 1], tells);
    needs_put(&needs, dialect, out);
}

void grid_define_check(const Dialect *dialect, const char *name, OpId op, DType from, DType type, bool tells, Buf *out) {
    const GridTold told = {.op = op, .from = from, .type = type, .result = "made",
                           .operands = {"x", op == AOP_CAST ? NULL : "y"}};
    buf_printf(out, "static inline void %s(GLOBAL uint32_t *flags, %s made, %s x, %s y) {\n", name, dialect->types[type],
               dialect->types[from], dialect->types[from]);
    if (tells) emit_flags(&told, out);
    buf_puts(out, "}\n");
}

bool grid_can_combine(const Dialect *dialect, OpId op, DType type) {
    return grid_has_type(dialect, type) && op_info[op].arity == 2 && op_has_loop(op, type);
}

bool grid_combine_tells(const Kernel *kernel, OpId op, DType type) {
    bool is_error = op_info[op].may_raise && dtype_is_integer(type);
    return (is_error || (kernel->flags && op_info[op].effects == EFFECT_FPE)) && emit_has_flags(op, type, type);
}

void grid_rest(const View *view, AxisSet axes, View *rest) {
    view_copy(rest, view);
    rest->ndim = 0;
    for (int d = 0; d < view->ndim; d++) {
        if (axes >> d & 1) continue;
        rest->shape[rest->ndim] = view->shape[d];
        rest->strides[rest->ndim++] = view->strides[d];
    }
}

// --- Keys ------------------------------------------------------------------------------------------------

int grid_key_bytes(DType type) {
    return (int)dtype_size(type);
}

uint8_t grid_key_type(DType type) {
    static const uint8_t words[] = {[1] = DT_UINT8, [2] = DT_UINT16, [4] = DT_UINT32, [8] = DT_UINT64};
    return dtype_kind(type) == DK_COMPLEX ? (uint8_t)type : words[dtype_size(type)];
}

// Returns one of the KEY_… constants of keys.cl.
int64_t grid_key_sort(DType type) {
    enum { UNSIGNED, SIGNED, FLOATING };
    return dtype_is_inexact(type) ? FLOATING : dtype_kind(type) == DK_INT ? SIGNED : UNSIGNED;
}

void grid_define_keys(DType type, Buf *out) {
    grid_define_word("E", dtype_size(type), out);
    grid_define_number("KEY_BITS", (int64_t)dtype_size(dtype_real(type)) * 8, out);
    grid_define_number("KEY_BYTES", grid_key_bytes(type), out);
    grid_define_number("IS_COMPLEX", dtype_kind(type) == DK_COMPLEX, out);
    buf_puts(out, GRID_TEXT_KEYS);
}
