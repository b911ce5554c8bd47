// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Orders of classes with several bases: the C3 linearisation (Barrett et al., "A monotonic superclass
// linearization for Dylan", 1996), and the base that gives instances their layout.

#include "vm/value/mro.h"

#include <string.h>

#include "lang/support/buf.h"
#include "vm/value/class.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

// A row that is merged: what is left of the order of a base, or of the bases themselves.
typedef struct Row {
    Class *const *at, *const *end;
} Row;

enum { ROWS = 8 }; // rows on the stack, which is enough for most classes

static bool in_tail(const Row *rows, uint32_t count, const Class *cls) {
    for (uint32_t i = 0; i < count; i++)
        for (Class *const *at = rows[i].at; at < rows[i].end; at++)
            if (at > rows[i].at && *at == cls) return true;
    return false;
}

// Returns the next class of the order: the first head that no row contains after its head. NULL: there is none.
static Class *next_head(const Row *rows, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].at < rows[i].end && !in_tail(rows, count, *rows[i].at)) return *rows[i].at;
    return NULL;
}

static bool is_earlier_head(const Row *rows, uint32_t row) {
    for (uint32_t i = 0; i < row; i++)
        if (rows[i].at < rows[i].end && *rows[i].at == *rows[row].at) return true;
    return false;
}

static Status inconsistent(Vm *vm, const Row *rows, uint32_t count) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    const char *comma = "";
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].at == rows[i].end || is_earlier_head(rows, i)) continue;
        buf_printf(&buf, "%s %s", comma, (*rows[i].at)->name->data);
        comma = ",";
    }
    buf_putc(&buf, 0);
    Status st = buf.failed ? vm_no_memory(vm)
                           : vm_raise(vm, EXC_TypeError,
                                      "Cannot create a consistent method resolution\n"
                                      "order (MRO) for bases%s",
                                      buf.data);
    buf_free(&buf);
    return st;
}

static Status merge(Vm *vm, Class *cls, Row *rows, uint32_t count, uint32_t room) {
    bool is_short = room <= CLASS_FEW;
    Class **mro = is_short ? class_few(cls) : mem_alloc(&vm->mem, room * sizeof *mro);
    if (!mro) return vm_no_memory(vm);
    uint32_t n = 0;
    mro[n++] = cls;
    for (Class *head; (head = next_head(rows, count)) != NULL; mro[n++] = head)
        for (uint32_t i = 0; i < count; i++)
            if (rows[i].at < rows[i].end && *rows[i].at == head) rows[i].at++;
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].at == rows[i].end) continue;
        if (!is_short) mem_free(&vm->mem, mro, room * sizeof *mro);
        return inconsistent(vm, rows, count);
    }
    cls->mro = mro;
    cls->mro_count = n;
    cls->mro_room = room;
    return ST_OK;
}

static Status check_twice(Vm *vm, const Class *cls) {
    for (uint32_t i = 0; i < cls->base_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (cls->bases[i] == cls->bases[k])
                return vm_raise(vm, EXC_TypeError, "duplicate base class %s",
                                cls->bases[i]->name->data);
    return ST_OK;
}

Status class_order(Vm *vm, Class *cls) {
    uint32_t count = cls->base_count, room = 1;
    if (check_twice(vm, cls) != ST_OK) return ST_ERROR;
    Row few[ROWS];
    size_t size = (count + 1) * sizeof(Row);
    Row *rows = count < ROWS ? few : mem_alloc(&vm->mem, size);
    if (!rows) return vm_no_memory(vm);
    for (uint32_t i = 0; i < count; i++) {
        const Class *base = cls->bases[i];
        rows[i] = (Row){base->mro, base->mro + base->mro_count};
        room += base->mro_count;
    }
    if (count > 1) rows[count] = (Row){cls->bases, cls->bases + count};
    Status st = merge(vm, cls, rows, count + (count > 1), room);
    if (rows != few) mem_free(&vm->mem, rows, size);
    return st;
}

Status class_best_base(Vm *vm, Class *const *bases, uint32_t count, Class **best) {
    Class *winner = NULL;
    for (uint32_t i = 0; i < count; i++) {
        Class *solid = bases[i]->solid;
        if (bases[i]->flags & CLASS_FINAL)
            return vm_raise(vm, EXC_TypeError, "type '%s' is not an acceptable base type",
                            bases[i]->name->data);
        if (winner && class_is_subclass(winner, solid)) continue;
        if (winner && !class_is_subclass(solid, winner))
            return vm_raise(vm, EXC_TypeError, "multiple bases have instance lay-out conflict");
        winner = solid;
        *best = bases[i];
    }
    return ST_OK;
}
