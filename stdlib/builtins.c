// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The built-in functions that are written in C. The files _prelude*.ncr have those that are written
// in the language itself, and the slow paths of these.

#include "stdlib/file.h"
#include "stdlib/names.h"
#include "stdlib/stdlib.h"
#include "vm/interp/interp.h"
#include "vm/sched/engine.h"
#include "vm/value/bytes.h"
#include "vm/value/class.h"
#include "vm/value/deque.h"
#include "vm/value/dict.h"
#include "vm/value/effects.h"
#include "vm/value/func.h"
#include "vm/value/identity.h"
#include "vm/value/num.h"
#include "vm/value/num_methods.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/seq_natives.h"
#include "vm/value/stepper.h"
#include "vm/value/str.h"

// --- Numbers ---------------------------------------------------------------------------------------

static Status fn_abs(Vm *vm, const Value *args, Value *out) {
    if (args->kind == K_INT && args->i != INT64_MIN) {
        *out = v_int(args->i < 0 ? -args->i : args->i);
        return ST_OK;
    }
    return op_unary(vm, UN_ABS, args[0], out);
}

static Status fn_divmod(Vm *vm, const Value *args, Value *out) {
    return op_binary(vm, BIN_DIVMOD, false, args[0], args[1], out);
}

// Raises the error of pow(a, b, c) with an argument that is not an int. The first float or complex
// number among them decides which error.
static Status pow_mod_error(Vm *vm, const Value *args) {
    for (int i = 0; i < 3; i++) {
        if (args[i].kind == K_FLOAT)
            return vm_raise(vm, EXC_TypeError, "pow() 3rd argument not allowed unless all arguments "
                            "are integers");
        if (args[i].kind == K_COMPLEX && is_number(args[0]) && is_number(args[1]))
            return vm_raise(vm, EXC_ValueError, "complex modulo");
    }
    return vm_raise(vm, EXC_TypeError, "unsupported operand type(s) for ** or pow(): '%s', '%s', "
                    "'%s'", type_name(vm, args[0]), type_name(vm, args[1]),
                    type_name(vm, args[2]));
}

static Status fn_pow(Vm *vm, const Value *args, Value *out) {
    if (args[2].kind == K_NONE) return op_binary(vm, BIN_POW, false, args[0], args[1], out);
    // With a modulus, only the class of the base may override __pow__.
    if (op_user_method(vm, args[0], (NameId)(NAME_BIN_ADD + 3 * BIN_POW))) return ST_DEFER;
    Value base = unwrap(args[0]), exponent = unwrap(args[1]), modulus = unwrap(args[2]);
    if (!is_int(base) || !is_int(exponent) || !is_int(modulus)) return pow_mod_error(vm, args);
    return int_pow_mod(vm, base, exponent, modulus, out);
}

// Rounds an int to a multiple of 10**-digits, ties to even: rounds down, and adds one step if the
// remainder is more than half of it, or is half of it and the quotient is odd.
static Status round_int(Vm *vm, Value n, int64_t digits, Value *out) {
    if (digits >= 0) {
        *out = retain(n);
        return ST_OK;
    }
    Value ten = v_int(10), power = V_UNDEF, pair = V_UNDEF, twice = V_UNDEF, up = V_UNDEF;
    Status st = op_binary(vm, BIN_POW, false, ten, v_int(-digits), &power);
    if (st == ST_OK) st = op_binary(vm, BIN_DIVMOD, false, n, power, &pair);
    if (st == ST_OK) st = op_binary(vm, BIN_MUL, false, pair.tuple->items[1], v_int(2), &twice);
    Value quotient = st == ST_OK ? retain(pair.tuple->items[0]) : V_UNDEF, odd = V_UNDEF;
    if (st == ST_OK) st = op_binary(vm, BIN_AND, false, quotient, v_int(1), &odd);
    Value more = V_UNDEF, equal = V_UNDEF;
    if (st == ST_OK) st = op_compare(vm, CMP_GT, twice, power, &more);
    if (st == ST_OK) st = op_compare(vm, CMP_EQ, twice, power, &equal);
    if (st == ST_OK && (more.i || (equal.i && odd.i))) {
        st = op_binary(vm, BIN_ADD, false, quotient, v_int(1), &up);
        if (st == ST_OK) replace(vm, &quotient, up);
    }
    if (st == ST_OK) st = op_binary(vm, BIN_MUL, false, quotient, power, out);
    release(vm, quotient);
    release(vm, odd);
    release(vm, twice);
    release(vm, pair);
    release(vm, power);
    return st;
}

static Status fn_round(Vm *vm, const Value *args, Value *out) {
    Value method, n = unwrap(args[0]);
    if (args[0].kind == K_INSTANCE && op_special(vm, args[0], NAME_round_, &method) == ST_OK)
        return vm_tail(vm, method, args, args[1].kind == K_NONE ? 1 : 2);
    int64_t digits = 0;
    bool given = args[1].kind != K_NONE;
    Status st = given ? op_index(vm, args[1], &digits) : ST_OK;
    if (st != ST_OK) return st;
    if (n.kind == K_FLOAT) return float_round(vm, n.f, given, digits, out);
    if (n.kind == K_BOOL) n = v_int(n.i);
    if (is_int(n)) return round_int(vm, n, digits, out);
    if (is_numpy_scalar(n) || n.kind == K_ARRAY) {
        Str *name = str_intern(vm, "__round__", 9);
        if (!name) return vm_no_memory(vm);
        Value bound;
        st = op_getattr(vm, n, name, &bound);
        release_obj(vm, name);
        if (st != ST_OK) return st;
        st = vm_tail(vm, bound, args + 1, given ? 1 : 0);
        release(vm, bound);
        return st;
    }
    return vm_raise(vm, EXC_TypeError, "type %s doesn't define __round__ method",
                    type_name(vm, args[0]));
}

static Status in_base(Vm *vm, Value v, int base, const char *prefix, Value *out) {
    v = unwrap(v);
    if (v.kind == K_INSTANCE) return ST_DEFER;
    if (!is_int(v)) {
        Value whole;
        Status st = num_to_index(vm, v, &whole);
        if (st == ST_NOTIMPL)
            return vm_raise(vm, EXC_TypeError, "'%s' object cannot be interpreted as an integer", type_name(vm, v));
        if (st != ST_OK) return st;
        st = in_base(vm, whole, base, prefix, out);
        release(vm, whole);
        return st;
    }
    Buf digits, text;
    buf_init(&digits, &vm->mem);
    buf_init(&text, &vm->mem);
    Status st = int_repr(vm, v, base, &digits);
    if (st == ST_OK && !digits.failed) {
        bool negative = digits.data[0] == '-';
        buf_printf(&text, "%s%s", negative ? "-" : "", prefix);
        buf_put(&text, digits.data + negative, digits.len - negative);
    }
    text.failed |= digits.failed;
    buf_free(&digits);
    if (st == ST_OK) return str_buf_out(vm, &text, out);
    buf_free(&text);
    return st;
}

static Status fn_bin(Vm *vm, const Value *args, Value *out) {
    return in_base(vm, args[0], 2, "0b", out);
}
static Status fn_oct(Vm *vm, const Value *args, Value *out) {
    return in_base(vm, args[0], 8, "0o", out);
}
static Status fn_hex(Vm *vm, const Value *args, Value *out) {
    return in_base(vm, args[0], 16, "0x", out);
}

static Status fn_chr(Vm *vm, const Value *args, Value *out) {
    int64_t code;
    Status st = op_index_or(vm, args[0], EXC_OverflowError, "Python int too large to convert to C int", &code);
    if (st != ST_OK) return st;
    if (code < INT32_MIN || code > INT32_MAX)
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C int");
    if (code < 0 || code > 0x10FFFF)
        return vm_raise(vm, EXC_ValueError, "chr() arg not in range(0x110000)");
    Buf buf;
    buf_init(&buf, &vm->mem);
    buf_utf8(&buf, (uint32_t)code);
    return str_buf_out(vm, &buf, out);
}

static Status fn_ord(Vm *vm, const Value *args, Value *out) {
    Value v = unwrap(args[0]);
    const Bytes *bytes = bytes_of(v);
    if (bytes && bytes->len == 1) {
        *out = v_int((unsigned char)bytes->data[0]);
        return ST_OK;
    }
    if (bytes)
        return vm_raise(vm, EXC_TypeError,
                        "ord() expected a character, but string of length %zu found", bytes->len);
    if (v.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "ord() expected string of length 1, but %s found",
                        type_name(vm, args[0]));
    if (v.str->chars != 1)
        return vm_raise(vm, EXC_TypeError,
                        "ord() expected a character, but string of length %u found", v.str->chars);
    int width;
    *out = v_int(str_decode(v.str->data, v.str->data + v.str->len, &width));
    return ST_OK;
}

// --- Objects ---------------------------------------------------------------------------------------

static Status fn_len(Vm *vm, const Value *args, Value *out) {
    int64_t len;
    Status st = op_len(vm, args[0], &len);
    if (st == ST_OK) *out = v_int(len);
    return st;
}

static Status fn_hash(Vm *vm, const Value *args, Value *out) {
    int64_t hash;
    Status st = op_hash(vm, args[0], &hash);
    if (st == ST_OK) *out = v_int(hash);
    return st;
}

static Status fn_id(Vm *vm, const Value *args, Value *out) {
    Value v = args[0];
    // An immediate value has no address: its bits and its kind make the id, which is unique in practice.
    uint64_t id = v.bits << 4 | v.kind;
    Status st = is_heap(v) ? identity_of(vm, v.obj, &id) : ST_OK;
    if (st == ST_OK) *out = v_int((int64_t)id);
    return st;
}

static Status fn_repr(Vm *vm, const Value *args, Value *out) {
    return op_repr_value(vm, args[0], out);
}

// repr(obj) with everything outside ASCII escaped.
static Status fn_ascii(Vm *vm, const Value *args, Value *out) {
    Value text;
    Status st = op_repr_value(vm, args[0], &text);
    if (st != ST_OK) return st;
    st = str_ascii(vm, text.str, out);
    release(vm, text);
    return st;
}

static Status fn_callable(Vm *vm, const Value *args, Value *out) {
    bool answer = false;
    Status st = op_is_callable(vm, args[0], &answer);
    if (st == ST_OK) *out = v_bool(answer);
    return st;
}

static Status fn_format(Vm *vm, const Value *args, Value *out) {
    if (args[1].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "format() argument 2 must be str, not %s",
                        argument_type_name(vm, args[1]));
    Buf buf;
    buf_init(&buf, &vm->mem);
    Status st = op_format(vm, args[0], args[1].str, &buf);
    if (st == ST_OK) return str_buf_out(vm, &buf, out);
    buf_free(&buf);
    return st;
}

static Status name_of(Vm *vm, Value v, Str **name) {
    v = unwrap(v);
    if (v.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "attribute name must be string, not '%s'",
                        type_name(vm, v));
    *name = str_intern_str(vm, v.str);
    return vm_check(vm, *name);
}

static Status fn_getattr(Vm *vm, const Value *args, Value *out) {
    Str *name = NULL;
    if (name_of(vm, args[1], &name) != ST_OK) return ST_ERROR;
    Status st = op_getattr(vm, args[0], name, out);
    release_obj(vm, name);
    if (args[2].kind == K_UNDEF) return st;
    if (st == ST_TAIL) { // a getter in the language may raise AttributeError: the slow path catches it
        vm_clear_tail(vm);
        return ST_DEFER;
    }
    if (st == ST_ERROR && vm_error_is(vm, EXC_AttributeError)) {
        vm_clear_error(vm);
        *out = retain(args[2]);
        return ST_OK;
    }
    return st;
}

static Status fn_hasattr(Vm *vm, const Value *args, Value *out) {
    const Value get[3] = {args[0], args[1], V_NONE};
    Str *name = NULL;
    Value v;
    if (name_of(vm, get[1], &name) != ST_OK) return ST_ERROR;
    Status st = op_getattr(vm, args[0], name, &v);
    release_obj(vm, name);
    if (st == ST_TAIL) {
        vm_clear_tail(vm);
        return ST_DEFER;
    }
    if (st == ST_ERROR && !vm_error_is(vm, EXC_AttributeError)) return st;
    if (st == ST_OK) release(vm, v);
    else vm_clear_error(vm);
    *out = v_bool(st == ST_OK);
    return ST_OK;
}

static Status fn_setattr(Vm *vm, const Value *args, Value *out) {
    Str *name = NULL;
    if (name_of(vm, args[1], &name) != ST_OK) return ST_ERROR;
    Status st = op_setattr(vm, args[0], name, args[2]);
    release_obj(vm, name);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status fn_delattr(Vm *vm, const Value *args, Value *out) {
    const Value set[3] = {args[0], args[1], V_UNDEF};
    return fn_setattr(vm, set, out);
}

// --- Classes ---------------------------------------------------------------------------------------

typedef bool (*ClassTest)(Vm *vm, Value v, const Class *cls);

static bool is_subclass(Vm *vm, Value v, const Class *cls) {
    (void)vm;
    return class_is_subclass(v.cls, cls);
}

// Sets *answer if v passes the test for `classes`, a class or a nested tuple of classes. `depth` guards
// against tuples that contain themselves. ST_DEFER: the program overrides the test.
static Status against(Vm *vm, Value v, Value classes, ClassTest test, const char *name, int depth,
                      bool *answer) {
    if (classes.kind == K_CLASS) {
        const Class *meta = classes.cls->meta;
        bool same = test == is_subclass ? v_is(v, classes) : class_of(vm, v) == classes.cls;
        NameId hook = test == is_subclass ? NAME_subclasscheck : NAME_instancecheck;
        if (meta && (!same || test == is_subclass) &&
            class_user_method(meta, vm_name(vm, hook)).kind != K_UNDEF)
            return ST_DEFER;
        *answer = test(vm, v, classes.cls);
        return ST_OK;
    }
    if (classes.kind == K_INSTANCE &&
        class_lookup(classes.inst->cls, vm_name(vm, NAME_instancecheck)).kind != K_UNDEF)
        return ST_DEFER;
    if (classes.kind != K_TUPLE || depth > 50)
        return vm_raise(vm, EXC_TypeError, "%s() arg 2 must be a %s, a tuple of %s, or a union",
                        name, name[2] == 'i' ? "type" : "class", name[2] == 'i' ? "types"
                                                                                : "classes");
    for (size_t i = 0; i < classes.tuple->len && !*answer; i++) {
        Status st = against(vm, v, classes.tuple->items[i], test, name, depth + 1, answer);
        if (st != ST_OK) return st;
    }
    return ST_OK;
}

static Status fn_isinstance(Vm *vm, const Value *args, Value *out) {
    bool answer = false;
    Status st = against(vm, args[0], args[1], op_isinstance, "isinstance", 0, &answer);
    if (st == ST_OK) *out = v_bool(answer);
    return st;
}

static Status fn_issubclass(Vm *vm, const Value *args, Value *out) {
    bool answer = false;
    bool none = args[1].kind == K_TUPLE && args[1].tuple->len == 0; // then any first argument will do
    if (args[0].kind != K_CLASS && !none)
        return vm_raise(vm, EXC_TypeError, "issubclass() arg 1 must be a class");
    Status st = against(vm, args[0], args[1], is_subclass, "issubclass", 0, &answer);
    if (st == ST_OK) *out = v_bool(answer);
    return st;
}

// --- Iteration -------------------------------------------------------------------------------------

static Status fn_next(Vm *vm, const Value *args, Value *out) {
    Value it = args[0], method;
    if (it.kind == K_GEN && args[1].kind == K_UNDEF) return gen_next_tail(vm, it.gen);
    if (it.kind == K_STEPPER && args[1].kind == K_UNDEF) return vm_tail(vm, it, NULL, 0);
    if (it.kind == K_GEN || it.kind == K_INSTANCE || it.kind == K_STEPPER) {
        if (args[1].kind != K_UNDEF) return ST_DEFER; // the slow path catches StopIteration
        if (op_special(vm, it, NAME_next, &method) == ST_OK) return vm_tail(vm, method, &it, 1);
    }
    if (!kind_slots[it.kind]->next)
        return vm_raise(vm, EXC_TypeError, "'%s' object is not an iterator", type_name(vm, it));
    Status st = op_next(vm, it, out);
    if (st != ST_STOP) return st;
    if (args[1].kind == K_UNDEF) return vm_raise_stop(vm, V_NONE);
    *out = retain(args[1]);
    return ST_OK;
}

static Status fn_any_all(Vm *vm, Value iterable, bool stop_at, Value *out) {
    Value list;
    bool truth = !stop_at;
    Status st = op_to_list(vm, iterable, &list);
    if (st != ST_OK) return st;
    for (size_t i = 0; st == ST_OK && truth != stop_at && i < list.list->len; i++)
        st = op_truth(vm, list.list->items[i], &truth);
    release(vm, list);
    if (st == ST_OK) *out = v_bool(truth);
    return st;
}

static Status fn_any(Vm *vm, const Value *args, Value *out) {
    return fn_any_all(vm, args[0], true, out);
}
static Status fn_all(Vm *vm, const Value *args, Value *out) {
    return fn_any_all(vm, args[0], false, out);
}

static Status add_item(Vm *vm, Value *total, Value item) {
    Value next;
    if (total->kind == K_FLOAT && item.kind == K_FLOAT) {
        total->f += item.f;
        return ST_OK;
    }
    if (total->kind == K_INT && item.kind == K_INT &&
        !__builtin_add_overflow(total->i, item.i, &next.i)) {
        total->i = next.i;
        return ST_OK;
    }
    if (item.kind == K_INSTANCE || total->kind == K_INSTANCE) return ST_DEFER;
    Status st = op_binary(vm, BIN_ADD, false, *total, item, &next);
    if (st == ST_OK) replace(vm, total, next);
    return st;
}

// Adds from left to right without compensation, as CPython before 3.12.
static Status fn_sum(Vm *vm, const Value *args, Value *out) {
    Value items = args[0], total = args[1];
    if (total.kind == K_STR)
        return vm_raise(vm, EXC_TypeError, "sum() can't sum strings [use ''.join(seq) instead]");
    if (total.kind == K_BYTES)
        return vm_raise(vm, EXC_TypeError, "sum() can't sum bytes [use b''.join(seq) instead]");
    Status st = ST_OK;
    // A list or deque needs no copy: adding built-in values cannot change it.
    if (items.kind == K_LIST || items.kind == K_DEQUE) retain(items);
    else st = op_to_list(vm, items, &items);
    if (st != ST_OK) return st;
    retain(total);
    const bool ends = items.kind == K_DEQUE;
    const Value *all = ends ? deque_items(deque_of(items)) : items.list->items;
    const size_t len = ends ? deque_of(items)->len : items.list->len;
    for (size_t i = 0; st == ST_OK && i < len; i++) st = add_item(vm, &total, all[i]);
    release(vm, items);
    if (st == ST_OK) *out = total;
    else release(vm, total);
    return st;
}

static Status wins(Vm *vm, Value item, Value best, bool largest, bool *answer) {
    Value out;
    if (!largest) return op_lt(vm, item, best, answer);
    Status st = op_compare(vm, CMP_GT, item, best, &out);
    if (st == ST_OK) st = op_truth(vm, out, answer);
    return st;
}

static Status extreme(Vm *vm, const Value *items, size_t len, bool largest, Value *out) {
    Value best = items[0];
    for (size_t i = 1; i < len; i++) {
        bool less;
        Status st = wins(vm, items[i], best, largest, &less);
        if (st != ST_OK) return st;
        if (less) best = items[i];
    }
    *out = retain(best);
    return ST_OK;
}

// min(iterable, *, key=None, default=?), min(a, b, …, key=None)
static Status min_max(Vm *vm, const Value *args, bool largest, Value *out) {
    Value key = args[0], fallback = args[1];
    Tuple *given = args[2].tuple;
    const char *name = largest ? "max" : "min";
    if (given->len == 0)
        return vm_raise(vm, EXC_TypeError, "%s expected at least 1 argument, got 0", name);
    if (given->len > 1 && fallback.kind != K_UNDEF)
        return vm_raise(vm, EXC_TypeError, "Cannot specify a default for %s() with multiple "
                        "positional arguments", name);
    if (key.kind != K_NONE) return ST_DEFER;
    if (given->len > 1) {
        Status st = ST_OK;
        for (size_t i = 0; i < given->len; i++)
            if (given->items[i].kind == K_INSTANCE) st = ST_DEFER;
        return st == ST_OK ? extreme(vm, given->items, given->len, largest, out) : st;
    }
    Value list;
    Status st = op_to_list(vm, given->items[0], &list);
    if (st != ST_OK) return st;
    if (list.list->len > 0) st = extreme(vm, list.list->items, list.list->len, largest, out);
    else if (fallback.kind != K_UNDEF) *out = retain(fallback);
    else st = vm_raise(vm, EXC_ValueError, "%s() arg is an empty sequence", name);
    release(vm, list);
    return st;
}

static Status fn_min(Vm *vm, const Value *args, Value *out) {
    return min_max(vm, args, false, out);
}
static Status fn_max(Vm *vm, const Value *args, Value *out) {
    return min_max(vm, args, true, out);
}

static Status fn_sorted(Vm *vm, const Value *args, Value *out) {
    int64_t reverse;
    Value list;
    if (args[1].kind != K_NONE) return ST_DEFER;
    Status st = op_to_list(vm, args[0], &list);
    if (st != ST_OK) return st;
    st = op_index(vm, args[2], &reverse);
    if (st == ST_OK) st = seq_sort(vm, list.list->items, NULL, list.list->len, reverse != 0);
    if (st == ST_OK) *out = list;
    else release(vm, list);
    return st;
}

// --- Output ----------------------------------------------------------------------------------------

static Status text_or_none(Vm *vm, Value v, const char *what, const char *fallback, Buf *out) {
    if (v.kind == K_NONE) buf_puts(out, fallback);
    else if (v.kind == K_STR) buf_put(out, v.str->data, v.str->len);
    else
        return vm_raise(vm, EXC_TypeError, "%s must be None or a string, not %s", what,
                        type_name(vm, v));
    return ST_OK;
}

// Checks that the text from `before` on can be encoded for output. If not, raises and removes it.
static Status check_added(Vm *vm, Buf *text, size_t before) {
    if (text->failed || text->len == before) return ST_OK;
    Status st = os_output(vm, text->data + before, text->len - before);
    if (st != ST_OK) text->len = before;
    return st;
}

static Status print_part(Vm *vm, const Buf *part, Buf *text) {
    size_t before = text->len;
    if (part->len) buf_put(text, part->data, part->len);
    return check_added(vm, text, before);
}

static Status print_item(Vm *vm, Value item, Buf *text) {
    size_t before = text->len;
    Status st = op_str(vm, item, text);
    return st == ST_OK ? check_added(vm, text, before) : st;
}

// Returns whether the script has replaced sys.stdout.
static bool is_redirected(const Vm *vm) {
    Value sys = dict_get_str(vm->modules, vm_name(vm, NAME_sys));
    return sys.kind == K_MODULE &&
           !file_is_standard(module_get(sys.module, vm_name(vm, NAME_stdout)), 1);
}

// The effect of print: print(text, at_once) writes a text, and flushes if at_once is true.
static Status print_text(Vm *vm, const Value *args, Value *out) {
    const Str *text = args[0].str;
    *out = V_NONE;
    if ((!text->len || vm->host.write(vm->host.ctx, 1, text->data, text->len)) &&
        (!args[1].i || vm->host.write(vm->host.ctx, 1, "", 0)))
        return ST_OK;
    return vm_raise(vm, EXC_BrokenPipeError, "[Errno 32] Broken pipe");
}
static const NativeDef print_row = {"print", "text, at_once, /", print_text, NULL, FILESYSTEM};

static Status print_made(Vm *vm, Buf *made, bool at_once, Value *out) {
    Value args[2] = {V_UNDEF, v_bool(at_once)};
    Status st = str_buf_out(vm, made, &args[0]);
    if (st == ST_OK) st = native_run(vm, &print_row, args, out);
    release(vm, args[0]);
    return st;
}

// Writes the text that was made before an argument failed, as CPython does, which writes item by item. Keeps the
// error of that argument and ignores one of writing.
static Status print_failed(Vm *vm, Buf *made) {
    Value error = vm->error, ignored;
    vm->error = V_UNDEF;
    if (print_made(vm, made, false, &ignored) != ST_OK) vm_clear_error(vm);
    vm->error = error;
    return ST_ERROR;
}

// Runs the pending array nodes first, so that their warnings come before the text.
static Status fn_print(Vm *vm, const Value *args, Value *out) {
    if (engine_observe_all(vm) != ST_OK) return ST_ERROR;
    Value file = args[2];
    Tuple *items = args[4].tuple;
    if (file.kind != K_NONE || is_redirected(vm)) return ST_DEFER; // the slow path calls file.write
    Buf text, sep, end;
    buf_init(&text, &vm->mem);
    buf_init(&sep, &vm->mem);
    buf_init(&end, &vm->mem);
    bool at_once;
    Status st = op_truth(vm, args[3], &at_once);
    if (st == ST_OK) st = text_or_none(vm, args[0], "sep", " ", &sep);
    if (st == ST_OK) st = text_or_none(vm, args[1], "end", "\n", &end);
    for (size_t i = 0; st == ST_OK && i < items->len; i++) {
        if (i > 0) st = print_part(vm, &sep, &text);
        if (st == ST_OK) st = print_item(vm, items->items[i], &text);
    }
    if (st == ST_OK) st = print_part(vm, &end, &text);
    if (st == ST_OK && (text.failed || sep.failed || end.failed)) st = vm_no_memory(vm);
    if (st == ST_OK) st = print_made(vm, &text, at_once, out);
    else if (st == ST_ERROR && text.len && !text.failed) st = print_failed(vm, &text);
    buf_free(&text);
    buf_free(&sep);
    buf_free(&end);
    return st;
}

static Status input_line(Vm *vm, const Value *args, Value *out) {
    return prompt_for(vm, args[0].str->data, args[0].str->len, out);
}
static const NativeDef input_row = {"input", "prompt, /", input_line, NULL, FILESYSTEM};

static Status fn_input(Vm *vm, const Value *args, Value *out) {
    Buf made;
    Value prompt;
    buf_init(&made, &vm->mem);
    Status st = args[0].kind == K_UNDEF ? ST_OK : print_item(vm, args[0], &made);
    if (st == ST_OK) st = str_buf_out(vm, &made, &prompt);
    else buf_free(&made);
    if (st != ST_OK) return st;
    st = native_run(vm, &input_row, &prompt, out);
    release(vm, prompt);
    return st;
}

// Returns the calling module's __dict__: a snapshot of its variables. Assigning to an item of the dict defines a
// variable; variables defined later do not appear in it.
static Status fn_globals(Vm *vm, const Value *args, Value *out) {
    (void)args;
    const Frame *frame = vm->interp->frame; // NULL: called by the host
    Module *module = frame ? frame->func->module : vm->interp->main;
    return op_getattr(vm, v_obj(module), vm_name(vm, NAME_dict), out);
}

static Status not_in_language(Vm *vm, const char *name) {
    return vm_raise(vm, EXC_NotImplementedError, "%s() is not part of the language", name);
}
static Status fn_locals(Vm *vm, const Value *args, Value *out) {
    Frame *frame = vm->interp->frame;
    while (frame && frame->code->unit->plumbing) frame = frame->prev; // vars() and dir() are code of the prelude
    return frame ? frame_locals(vm, frame, out) : fn_globals(vm, args, out);
}
static Status fn_eval(Vm *vm, const Value *args, Value *out) {
    (void)args;
    (void)out;
    return not_in_language(vm, "eval");
}
static Status fn_exec(Vm *vm, const Value *args, Value *out) {
    (void)args;
    (void)out;
    return not_in_language(vm, "exec");
}
static Status fn_compile(Vm *vm, const Value *args, Value *out) {
    (void)args;
    (void)out;
    return not_in_language(vm, "compile");
}

static const NativeDef builtin_rows[] = {
    {"abs", "x, /", fn_abs, "abs_slow", PURE},
    {"divmod", "x, y, /", fn_divmod, "divmod_slow", PURE},
    {"pow", "base, exp, mod=None", fn_pow, "pow_slow", PURE},
    {"round", "number, ndigits=None", fn_round, "round_slow", PURE},
    {"bin", "number, /", fn_bin, "bin_slow", PURE},
    {"oct", "number, /", fn_oct, "oct_slow", PURE},
    {"hex", "number, /", fn_hex, "hex_slow", PURE},
    {"chr", "i, /", fn_chr, "chr_slow", PURE},
    {"ord", "c, /", fn_ord, NULL, PURE},
    {"len", "obj, /", fn_len, "len_slow", PURE},
    {"hash", "obj, /", fn_hash, "hash_slow", PURE},
    {"id", "obj, /", fn_id, NULL, PURE},
    {"repr", "obj, /", fn_repr, "repr_slow", PURE},
    {"ascii", "obj, /", fn_ascii, "ascii_slow", PURE},
    {"callable", "obj, /", fn_callable, NULL, PURE},
    {"format", "value, format_spec='', /", fn_format, "format_slow", PURE},
    {"getattr", "object, name, default=?, /", fn_getattr, "getattr_slow", PURE},
    {"hasattr", "obj, name, /", fn_hasattr, "hasattr_slow", PURE},
    {"setattr", "obj, name, value, /", fn_setattr, NULL, PURE},
    {"delattr", "obj, name, /", fn_delattr, NULL, PURE},
    {"isinstance", "obj, class_or_tuple, /", fn_isinstance, "isinstance_slow", PURE},
    {"issubclass", "cls, class_or_tuple, /", fn_issubclass, "issubclass_slow", PURE},
    {"next", "iterator, default=?, /", fn_next, "next_slow", PURE},
    {"any", "iterable, /", fn_any, "any_slow", PURE},
    {"all", "iterable, /", fn_all, "all_slow", PURE},
    {"sum", "iterable, /, start=0", fn_sum, "sum_slow", PURE},
    {"min", "*args, key=None, default=?", fn_min, "min_slow", PURE},
    {"max", "*args, key=None, default=?", fn_max, "max_slow", PURE},
    {"sorted", "iterable, /, *, key=None, reverse=False", fn_sorted, "sorted_slow", PURE},
    {"print", "*args, sep=' ', end='\\n', file=None, flush=False", fn_print, "print_slow", INNER},
    {"input", "prompt=?, /", fn_input, "input_slow", INNER},
    {"globals", "", fn_globals, NULL, PURE},
    {"locals", "", fn_locals, NULL, PURE},
    {"eval", "source, /, globals=None, locals=None", fn_eval, NULL, PURE},
    {"exec", "source, /, globals=None, locals=None", fn_exec, NULL, PURE},
    {"compile", "source, filename=None, mode=None", fn_compile, NULL, PURE},
    {0},
};

static Status put(Vm *vm, const char *name, Value owned) {
    return dict_set_text(vm, vm->builtins, name, owned);
}

static Status put_class(Vm *vm, const char *name, Class *cls) {
    return put(vm, name, retain(v_obj(cls)));
}

// The kinds whose classes are built-in names.
static const struct {
    const char *name;
    Kind kind;
} named_kinds[] = {
    {"object", K_INSTANCE}, {"type", K_CLASS}, {"bool", K_BOOL}, {"int", K_INT},
    {"float", K_FLOAT}, {"complex", K_COMPLEX}, {"str", K_STR}, {"bytes", K_BYTES}, {"tuple", K_TUPLE},
    {"bytearray", K_BYTEARRAY},
    {"list", K_LIST}, {"dict", K_DICT}, {"set", K_SET}, {"frozenset", K_FROZENSET},
    {"range", K_RANGE}, {"slice", K_SLICE}, {"property", K_DESCR}, {"super", K_SUPER},
};

static Status put_exceptions(Vm *vm) {
    static const char *const names[EXC_COUNT] = {
#define EXC(name, base) #name,
#include "vm/value/exceptions.def"
#undef EXC
    };
    for (int i = 0; i < EXC_COUNT; i++) {
        // These are names in modules of NumPy, not built-in names.
        if (i == EXC_LinAlgError || i == EXC_AxisError || i == EXC_ComplexWarning) continue;
        if (put_class(vm, names[i], vm->exceptions[i]) != ST_OK) return ST_ERROR;
    }
    if (put_class(vm, "IOError", vm->exceptions[EXC_OSError]) != ST_OK) return ST_ERROR;
    return put_class(vm, "EnvironmentError", vm->exceptions[EXC_OSError]);
}

Status builtins_init(Vm *vm) {
    Status st = natives_into_dict(vm, vm->builtins, builtin_rows, V_UNDEF);
    if (st == ST_OK) st = natives_into_dict(vm, vm->builtins, iter_functions, V_UNDEF);
    if (st == ST_OK) st = natives_into_dict(vm, vm->builtins, file_functions, V_UNDEF);
    for (size_t i = 0; st == ST_OK && i < sizeof named_kinds / sizeof *named_kinds; i++)
        st = put_class(vm, named_kinds[i].name, vm->classes[named_kinds[i].kind]);
    if (st == ST_OK) st = put_class(vm, "staticmethod", vm->static_class);
    if (st == ST_OK) st = put_class(vm, "classmethod", vm->classmethod_class);
    for (int i = STEPPER_MAP; st == ST_OK && i <= STEPPER_REVERSED; i++) {
        Class *cls = stepper_class(vm, (StepRole)i);
        st = cls ? put_class(vm, cls->name->data, cls) : vm_no_memory(vm);
    }
    if (st == ST_OK) st = put_exceptions(vm);
    if (st == ST_OK) st = put(vm, "Ellipsis", V_ELLIPSIS);
    if (st == ST_OK) st = put(vm, "NotImplemented", V_NOTIMPLEMENTED);
    if (st == ST_OK) st = put(vm, "__debug__", v_bool(true));
    return st;
}

Status builtins_module(Vm *vm, Module *module) {
    uint32_t pos = 0;
    Value key, value;
    Status st = ST_OK;
    while (st == ST_OK && dict_next(vm->builtins, &pos, &key, &value))
        if (key.kind == K_STR) st = module_set(vm, module, key.str->data, retain(value));
    return st;
}
