// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ints to and from text. Bases that are powers of two move bits; the others work in chunks of
// digits that fit 60 bits, which takes time proportional to the square of the length, and so they
// are limited to as many digits as CPython allows, unless the program sets another limit.

#include <string.h>

#include "vm/value/bytes.h"
#include "vm/value/int.h"
#include "vm/value/num_text.h"
#include "vm/value/str_impl.h"

enum { MIN_BASE = 2, MAX_BASE = 36, SHORT_TEXT = 64, ERROR_CHARS = 200, LONG_RUN = 1000 };

static int bits_of_base(int base) { // 0 when it is no power of two
    return base & (base - 1) ? 0 : __builtin_ctz((unsigned)base);
}

// The largest power of the base below 2^60.
static uint64_t chunk_of_base(int base, int *digits) {
    uint64_t chunk = 1;
    for (*digits = 0; chunk <= INT_DIGIT_MASK / (unsigned)base; ++*digits) chunk *= (unsigned)base;
    return chunk;
}

static char digit_char(unsigned digit) {
    return "0123456789abcdefghijklmnopqrstuvwxyz"[digit];
}

static int digit_value(int c) { // 36 or more: none
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : MAX_BASE;
}

static size_t most_digits(const Vm *vm) {
    return !vm->text_digits ? TEXT_DIGITS : vm->text_digits < 0 ? SIZE_MAX / 8 : (size_t)vm->text_digits;
}

// --- To text ------------------------------------------------------------------------------------

static Status too_many_digits(Vm *vm) {
    return vm_raise(vm, EXC_ValueError,
                    "Exceeds the limit (%zu digits) for integer string conversion; use "
                    "sys.set_int_max_str_digits() to increase the limit",
                    most_digits(vm));
}

// Writes n before `end`; returns the address of the first digit. The base is a constant, so that the compiler makes
// multiplications of the divisions.
static char *put_decimal(uint64_t n, char *end) {
    for (; n >= 10; n /= 10) *--end = (char)('0' + n % 10);
    *--end = (char)('0' + n);
    return end;
}

Status int_small_text(Vm *vm, int64_t i, Value *out) {
    char text[24], *end = text + sizeof text;
    char *start = put_decimal(i < 0 ? -(uint64_t)i : (uint64_t)i, end);
    if (i < 0) *--start = '-';
    return str_bytes_out(vm, start, (size_t)(end - start), out);
}

static void write_small(uint64_t n, unsigned base, Buf *out) {
    char text[64];
    int at = sizeof text;
    if (base == 10) {
        at = (int)(put_decimal(n, text + sizeof text) - text);
    } else {
        do {
            text[--at] = digit_char((unsigned)(n % base));
            n /= base;
        } while (n);
    }
    buf_put(out, text + at, sizeof text - (size_t)at);
}

// Writes digits of `width` bits, from the top. Every width, 1 to 5, divides INT_DIGIT_BITS.
static void write_bits(const IntView *v, int64_t length, int width, Buf *out) {
    for (int64_t at = (length - 1) / width * width; at >= 0; at -= width) {
        int64_t word = at / INT_DIGIT_BITS;
        int low = (int)(at % INT_DIGIT_BITS);
        uint64_t digit = v->digits[word] >> low;
        buf_putc(out, digit_char((unsigned)digit & ((1u << width) - 1)));
    }
}

// Divides digits[0 .. *used-1] by `divisor` in place; returns the remainder.
static uint64_t divide_digits(uint64_t *digits, int *used, uint64_t divisor) {
    U128 rest = 0;
    for (int i = *used - 1; i >= 0; i--) {
        rest = rest << INT_DIGIT_BITS | digits[i];
        digits[i] = (uint64_t)(rest / divisor);
        rest %= divisor;
    }
    while (*used > 0 && digits[*used - 1] == 0) --*used;
    return (uint64_t)rest;
}

// Writes the number before `end` in chunks, least significant first, and destroys `digits`. Returns the address of the
// first digit of the text; NULL: interrupted.
static char *write_chunks(Vm *vm, uint64_t *digits, int used, unsigned base, char *end) {
    int chunk_digits;
    uint64_t chunk = chunk_of_base((int)base, &chunk_digits);
    while (used > 0) {
        uint64_t rest = divide_digits(digits, &used, chunk);
        if (used > LONG_RUN && vm_poll(vm) != ST_OK) return NULL;
        for (int i = 0; i < chunk_digits && (used > 0 || rest); i++, rest /= base)
            *--end = digit_char((unsigned)(rest % base));
    }
    return end;
}

static Status write_large(Vm *vm, const IntView *v, int64_t length, int base, Buf *out) {
    // A digit of the text stands for more than 1.5 bits (base 3) and less than 6 (base 36); `length` is in bits.
    if ((size_t)length > 6 * most_digits(vm)) return too_many_digits(vm);
    size_t room = (size_t)(length * 2 / 3 + INT_DIGIT_BITS);
    size_t bytes = (size_t)v->used * sizeof(uint64_t) + room;
    uint64_t *digits = mem_alloc(&vm->mem, bytes);
    if (!digits) return vm_no_memory(vm);
    memcpy(digits, v->digits, (size_t)v->used * sizeof *digits);
    char *end = (char *)digits + bytes;
    char *text = write_chunks(vm, digits, v->used, (unsigned)base, end);
    Status st = text ? ST_OK : ST_ERROR;
    if (text && (size_t)(end - text) > most_digits(vm)) {
        st = too_many_digits(vm);
    } else if (text) {
        buf_put(out, text, (size_t)(end - text));
    }
    mem_free(&vm->mem, digits, bytes);
    return st;
}

// Writes a number of two 60-bit digits in base 10.
static void write_double(U128 n, Buf *out) {
    const uint64_t chunk = 1000000000000000000u; // the upper part is below 2^64, too
    char text[40], *end = text + sizeof text, *at = put_decimal((uint64_t)(n % chunk), end);
    if (n >= chunk) {
        while (end - at < 18) *--at = '0';
        at = put_decimal((uint64_t)(n / chunk), at);
    }
    buf_put(out, at, (size_t)(end - at));
}

Status int_write_magnitude(Vm *vm, Value v, int base, Buf *out) {
    IntView view;
    int_view(v, &view);
    Status st = ST_OK;
    if (view.used <= 2 && v.kind != K_BIGINT) {
        write_small(view.small[1] << INT_DIGIT_BITS | view.small[0], (unsigned)base, out);
    } else if (view.used == 2 && base == 10) {
        write_double((U128)view.digits[1] << INT_DIGIT_BITS | view.digits[0], out);
    } else if (bits_of_base(base)) {
        write_bits(&view, int_bits(v), bits_of_base(base), out);
    } else {
        st = write_large(vm, &view, int_bits(v), base, out);
    }
    return st == ST_OK && out->failed ? vm_no_memory(vm) : st;
}

Status int_repr(Vm *vm, Value v, int base, Buf *out) {
    if (int_sign(v) < 0) buf_putc(out, '-');
    return int_write_magnitude(vm, v, base, out);
}

// --- From digits --------------------------------------------------------------------------------

static bool small_from_digits(const char *digits, size_t len, int base, int64_t *out) {
    int64_t n = 0;
    for (size_t i = 0; i < len; i++)
        if (__builtin_mul_overflow(n, base, &n) ||
            __builtin_add_overflow(n, digit_value(digits[i]), &n))
            return false;
    *out = n;
    return true;
}

// Packs digits of `width` bits into to[], which is zero on entry.
static Status pack_bits(Vm *vm, const char *digits, size_t len, int width, uint64_t *to) {
    int at = 0;
    for (size_t i = len; i-- > 0; at += width) {
        if (at == INT_DIGIT_BITS) { // every width divides it
            at = 0;
            to++;
        }
        *to |= (uint64_t)digit_value(digits[i]) << at;
        if (vm_poll_at(vm, i) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

static int multiply_add(uint64_t *digits, int used, uint64_t factor, uint64_t carry) {
    for (int i = 0; i < used; i++) {
        U128 n = (U128)digits[i] * factor + carry;
        digits[i] = (uint64_t)n & INT_DIGIT_MASK;
        carry = (uint64_t)(n >> INT_DIGIT_BITS);
    }
    if (carry) digits[used++] = carry;
    return used;
}

// Converts digits in chunks; returns the number of digits used in to[], -1: interrupted.
static int add_chunks(Vm *vm, const char *digits, size_t len, int base, uint64_t *to) {
    int chunk_digits, used = 0;
    chunk_of_base(base, &chunk_digits);
    for (size_t i = 0; i < len;) {
        uint64_t chunk = 0, factor = 1;
        for (int n = 0; n < chunk_digits && i < len; n++, i++, factor *= (unsigned)base)
            chunk = chunk * (unsigned)base + (unsigned)digit_value(digits[i]);
        used = multiply_add(to, used, factor, chunk);
        if (used > LONG_RUN && vm_poll(vm) != ST_OK) return -1;
    }
    return used;
}

static Status large_from_digits(Vm *vm, const char *digits, size_t len, int base, Value *out) {
    int width = bits_of_base(base);
    int64_t bits = (int64_t)len * (width ? width : 6);
    if (int_check_size(vm, bits) != ST_OK) return ST_ERROR;
    int room = (int)(bits / INT_DIGIT_BITS) + 2;
    uint64_t *to = mem_zalloc(&vm->mem, (size_t)room * sizeof *to);
    if (!to) return vm_no_memory(vm);
    int used = room;
    Status st = ST_OK;
    if (width)
        st = pack_bits(vm, digits, len, width, to);
    else
        used = add_chunks(vm, digits, len, base, to);
    if (used < 0) st = ST_ERROR;
    if (st == ST_OK) st = int_from_magnitude(vm, to, used, false, out);
    mem_free(&vm->mem, to, (size_t)room * sizeof *to);
    return st;
}

Status int_from_digits(Vm *vm, const char *digits, size_t len, int base, Value *out) {
    if (!bits_of_base(base) && len > most_digits(vm))
        return vm_raise(vm, EXC_ValueError,
                        "Exceeds the limit (%zu digits) for integer string conversion: value has "
                        "%zu digits; use sys.set_int_max_str_digits() to increase the limit",
                        most_digits(vm), len);
    int64_t small;
    if (!small_from_digits(digits, len, base, &small))
        return large_from_digits(vm, digits, len, base, out);
    *out = v_int(small);
    return ST_OK;
}

// --- int("…", base) -----------------------------------------------------------------------------

// Raises ValueError for a text or bytes, whose repr is consumed.
static Status invalid_literal(Vm *vm, Buf repr, int base) {
    size_t shown = 0; // bytes of the first ERROR_CHARS characters
    for (int chars = 0; shown < repr.len; shown++) {
        chars += ((unsigned char)repr.data[shown] & 0xC0) != 0x80;
        if (chars > ERROR_CHARS) break;
    }
    Status st = repr.failed
                    ? vm_no_memory(vm)
                    : vm_raise(vm, EXC_ValueError, "invalid literal for int() with base %d: %.*s",
                               base, (int)shown, repr.data);
    buf_free(&repr);
    return st;
}

static int prefix_base(int c) { // of 0x, 0o, 0b; 0: none
    switch (c | 0x20) {
    case 'x': return 16;
    case 'o': return 8;
    case 'b': return 2;
    default: return 0;
    }
}

// Skips a prefix such as "0x" if the base is its own or 0, and one underscore after it; replaces base 0 by the base of
// the prefix, or 10. *zero_only: for base 0, a literal that begins with 0 and has no prefix must be zero.
static void scan_prefix(NumText *t, int *base, bool *zero_only) {
    *zero_only = false;
    if (num_text_peek(t) != '0') {
        if (*base == 0) *base = 10;
        return;
    }
    NumText ahead = *t;
    num_text_next(&ahead);
    int found = prefix_base(num_text_peek(&ahead));
    if (found && (*base == 0 || *base == found)) {
        num_text_next(&ahead);
        if (num_text_peek(&ahead) == '_') num_text_next(&ahead);
        *base = found;
        *t = ahead;
    } else if (*base == 0) {
        *base = 10;
        *zero_only = true;
    }
}

// Copies digits (without the underscores between them) to `to`, or counts them if it is NULL.
// False: there is another character.
static bool scan_int_digits(Vm *vm, NumText t, int base, char *to, size_t *count) {
    bool after_digit = false;
    *count = 0;
    for (int c; (c = num_text_peek(&t)) != NUM_TEXT_END; num_text_next(&t)) {
        if (*count % POLL_STEP == POLL_STEP - 1 && vm_interrupted(vm))
            break; // read_literal polls, too
        if (c == '_' && after_digit) {
            after_digit = false;
            continue;
        }
        if (c < 0 || digit_value(c) >= base) return false;
        if (to) to[*count] = (char)c;
        ++*count;
        after_digit = true;
    }
    return after_digit;
}

static Status signed_from_digits(Vm *vm, const char *digits, size_t len, int base, bool negative,
                                 Value *out) {
    Value v;
    Status st = int_from_digits(vm, digits, len, base, &v);
    if (st != ST_OK || !negative) {
        if (st == ST_OK) *out = v;
        return st;
    }
    st = int_unary(vm, UN_NEG, v, out);
    release(vm, v);
    return st;
}

// Reads a literal. ST_STOP: the text is none.
static Status read_literal(Vm *vm, const char *text, size_t len, int base, Value *out) {
    NumText t = num_text(text, len);
    int sign = num_text_peek(&t), digit_base = base;
    if (sign == '-' || sign == '+') num_text_next(&t);
    bool zero_only;
    scan_prefix(&t, &digit_base, &zero_only);
    size_t count;
    bool good = scan_int_digits(vm, t, digit_base, NULL, &count);
    if (vm_poll(vm) != ST_OK) return ST_ERROR;
    if (!good) return ST_STOP;
    char small[SHORT_TEXT];
    char *digits = count <= SHORT_TEXT ? small : mem_alloc(&vm->mem, count);
    if (!digits) return vm_no_memory(vm);
    scan_int_digits(vm, t, digit_base, digits, &count);
    Value v;
    Status st = vm_poll(vm);
    if (st == ST_OK) st = signed_from_digits(vm, digits, count, digit_base, sign == '-', &v);
    if (digits != small) mem_free(&vm->mem, digits, count);
    if (st != ST_OK) return st;
    if (zero_only && int_sign(v) != 0) {
        release(vm, v);
        return ST_STOP;
    }
    *out = v;
    return ST_OK;
}

Status int_from_text(Vm *vm, const char *text, size_t len, int base, Value *out) {
    Status st = read_literal(vm, text, len, base, out);
    if (st != ST_STOP) return st;
    Str *str = str_new(vm, text, len);
    if (!str) return vm_no_memory(vm);
    Buf repr;
    buf_init(&repr, &vm->mem);
    str_repr(str, &repr);
    release_obj(vm, str);
    return invalid_literal(vm, repr, base);
}

Status int_from_bytes_text(Vm *vm, const Bytes *bytes, int base, Value *out) {
    bool ascii = bytes_ascii(bytes->data, bytes->len);
    Status st = ascii ? read_literal(vm, bytes->data, bytes->len, base, out) : ST_STOP;
    if (st != ST_STOP) return st;
    Buf repr;
    buf_init(&repr, &vm->mem);
    bytes_repr(bytes, &repr);
    return invalid_literal(vm, repr, base);
}
