// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Formats arrays as NumPy does with the VM's print options: aligned columns, line breaks, and large
// arrays summarised.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lang/support/utf8.h"
#include "vm/array/array.h"
#include "vm/array/float_word.h"
#include "vm/array/mapped.h"

// --- Single elements ---------------------------------------------------------------------------

static void float_text(DType dtype, double x, Trim trim, bool plus, Buf *out) {
    double a = fabs(x);
    double most = dtype == DT_FLOAT16 ? 1e3 : dtype == DT_FLOAT32 ? 1e6 : 1e16;
    bool scientific = a != 0 && (a >= most || a < 1e-4);
    const FloatWord how = {.dtype = dtype, .scientific = scientific, .plus = plus,
                           .trim = scientific ? TRIM_POINT : trim, .precision = -1,
                           .min_digits = -1, .pad_left = -1, .pad_right = -1,
                           .exponent_digits = -1};
    float_word(&how, x, out);
}

static void complex_text(DType dtype, Scalar s, Buf *out) {
    DType part = dtype_real(dtype);
    bool imaginary = s.re == 0 && !signbit(s.re);
    if (!imaginary) {
        buf_putc(out, '(');
        float_text(part, s.re, TRIM_POINT, false, out);
    }
    float_text(part, s.im, TRIM_POINT, !imaginary, out);
    buf_puts(out, imaginary ? "j" : "j)");
}

void scalar_text(DType dtype, Scalar s, Buf *out) {
    switch (dtype_kind(dtype)) {
    case DK_COMPLEX: complex_text(dtype, s, out); return;
    case DK_FLOAT: float_text(dtype, s.f, TRIM_ONE_ZERO, false, out); return;
    case DK_BOOL: buf_puts(out, s.i ? "True" : "False"); return;
    case DK_INT: buf_printf(out, "%" PRId64, s.i); return;
    case DK_UINT: buf_printf(out, "%" PRIu64, s.u); return;
    default: return;
    }
}

// --- The common layout of a column -------------------------------------------------------------

typedef struct Layout {
    DType dtype;       // type of what is written: for complex numbers, of their parts
    bool imaginary;    // lays out imaginary parts
    bool corners;      // memory holds only the corners that a summary shows (array_corners)
    const PrintOptions *options;
    FloatWord word;
    int left;          // full width of a word: an int, or a float with its fraction
    bool first;        // no finite number except zeros visited yet
    double max, min;   // of nonzero absolute values
    bool any_finite, any_other, any_negative, any_negative_inf;
    int whole, fraction, exponent; // maximum widths seen
    Buf scratch;       // owned
} Layout;

typedef void (*ElementFn)(Layout *layout, Scalar s);

// Returns whether elements of a dimension of extent `n` are left out.
static bool skips(int64_t edge, bool summary, int64_t n) {
    return summary && n > 2 * edge;
}

// Returns the index at which the last edge begins; without edge items, the last element is shown. Moves *at if the
// memory has no room for the elements left out.
static int64_t skip(const Layout *l, const View *v, int dim, const char **at) {
    int64_t n = v->shape[dim], edge = l->options->edge_items;
    if (l->corners) *at -= (n - 2 * edge) * v->strides[dim];
    return edge > 0 ? n - edge : n - 1;
}

// Visits the elements that will be printed.
static void visit_shown(const View *v, bool summary, int dim, const char *at, Layout *layout,
                        ElementFn fn) {
    if (dim == v->ndim) {
        Scalar s = dtype_load(v->dtype, at);
        fn(layout, layout->imaginary ? (Scalar){.f = s.im} : s);
        return;
    }
    int64_t n = v->shape[dim], edge = layout->options->edge_items;
    for (int64_t i = 0; i < n; i++) {
        if (i == edge && edge > 0 && skips(edge, summary, n)) i = skip(layout, v, dim, &at);
        visit_shown(v, summary, dim + 1, at + i * v->strides[dim], layout, fn);
    }
}

static void note_range(Layout *l, Scalar s) {
    if (!isfinite(s.f)) {
        l->any_other = true;
        l->any_negative_inf |= isinf(s.f) && s.f < 0;
        return;
    }
    l->any_finite = true;
    l->any_negative |= signbit(s.f) != 0;
    double a = fabs(s.f);
    if (a == 0) return;
    if (l->first || a > l->max) l->max = a;
    if (l->first || a < l->min) l->min = a;
    l->first = false;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

static void note_width(Layout *l, Scalar s) {
    if (!isfinite(s.f)) return;
    Buf *text = &l->scratch;
    text->len = 0;
    float_word(&l->word, s.f, text);
    if (text->failed) return;
    const char *point = memchr(text->data, '.', text->len), *end = text->data + text->len;
    const char *e = memchr(text->data, 'e', text->len);
    l->whole = larger(l->whole, (int)(point - text->data));
    l->fraction = larger(l->fraction, (int)((e ? e : end) - point) - 1);
    if (e) l->exponent = larger(l->exponent, (int)(end - e) - 2);
}

static void note_int(Layout *l, Scalar s) {
    char text[32];
    int len = l->dtype == DT_UINT64 ? snprintf(text, sizeof text, "%" PRIu64, s.u)
                                    : snprintf(text, sizeof text, "%" PRId64, s.i);
    bool negative = text[0] == '-';
    l->any_negative |= negative;
    if (negative) l->left = larger(l->left, len);
    else l->whole = larger(l->whole, len);
}

// Returns whether numbers are written with exponents. Compares in the elements' type.
static bool wants_exponents(const Layout *l) {
    if (l->first) return false; // no finite number except zeros
    size_t part = dtype_size(l->dtype) / (dtype_kind(l->dtype) == DK_COMPLEX ? 2 : 1);
    if (l->max >= (part == 2 ? 1e3 : part == 4 ? 1e6 : 1e8)) return true;
    if (l->options->suppress) return false;
    double least = dtype_convert(DT_FLOAT64, l->dtype, (Scalar){.f = 1e-4}).f;
    double ratio = dtype_convert(DT_FLOAT64, l->dtype, (Scalar){.f = l->max / l->min}).f;
    return l->min < least || ratio > 1000;
}

static int at_most(int64_t n) {
    return n > FLOAT_WORD_MAX ? FLOAT_WORD_MAX : n < -1 ? -1 : (int)n;
}

static int text_width(const Str *text, const char *otherwise) {
    return text ? at_most((int64_t)text->chars) : (int)strlen(otherwise);
}

// Sets the format of all numbers from the maximum widths.
static void word_of_widths(Layout *l) {
    FloatWord *w = &l->word;
    FloatMode mode = l->options->mode;
    w->pad_left = l->whole;
    if (w->scientific) {
        w->trim = TRIM_NONE;
        w->precision = w->min_digits = l->fraction;
        w->exponent_digits = l->exponent;
    } else {
        w->pad_right = l->fraction;
        w->min_digits = 0;
        if (mode == FLOAT_FIXED || mode == FLOAT_MAXPREC_EQUAL) {
            w->precision = w->min_digits = l->fraction;
            w->trim = TRIM_NONE;
        }
    }
}

static void layout_floats(const View *v, const char *data, bool summary, Layout *l) {
    const PrintOptions *o = l->options;
    visit_shown(v, summary, 0, data, l, note_range);
    l->word = (FloatWord){.dtype = l->dtype, .scientific = wants_exponents(l),
                          .exact = o->mode == FLOAT_FIXED && l->any_finite, .plus = o->sign == '+',
                          .trim = o->mode == FLOAT_FIXED ? TRIM_NONE : TRIM_ZEROS,
                          .precision = o->mode == FLOAT_UNIQUE ? -1 : at_most(o->precision),
                          .min_digits = -1, .pad_left = -1, .pad_right = -1,
                          .exponent_digits = -1};
    visit_shown(v, summary, 0, data, l, note_width);
    word_of_widths(l);
    int behind = l->fraction + (l->word.scientific ? l->exponent + 2 : 0) + 1;
    int left = l->whole + (o->sign == ' ' && !l->any_negative);
    if (l->any_other) {
        left = larger(left, text_width(o->nan, "nan") - behind);
        int sign = o->sign != '-' || l->any_negative_inf;
        left = larger(left, text_width(o->inf, "inf") + sign - behind);
    }
    l->word.pad_left = left;
    l->left = left + behind;
}

static void layout_ints(const View *v, const char *data, bool summary, Layout *l) {
    char sign = l->options->sign;
    visit_shown(v, summary, 0, data, l, note_int);
    bool room = sign == '+' || (sign == ' ' && !l->any_negative);
    l->left = larger(l->left, l->whole + (room && l->whole > 0));
}

static void layout_of(const View *v, const char *data, bool summary, Layout *l) {
    if (dtype_kind(l->dtype) == DK_FLOAT) layout_floats(v, data, summary, l);
    else if (v->dtype != DT_BOOL) layout_ints(v, data, summary, l);
    else l->left = v->ndim == 0 ? 0 : 5; // a 0-dimensional bool is not padded
}

static void pad(Buf *out, int64_t count) {
    if (count > 0) buf_fill(out, ' ', (size_t)count);
}

static void put_padded(const char *sign, const char *text, size_t len, int width, Buf *out) {
    pad(out, width - (int)strlen(sign) - (int)utf8_count(text, len));
    buf_puts(out, sign);
    buf_put(out, text, len);
}

static void write_float(const Layout *l, double x, Buf *out) {
    const PrintOptions *o = l->options;
    if (isfinite(x)) {
        float_word(&l->word, x, out);
        return;
    }
    const Str *text = isnan(x) ? o->nan : o->inf;
    const char *sign = x < 0 ? "-" : o->sign == '+' ? "+" : "";
    if (text) put_padded(sign, text->data, text->len, l->left, out);
    else put_padded(sign, isnan(x) ? "nan" : "inf", 3, l->left, out);
}

static void write_number(const Layout *l, Scalar s, Buf *out) {
    if (dtype_kind(l->dtype) == DK_FLOAT) {
        write_float(l, s.f, out);
        return;
    }
    char text[32];
    int len = l->dtype == DT_BOOL ? snprintf(text, sizeof text, "%s", s.i ? "True" : "False")
              : l->dtype == DT_UINT64 ? snprintf(text, sizeof text, "%" PRIu64, s.u)
                                      : snprintf(text, sizeof text, "%" PRId64, s.i);
    bool plus = l->options->sign == '+' && l->dtype != DT_BOOL && text[0] != '-';
    put_padded(plus ? "+" : "", text, (size_t)len, l->left, out);
}

// --- Brackets and lines ------------------------------------------------------------------------

typedef struct Printer {
    const View *view;
    Layout layout;
    Layout imaginary;     // of complex arrays
    PrintOptions signs;   // options of `imaginary`
    bool summary;
    const char *separator;
    size_t separator_len;   // in bytes
    size_t bare_len;        // length without trailing white space
    int separator_width, bare_width; // in characters
    Buf *out;
    Buf word;       // owned
    int64_t column; // of the line being filled
    size_t line;    // where it begins in `out`
} Printer;

static bool is_complex(const Printer *p) {
    return dtype_kind(p->view->dtype) == DK_COMPLEX;
}

static void write_element(const Printer *p, const char *at, Buf *out) {
    Scalar s = dtype_load(p->view->dtype, at);
    write_number(&p->layout, s, out);
    if (!is_complex(p)) return;
    write_number(&p->imaginary, (Scalar){.f = s.im}, out);
    size_t blanks = 0; // blanks after the number; the j goes before them
    while (!out->failed && blanks < out->len && out->data[out->len - 1 - blanks] == ' ') blanks++;
    if (out->failed) return;
    out->len -= blanks;
    buf_putc(out, 'j');
    buf_fill(out, ' ', blanks);
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void trim_line(Printer *p) {
    Buf *out = p->out;
    while (out->len > p->line && is_blank(out->data[out->len - 1])) out->len--;
}

// Appends a word to the line, or to a new one if it does not fit.
static void extend_line(Printer *p, const char *word, size_t len, int64_t width, int64_t indent) {
    int64_t chars = (int64_t)utf8_count(word, len);
    if (p->column + chars > width && p->column > indent) {
        trim_line(p);
        buf_putc(p->out, '\n');
        p->line = p->out->len;
        pad(p->out, indent);
        p->column = indent;
    }
    buf_put(p->out, word, len);
    p->column += chars;
}

static void put_separator(Printer *p) {
    buf_put(p->out, p->separator, p->separator_len);
    p->column += p->separator_width;
}

// Prints the innermost dimension. `indent` counts from the line's start; the bracket is already
// written.
static void print_row(Printer *p, const char *at, int64_t indent, int64_t width) {
    const View *v = p->view;
    int dim = v->ndim - 1;
    int64_t n = v->shape[dim], edge = p->layout.options->edge_items;
    width -= larger(p->bare_width, 1);
    p->column = indent;
    p->line = p->out->len;
    for (int64_t i = 0; i < n && !p->out->failed; i++) {
        if (i == edge && skips(edge, p->summary, n)) {
            extend_line(p, "...", 3, width, indent);
            put_separator(p);
            i = skip(&p->layout, v, dim, &at);
        }
        p->word.len = 0;
        write_element(p, at + i * v->strides[dim], &p->word);
        if (p->word.failed) p->out->failed = true;
        else extend_line(p, p->word.data, p->word.len, width, indent);
        if (i + 1 < n) put_separator(p);
    }
}

static void line_break(Printer *p, int dim, int64_t indent) {
    buf_put(p->out, p->separator, p->bare_len);
    for (int i = dim + 1; i < p->view->ndim; i++) buf_putc(p->out, '\n');
    pad(p->out, indent);
}

static void print_level(Printer *p, int dim, const char *at, int64_t indent, int64_t width) {
    const View *v = p->view;
    int64_t n = v->shape[dim], edge = p->layout.options->edge_items;
    buf_putc(p->out, '[');
    if (dim == v->ndim - 1) {
        print_row(p, at, indent + 1, width);
        n = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        if (i == edge && skips(edge, p->summary, n)) {
            buf_puts(p->out, "...");
            line_break(p, dim, indent + 1);
            i = skip(&p->layout, v, dim, &at);
        }
        print_level(p, dim + 1, at + i * v->strides[dim], indent + 1, width - 1);
        if (i + 1 < n) line_break(p, dim, indent + 1);
    }
    buf_putc(p->out, ']');
}

static void set_separator(Printer *p, const char *separator, size_t len) {
    p->separator = separator;
    p->separator_len = p->bare_len = len;
    while (p->bare_len > 0 && is_blank(separator[p->bare_len - 1])) p->bare_len--;
    p->separator_width = (int)utf8_count(separator, len);
    p->bare_width = (int)utf8_count(separator, p->bare_len);
}

static Status check_precision(Vm *vm, const View *view, const PrintOptions *o) {
    if (!dtype_is_inexact(view->dtype) || o->precision >= 0 || o->mode == FLOAT_UNIQUE)
        return ST_OK;
    return vm_raise(vm, EXC_ValueError, "precision must be >= 0");
}

// Computes the layout of imaginary parts, which always have a sign.
static void layout_imaginary(Printer *p, Vm *vm, const char *data) {
    p->signs.sign = '+';
    p->imaginary = (Layout){.dtype = p->layout.dtype, .options = &p->signs, .imaginary = true,
                            .corners = p->layout.corners, .first = true};
    buf_init(&p->imaginary.scratch, &vm->mem);
    layout_of(p->view, data, p->summary, &p->imaginary);
    if (p->imaginary.scratch.failed) p->out->failed = true;
}

// Writes an array's text. `part` has its elements: the array itself, a copy, or its corners.
static Status text_of(Vm *vm, Array *array, Array *part, const PrintOptions *options, const ArrayFrame *frame, Buf *out) {
    View view;
    const char *data = array_read(vm, part);
    if (!data) return ST_ERROR;
    array_view(part, &view);
    const bool corners = array_size(part) != array_size(array);
    memcpy(view.shape, array_shape(array), (size_t)view.ndim * sizeof *view.shape);
    int64_t size = view_size(&view);
    if (size == 0) {
        buf_puts(out, "[]");
        return ST_OK;
    }
    if (check_precision(vm, &view, options) != ST_OK) return ST_ERROR;
    Printer p = {.view = &view, .summary = size > options->threshold, .out = out,
                 .layout = {.dtype = dtype_real(view.dtype), .options = options, .corners = corners, .first = true},
                 .signs = *options};
    buf_init(&p.word, &vm->mem);
    buf_init(&p.layout.scratch, &vm->mem);
    set_separator(&p, frame->separator, frame->separator_len);
    layout_of(&view, data, p.summary, &p.layout);
    if (is_complex(&p)) layout_imaginary(&p, vm, data);
    if (view.ndim == 0) write_element(&p, data, out);
    else print_level(&p, 0, data, frame->prefix, options->line_width - frame->suffix);
    if (p.layout.scratch.failed) out->failed = true;
    buf_free(&p.layout.scratch);
    if (is_complex(&p)) buf_free(&p.imaginary.scratch);
    buf_free(&p.word);
    return ST_OK;
}

Status array_text(Vm *vm, Array *array, const PrintOptions *options, const ArrayFrame *frame, Buf *out) {
    Value part = V_NONE;
    Status st = ST_OK;
    if (array_size(array) > options->threshold && options->edge_items > 0)
        st = array_corners(vm, array, options->edge_items, &part);
    if (st == ST_OK && part.kind == K_NONE) st = array_part(vm, array, &part);
    if (st != ST_OK) return ST_ERROR;
    st = text_of(vm, array, part.array, options, frame, out);
    release(vm, part);
    return st;
}

Status array_str_as(Vm *vm, Array *array, const PrintOptions *options, Buf *out) {
    static const ArrayFrame frame = {.separator = " ", .separator_len = 1};
    if (array->ndim > 0) return array_text(vm, array, options, &frame, out);
    const char *data = array_read(vm, array);
    if (!data) return ST_ERROR;
    scalar_text(array->dtype, dtype_load(array->dtype, data), out);
    return ST_OK;
}

Status array_str(Vm *vm, Value self, Buf *out, int depth) {
    (void)depth;
    return array_str_as(vm, self.array, &vm->print, out);
}

static bool type_is_implied(DType t) {
    return t == DT_FLOAT64 || t == DT_INT64 || t == DT_BOOL || t == DT_COMPLEX128;
}

// Appends shape= and dtype= if the elements do not imply them.
static void put_extras(Array *array, bool shape, bool type, Buf *out) {
    if (shape) {
        buf_puts(out, "shape=");
        shape_text(array_shape(array), array->ndim, out);
    }
    if (type) buf_printf(out, "%sdtype=%s", shape ? ", " : "", dtype_info[array->dtype].name);
    buf_putc(out, ')');
}

Status array_repr_as(Vm *vm, Array *array, const PrintOptions *options, Buf *out) {
    bool mapped;
    if (array_in_file(vm, v_obj(array), &mapped) != ST_OK) return ST_ERROR;
    const char *begin = mapped ? "memmap(" : "array(";
    int prefix = (int)strlen(begin);
    const ArrayFrame frame = {.separator = ", ", .separator_len = 2, .prefix = prefix, .suffix = 1};
    int64_t size = array_size(array);
    size_t start = out->len;
    buf_puts(out, begin);
    Status st = array_text(vm, array, options, &frame, out);
    if (st != ST_OK) return st;
    bool shape = (size == 0 && (array->ndim != 1)) || size > vm->print.threshold;
    bool type = !type_is_implied(array->dtype) || size == 0;
    if (!shape && !type) {
        buf_putc(out, ')');
        return ST_OK;
    }
    Buf extra;
    buf_init(&extra, &vm->mem);
    put_extras(array, shape, type, &extra);
    buf_putc(out, ',');
    size_t line = out->len;
    while (line > start && out->data && out->data[line - 1] != '\n') line--;
    if (!out->failed &&
        (int64_t)(utf8_count(out->data + line, out->len - line) + extra.len + 1) >
            options->line_width) {
        buf_putc(out, '\n');
        pad(out, prefix);
    } else {
        buf_putc(out, ' ');
    }
    if (extra.failed) out->failed = true;
    else buf_put(out, extra.data, extra.len);
    buf_free(&extra);
    return ST_OK;
}

Status array_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)depth;
    return array_repr_as(vm, self.array, &vm->print, out);
}
