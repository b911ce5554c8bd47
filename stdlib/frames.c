// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _frames: positions of calls in the source, for modules traceback and inspect. A position is a
// tuple (code, line, last line, column, end column, text of the line or None, name of the module or
// None). Columns count characters, or are None if the span is not within one known line.

#include "stdlib/stdlib.h"
#include "vm/interp/interp.h"
#include "vm/value/object.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static Status text_of_line(Vm *vm, const char *line, size_t len, Value *out) {
    if (line) return str_out(vm, str_new(vm, line, len), out);
    *out = V_NONE;
    return ST_OK;
}

static Status place_append(Vm *vm, Code *code, const BcSpan *span, Value module, List *list) {
    size_t indent, len;
    const char *line = unit_line(code->unit, span->line, &indent, &len);
    bool known = line && span->col <= len && span->end_line == span->line && span->end_col <= len;
    Value items[7] = {v_obj(code), v_int(span->line), v_int(span->end_line),
                      known ? v_int((int64_t)unit_columns(line, span->col)) : V_NONE,
                      known ? v_int((int64_t)unit_columns(line, span->end_col)) : V_NONE};
    items[6] = module;
    Value place;
    Status st = text_of_line(vm, line, len, &items[5]);
    if (st != ST_OK) return st;
    st = tuple_of(vm, items, 7, &place);
    release(vm, items[5]);
    return st == ST_OK ? list_append(vm, list, place) : st;
}

// entries(traceback): returns the positions in a traceback, the outermost call first.
static Status fn_entries(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_TRACEBACK)
        return vm_raise(vm, EXC_TypeError, "a traceback is needed, not '%s'",
                        type_name(vm, args[0]));
    const Traceback *tb = (Traceback *)args[0].obj;
    List *list = list_new(vm, tb->len);
    Status st = vm_check(vm, list);
    for (size_t i = tb->len; st == ST_OK && i-- > 0;) {
        const BcSpan span = traceback_span(&tb->entries[i]);
        st = place_append(vm, tb->entries[i].code, &span, V_NONE, list);
    }
    if (st == ST_OK)
        *out = v_obj(list);
    else
        release_obj(vm, list);
    return st;
}

// stack(): returns the positions of the active calls, the innermost first. Calls of the prelude are left out.
static Status fn_stack(Vm *vm, const Value *args, Value *out) {
    (void)args;
    List *list = list_new(vm, 0);
    Status st = vm_check(vm, list);
    for (const Frame *frame = vm->interp->frame; st == ST_OK && frame; frame = frame->prev) {
        if (frame->code->unit->plumbing) continue;
        const BcSpan span = bc_span(frame->code->bc, frame_pc(frame));
        st = place_append(vm, frame->code, &span, v_obj(frame->func->module->name), list);
    }
    if (st == ST_OK)
        *out = v_obj(list);
    else
        release_obj(vm, list);
    return st;
}

const NativeDef frames_functions[] = {
    {"entries", "traceback, /", fn_entries, NULL, PURE},
    {"stack", "", fn_stack, NULL, PURE},
    {0},
};
