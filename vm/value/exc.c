// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Exception objects: arguments, chaining, text, and the fields particular classes have.

#include <errno.h>
#include <string.h>

#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/func.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/shape.h"
#include "vm/value/str.h"

static bool has_field(const Tuple *fields, size_t i) {
    return fields->len > i && fields->items[i].kind != K_NONE;
}

// Returns whether the arguments are those of OSError: (errno, strerror, filename, None, filename2), at least two.
static bool has_os_fields(const Vm *vm, const ExcInstance *exc) {
    size_t len = exc->args.tuple->len;
    return len >= 2 && len <= 5 && class_is_subclass(exc->inst.cls, vm->exceptions[EXC_OSError]);
}

// Stores the fields of OSError in `value`. With a filename, args keeps the first two items only, as in CPython.
static Status set_os_fields(Vm *vm, ExcInstance *exc) {
    Value all = exc->args, two;
    if (tuple_of(vm, all.tuple->items, 2, &two) != ST_OK) return ST_ERROR;
    if (has_field(all.tuple, 2)) {
        exc->args = two;
        replace(vm, &exc->value, all);
    } else {
        replace(vm, &exc->value, two);
    }
    return ST_OK;
}

// Returns whether the arguments are AxisError(axis, ndim, name). A single argument is the message.
static bool has_axis(const Vm *vm, const ExcInstance *exc) {
    return exc->args.tuple->len > 1 && has_field(exc->args.tuple, 1) &&
           class_is_subclass(exc->inst.cls, vm->exceptions[EXC_AxisError]);
}

// Returns whether the class is one of the Unicode errors, whose arguments are (encoding, object, start, end, reason).
static bool is_unicode_error(const Vm *vm, const Class *cls) {
    return class_is_subclass(cls, vm->exceptions[EXC_UnicodeDecodeError]) ||
           class_is_subclass(cls, vm->exceptions[EXC_UnicodeEncodeError]);
}

// Sets the arguments, and in `value` what the class derives from them: StopIteration.value, SystemExit.code, fields of
// OSError, AxisError and Unicode errors. exc_about sets `value` of other classes.
Status exc_set_args(Vm *vm, ExcInstance *exc, Value args) {
    const Tuple *items = args.tuple;
    Value value = V_UNDEF;
    replace(vm, &exc->args, retain(args));
    if (exc->inst.cls->exc == EXC_StopIteration) value = items->len > 0 ? items->items[0] : V_NONE;
    else if (exc->inst.cls->exc == EXC_SystemExit)
        value = items->len > 1 ? args : items->len == 1 ? items->items[0] : V_NONE;
    else if (has_axis(vm, exc) || (items->len == 5 && is_unicode_error(vm, exc->inst.cls)))
        value = args;
    replace(vm, &exc->value, retain(value));
    return has_os_fields(vm, exc) ? set_os_fields(vm, exc) : ST_OK;
}

Status exc_new(Vm *vm, Class *cls, Value args, Value *out) {
    Value exc;
    if (instance_new(vm, cls, &exc) != ST_OK) return ST_ERROR;
    if (exc_set_args(vm, (ExcInstance *)exc.inst, args) != ST_OK) {
        release(vm, exc);
        return ST_ERROR;
    }
    *out = exc;
    return ST_OK;
}

Status exc_about(Vm *vm, Str *name, Value about) {
    const Value items[2] = {v_obj(name), about.kind == K_UNDEF ? V_NONE : about};
    ExcInstance *exc = exc_of(vm->error);
    Value pair;
    if (exc == exc_of(vm->no_memory)) return ST_ERROR;
    if (tuple_of(vm, items, 2, &pair) == ST_OK) replace(vm, &exc->value, pair);
    return ST_ERROR;
}

// --- Text --------------------------------------------------------------------------------------

static Status os_str(Vm *vm, Tuple *fields, Buf *out) {
    Status st;
    buf_puts(out, "[Errno ");
    if ((st = op_str(vm, fields->items[0], out)) != ST_OK) return st;
    buf_puts(out, "] ");
    if ((st = op_str(vm, fields->items[1], out)) != ST_OK || !has_field(fields, 2)) return st;
    buf_puts(out, ": ");
    if ((st = op_repr(vm, fields->items[2], out)) != ST_OK || !has_field(fields, 4)) return st;
    buf_puts(out, " -> ");
    return op_repr(vm, fields->items[4], out);
}

static Status axis_str(Vm *vm, Tuple *fields, Buf *out) {
    Status st;
    if (has_field(fields, 2)) {
        if ((st = op_str(vm, fields->items[2], out)) != ST_OK) return st;
        buf_puts(out, ": ");
    }
    buf_puts(out, "axis ");
    if ((st = op_str(vm, fields->items[0], out)) != ST_OK) return st;
    buf_puts(out, " is out of bounds for array of dimension ");
    return op_str(vm, fields->items[1], out);
}

// Writes what cannot be converted, as it stands between "can't encode " and " in position".
static void unicode_culprit(Value object, size_t start, size_t end, Buf *out) {
    const Str *text = object.kind == K_STR ? object.str : NULL;
    const Bytes *bytes = object.kind == K_BYTES ? object.bytes : NULL;
    bool one = end == start + 1 && start < (text ? text->chars : bytes ? bytes->len : 0);
    if (!one) {
        buf_puts(out, text ? "characters" : "bytes");
    } else if (bytes) {
        buf_printf(out, "byte 0x%02x", (unsigned char)bytes->data[start]);
    } else {
        int width;
        const char *at = text->data + str_offset(text, start);
        uint32_t cp = str_decode(at, text->data + text->len, &width);
        buf_puts(out, "character ");
        if (cp < 0x100) buf_printf(out, "'\\x%02x'", cp);
        else if (cp < 0x10000) buf_printf(out, "'\\u%04x'", cp);
        else buf_printf(out, "'\\U%08x'", cp);
    }
    buf_puts(out, " in position ");
    if (one) buf_printf(out, "%zu", start);
    else buf_printf(out, "%zu-%zu", start, end ? end - 1 : 0);
}

static Status unicode_str(Vm *vm, const Class *cls, const Tuple *fields, Buf *out) {
    int64_t start, end;
    Status st;
    bool decoding = class_is_subclass(cls, vm->exceptions[EXC_UnicodeDecodeError]);
    if ((st = op_index(vm, fields->items[2], &start)) != ST_OK) return st;
    if ((st = op_index(vm, fields->items[3], &end)) != ST_OK) return st;
    buf_putc(out, '\'');
    if ((st = op_str(vm, fields->items[0], out)) != ST_OK) return st;
    buf_puts(out, decoding ? "' codec can't decode " : "' codec can't encode ");
    unicode_culprit(unwrap(fields->items[1]), (size_t)start, (size_t)end, out);
    buf_puts(out, ": ");
    return op_str(vm, fields->items[4], out);
}

static Status plain_str(Vm *vm, ExcInstance *exc, Buf *out) {
    Tuple *args = exc->args.tuple;
    if (args->len == 0) return ST_OK;
    return args->len > 1 ? op_repr(vm, exc->args, out) : op_str(vm, args->items[0], out);
}

Status exc_str(Vm *vm, ExcInstance *exc, Buf *out) {
    Tuple *args = exc->args.tuple;
    const Class *cls = exc->inst.cls;
    if (exc->value.kind == K_TUPLE && class_is_subclass(cls, vm->exceptions[EXC_OSError]))
        return os_str(vm, exc->value.tuple, out);
    if (exc->value.kind == K_TUPLE && class_is_subclass(cls, vm->exceptions[EXC_AxisError]))
        return axis_str(vm, exc->value.tuple, out);
    if (exc->value.kind == K_TUPLE && is_unicode_error(vm, cls))
        return unicode_str(vm, cls, exc->value.tuple, out);
    if (args->len == 0 && class_is_subclass(cls, vm->exceptions[EXC_SyntaxError]))
        buf_puts(out, "None");
    if (args->len == 1 && class_is_subclass(cls, vm->exceptions[EXC_KeyError]))
        return op_repr(vm, args->items[0], out);
    return plain_str(vm, exc, out);
}

Status exc_repr(Vm *vm, ExcInstance *exc, Buf *out) {
    Tuple *args = exc->args.tuple;
    buf_puts(out, exc->inst.cls->name->data);
    if (args->len != 1) return op_repr(vm, exc->args, out);
    buf_putc(out, '(');
    Status st = op_repr(vm, args->items[0], out);
    buf_putc(out, ')');
    return st;
}

// --- Attributes --------------------------------------------------------------------------------

// Returns the index in `value` of an attribute of the exception's class; -1: there is no such attribute.
static int field_of(Vm *vm, const ExcInstance *exc, const Str *name) {
    static const struct {
        NameId name;
        int exc, field;
    } rows[] = {
        {NAME_errno_, EXC_OSError, 0}, {NAME_strerror_, EXC_OSError, 1},
        {NAME_filename, EXC_OSError, 2}, {NAME_filename2, EXC_OSError, 4},
        {NAME_name_plain, EXC_AttributeError, 0}, {NAME_obj_plain, EXC_AttributeError, 1},
        {NAME_name_plain, EXC_NameError, 0}, {NAME_name_plain, EXC_ImportError, 0},
        {NAME_path, EXC_ImportError, 1}, {NAME_axis, EXC_AxisError, 0},
        {NAME_ndim, EXC_AxisError, 1},
        {NAME_encoding, EXC_UnicodeDecodeError, 0}, {NAME_object_plain, EXC_UnicodeDecodeError, 1},
        {NAME_start_plain, EXC_UnicodeDecodeError, 2}, {NAME_end_plain, EXC_UnicodeDecodeError, 3},
        {NAME_reason, EXC_UnicodeDecodeError, 4},
        {NAME_encoding, EXC_UnicodeEncodeError, 0}, {NAME_object_plain, EXC_UnicodeEncodeError, 1},
        {NAME_start_plain, EXC_UnicodeEncodeError, 2}, {NAME_end_plain, EXC_UnicodeEncodeError, 3},
        {NAME_reason, EXC_UnicodeEncodeError, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (name == vm_name(vm, rows[i].name) &&
            class_is_subclass(exc->inst.cls, vm->exceptions[rows[i].exc]))
            return rows[i].field;
    return -1;
}

static Status no_keyword(Vm *vm, const Class *cls, const Str *name) {
    static const ExcKind with[] = {EXC_AttributeError, EXC_NameError, EXC_ImportError};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (class_is_subclass(cls, vm->exceptions[with[i]]))
            return vm_raise(vm, EXC_TypeError, "'%s' is an invalid keyword argument for %s()",
                            name->data, vm->exceptions[with[i]]->name->data);
    return vm_raise(vm, EXC_TypeError, "%s() takes no keyword arguments", cls->name->data);
}

Status exc_keyword(Vm *vm, ExcInstance *exc, Str *name, Value value) {
    int field = field_of(vm, exc, name);
    if (field < 0 || class_is_subclass(exc->inst.cls, vm->exceptions[EXC_OSError]))
        return no_keyword(vm, exc->inst.cls, name);
    Value items[2] = {V_NONE, V_NONE}, pair;
    if (exc->value.kind == K_TUPLE) memcpy(items, exc->value.tuple->items, sizeof items);
    items[field] = value;
    Status st = tuple_of(vm, items, 2, &pair);
    if (st == ST_OK) replace(vm, &exc->value, pair);
    return st;
}

// Returns whether the attribute is ImportError.msg, which is its only argument.
static bool is_message(Vm *vm, const ExcInstance *exc, const Str *name) {
    return name == vm_name(vm, NAME_msg) &&
           class_is_subclass(exc->inst.cls, vm->exceptions[EXC_ImportError]);
}

static Value or_none(Value v) {
    return v.kind == K_UNDEF ? V_NONE : retain(v);
}

Status exc_getattr(Vm *vm, ExcInstance *exc, Str *name, Value *out) {
    if (name == vm_name(vm, NAME_args)) *out = retain(exc->args);
    else if (name == vm_name(vm, NAME_cause)) *out = or_none(exc->cause);
    else if (name == vm_name(vm, NAME_context)) *out = or_none(exc->context);
    else if (name == vm_name(vm, NAME_traceback)) *out = or_none(exc->traceback);
    else if (name == vm_name(vm, NAME_suppress_context)) *out = v_bool(exc->suppress_context);
    else if (name == vm_name(vm, NAME_value) && exc->inst.cls->exc == EXC_StopIteration)
        *out = or_none(exc->value);
    else if (name == vm_name(vm, NAME_code) && exc->inst.cls->exc == EXC_SystemExit)
        *out = or_none(exc->value);
    else if (is_message(vm, exc, name))
        *out = exc->args.tuple->len == 1 ? retain(exc->args.tuple->items[0]) : V_NONE;
    else {
        int field = field_of(vm, exc, name);
        if (field < 0) return ST_STOP;
        Tuple *fields = exc->value.kind == K_TUPLE ? exc->value.tuple : NULL;
        *out = fields && (size_t)field < fields->len ? retain(fields->items[field]) : V_NONE;
    }
    return ST_OK;
}

static Status chain_check(Vm *vm, const char *what, Value value) {
    if (value.kind == K_NONE || exc_of(value)) return ST_OK;
    return vm_raise(vm, EXC_TypeError, "exception %s must be None or derive from BaseException",
                    what);
}

Status exc_setattr(Vm *vm, ExcInstance *exc, Str *name, Value value) {
    Value *field = NULL;
    const char *what = "cause";
    if (name == vm_name(vm, NAME_cause)) field = &exc->cause;
    else if (name == vm_name(vm, NAME_context)) field = &exc->context, what = "context";
    else if (name == vm_name(vm, NAME_args)) {
        Value tuple = V_UNDEF, list = V_UNDEF;
        Status st = op_to_list(vm, value, &list);
        if (st == ST_OK) st = list_to_tuple(vm, list.list, &tuple);
        release(vm, list);
        if (st == ST_OK) replace(vm, &exc->args, tuple);
        return st;
    } else if (name == vm_name(vm, NAME_suppress_context)) {
        return op_truth(vm, value, &exc->suppress_context);
    } else if (name == vm_name(vm, NAME_traceback)) {
        if (value.kind != K_NONE && value.kind != K_TRACEBACK)
            return vm_raise(vm, EXC_TypeError, "__traceback__ must be a traceback or None");
        replace(vm, &exc->traceback, value.kind == K_NONE ? V_UNDEF : retain(value));
        return ST_OK;
    } else return ST_STOP;
    if (chain_check(vm, what, value) != ST_OK) return ST_ERROR;
    replace(vm, field, value.kind == K_NONE ? V_UNDEF : retain(value));
    if (field == &exc->cause) exc->suppress_context = true;
    return ST_OK;
}

// --- Methods -----------------------------------------------------------------------------------

static Status self_exc(Vm *vm, Value self, ExcInstance **exc) {
    *exc = exc_of(self);
    if (*exc) return ST_OK;
    return vm_raise(vm, EXC_TypeError, "descriptor requires a 'BaseException' object but received "
                    "a '%s'", type_name(vm, self));
}

static Status method_init(Vm *vm, const Value *args, Value *out) {
    ExcInstance *exc;
    if (self_exc(vm, args[0], &exc) != ST_OK) return ST_ERROR;
    Status st = exc_set_args(vm, exc, args[1]);
    uint32_t pos = 0;
    Value name, value;
    while (st == ST_OK && dict_next(args[2].dict, &pos, &name, &value))
        st = exc_keyword(vm, exc, name.str, value);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status method_text(Vm *vm, Value self, Status (*write)(Vm *, ExcInstance *, Buf *),
                          Value *out) {
    ExcInstance *exc;
    if (self_exc(vm, self, &exc) != ST_OK) return ST_ERROR;
    Buf buf;
    buf_init(&buf, &vm->mem);
    Status st = write(vm, exc, &buf);
    if (st == ST_OK) return str_buf_out(vm, &buf, out);
    buf_free(&buf);
    return st;
}

static Status method_str(Vm *vm, const Value *args, Value *out) {
    return method_text(vm, args[0], plain_str, out);
}

static Status method_own_str(Vm *vm, const Value *args, Value *out) {
    return method_text(vm, args[0], exc_str, out);
}

static Status method_repr(Vm *vm, const Value *args, Value *out) {
    return method_text(vm, args[0], exc_repr, out);
}

static Status method_with_traceback(Vm *vm, const Value *args, Value *out) {
    ExcInstance *exc;
    if (self_exc(vm, args[0], &exc) != ST_OK) return ST_ERROR;
    if (exc_setattr(vm, exc, vm_name(vm, NAME_traceback), args[1]) != ST_OK) return ST_ERROR;
    *out = retain(args[0]);
    return ST_OK;
}

Status exc_note(Vm *vm, ExcInstance *exc, Value note) {
    Str *name = vm_name(vm, NAME_notes);
    Value notes;
    if (instance_get(vm, &exc->inst, name, &notes) != ST_OK) {
        List *list = list_new(vm, 1);
        if (!list) return vm_no_memory(vm);
        notes = v_obj(list);
        if (instance_set(vm, &exc->inst, name, notes) != ST_OK) {
            release(vm, notes);
            return ST_ERROR;
        }
    }
    Status st = notes.kind == K_LIST
                    ? list_append(vm, notes.list, retain(note))
                    : vm_raise(vm, EXC_TypeError, "Cannot add note: __notes__ is not a list");
    release(vm, notes);
    return st;
}

static Status method_add_note(Vm *vm, const Value *args, Value *out) {
    ExcInstance *exc;
    if (self_exc(vm, args[0], &exc) != ST_OK) return ST_ERROR;
    if (args[1].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "note must be a str, not '%s'", type_name(vm, args[1]));
    Status st = exc_note(vm, exc, args[1]);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

const NativeDef exc_methods[] = {
    {"__init__", "self, /, *args, **kwargs", method_init, NULL, PURE},
    {"__str__", "self, /", method_str, "exc_plain_str_slow", PURE},
    {"__repr__", "self, /", method_repr, "exc_repr_slow", PURE},
    {"with_traceback", "self, tb, /", method_with_traceback, NULL, PURE},
    {"add_note", "self, note, /", method_add_note, NULL, PURE},
    {0},
};

const NativeDef exc_own_text[] = {
    {"__str__", "self, /", method_own_str, "exc_str_slow", PURE},
    {0},
};
