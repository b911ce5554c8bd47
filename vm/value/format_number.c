// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// format(number, spec): ints, floats, complex numbers.

#include <limits.h>
#include <math.h>
#include <string.h>

#include "vm/value/float_text.h"
#include "vm/value/format.h"
#include "vm/value/int.h"

// --- Layout of a number -------------------------------------------------------------------------

static char sign_shown(const FormatSpec *spec, bool negative) { // 0: none
    if (negative) return '-';
    return spec->sign == '+' || spec->sign == ' ' ? spec->sign : 0;
}

// Returns how many digits (zeros in front included) fill at least `width` places together with their separators.
static size_t digits_to_fill(const FormatSpec *spec, size_t digits, int64_t width) {
    if (digits == 0) return 0;
    if (!spec->group) return width > (int64_t)digits ? (size_t)width : digits;
    int64_t size = spec->group_size, n = (int64_t)digits;
    int64_t guess = width - width / (size + 1) - 2;
    if (guess > n) n = guess;
    while (n + (n - 1) / size < width) n++;
    return (size_t)n;
}

static size_t grouped_length(const FormatSpec *spec, size_t total) {
    return spec->group && total ? total + (total - 1) / (size_t)spec->group_size : total;
}

// Writes `digits` with separators, padded to `total` digits with zeros in front.
static void put_grouped(const FormatSpec *spec, const char *digits, size_t count, size_t total,
                        Buf *out) {
    if (!spec->group) {
        format_fill('0', total - count, out);
        buf_put(out, digits, count);
        return;
    }
    if (total > UINT32_MAX) out->failed = true;
    for (size_t i = 0; i < total && !out->failed; i++) {
        size_t left = total - i;
        if (i > 0 && left % (size_t)spec->group_size == 0) buf_putc(out, spec->group);
        buf_putc(out, left > count ? '0' : digits[count - left]);
    }
}

void format_number(const FormatSpec *spec, const NumberText *number, Buf *out) {
    char sign = sign_shown(spec, number->negative);
    size_t fixed = (sign != 0) + number->prefix_len + number->rest_chars;
    bool zeros = spec->fill == '0' && spec->align == '=';
    int64_t room = zeros && spec->width > (int64_t)fixed ? spec->width - (int64_t)fixed : 0;
    size_t total = digits_to_fill(spec, number->digits_len, room);
    Padding pad = format_padding(spec, fixed + grouped_length(spec, total));
    if (spec->align != '=') format_fill(spec->fill, pad.before, out);
    if (sign) buf_putc(out, sign);
    buf_put(out, number->prefix, number->prefix_len);
    if (spec->align == '=') format_fill(spec->fill, pad.before, out);
    put_grouped(spec, number->digits, number->digits_len, total, out);
    buf_put(out, number->rest, number->rest_len);
    format_fill(spec->fill, pad.after, out);
}

// --- Ints ---------------------------------------------------------------------------------------

static const char *int_type_name(Value v) {
    return v.kind == K_BOOL ? "bool" : "int";
}

static Status value_error(Vm *vm, const char *text) {
    return vm_raise(vm, EXC_ValueError, "%s", text);
}

static Status check_int_spec(Vm *vm, const FormatSpec *spec) {
    if (spec->precision >= 0)
        return value_error(vm, "Precision not allowed in integer format specifier");
    if (spec->no_negative_zero)
        return value_error(vm,
                           "Negative zero coercion (z) not allowed in integer format specifier");
    if (spec->type != 'c') return ST_OK;
    if (spec->sign)
        return value_error(vm, "Sign not allowed with integer format specifier 'c'");
    if (spec->alternate)
        return value_error(vm,
                           "Alternate form (#) not allowed with integer format specifier 'c'");
    return ST_OK;
}

static Status format_char(Vm *vm, Value v, const FormatSpec *spec, Buf *out) {
    if (v.kind == K_BIGINT)
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C long");
    if (v.i < 0 || v.i > 0x10FFFF)
        return vm_raise(vm, EXC_OverflowError, "%%c arg not in range(0x110000)");
    Buf text;
    buf_init(&text, &vm->mem);
    buf_utf8(&text, (uint32_t)v.i);
    if (!text.failed) {
        NumberText number = {.rest = text.data, .rest_len = text.len, .rest_chars = 1};
        format_number(spec, &number, out);
    }
    Status st = text.failed || out->failed ? vm_no_memory(vm) : ST_OK;
    buf_free(&text);
    return st;
}

static int base_of_type(uint32_t type) {
    switch (type) {
    case 'b': return 2;
    case 'o': return 8;
    case 'x':
    case 'X': return 16;
    default: return 10;
    }
}

static void upper_hex(char *text, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (text[i] >= 'a' && text[i] <= 'f') text[i] = (char)(text[i] - 'a' + 'A');
}

static Status format_digits(Vm *vm, Value v, const FormatSpec *spec, Buf *out) {
    int base = base_of_type(spec->type);
    Buf digits;
    buf_init(&digits, &vm->mem);
    Status st = int_write_magnitude(vm, v, base, &digits);
    if (st == ST_OK) {
        const char prefix[2] = {'0', (char)spec->type};
        if (spec->type == 'X') upper_hex(digits.data, digits.len);
        NumberText number = {.negative = int_sign(v) < 0,
                             .prefix = prefix,
                             .prefix_len = spec->alternate && base != 10 ? 2 : 0,
                             .digits = digits.data,
                             .digits_len = digits.len};
        format_number(spec, &number, out);
        if (out->failed) st = vm_no_memory(vm);
    }
    buf_free(&digits);
    return st;
}

static Status format_float_spec(Vm *vm, double d, const FormatSpec *spec, Buf *out);

Status format_int(Vm *vm, Value v, const Str *text, Buf *out) {
    FormatSpec spec;
    double d;
    Status st = format_parse(vm, text, 'd', '>', int_type_name(v), &spec);
    if (st != ST_OK) return st;
    switch (spec.type) {
    case 'b':
    case 'c':
    case 'd':
    case 'o':
    case 'x':
    case 'X':
    case 'n':
        st = check_int_spec(vm, &spec);
        if (st != ST_OK) return st;
        return spec.type == 'c' ? format_char(vm, v, &spec, out)
                                : format_digits(vm, v, &spec, out);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case '%':
        st = int_to_double(vm, v, &d);
        return st == ST_OK ? format_float_spec(vm, d, &spec, out) : st;
    default: return format_unknown_type(vm, spec.type, int_type_name(v));
    }
}

Status format_int64(Vm *vm, int64_t i, const Str *spec, Buf *out) {
    return format_int(vm, v_int(i), spec, out);
}

// --- Floats -------------------------------------------------------------------------------------

enum { DEFAULT_PRECISION = 6 };

// The style of a float, or of each part of a complex number, from a specification.
static FloatStyle float_style(const FormatSpec *spec, bool dot_zero) {
    FloatStyle style = {.alternate = spec->alternate};
    uint32_t type = spec->type;
    style.precision = spec->precision < 0 ? DEFAULT_PRECISION : (int)spec->precision;
    if (type == 0) { // like repr, but with a precision like g
        style.style = spec->precision < 0 ? 'r' : 'g';
        style.dot_zero = dot_zero;
        return style;
    }
    style.upper = type == 'E' || type == 'F' || type == 'G';
    style.style = type == 'n' ? 'g' : type == '%' ? 'f' : (char)(type | 0x20);
    return style;
}

// True if a text like "-0.00e+00" has no digit but zeros before its exponent.
static bool all_zero(const char *text, size_t len) {
    for (size_t i = 0; i < len && (text[i] | 0x20) != 'e' && text[i] != '%'; i++)
        if (text[i] != '0' && text[i] != '.') return false;
    return true;
}

// Splits the text of a float into the parts for format_number.
static NumberText split_float(const char *text, size_t len, bool no_negative_zero) {
    NumberText number = {.negative = len && text[0] == '-'};
    if (number.negative) {
        text++;
        len--;
        if (no_negative_zero && all_zero(text, len)) number.negative = false;
    }
    size_t digits = 0;
    while (digits < len && is_decimal_digit(text[digits])) digits++;
    number.digits = text;
    number.digits_len = digits;
    number.rest = text + digits;
    number.rest_len = number.rest_chars = len - digits;
    return number;
}

static Status check_precision(Vm *vm, const FormatSpec *spec) {
    return spec->precision > INT_MAX ? value_error(vm, "precision too big") : ST_OK;
}

static Status format_float_spec(Vm *vm, double d, const FormatSpec *spec, Buf *out) {
    if (check_precision(vm, spec) != ST_OK) return ST_ERROR;
    Buf text;
    buf_init(&text, &vm->mem);
    float_write(spec->type == '%' ? d * 100 : d, float_style(spec, true), &text);
    if (spec->type == '%') buf_putc(&text, '%');
    if (!text.failed) {
        NumberText number = split_float(text.data, text.len, spec->no_negative_zero);
        format_number(spec, &number, out);
    }
    Status st = text.failed || out->failed ? vm_no_memory(vm) : ST_OK;
    buf_free(&text);
    return st;
}

static bool is_float_type(uint32_t type) {
    return type == 0 || (type < 0x80 && strchr("eEfFgGn", (int)type));
}

Status format_double(Vm *vm, double d, const Str *text, Buf *out) {
    FormatSpec spec;
    Status st = format_parse(vm, text, 0, '>', "float", &spec);
    if (st != ST_OK) return st;
    if (!is_float_type(spec.type) && spec.type != '%')
        return format_unknown_type(vm, spec.type, "float");
    return format_float_spec(vm, d, &spec, out);
}

// --- Complex numbers ----------------------------------------------------------------------------

static Status check_complex_spec(Vm *vm, const FormatSpec *spec) {
    if (!is_float_type(spec->type)) return format_unknown_type(vm, spec->type, "complex");
    if (check_precision(vm, spec) != ST_OK) return ST_ERROR;
    if (spec->fill == '0')
        return value_error(vm, "Zero padding is not allowed in complex format specifier");
    if (spec->align == '=')
        return value_error(vm, "'=' alignment flag is not allowed in complex format specifier");
    return ST_OK;
}

// Writes one part, without padding.
static void put_part(Vm *vm, double d, const FormatSpec *spec, char sign, Buf *out) {
    FormatSpec part = *spec;
    part.sign = sign;
    part.width = -1;
    Buf text;
    buf_init(&text, &vm->mem);
    float_write(d, float_style(spec, false), &text);
    if (text.failed) {
        out->failed = true;
    } else {
        NumberText number = split_float(text.data, text.len, spec->no_negative_zero);
        format_number(&part, &number, out);
    }
    buf_free(&text);
}

// Writes both parts; without a type, as str() does.
static void put_complex(Vm *vm, double re, double im, const FormatSpec *spec, Buf *out) {
    bool plain = spec->type == 0;
    bool only_imag = plain && re == 0 && !signbit(re);
    if (plain && !only_imag) buf_putc(out, '(');
    if (!only_imag) put_part(vm, re, spec, spec->sign, out);
    put_part(vm, im, spec, only_imag ? spec->sign : '+', out);
    buf_putc(out, 'j');
    if (plain && !only_imag) buf_putc(out, ')');
}

Status format_complex(Vm *vm, double re, double im, const Str *text, Buf *out) {
    FormatSpec spec;
    Status st = format_parse(vm, text, 0, '>', "complex", &spec);
    if (st == ST_OK) st = check_complex_spec(vm, &spec);
    if (st != ST_OK) return st;
    Buf parts;
    buf_init(&parts, &vm->mem);
    put_complex(vm, re, im, &spec, &parts);
    if (!parts.failed) { // all of it is ASCII
        Padding pad = format_padding(&spec, parts.len);
        format_fill(spec.fill, pad.before, out);
        buf_put(out, parts.data, parts.len);
        format_fill(spec.fill, pad.after, out);
    }
    st = parts.failed || out->failed ? vm_no_memory(vm) : ST_OK;
    buf_free(&parts);
    return st;
}
