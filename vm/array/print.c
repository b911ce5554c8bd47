// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays as text, as NumPy prints them: 8 digits after the point at most, columns aligned, lines of
// 75 characters, a summary beyond 1000 elements.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vm/array/array.h"
#include "vm/graph/half.h"
#include "vm/value/float_text.h"

enum { PRECISION = 8, LINE_WIDTH = 75, THRESHOLD = 1000, EDGE = 3, WORD = 512 };

// --- Single floats -----------------------------------------------------------------------------

// Digits of a finite number: 0.d1d2d3… * 10^point; count 0 for zero.
typedef struct Digits {
    char text[32];
    int count, point;
} Digits;

static void take_digits(const FloatDigits *from, Digits *to) {
    to->count = from->count < 31 ? from->count : 31;
    memcpy(to->text, from->text, (size_t)to->count);
    to->point = from->point;
}

static FloatParts parts_in(DType dtype, double a) {
    switch (dtype) {
    case DT_FLOAT16: return float16_parts(half_from_double(a));
    case DT_FLOAT32: return float32_parts((float)a);
    default: return float_parts(a);
    }
}

static void shortest(DType dtype, double a, Digits *out) {
    Decimal d = float_shortest(parts_in(dtype, a));
    int len = decimal_length(d.digits);
    out->count = len;
    out->point = len + d.exponent;
    for (uint64_t rest = d.digits; len > 0; rest /= 10) out->text[--len] = (char)('0' + rest % 10);
}

// The shortest digits; where there are more than `places` of them after the point (scientific:
// after the first), the exact value rounded there.
static void digits_of(DType dtype, double a, bool scientific, int places, Digits *out) {
    FloatDigits exact;
    out->count = out->point = 0;
    if (a == 0) return;
    shortest(dtype, a, out);
    if (scientific && out->count > places + 1) {
        float_digits_significant(a, places + 1, &exact);
        take_digits(&exact, out);
    } else if (!scientific && out->count - out->point > places) {
        float_digits_places(a, places, &exact);
        take_digits(&exact, out);
    }
}

// A number in two parts: before and after the point (or all the rest, exponent included).
typedef struct Word {
    char whole[400], fraction[40], exponent[8];
    int whole_len, fraction_len, exponent_len;
} Word;

static void positional_word(const Digits *d, bool negative, Word *w) {
    w->whole_len = w->fraction_len = w->exponent_len = 0;
    if (negative) w->whole[w->whole_len++] = '-';
    if (d->count == 0 || d->point <= 0) w->whole[w->whole_len++] = '0';
    for (int i = 0; i < d->point && d->count > 0; i++)
        w->whole[w->whole_len++] = i < d->count ? d->text[i] : '0';
    for (int i = d->point; i < d->count && d->count > 0; i++)
        w->fraction[w->fraction_len++] = i < 0 ? '0' : d->text[i];
}

static void scientific_word(const Digits *d, bool negative, Word *w) {
    w->whole_len = w->fraction_len = 0;
    if (negative) w->whole[w->whole_len++] = '-';
    w->whole[w->whole_len++] = d->count ? d->text[0] : '0';
    for (int i = 1; i < d->count; i++) w->fraction[w->fraction_len++] = d->text[i];
    int e = d->count ? d->point - 1 : 0;
    w->exponent_len =
        snprintf(w->exponent, sizeof w->exponent, "e%c%02d", e < 0 ? '-' : '+', e < 0 ? -e : e);
}

void scalar_text(DType dtype, Scalar s, Buf *out) {
    switch (dtype_kind(dtype)) {
    case DK_BOOL: buf_puts(out, s.i ? "True" : "False"); return;
    case DK_INT: buf_printf(out, "%" PRId64, s.i); return;
    case DK_UINT: buf_printf(out, "%" PRIu64, s.u); return;
    default: break;
    }
    if (isnan(s.f) || isinf(s.f)) {
        buf_puts(out, isnan(s.f) ? "nan" : s.f < 0 ? "-inf" : "inf");
        return;
    }
    Digits d;
    Word w;
    double a = fabs(s.f);
    bool scientific = a != 0 && (a >= 1e16 || a < 1e-4);
    digits_of(dtype, a, scientific, 30, &d);
    if (scientific) scientific_word(&d, signbit(s.f), &w);
    else positional_word(&d, signbit(s.f), &w);
    buf_put(out, w.whole, (size_t)w.whole_len);
    if (w.fraction_len || !scientific) buf_putc(out, '.');
    buf_put(out, w.fraction_len ? w.fraction : "0",
            (size_t)(w.fraction_len ? w.fraction_len : !scientific));
    buf_put(out, w.exponent, (size_t)w.exponent_len);
}

// --- The common layout of a column -------------------------------------------------------------

typedef struct Layout {
    DType dtype;
    bool scientific;
    int left, right;  // widths before and after the point (ints and bools: left only)
    int exponent;     // width of the exponent's digits
    bool first;       // nothing seen yet
    double max, min;  // of absolute values that are not 0
    bool any_nan, any_inf, any_negative_inf;
} Layout;

typedef void (*ElementFn)(Layout *layout, Scalar s);

// Visits the elements that will be printed.
static void visit_shown(const View *v, bool summary, int dim, const char *at, Layout *layout,
                        ElementFn fn) {
    if (dim == v->ndim) {
        fn(layout, dtype_load(v->dtype, at));
        return;
    }
    int64_t n = v->shape[dim];
    for (int64_t i = 0; i < n; i++) {
        if (summary && n > 2 * EDGE && i == EDGE) i = n - EDGE;
        visit_shown(v, summary, dim + 1, at + i * v->strides[dim], layout, fn);
    }
}

static void note_range(Layout *l, Scalar s) {
    l->any_nan |= isnan(s.f);
    l->any_inf |= isinf(s.f) != 0;
    l->any_negative_inf |= isinf(s.f) && s.f < 0;
    double a = fabs(s.f);
    if (!isfinite(a) || a == 0) return;
    if (l->first || a > l->max) l->max = a;
    if (l->first || a < l->min) l->min = a;
    l->first = false;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

static void note_width(Layout *l, Scalar s) {
    Digits d;
    Word w;
    if (!isfinite(s.f)) return;
    digits_of(l->dtype, fabs(s.f), l->scientific, PRECISION, &d);
    if (l->scientific) scientific_word(&d, signbit(s.f), &w);
    else positional_word(&d, signbit(s.f), &w);
    l->left = larger(l->left, w.whole_len);
    l->right = larger(l->right, w.fraction_len);
    if (l->scientific) l->exponent = larger(l->exponent, w.exponent_len - 2);
}

static void note_int(Layout *l, Scalar s) {
    char text[32];
    int len = l->dtype == DT_UINT64 ? snprintf(text, sizeof text, "%" PRIu64, s.u)
                                    : snprintf(text, sizeof text, "%" PRId64, s.i);
    l->left = larger(l->left, len);
}

static void note_bool(Layout *l, Scalar s) {
    (void)s;
    l->left = 5;
}

// Reckoned in the type of the elements.
static bool wants_exponents(const Layout *l) {
    if (l->first) return false; // no finite number but zeros
    double least = dtype_convert(DT_FLOAT64, l->dtype, (Scalar){.f = 1e-4}).f;
    double ratio = dtype_convert(DT_FLOAT64, l->dtype, (Scalar){.f = l->max / l->min}).f;
    return l->max >= 1e8 || l->min < least || ratio > 1000;
}

static void layout_floats(const View *v, const char *data, bool summary, Layout *l) {
    visit_shown(v, summary, 0, data, l, note_range);
    l->scientific = wants_exponents(l);
    visit_shown(v, summary, 0, data, l, note_width);
    int behind = l->right + (l->scientific ? l->exponent + 2 : 0) + 1;
    if (l->any_nan) l->left = larger(l->left, 3 - behind);
    if (l->any_inf) l->left = larger(l->left, 3 + l->any_negative_inf - behind);
}

static void layout_of(const View *v, const char *data, bool summary, Layout *l) {
    *l = (Layout){.dtype = v->dtype, .first = true};
    if (v->ndim == 0 && v->dtype == DT_BOOL) {
        l->left = 0; // a lone bool is not padded
        return;
    }
    if (dtype_kind(v->dtype) == DK_FLOAT) layout_floats(v, data, summary, l);
    else visit_shown(v, summary, 0, data, l, v->dtype == DT_BOOL ? note_bool : note_int);
}

static void pad(Buf *out, int count) {
    if (count > 0) buf_fill(out, ' ', (size_t)count);
}

// As many digits as the column has, exact ones also beyond the shortest form's.
static void scientific_digits(const Layout *l, double a, Digits *out) {
    FloatDigits exact;
    out->count = out->point = 0;
    if (a == 0) return;
    shortest(l->dtype, a, out);
    if (out->count == l->right + 1) return;
    float_digits_significant(a, l->right + 1, &exact);
    take_digits(&exact, out);
}

static void write_float(const Layout *l, double x, Buf *out) {
    int behind = l->right + (l->scientific ? l->exponent + 2 : 0) + 1;
    if (!isfinite(x)) {
        const char *text = isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
        pad(out, l->left + behind - (int)strlen(text));
        buf_puts(out, text);
        return;
    }
    Digits d;
    Word w;
    if (l->scientific) scientific_digits(l, fabs(x), &d);
    else digits_of(l->dtype, fabs(x), false, PRECISION, &d);
    if (l->scientific) scientific_word(&d, signbit(x), &w);
    else positional_word(&d, signbit(x), &w);
    pad(out, l->left - w.whole_len);
    buf_put(out, w.whole, (size_t)w.whole_len);
    buf_putc(out, '.');
    buf_put(out, w.fraction, (size_t)w.fraction_len);
    if (!l->scientific) {
        pad(out, l->right - w.fraction_len);
        return;
    }
    for (int i = w.fraction_len; i < l->right; i++) buf_putc(out, '0');
    buf_put(out, w.exponent, 2);
    for (int i = w.exponent_len - 2; i < l->exponent; i++) buf_putc(out, '0');
    buf_put(out, w.exponent + 2, (size_t)w.exponent_len - 2);
}

static void write_element(const Layout *l, Scalar s, Buf *out) {
    if (dtype_kind(l->dtype) == DK_FLOAT) {
        write_float(l, s.f, out);
        return;
    }
    size_t start = out->len;
    scalar_text(l->dtype, s, out);
    int width = (int)(out->len - start), missing = l->left - width;
    if (missing <= 0 || out->failed) return;
    char text[32];
    memcpy(text, out->data + start, (size_t)width);
    out->len = start;
    pad(out, missing);
    buf_put(out, text, (size_t)width);
}

// --- Brackets and lines ------------------------------------------------------------------------

typedef struct Printer {
    const View *view;
    Layout layout;
    bool summary;
    const char *separator; // " " or ", "
    int line_width;
    Buf *out;
    Mem *mem;
    int column; // of the line being filled
} Printer;

static void trim_line(Buf *out) {
    while (out->len > 0 && out->data[out->len - 1] == ' ') out->len--;
}

// Puts a word on the line, or on a new one when it would not fit.
static void extend_line(Printer *p, const char *word, int len, int width, int indent) {
    if (p->column + len > width && p->column > indent) {
        trim_line(p->out);
        buf_putc(p->out, '\n');
        pad(p->out, indent);
        p->column = indent;
    }
    buf_put(p->out, word, (size_t)len);
    p->column += len;
}

static void put_separator(Printer *p) {
    buf_puts(p->out, p->separator);
    p->column += (int)strlen(p->separator);
}

// The innermost dimension. `indent` counts from the line's begin; the bracket is written already.
static void print_row(Printer *p, const char *at, int indent, int width) {
    const View *v = p->view;
    int dim = v->ndim - 1, tight = (int)strlen(p->separator) - 1;
    int64_t n = v->shape[dim];
    width -= tight > 1 ? tight : 1;
    p->column = indent;
    for (int64_t i = 0; i < n; i++) {
        if (p->summary && n > 2 * EDGE && i == EDGE) {
            extend_line(p, "...", 3, width, indent);
            put_separator(p);
            i = n - EDGE;
        }
        Buf word;
        buf_init(&word, p->mem);
        write_element(&p->layout, dtype_load(v->dtype, at + i * v->strides[dim]), &word);
        if (word.failed) p->out->failed = true;
        else extend_line(p, word.data, (int)word.len, width, indent);
        buf_free(&word);
        if (i + 1 < n) put_separator(p);
    }
}

static void line_break(Printer *p, int dim, int indent) {
    if (p->separator[0] == ',') buf_putc(p->out, ',');
    for (int i = dim + 1; i < p->view->ndim; i++) buf_putc(p->out, '\n');
    pad(p->out, indent);
}

static void print_level(Printer *p, int dim, const char *at, int indent, int width) {
    const View *v = p->view;
    int64_t n = v->shape[dim];
    buf_putc(p->out, '[');
    if (dim == v->ndim - 1) {
        print_row(p, at, indent + 1, width - 0);
    } else {
        for (int64_t i = 0; i < n; i++) {
            if (p->summary && n > 2 * EDGE && i == EDGE) {
                buf_puts(p->out, "...");
                line_break(p, dim, indent + 1);
                i = n - EDGE;
            }
            print_level(p, dim + 1, at + i * v->strides[dim], indent + 1, width - 1);
            if (i + 1 < n) line_break(p, dim, indent + 1);
        }
    }
    buf_putc(p->out, ']');
}

static Status print_array(Vm *vm, Array *array, const char *separator, int prefix, int suffix,
                          Buf *out) {
    View view;
    const char *data = array_read(vm, array);
    if (!data) return ST_ERROR;
    array_view(array, &view);
    int64_t size = view_size(&view);
    if (size == 0) {
        buf_puts(out, "[]");
        return ST_OK;
    }
    Printer p = {.view = &view, .summary = size > THRESHOLD, .separator = separator,
                 .line_width = LINE_WIDTH - suffix, .out = out, .mem = &vm->mem};
    layout_of(&view, data, p.summary, &p.layout);
    if (view.ndim == 0) write_element(&p.layout, dtype_load(view.dtype, data), out);
    else print_level(&p, 0, data, prefix, p.line_width);
    return ST_OK;
}

Status array_str(Vm *vm, Value self, Buf *out, int depth) {
    Array *array = self.array;
    (void)depth;
    if (array->ndim > 0) return print_array(vm, array, " ", 0, 0, out);
    const char *data = array_read(vm, array);
    if (!data) return ST_ERROR;
    scalar_text(array->dtype, dtype_load(array->dtype, data), out);
    return ST_OK;
}

static bool type_is_implied(DType t) {
    return t == DT_FLOAT64 || t == DT_INT64 || t == DT_BOOL;
}

Status array_repr(Vm *vm, Value self, Buf *out, int depth) {
    enum { PREFIX = sizeof "array(" - 1 };
    Array *array = self.array;
    int64_t size = array_size(array);
    size_t start = out->len;
    (void)depth;
    buf_puts(out, "array(");
    Status st = print_array(vm, array, ", ", PREFIX, 1, out);
    if (st != ST_OK) return st;
    bool shape = (size == 0 && (array->ndim != 1)) || size > THRESHOLD;
    bool type = !type_is_implied(array->dtype) || size == 0;
    if (!shape && !type) {
        buf_putc(out, ')');
        return ST_OK;
    }
    Buf extra;
    buf_init(&extra, &vm->mem);
    if (shape) {
        buf_puts(&extra, "shape=");
        shape_text(array_shape(array), array->ndim, &extra);
    }
    if (type) buf_printf(&extra, "%sdtype=%s", shape ? ", " : "", dtype_info[array->dtype].name);
    buf_puts(&extra, ")");
    buf_putc(out, ',');
    size_t line = out->len;
    while (line > start && out->data && out->data[line - 1] != '\n') line--;
    bool wrap = out->len - line + extra.len + 1 > LINE_WIDTH;
    if (wrap) {
        buf_putc(out, '\n');
        pad(out, PREFIX);
    } else {
        buf_putc(out, ' ');
    }
    if (extra.failed) out->failed = true;
    else buf_put(out, extra.data, extra.len);
    buf_free(&extra);
    return ST_OK;
}
