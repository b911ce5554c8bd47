// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// format(value, spec): reading the specification, padding, and formatting of text.

#include "vm/value/format.h"

#include <stdint.h>
#include <string.h>

#include "vm/value/class.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/str_impl.h"
#include "vm/value/unicode.h"

// --- Reading ------------------------------------------------------------------------------------

typedef struct Reader {
    const char *at, *end;
} Reader;

static uint32_t look(const Reader *r) { // 0 at the end
    if (r->at == r->end) return 0;
    const char *at = r->at;
    return str_next(&at, r->end);
}

static bool take(Reader *r, char c) {
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool is_align(uint32_t c) {
    return c == '<' || c == '>' || c == '=' || c == '^';
}

static bool read_align(Reader *r, FormatSpec *spec, bool *fill_given) {
    *fill_given = false;
    if (r->at == r->end) return false;
    Reader second = *r;
    uint32_t first = str_next(&second.at, second.end);
    if (second.at < second.end && is_align(look(&second))) {
        spec->fill = first;
        spec->align = *second.at++;
        *fill_given = true;
        *r = second;
        return true;
    }
    if (!is_align(first)) return false;
    spec->align = (char)first;
    r->at++;
    return true;
}

// Reads a decimal number; -1 if there is none.
static Status read_integer(Vm *vm, Reader *r, int64_t *out) {
    int64_t n = 0;
    bool any = false;
    for (int digit; r->at < r->end && (digit = uni_decimal(look(r))) >= 0; any = true) {
        if (n > (INT64_MAX - digit) / 10)
            return vm_raise(vm, EXC_ValueError, "Too many decimal digits in format string");
        n = n * 10 + digit;
        r->at += utf8_width(*r->at);
    }
    *out = any ? n : -1;
    return ST_OK;
}

static Status read_group(Vm *vm, Reader *r, FormatSpec *spec) {
    spec->group_size = 3;
    if (take(r, ',')) spec->group = ',';
    bool both = spec->group && r->at < r->end && *r->at == '_';
    if (!both && take(r, '_')) {
        spec->group = '_';
        both = r->at < r->end && *r->at == ',';
    }
    return both ? vm_raise(vm, EXC_ValueError, "Cannot specify both ',' and '_'.") : ST_OK;
}

static Status read_precision(Vm *vm, Reader *r, FormatSpec *spec) {
    if (!take(r, '.')) return ST_OK;
    Status st = read_integer(vm, r, &spec->precision);
    if (st == ST_OK && spec->precision < 0)
        return vm_raise(vm, EXC_ValueError, "Format specifier missing precision");
    return st;
}

static Status read_type(Vm *vm, Reader *r, const Str *text, const char *type_name,
                        FormatSpec *spec) {
    if (r->at == r->end) return ST_OK;
    spec->type = str_next(&r->at, r->end);
    if (r->at == r->end) return ST_OK;
    return vm_raise(vm, EXC_ValueError, "Invalid format specifier '%s' for object of type '%s'",
                    text->data, type_name);
}

// Checks that the type allows digits to be grouped, and sets the size of a group.
static Status check_group(Vm *vm, FormatSpec *spec) {
    if (!spec->group) return ST_OK;
    uint32_t type = spec->type;
    if (type == 0 || (type < 0x80 && strchr("defgEG%F", (int)type))) return ST_OK;
    if (spec->group == '_' && type < 0x80 && strchr("boxX", (int)type)) {
        spec->group_size = 4;
        return ST_OK;
    }
    if (type > 32 && type < 128)
        return vm_raise(vm, EXC_ValueError, "Cannot specify '%c' with '%c'.", spec->group,
                        (char)type);
    return vm_raise(vm, EXC_ValueError, "Cannot specify '%c' with '\\x%x'.", spec->group, type);
}

Status format_parse(Vm *vm, const Str *text, char default_type, char default_align,
                    const char *type_name, FormatSpec *spec) {
    *spec = (FormatSpec){.fill = ' ', .align = default_align, .type = (unsigned char)default_type,
                         .width = -1, .precision = -1};
    Reader r = {text->data, str_end(text)};
    bool fill_given;
    bool align_given = read_align(&r, spec, &fill_given);
    if (r.at < r.end && (*r.at == '+' || *r.at == '-' || *r.at == ' ')) spec->sign = *r.at++;
    spec->no_negative_zero = take(&r, 'z');
    spec->alternate = take(&r, '#');
    if (!fill_given && take(&r, '0')) {
        spec->fill = '0';
        if (!align_given && default_align == '>') spec->align = '=';
    }
    Status st = read_integer(vm, &r, &spec->width);
    if (st == ST_OK) st = read_group(vm, &r, spec);
    if (st == ST_OK) st = read_precision(vm, &r, spec);
    if (st == ST_OK) st = read_type(vm, &r, text, type_name, spec);
    return st == ST_OK ? check_group(vm, spec) : st;
}

Status format_unknown_type(Vm *vm, uint32_t type, const char *type_name) {
    if (type > 32 && type < 128)
        return vm_raise(vm, EXC_ValueError, "Unknown format code '%c' for object of type '%s'",
                        (char)type, type_name);
    return vm_raise(vm, EXC_ValueError, "Unknown format code '\\x%x' for object of type '%s'",
                    type, type_name);
}

// --- Padding ------------------------------------------------------------------------------------

// Text is limited to 4 GiB, so that absurd widths fail before memory is touched.
void format_fill(uint32_t fill, size_t count, Buf *out) {
    if (count > UINT32_MAX) {
        out->failed = true;
    } else if (fill < 0x80) {
        buf_fill(out, (char)fill, count);
    } else {
        for (; count > 0 && !out->failed; count--) buf_utf8(out, fill);
    }
}

Padding format_padding(const FormatSpec *spec, size_t chars) {
    Padding pad = {0, 0};
    if (spec->width < 0 || (size_t)spec->width <= chars) return pad;
    size_t total = (size_t)spec->width - chars;
    switch (spec->align) {
    case '<': pad.after = total; break;
    case '^':
        pad.before = total / 2;
        pad.after = total - pad.before;
        break;
    default: pad.before = total; break;
    }
    return pad;
}

// --- Text ---------------------------------------------------------------------------------------

static Status check_str_spec(Vm *vm, const FormatSpec *spec) {
    const char *problem = NULL;
    if (spec->type != 's') return format_unknown_type(vm, spec->type, "str");
    if (spec->sign == ' ') {
        problem = "Space not allowed in string format specifier";
    } else if (spec->sign) {
        problem = "Sign not allowed in string format specifier";
    } else if (spec->no_negative_zero) {
        problem = "Negative zero coercion (z) not allowed in string format specifier";
    } else if (spec->alternate) {
        problem = "Alternate form (#) not allowed in string format specifier";
    } else if (spec->align == '=') {
        problem = "'=' alignment not allowed in string format specifier";
    }
    return problem ? vm_raise(vm, EXC_ValueError, "%s", problem) : ST_OK;
}

Status format_str(Vm *vm, const Str *s, const Str *text, Buf *out) {
    FormatSpec spec;
    Status st = format_parse(vm, text, 's', '<', "str", &spec);
    if (st == ST_OK) st = check_str_spec(vm, &spec);
    if (st != ST_OK) return st;
    size_t chars = s->chars, bytes = s->len;
    if (spec.precision >= 0 && (size_t)spec.precision < chars) {
        chars = (size_t)spec.precision;
        bytes = str_offset(s, chars);
    }
    Padding pad = format_padding(&spec, chars);
    format_fill(spec.fill, pad.before, out);
    buf_put(out, s->data, bytes);
    format_fill(spec.fill, pad.after, out);
    return out->failed ? vm_no_memory(vm) : ST_OK;
}

Status format_value(Vm *vm, Value v, const Str *spec, Buf *out) {
    if (spec->len == 0) return op_str(vm, v, out);
    Value x = unwrap(v);
    switch (x.kind) {
    case K_INT:
    case K_BOOL:
    case K_BIGINT: return format_int(vm, x, spec, out);
    case K_FLOAT: return format_double(vm, x.f, spec, out);
    case K_COMPLEX: return format_complex(vm, x.complex->re, x.complex->im, spec, out);
    case K_STR: return format_str(vm, x.str, spec, out);
    default:
        return vm_raise(vm, EXC_TypeError, "unsupported format string passed to %s.__format__",
                        type_name(vm, v));
    }
}

Status format_method(Vm *vm, const Value *args, Value *out) {
    Value spec = unwrap(args[1]);
    if (spec.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "__format__() argument must be str, not %s",
                        argument_type_name(vm, args[1]));
    Buf text;
    buf_init(&text, &vm->mem);
    Status st = format_value(vm, unwrap(args[0]), spec.str, &text);
    if (st == ST_OK) return str_buf_out(vm, &text, out);
    buf_free(&text);
    return st;
}
