// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Methods of bytes that treat them as ASCII text: case, predicates on characters, padding, tabs; and translate.

#include <string.h>

#include "vm/value/bytes_impl.h"

// --- Case --------------------------------------------------------------------------------------

// Returns the byte that replaces c; `inside`: the byte before c is a letter.
typedef char (*CaseFn)(char c, bool inside);

static Status change_case(Vm *vm, const Value *args, CaseFn to, Value *out) {
    const Bytes *bytes = self_bytes(args);
    Bytes *changed = bytes_alloc(vm, bytes->len);
    bool inside = false;
    for (size_t i = 0; changed && i < bytes->len; i++) {
        char c = bytes->data[i];
        changed->data[i] = to(c, inside);
        inside = byte_is_upper(c) || byte_is_lower(c);
    }
    return bytes_out(vm, changed, out);
}

static char other_case(char c, bool inside) {
    (void)inside;
    return byte_is_lower(c) ? byte_to_upper(c) : byte_to_lower(c);
}
static char title_case(char c, bool inside) {
    return inside ? byte_to_lower(c) : byte_to_upper(c);
}

Status bytes_m_upper(Vm *vm, const Value *args, Value *out) {
    const Bytes *bytes = self_bytes(args);
    Bytes *upper = bytes_alloc(vm, bytes->len);
    for (size_t i = 0; upper && i < bytes->len; i++) upper->data[i] = byte_to_upper(bytes->data[i]);
    return bytes_out(vm, upper, out);
}

Status bytes_m_lower(Vm *vm, const Value *args, Value *out) {
    const Bytes *bytes = self_bytes(args);
    Bytes *lower = bytes_alloc(vm, bytes->len);
    for (size_t i = 0; lower && i < bytes->len; i++) lower->data[i] = byte_to_lower(bytes->data[i]);
    return bytes_out(vm, lower, out);
}

Status bytes_m_swapcase(Vm *vm, const Value *args, Value *out) {
    return change_case(vm, args, other_case, out);
}
Status bytes_m_title(Vm *vm, const Value *args, Value *out) {
    return change_case(vm, args, title_case, out);
}

Status bytes_m_capitalize(Vm *vm, const Value *args, Value *out) {
    Status st = bytes_m_lower(vm, args, out);
    if (st == ST_OK && out->bytes->len) out->bytes->data[0] = byte_to_upper(out->bytes->data[0]);
    return st;
}

// --- Predicates --------------------------------------------------------------------------------

static bool is_letter(char c) {
    return byte_is_upper(c) || byte_is_lower(c);
}
static bool is_letter_or_digit(char c) {
    return is_letter(c) || byte_is_digit(c);
}
static bool is_ascii(char c) {
    return (unsigned char)c < 128;
}

static Status all_are(const Value *args, bool (*is)(char), bool empty, Value *out) {
    const Bytes *bytes = self_bytes(args);
    bool all = bytes->len > 0 || empty;
    for (size_t i = 0; all && i < bytes->len; i++) all = is(bytes->data[i]);
    *out = v_bool(all);
    return ST_OK;
}

#define ALL_ARE(name, is, empty)                                   \
    Status bytes_m_##name(Vm *vm, const Value *args, Value *out) { \
        (void)vm;                                                  \
        return all_are(args, is, empty, out);                      \
    }
ALL_ARE(isalpha, is_letter, false)
ALL_ARE(isalnum, is_letter_or_digit, false)
ALL_ARE(isdigit, byte_is_digit, false)
ALL_ARE(isspace, byte_is_space, false)
ALL_ARE(isascii, is_ascii, true)

// Computes whether `is` holds for at least one byte, and `other` for none.
static Status all_cased(const Value *args, bool (*is)(char), bool (*other)(char), Value *out) {
    const Bytes *bytes = self_bytes(args);
    bool any = false, good = true;
    for (size_t i = 0; good && i < bytes->len; i++) {
        good = !other(bytes->data[i]);
        any = any || is(bytes->data[i]);
    }
    *out = v_bool(good && any);
    return ST_OK;
}

static bool is_upper(char c) {
    return byte_is_upper(c);
}
static bool is_lower(char c) {
    return byte_is_lower(c);
}

Status bytes_m_isupper(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    return all_cased(args, is_upper, is_lower, out);
}
Status bytes_m_islower(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    return all_cased(args, is_lower, is_upper, out);
}

// Computes whether capitals stand only where a word begins, small letters only inside one, and there is any letter.
Status bytes_m_istitle(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    const Bytes *bytes = self_bytes(args);
    bool any = false, inside = false, good = true;
    for (size_t i = 0; good && i < bytes->len; i++) {
        char c = bytes->data[i];
        good = !(byte_is_upper(c) && inside) && !(byte_is_lower(c) && !inside);
        inside = is_letter(c);
        any = any || inside;
    }
    *out = v_bool(good && any);
    return ST_OK;
}

// --- Padding -----------------------------------------------------------------------------------

static Status padded(Vm *vm, Bytes *bytes, char fill, size_t left, size_t right, Value *out) {
    if (left == 0 && right == 0) return bytes_same(vm, bytes, out);
    size_t pads = left + right, len;
    Bytes *wide = __builtin_add_overflow(bytes->len, pads, &len) ? NULL : bytes_alloc(vm, len);
    if (!wide) return vm_no_memory(vm);
    memset(wide->data, fill, left);
    memcpy(wide->data + left, bytes->data, bytes->len);
    memset(wide->data + left + bytes->len, fill, right);
    return bytes_out(vm, wide, out);
}

// Computes how many bytes the width adds, 0 if the bytes are as wide already; and the fill byte.
static Status pad_args(Vm *vm, const Value *args, const char *name, size_t *pads, char *fill) {
    int64_t width, len = (int64_t)self_bytes(args)->len;
    Status st = seq_size_arg(vm, args[1], &width);
    if (st != ST_OK) return st;
    const Bytes *given = bytes_of(args[2]);
    *fill = ' ';
    if (args[2].kind != K_UNDEF && (!given || given->len != 1))
        return vm_raise(vm, EXC_TypeError,
                        "%s() argument 2 must be a byte string of length 1, not %s", name,
                        argument_type_name(vm, args[2]));
    if (given) *fill = given->data[0];
    *pads = width > len ? (size_t)(width - len) : 0;
    return ST_OK;
}

Status bytes_m_ljust(Vm *vm, const Value *args, Value *out) {
    size_t pads;
    char fill;
    Status st = pad_args(vm, args, "ljust", &pads, &fill);
    return st == ST_OK ? padded(vm, self_bytes(args), fill, 0, pads, out) : st;
}

Status bytes_m_rjust(Vm *vm, const Value *args, Value *out) {
    size_t pads;
    char fill;
    Status st = pad_args(vm, args, "rjust", &pads, &fill);
    return st == ST_OK ? padded(vm, self_bytes(args), fill, pads, 0, out) : st;
}

// As in CPython, the odd byte of padding goes to the left when the width is odd.
Status bytes_m_center(Vm *vm, const Value *args, Value *out) {
    Bytes *bytes = self_bytes(args);
    size_t pads;
    char fill;
    Status st = pad_args(vm, args, "center", &pads, &fill);
    if (st != ST_OK) return st;
    size_t left = pads / 2 + (pads & (bytes->len + pads) & 1);
    return padded(vm, bytes, fill, left, pads - left, out);
}

Status bytes_m_zfill(Vm *vm, const Value *args, Value *out) {
    Bytes *bytes = self_bytes(args);
    int64_t width, len = (int64_t)bytes->len;
    Status st = seq_size_arg(vm, args[1], &width);
    if (st != ST_OK) return st;
    st = padded(vm, bytes, '0', width > len ? (size_t)(width - len) : 0, 0, out);
    bool sign = len > 0 && (bytes->data[0] == '+' || bytes->data[0] == '-');
    if (st != ST_OK || width <= len || !sign) return st;
    char *data = out->bytes->data;
    data[width - len] = '0';
    data[0] = bytes->data[0];
    return ST_OK;
}

// --- expandtabs --------------------------------------------------------------------------------

Status bytes_m_expandtabs(Vm *vm, const Value *args, Value *out) {
    const Bytes *bytes = self_bytes(args);
    int64_t size = 0, column = 0;
    bool big = unwrap(args[1]).kind == K_BIGINT;
    Status st = big ? ST_OK : seq_size_arg(vm, args[1], &size);
    if (st != ST_OK) return st;
    if (big || size > INT32_MAX || size < INT32_MIN)
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C int");
    Buf buf;
    buf_init(&buf, &vm->mem);
    for (size_t i = 0; i < bytes->len && !buf.failed; i++) {
        char c = bytes->data[i];
        if (c == '\t') {
            int64_t spaces = size > 0 ? size - column % size : 0;
            buf_fill(&buf, ' ', (size_t)spaces);
            column += spaces;
        } else {
            buf_putc(&buf, c);
            column = c == '\n' || c == '\r' ? 0 : column + 1;
        }
    }
    return bytes_buf_out(vm, &buf, out);
}

// --- translate ---------------------------------------------------------------------------------

enum { TABLE = 256 };

Status bytes_m_translate(Vm *vm, const Value *args, Value *out) {
    const Bytes *bytes = self_bytes(args);
    Run table = {0}, removed = {0};
    if (args[1].kind != K_NONE && bytes_arg(vm, args[1], &table) != ST_OK) return ST_ERROR;
    if (table.at && table.len != TABLE)
        return vm_raise(vm, EXC_ValueError, "translation table must be 256 characters long");
    if (args[2].kind != K_UNDEF && bytes_arg(vm, args[2], &removed) != ST_OK) return ST_ERROR;
    bool gone[TABLE] = {false};
    for (size_t i = 0; i < removed.len; i++) gone[(unsigned char)removed.at[i]] = true;
    size_t len = 0;
    for (size_t i = 0; i < bytes->len; i++) len += !gone[(unsigned char)bytes->data[i]];
    Bytes *to = bytes_alloc(vm, len);
    if (!to) return vm_no_memory(vm);
    char *put = to->data;
    for (size_t i = 0; i < bytes->len; i++) {
        unsigned char c = (unsigned char)bytes->data[i];
        if (!gone[c]) *put++ = table.at ? table.at[c] : (char)c;
    }
    return bytes_out(vm, to, out);
}

Status bytes_m_maketrans(Vm *vm, const Value *args, Value *out) {
    Run from, to;
    if (bytes_arg(vm, args[1], &from) != ST_OK || bytes_arg(vm, args[2], &to) != ST_OK)
        return ST_ERROR;
    if (from.len != to.len)
        return vm_raise(vm, EXC_ValueError, "maketrans arguments must have same length");
    Bytes *table = bytes_alloc(vm, TABLE);
    if (!table) return vm_no_memory(vm);
    for (int i = 0; i < TABLE; i++) table->data[i] = (char)i;
    for (size_t i = 0; i < from.len; i++) table->data[(unsigned char)from.at[i]] = to.at[i];
    return bytes_out(vm, table, out);
}
