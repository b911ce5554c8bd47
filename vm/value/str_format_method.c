// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// str.format and str.format_map.

#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str_fields.h"
#include "vm/value/str_impl.h"

enum { NESTING = 2 }; // a template, and templates inside its specifications

typedef struct Formatter {
    Vm *vm;
    const Tuple *args; // NULL for format_map
    Value mapping;     // where names are looked up
    enum { NUMBERING_OPEN, NUMBERING_AUTO, NUMBERING_MANUAL } numbering;
    int64_t next_auto;
} Formatter;

// --- Finding the value of a field --------------------------------------------------------------

static Status number_field(Formatter *f, bool automatic, int64_t *index) {
    if (f->numbering == NUMBERING_OPEN)
        f->numbering = automatic ? NUMBERING_AUTO : NUMBERING_MANUAL;
    if (automatic && f->numbering == NUMBERING_MANUAL)
        return vm_raise(f->vm, EXC_ValueError, "cannot switch from manual field specification to "
                                               "automatic field numbering");
    if (!automatic && f->numbering == NUMBERING_AUTO)
        return vm_raise(f->vm, EXC_ValueError, "cannot switch from automatic field numbering to "
                                               "manual field specification");
    if (automatic) *index = f->next_auto++;
    return ST_OK;
}

// Leaves values that only a call can give (a property, a __missing__) to the slow path.
static Status without_tail(Vm *vm, Status st) {
    if (st != ST_TAIL) return st;
    vm_clear_tail(vm);
    return ST_DEFER;
}

static Status item_by_text(Vm *vm, Value v, Span key, Value *out) {
    Str *text = str_new(vm, key.from, (size_t)(key.to - key.from));
    if (!text) return vm_no_memory(vm);
    Status st = without_tail(vm, op_getitem(vm, v, v_obj(text), out));
    release_obj(vm, text);
    return st;
}

static Status field_root(Formatter *f, Span first, int64_t index, Value *out) {
    bool automatic = first.from == first.to;
    if (!automatic && index < 0) return item_by_text(f->vm, f->mapping, first, out);
    Status st = number_field(f, automatic, &index);
    if (st != ST_OK) return st;
    if (!f->args)
        return vm_raise(f->vm, EXC_ValueError, "Format string contains positional fields");
    if (index >= (int64_t)f->args->len)
        return vm_raise(f->vm, EXC_IndexError,
                        "Replacement index %lld out of range for positional args tuple",
                        (long long)index);
    *out = retain(f->args->items[index]);
    return ST_OK;
}

static Status attribute(Vm *vm, Value v, Span name, Value *out) {
    Str *text = str_intern(vm, name.from, (size_t)(name.to - name.from));
    if (!text) return vm_no_memory(vm);
    Status st = without_tail(vm, op_getattr(vm, v, text, out));
    release_obj(vm, text);
    return st;
}

static Status take_step(Vm *vm, const FormatStep *step, Value *v) {
    Value next;
    Status st = step->attribute    ? attribute(vm, *v, step->name, &next)
                : step->index >= 0 ? without_tail(vm, op_getitem(vm, *v, v_int(step->index), &next))
                                   : item_by_text(vm, *v, step->name, &next);
    if (st == ST_OK) replace(vm, v, next);
    return st;
}

static Status field_value(Formatter *f, Span name, Value *out) {
    Span first;
    int64_t index;
    Status st = format_first_name(f->vm, &name, &first, &index);
    Value v = V_UNDEF;
    if (st == ST_OK) st = field_root(f, first, index, &v);
    FormatStep step;
    while (st == ST_OK && (st = format_next_step(f->vm, &name, &step)) == ST_OK)
        st = take_step(f->vm, &step, &v);
    if (st != ST_STOP) {
        release(f->vm, v);
        return st;
    }
    *out = v;
    return ST_OK;
}

// --- Writing it --------------------------------------------------------------------------------

static Status format_convert(Vm *vm, uint32_t conversion, Value v, Value *out) {
    Buf buf;
    switch (conversion) {
    case 's': return op_str_value(vm, v, out);
    case 'r': return op_repr_value(vm, v, out);
    case 'a': break;
    default:
        if (conversion > 32 && conversion < 127)
            return vm_raise(vm, EXC_ValueError, "Unknown conversion specifier %c",
                            (char)conversion);
        return vm_raise(vm, EXC_ValueError, "Unknown conversion specifier \\x%x", conversion);
    }
    Value text;
    Status st = op_repr_value(vm, v, &text);
    if (st != ST_OK) return st;
    buf_init(&buf, &vm->mem);
    str_escape_ascii(text.str->data, text.str->len, &buf);
    release(vm, text);
    return str_buf_out(vm, &buf, out);
}

static Status write_template(Formatter *f, Span format, int nesting, Buf *out);

static Status field_spec(Formatter *f, const FormatPiece *piece, int nesting, Str **out) {
    Vm *vm = f->vm;
    Span spec = piece->spec;
    if (!piece->has_fields) {
        *out = str_new(vm, spec.from ? spec.from : "", (size_t)(spec.to - spec.from));
        return vm_check(vm, *out);
    }
    Buf buf;
    buf_init(&buf, &vm->mem);
    Status st = write_template(f, spec, nesting - 1, &buf);
    if (st != ST_OK) {
        buf_free(&buf);
        return st;
    }
    *out = str_from_buf(vm, &buf);
    return vm_check(vm, *out);
}

static Status write_field(Formatter *f, const FormatPiece *piece, int nesting, Buf *out) {
    Value v, converted;
    Str *spec = NULL;
    Status st = field_value(f, piece->name, &v);
    if (st != ST_OK) return st;
    if (piece->conversion) {
        st = format_convert(f->vm, piece->conversion, v, &converted);
        if (st == ST_OK) replace(f->vm, &v, converted);
    }
    if (st == ST_OK) st = field_spec(f, piece, nesting, &spec);
    if (st == ST_OK) st = op_format(f->vm, v, spec, out);
    release_obj(f->vm, spec);
    release(f->vm, v);
    return st;
}

static Status write_template(Formatter *f, Span format, int nesting, Buf *out) {
    if (nesting <= 0) return vm_raise(f->vm, EXC_ValueError, "Max string recursion exceeded");
    FormatPiece piece;
    Status st;
    while ((st = format_next_piece(f->vm, &format, &piece)) == ST_OK) {
        buf_put(out, piece.literal.from, (size_t)(piece.literal.to - piece.literal.from));
        if (piece.has_field) st = write_field(f, &piece, nesting, out);
        if (st != ST_OK) return st;
    }
    return st == ST_STOP ? ST_OK : st;
}

static Status format_with(Formatter *f, const Str *format, Value *out) {
    Buf buf;
    buf_init(&buf, &f->vm->mem);
    Status st = write_template(f, (Span){format->data, str_end(format)}, NESTING, &buf);
    if (st == ST_OK) return str_buf_out(f->vm, &buf, out);
    buf_free(&buf);
    return st;
}

Status str_m_format(Vm *vm, const Value *args, Value *out) {
    Formatter f = {.vm = vm, .args = args[1].tuple, .mapping = args[2]};
    return format_with(&f, self_str(args), out);
}

Status str_m_format_map(Vm *vm, const Value *args, Value *out) {
    Formatter f = {.vm = vm, .mapping = args[1]};
    return format_with(&f, self_str(args), out);
}
