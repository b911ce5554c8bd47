// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The text of an uncaught exception: chained causes, one entry per frame, source lines with carets,
// in CPython's layout.

#include <string.h>

#include "vm/interp/interp.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

enum { SHOWN_REPEATS = 3, CHAIN_LIMIT = 100 };

static const char *line_start(const char *text, const char *end, uint32_t line) {
    while (line > 1 && text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        if (!newline) return NULL;
        text = newline + 1;
        line--;
    }
    return text < end ? text : NULL;
}

size_t unit_columns(const char *bytes, size_t len) {
    size_t count = 0;
    for (size_t i = 0; i < len; i++) count += ((unsigned char)bytes[i] & 0xC0) != 0x80;
    return count;
}

// Carets are left out when they would underline the whole line, as CPython does.
static void put_carets(Buf *out, const char *line, size_t len, size_t indent, const BcSpan *span) {
    size_t from = span->col, to = span->end_line == span->line ? span->end_col : len;
    if (to > len) to = len;
    if (from < indent || from >= to || (from == indent && to == len)) return;
    buf_puts(out, "    ");
    buf_fill(out, ' ', unit_columns(line + indent, from - indent));
    buf_fill(out, '^', unit_columns(line + from, to - from));
    buf_putc(out, '\n');
}

const char *unit_line(const Unit *unit, uint32_t number, size_t *indent, size_t *len) {
    if (!unit->source) return NULL;
    const char *end = unit->source + unit->source_len;
    const char *line = line_start(unit->source, end, number);
    if (!line) return NULL;
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    size_t n = (size_t)((stop ? stop : end) - line), i = 0;
    while (n > 0 && (line[n - 1] == '\r' || line[n - 1] == ' ' || line[n - 1] == '\t')) n--;
    while (i < n && (line[i] == ' ' || line[i] == '\t' || line[i] == '\f')) i++;
    *indent = i;
    *len = n;
    return i == n ? NULL : line;
}

static void put_source(Buf *out, const Unit *unit, const BcSpan *span) {
    size_t indent, len;
    const char *line = unit_line(unit, span->line, &indent, &len);
    if (!line) return;
    buf_puts(out, "    ");
    buf_put(out, line + indent, len - indent);
    buf_putc(out, '\n');
    put_carets(out, line, len, indent, span);
}

static bool same_entry(const TracebackEntry *a, const TracebackEntry *b) {
    return a->code == b->code && traceback_span(a).line == traceback_span(b).line;
}

static const char *shown_name(const Code *code) {
    return code->bc->flags & BC_MODULE ? "<module>" : code->name->data;
}

// Writes the entries, outermost first. Of equal ones in a row, three are written and the others counted.
static void put_entries(Buf *out, const Traceback *tb) {
    size_t repeats = 0;
    buf_puts(out, "Traceback (most recent call last):\n");
    for (size_t n = tb->len; n-- > 0;) {
        const TracebackEntry *entry = &tb->entries[n];
        bool repeated = n + 1 < tb->len && same_entry(entry, entry + 1);
        repeats = repeated ? repeats + 1 : 0;
        if (repeats < SHOWN_REPEATS) {
            const BcSpan span = traceback_span(entry);
            buf_printf(out, "  File \"%s\", line %u, in %s\n", entry->code->unit->bc->filename,
                       span.line, shown_name(entry->code));
            put_source(out, entry->code->unit, &span);
        }
        bool last = n == 0 || !same_entry(entry, entry - 1);
        if (last && repeats >= SHOWN_REPEATS)
            buf_printf(out, "  [Previous line repeated %zu more time%s]\n",
                       repeats - SHOWN_REPEATS + 1, repeats == SHOWN_REPEATS ? "" : "s");
    }
}

static void put_class(Buf *out, const Class *cls) {
    if (cls->module.kind == K_STR && !str_is(cls->module.str, "builtins") &&
        !str_is(cls->module.str, "__main__"))
        buf_printf(out, "%s.", cls->module.str->data);
    buf_puts(out, cls->qualname->data);
}

static Status put_notes(Vm *vm, ExcInstance *exc, Buf *out) {
    Value notes;
    if (instance_get(vm, &exc->inst, vm_name(vm, NAME_notes), &notes) != ST_OK) return ST_OK;
    Status st = ST_OK;
    for (size_t i = 0; notes.kind == K_LIST && st == ST_OK && i < notes.list->len; i++) {
        st = op_str(vm, notes.list->items[i], out);
        buf_putc(out, '\n');
    }
    release(vm, notes);
    return st;
}

// Writes str(exc) where __str__ is written in the language. Runs the interpreter, which is idle.
static Status text_by_code(Vm *vm, ExcInstance *exc, Buf *out) {
    Value v = v_obj(exc), text = V_UNDEF;
    Status st = call_prelude(vm, "str_slow", &v, 1, RET_EXIT, 0, &text);
    if (st == ST_TAIL) {
        st = interp_run(vm);
        text = vm->interp->result;
        vm->interp->result = V_UNDEF;
    }
    if (st == ST_OK && text.kind == K_STR) {
        buf_put(out, text.str->data, text.str->len);
    } else {
        vm_clear_error(vm);
        buf_puts(out, "<exception str() failed>");
    }
    release(vm, text);
    return ST_OK;
}

static Status put_text(Vm *vm, ExcInstance *exc, Buf *out) {
    bool own = class_user_method(exc->inst.cls, vm_name(vm, NAME_str)).kind != K_UNDEF;
    bool idle = !vm->interp->frame;
    Status st = own ? ST_DEFER : exc_str(vm, exc, out);
    if (st == ST_ERROR) {
        vm_clear_error(vm);
        buf_puts(out, "<exception str() failed>");
        return ST_OK;
    }
    if (st != ST_DEFER) return st;
    out->len = 0;
    if (idle) return text_by_code(vm, exc, out);
    buf_puts(out, "<exception str() failed>");
    return ST_OK;
}

static Status put_message(Vm *vm, ExcInstance *exc, Buf *out) {
    bool syntax = class_is_subclass(exc->inst.cls, vm->exceptions[EXC_SyntaxError]) ||
                  exc->inst.cls == vm->exceptions[EXC_MemoryError] ||
                  exc->inst.cls == vm->exceptions[EXC_RecursionError];
    if (syntax && exc->value.kind == K_STR) { // carries its own lines and carets
        buf_put(out, exc->value.str->data, exc->value.str->len);
        return ST_OK;
    }
    put_class(out, exc->inst.cls);
    Buf text;
    buf_init(&text, &vm->mem);
    Status st = put_text(vm, exc, &text);
    if (st == ST_OK && text.len) {
        buf_puts(out, ": ");
        buf_put(out, text.data, text.len);
    }
    buf_free(&text);
    buf_putc(out, '\n');
    return st == ST_OK ? put_notes(vm, exc, out) : st;
}

static ExcInstance *before(ExcInstance *exc, const char **why) {
    ExcInstance *cause = exc_of(exc->cause);
    if (cause) {
        *why = "\nThe above exception was the direct cause of the following exception:\n\n";
        return cause;
    }
    *why = "\nDuring handling of the above exception, another exception occurred:\n\n";
    return exc->suppress_context ? NULL : exc_of(exc->context);
}

static Status put_exception(Vm *vm, ExcInstance *exc, Buf *out) {
    if (exc->traceback.kind == K_TRACEBACK && ((Traceback *)exc->traceback.obj)->len)
        put_entries(out, (Traceback *)exc->traceback.obj);
    return put_message(vm, exc, out);
}

Status traceback_format(Vm *vm, Value error, Buf *out) {
    ExcInstance *chain[CHAIN_LIMIT];
    const char *whys[CHAIN_LIMIT];
    int count = 0;
    for (ExcInstance *exc = exc_of(error); exc && count < CHAIN_LIMIT;
         exc = before(exc, &whys[count - 1]))
        chain[count++] = exc;
    for (int i = count - 1; i >= 0; i--) {
        Status st = put_exception(vm, chain[i], out);
        if (st != ST_OK) return st;
        if (i > 0) buf_puts(out, whys[i - 1]);
    }
    return out->failed ? vm_no_memory(vm) : ST_OK;
}

// --- Where the script is -------------------------------------------------------------------------

// Returns the innermost frame, from `frame` outwards, whose code has source text, or NULL. Modules of the library have
// none, so their work counts for the line of the script that called them.
static const Frame *script_frame(const Frame *frame) {
    while (frame && !frame->code->unit->source) frame = frame->prev;
    return frame;
}

void interp_where(Vm *vm, int level, CodePlace *out) {
    const Frame *frame = vm->interp ? vm->interp->frame : NULL, *inner;
    while (frame && frame->code->unit->plumbing) frame = frame->prev;
    inner = frame;
    frame = script_frame(frame);
    for (const Frame *outer = frame; level > 0 && outer; level--) {
        outer = script_frame(outer->prev);
        if (outer) frame = outer;
    }
    if (!frame) frame = inner;
    *out = (CodePlace){.code = NULL};
    if (frame) *out = (CodePlace){.code = &frame->code->gc.obj, .pc = frame_pc(frame)};
}

bool interp_guarded(Vm *vm) {
    for (const Frame *frame = vm->interp ? vm->interp->frame : NULL; frame; frame = frame->prev)
        if (find_handler(frame)) return true;
    return false;
}

void interp_trace(Vm *vm, CodePlace place) {
    ExcInstance *exc = exc_of(vm->error);
    CodePlace now;
    interp_where(vm, 0, &now);
    TracebackEntry there = {.code = (Code *)place.code, .pc = place.pc};
    TracebackEntry here = {.code = (Code *)now.code, .pc = now.pc};
    if (!exc || !there.code || exc->traceback.kind != K_UNDEF) return;
    if (here.code == there.code && traceback_span(&here).line == traceback_span(&there).line) return;
    exc_chain(vm, vm->error);
    traceback_add(vm, exc, there.code, there.pc);
}

void interp_locate(Vm *vm, CodePlace place, SourceLine *out) {
    TracebackEntry here = {.code = (Code *)place.code, .pc = place.pc};
    const Unit *unit = here.code->unit;
    size_t indent;
    (void)vm;
    out->file = unit->bc->filename;
    out->line = traceback_span(&here).line;
    const char *line = unit_line(unit, out->line, &indent, &out->len);
    if (!line) return;
    out->text = line + indent;
    out->len -= indent;
}
