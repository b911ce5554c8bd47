// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// format % values, the printf-like operator of str.

#include <limits.h>
#include <string.h>

#include "vm/value/class.h"
#include "vm/value/float_text.h"
#include "vm/value/int.h"
#include "vm/value/num_methods.h"
#include "vm/value/ops.h"
#include "vm/value/str_impl.h"

typedef struct Percent {
    Vm *vm;
    const Str *format;
    const char *at; // in format
    Value args;     // all values; a tuple is walked
    Value single;   // the value for the next conversion when there is only one; else V_UNDEF
    Value owned;    // the value looked up by key, to be released
    size_t next;    // in the tuple
    bool is_tuple, is_mapping;
    bool used; // of `single`
    Buf out;
} Percent;

// %[(key)][flags][width][.precision]type
typedef struct Conversion {
    bool left, plus, blank, alternate, zero;
    int64_t width; // -1: none
    int precision; // -1: none
    uint32_t type;
} Conversion;

// --- Values -------------------------------------------------------------------------------------

static Status next_value(Percent *p, Value *out) { // borrowed
    if (p->single.kind == K_UNDEF) {
        if (p->is_tuple && p->next < p->args.tuple->len) {
            *out = p->args.tuple->items[p->next++];
            return ST_OK;
        }
    } else if (!p->used) {
        p->used = true;
        *out = p->single;
        return ST_OK;
    }
    return vm_raise(p->vm, EXC_TypeError, "not enough arguments for format string");
}

static uint32_t letter_at(const Percent *p) { // 0 at the end
    return p->at < str_end(p->format) ? (unsigned char)*p->at : 0;
}

static bool at_end(const Percent *p) {
    return p->at >= str_end(p->format);
}

static Status incomplete(Percent *p) {
    return vm_raise(p->vm, EXC_ValueError, "incomplete format");
}

// Reads "(key)" and makes its value the one to convert.
static Status read_key(Percent *p) {
    if (!p->is_mapping) return vm_raise(p->vm, EXC_TypeError, "format requires a mapping");
    const char *start = ++p->at;
    int depth = 1;
    for (; !at_end(p); p->at++) {
        if (*p->at == '(') depth++;
        if (*p->at == ')' && --depth == 0) break;
    }
    if (at_end(p)) return vm_raise(p->vm, EXC_ValueError, "incomplete format key");
    Str *key = str_new(p->vm, start, (size_t)(p->at - start));
    if (!key) return vm_no_memory(p->vm);
    p->at++;
    Value found;
    Status st = op_getitem(p->vm, p->args, v_obj(key), &found);
    release_obj(p->vm, key);
    if (st == ST_TAIL) {
        vm_clear_tail(p->vm);
        st = ST_DEFER;
    }
    if (st != ST_OK) return st;
    replace(p->vm, &p->owned, found);
    p->single = found;
    p->used = false;
    return ST_OK;
}

// --- Reading a conversion -----------------------------------------------------------------------

static void read_flags(Percent *p, Conversion *c) {
    for (;; p->at++) {
        switch (letter_at(p)) {
        case '-': c->left = true; break;
        case '+': c->plus = true; break;
        case ' ': c->blank = true; break;
        case '#': c->alternate = true; break;
        case '0': c->zero = true; break;
        default: return;
        }
    }
}

static Status star_value(Percent *p, int64_t low, int64_t high, const char *c_type, int64_t *out) {
    Value v;
    Status st = next_value(p, &v);
    if (st != ST_OK) return st;
    v = unwrap(v);
    if (!is_int(v)) return vm_raise(p->vm, EXC_TypeError, "* wants int");
    if (!int_to_i64(v, out) || *out < low || *out > high)
        return vm_raise(p->vm, EXC_OverflowError, "Python int too large to convert to C %s",
                        c_type);
    p->at++;
    return ST_OK;
}

static Status read_digits(Percent *p, int64_t limit, const char *what, int64_t *out) {
    int64_t n = 0;
    for (; is_decimal_digit((int)letter_at(p)); p->at++) {
        int digit = *p->at - '0';
        if (n > (limit - digit) / 10) return vm_raise(p->vm, EXC_ValueError, "%s too big", what);
        n = n * 10 + digit;
    }
    *out = n;
    return ST_OK;
}

static Status read_width(Percent *p, Conversion *c) {
    if (is_decimal_digit((int)letter_at(p))) return read_digits(p, INT64_MAX, "width", &c->width);
    if (letter_at(p) != '*') return ST_OK;
    Status st = star_value(p, INT64_MIN, INT64_MAX, "ssize_t", &c->width);
    if (st == ST_OK && c->width < 0) {
        c->left = true;
        c->width = c->width == INT64_MIN ? INT64_MAX : -c->width;
    }
    return st;
}

static Status read_precision(Percent *p, Conversion *c) {
    if (letter_at(p) != '.') return ST_OK;
    p->at++;
    int64_t n = 0;
    Status st = letter_at(p) == '*' ? star_value(p, INT_MIN, INT_MAX, "int", &n)
                               : read_digits(p, INT_MAX, "precision", &n);
    if (st == ST_OK) c->precision = n < 0 ? 0 : (int)n;
    return st;
}

static Status read_conversion(Percent *p, Conversion *c) {
    *c = (Conversion){.width = -1, .precision = -1};
    if (letter_at(p) == '(') {
        Status st = read_key(p);
        if (st != ST_OK) return st;
    }
    read_flags(p, c);
    Status st = read_width(p, c);
    if (st == ST_OK) st = read_precision(p, c);
    if (st != ST_OK) return st;
    uint32_t size = letter_at(p);
    if (size == 'h' || size == 'l' || size == 'L') p->at++;
    if (at_end(p)) return incomplete(p);
    c->type = str_next(&p->at, str_end(p->format));
    return ST_OK;
}

// --- Writing ------------------------------------------------------------------------------------

// Writes text of `bytes` bytes, which are `chars` characters, padded with spaces.
static void put_text(Percent *p, const Conversion *c, const char *text, size_t bytes,
                     size_t chars) {
    size_t pad = c->width > (int64_t)chars ? (size_t)c->width - chars : 0;
    if (pad > UINT32_MAX) p->out.failed = true;
    if (!c->left) buf_fill(&p->out, ' ', pad);
    buf_put(&p->out, text, bytes);
    if (c->left) buf_fill(&p->out, ' ', pad);
}

// Writes a number's sign, prefix (of `prefix` bytes) and digits; text begins with '-' where it is negative.
static void put_number(Percent *p, const Conversion *c, const char *text, size_t len,
                       size_t prefix) {
    char sign = c->plus ? '+' : c->blank ? ' ' : 0;
    if (len && text[0] == '-') {
        sign = '-';
        text++;
        len--;
    }
    size_t chars = len + (sign != 0);
    size_t pad = c->width > (int64_t)chars ? (size_t)c->width - chars : 0;
    if (pad > UINT32_MAX) p->out.failed = true;
    if (!c->left && !c->zero) buf_fill(&p->out, ' ', pad);
    if (sign) buf_putc(&p->out, sign);
    buf_put(&p->out, text, prefix);
    if (!c->left && c->zero) buf_fill(&p->out, '0', pad);
    buf_put(&p->out, text + prefix, len - prefix);
    if (c->left) buf_fill(&p->out, ' ', pad);
}

static Status text_of(Percent *p, uint32_t type, Value v, Buf *text) {
    if (type == 's') return op_str(p->vm, v, text);
    if (type == 'r') return op_repr(p->vm, v, text);
    Buf repr;
    buf_init(&repr, &p->vm->mem);
    Status st = op_repr(p->vm, v, &repr);
    if (st == ST_OK) str_escape_ascii(repr.data, repr.len, text);
    buf_free(&repr);
    return st;
}

static Status convert_text(Percent *p, const Conversion *c, Value v) {
    Buf text;
    buf_init(&text, &p->vm->mem);
    Status st = text_of(p, c->type, v, &text);
    if (st == ST_OK && text.failed) st = vm_no_memory(p->vm);
    if (st == ST_OK) {
        size_t chars = text.len ? str_count_chars(text.data, text.len) : 0, bytes = text.len;
        if (c->precision >= 0 && (size_t)c->precision < chars) {
            chars = (size_t)c->precision;
            bytes = 0;
            for (size_t i = 0; i < chars; i++) bytes += (size_t)utf8_width(text.data[bytes]);
        }
        put_text(p, c, text.data, bytes, chars);
    }
    buf_free(&text);
    return st;
}

static Status wrong_type(Percent *p, const Conversion *c, Value v) {
    const char *wanted = strchr("oxX", (int)c->type) ? "an integer" : "a real number";
    return vm_raise(p->vm, EXC_TypeError, "%%%c format: %s is required, not %s", (char)c->type,
                    wanted, type_name(p->vm, v));
}

// Writes sign, prefix and at least `precision` digits of an int to `text`.
static Status write_int(Percent *p, const Conversion *c, Value v, Buf *text, size_t *prefix) {
    int base = c->type == 'o' ? 8 : (c->type | 0x20) == 'x' ? 16 : 10;
    Buf digits;
    buf_init(&digits, &p->vm->mem);
    Status st = int_write_magnitude(p->vm, v, base, &digits);
    if (st == ST_OK) {
        *prefix = c->alternate && base != 10 ? 2 : 0;
        if (int_sign(v) < 0) buf_putc(text, '-');
        if (*prefix) buf_putc(text, '0');
        if (*prefix) buf_putc(text, (char)c->type);
        if (c->precision > 0 && (size_t)c->precision > digits.len)
            buf_fill(text, '0', (size_t)c->precision - digits.len);
        for (size_t i = 0; c->type == 'X' && i < digits.len; i++)
            if (digits.data[i] >= 'a') digits.data[i] = (char)(digits.data[i] - 'a' + 'A');
        buf_put(text, digits.data, digits.len);
    }
    buf_free(&digits);
    if (st == ST_OK && text->failed) st = vm_no_memory(p->vm);
    return st;
}

static Status convert_int(Percent *p, const Conversion *c, Value v) {
    Value n;
    Status st = strchr("oxX", (int)c->type) ? num_to_index(p->vm, v, &n)
                                            : num_to_int(p->vm, v, &n);
    if (st == ST_NOTIMPL) return wrong_type(p, c, v);
    if (st != ST_OK) return st;
    Buf text;
    size_t prefix = 0;
    buf_init(&text, &p->vm->mem);
    if (c->precision > INT_MAX - 3) {
        st = vm_raise(p->vm, EXC_OverflowError, "precision too large");
    } else {
        st = write_int(p, c, n, &text, &prefix);
    }
    if (st == ST_OK) put_number(p, c, text.data, text.len, prefix);
    buf_free(&text);
    release(p->vm, n);
    return st;
}

static Status convert_float(Percent *p, const Conversion *c, Value v) {
    double d;
    Status st = op_as_double(p->vm, v, &d);
    if (st != ST_OK) return st;
    Buf text;
    buf_init(&text, &p->vm->mem);
    float_format(d, (char)c->type, c->precision < 0 ? 6 : c->precision, c->alternate, &text);
    if (text.failed) {
        st = vm_no_memory(p->vm);
    } else {
        put_number(p, c, text.data, text.len, 0);
    }
    buf_free(&text);
    return st;
}

static Status convert_char(Percent *p, const Conversion *c, Value v) {
    Value x = unwrap(v), n;
    if (x.kind == K_STR && x.str->chars == 1) {
        put_text(p, c, x.str->data, x.str->len, 1);
        return ST_OK;
    }
    Status st = x.kind == K_STR ? ST_NOTIMPL : num_to_index(p->vm, v, &n);
    if (st == ST_NOTIMPL) return vm_raise(p->vm, EXC_TypeError, "%%c requires int or char");
    if (st != ST_OK) return st;
    int64_t code = -1;
    if (!int_to_i64(n, &code)) code = -1;
    release(p->vm, n);
    if (code < 0 || code > 0x10FFFF)
        return vm_raise(p->vm, EXC_OverflowError, "%%c arg not in range(0x110000)");
    Str *letter = str_char(p->vm, (uint32_t)code);
    if (!letter) return vm_no_memory(p->vm);
    put_text(p, c, letter->data, letter->len, 1);
    release_obj(p->vm, letter);
    return ST_OK;
}

static Status unsupported(Percent *p, const Conversion *c) {
    size_t index = str_count_chars(p->format->data, (size_t)(p->at - p->format->data)) - 1;
    char shown = c->type >= 31 && c->type <= 126 ? (char)c->type : '?';
    return vm_raise(p->vm, EXC_ValueError, "unsupported format character '%c' (0x%x) at index %zu",
                    shown, c->type, index);
}

static Status convert(Percent *p, const Conversion *c) {
    Value v;
    Status st = next_value(p, &v);
    if (st != ST_OK) return st;
    switch (c->type) {
    case 's':
    case 'r':
    case 'a': return convert_text(p, c, v);
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': return convert_int(p, c, v);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': return convert_float(p, c, v);
    case 'c': return convert_char(p, c, v);
    default: return unsupported(p, c);
    }
}

// --- The operator -------------------------------------------------------------------------------

static Status walk(Percent *p) {
    const char *end = str_end(p->format);
    while (p->at < end) {
        const char *percent = memchr(p->at, '%', (size_t)(end - p->at));
        buf_put(&p->out, p->at, (size_t)((percent ? percent : end) - p->at));
        if (!percent) break;
        p->at = percent + 1;
        if (letter_at(p) == '%') {
            buf_putc(&p->out, '%');
            p->at++;
            continue;
        }
        Conversion c;
        Status st = read_conversion(p, &c);
        if (st == ST_OK) st = convert(p, &c);
        if (st != ST_OK) return st;
    }
    return p->out.failed ? vm_no_memory(p->vm) : ST_OK;
}

// Returns whether no value is left over; those of a mapping may be.
static bool all_used(const Percent *p) {
    if (p->is_mapping) return true;
    return p->is_tuple ? p->next == p->args.tuple->len : p->used;
}

static bool is_mapping(Vm *vm, Value args) {
    Value x = unwrap(args);
    if (x.kind == K_TUPLE || x.kind == K_STR) return false;
    return kind_slots[x.kind]->getitem || op_user_method(vm, args, NAME_getitem);
}

Status format_percent(Vm *vm, Str *format, Value args, Value *out) {
    Percent p = {.vm = vm, .format = format, .at = format->data, .args = args};
    p.is_tuple = unwrap(args).kind == K_TUPLE;
    if (p.is_tuple) {
        p.args = unwrap(args);
    } else {
        p.single = args;
    }
    p.is_mapping = is_mapping(vm, args);
    buf_init(&p.out, &vm->mem);
    Status st = walk(&p);
    if (st == ST_OK && !all_used(&p))
        st = vm_raise(vm, EXC_TypeError,
                      "not all arguments converted during string formatting");
    release(vm, p.owned);
    if (st == ST_OK) return str_buf_out(vm, &p.out, out);
    buf_free(&p.out);
    return st;
}
