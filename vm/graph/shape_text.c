// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shapes and sizes in NumPy's words.

#include <inttypes.h>

#include "vm/graph/graph.h"

static void shape_with(const int64_t *shape, int ndim, const char *comma, Buf *out) {
    buf_putc(out, '(');
    for (int i = 0; i < ndim; i++) {
        if (i) buf_puts(out, comma);
        buf_printf(out, "%" PRId64, shape[i]);
    }
    buf_puts(out, ndim == 1 ? ",)" : ")");
}

void shape_text(const int64_t *shape, int ndim, Buf *out) {
    shape_with(shape, ndim, ", ", out);
}

void shape_text_tight(const int64_t *shape, int ndim, Buf *out) {
    shape_with(shape, ndim, ",", out);
}

static void size_with_unit(double bytes, Buf *out) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 6; unit++) bytes /= 1024;
    if (unit == 0) buf_printf(out, "%.0f %s", bytes, units[0]);
    else buf_printf(out, "%#.3g %s", bytes, units[unit]);
}

Status view_no_memory(Vm *vm, const View *view) {
    Buf text;
    double bytes = (double)dtype_size(view->dtype);
    for (int i = 0; i < view->ndim; i++) bytes *= (double)view->shape[i];
    buf_init(&text, &vm->mem);
    buf_puts(&text, "Unable to allocate ");
    size_with_unit(bytes, &text);
    buf_puts(&text, " for an array with shape ");
    shape_text(view->shape, view->ndim, &text);
    buf_printf(&text, " and data type %s", dtype_info[view->dtype].name);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_MemoryError, "%s", text.data);
    buf_free(&text);
    return st;
}
