// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// SVG: paths as they are, text as paths, images inside.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stdlib/pictures/canvas.h"
#include "stdlib/png.h"

static void put_number(Buf *out, double x) {
    char text[32];
    int length = snprintf(text, sizeof text, "%.3f", x);
    if (!isfinite(x) || length >= (int)sizeof text) {
        buf_puts(out, "0");
        return;
    }
    while (length > 1 && text[length - 1] == '0') length--;
    if (text[length - 1] == '.') length--;
    if (length == 2 && text[0] == '-' && text[1] == '0') buf_puts(out, "0");
    else buf_put(out, text, (size_t)length);
}

static void put_point(Buf *out, char op, Point p) {
    if (op) buf_putc(out, op);
    put_number(out, p.x);
    buf_putc(out, ' ');
    put_number(out, p.y);
    buf_putc(out, ' ');
}

static void put_path(Buf *out, const Path *path) {
    const Point *p = path->points;
    buf_puts(out, " d=\"");
    for (size_t i = 0; i < path->op_count; i++)
        switch (path->ops[i]) {
        case PATH_MOVE: put_point(out, 'M', *p++); break;
        case PATH_LINE: put_point(out, 'L', *p++); break;
        case PATH_CURVE:
            put_point(out, 'C', p[0]);
            put_point(out, 0, p[1]);
            put_point(out, 0, p[2]);
            p += 3;
            break;
        default: buf_puts(out, "Z ");
        }
    buf_putc(out, '"');
}

static int byte_of(double x) {
    return x <= 0 ? 0 : x >= 1 ? 255 : (int)(x * 255 + 0.5);
}

static void put_colour(Buf *out, const char *what, const Colour *c) {
    buf_printf(out, " %s=\"#%02x%02x%02x\"", what, byte_of(c->r), byte_of(c->g), byte_of(c->b));
    if (c->a < 1) {
        buf_printf(out, " %s-opacity=\"", what);
        put_number(out, c->a);
        buf_putc(out, '"');
    }
}

// Whether anything beyond the whole picture is cut off, so that a clip has to be said.
static bool is_clipped(const Canvas *canvas, const double clip[4]) {
    return clip[0] > 0 || clip[1] > 0 || clip[2] < canvas->width || clip[3] < canvas->height;
}

// Begins groups that clip; their number.
static int open_clips(Canvas *canvas, const double clip[4]) {
    Buf *out = &canvas->text;
    int groups = 0;
    if (canvas->clip_path.op_count) {
        int id = canvas->clips++;
        buf_printf(out, "<defs><clipPath id=\"c%d\"><path", id);
        put_path(out, &canvas->clip_path);
        buf_printf(out, "/></clipPath></defs><g clip-path=\"url(#c%d)\">\n", id);
        groups++;
    }
    if (is_clipped(canvas, clip)) {
        int id = canvas->clips++;
        buf_printf(out, "<defs><clipPath id=\"c%d\"><rect x=\"", id);
        put_number(out, clip[0]);
        buf_puts(out, "\" y=\"");
        put_number(out, clip[1]);
        buf_puts(out, "\" width=\"");
        put_number(out, fmax(0, clip[2] - clip[0]));
        buf_puts(out, "\" height=\"");
        put_number(out, fmax(0, clip[3] - clip[1]));
        buf_printf(out, "\"/></clipPath></defs><g clip-path=\"url(#c%d)\">\n", id);
        groups++;
    }
    return groups;
}

static void close_clips(Canvas *canvas, int groups) {
    while (groups-- > 0) buf_puts(&canvas->text, "</g>\n");
}

static void put_pen(Buf *out, const Pen *pen) {
    static const char *const caps[] = {"butt", "round", "square"}, *const joins[] = {"miter", "round", "bevel"};
    buf_puts(out, " stroke-width=\"");
    put_number(out, pen->width);
    buf_printf(out, "\" stroke-linecap=\"%s\" stroke-linejoin=\"%s\"", caps[pen->cap], joins[pen->join]);
    if (pen->dash_count == 0) return;
    buf_puts(out, " stroke-dasharray=\"");
    for (int i = 0; i < pen->dash_count; i++) {
        if (i) buf_putc(out, ' ');
        put_number(out, pen->dashes[i]);
    }
    buf_puts(out, "\" stroke-dashoffset=\"");
    put_number(out, pen->dash_offset);
    buf_putc(out, '"');
}

void svg_paint(Canvas *canvas, const Path *path, const Paint *paint) {
    Buf *out = &canvas->text;
    int groups = open_clips(canvas, paint->clip);
    buf_puts(out, "<path");
    put_path(out, path);
    if (paint->fills) put_colour(out, "fill", &paint->face);
    else buf_puts(out, " fill=\"none\"");
    if (paint->strokes) {
        put_colour(out, "stroke", &paint->edge);
        put_pen(out, &paint->pen);
    }
    buf_puts(out, "/>\n");
    close_clips(canvas, groups);
}

static void put_base64(Buf *out, const unsigned char *bytes, size_t len) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < len; i += 3) {
        uint32_t n = (uint32_t)bytes[i] << 16 | (i + 1 < len ? (uint32_t)bytes[i + 1] << 8 : 0) |
                     (i + 2 < len ? bytes[i + 2] : 0);
        char four[4] = {digits[n >> 18], digits[n >> 12 & 63], i + 1 < len ? digits[n >> 6 & 63] : '=',
                        i + 2 < len ? digits[n & 63] : '='};
        buf_put(out, four, 4);
    }
}

void svg_picture(Canvas *canvas, const Picture *picture, const double box[4], const double clip[4], double alpha) {
    Buf *out = &canvas->text, png;
    int groups = open_clips(canvas, clip);
    buf_init(&png, canvas->mem);
    png_write(picture->rgba, (uint32_t)picture->width, (uint32_t)picture->height, &png);
    buf_printf(out, "<image preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" width=\"%d\" height=\"%d\""
                    " transform=\"matrix(", picture->width, picture->height);
    const double matrix[6] = {(box[2] - box[0]) / picture->width, 0, 0, (box[3] - box[1]) / picture->height, box[0],
                              box[1]};
    for (int i = 0; i < 6; i++) {
        char number[32];
        snprintf(number, sizeof number, "%s%.9g", i ? " " : "", matrix[i]);
        buf_puts(out, number);
    }
    buf_puts(out, ")\" opacity=\"");
    put_number(out, alpha);
    buf_puts(out, "\" href=\"data:image/png;base64,");
    put_base64(out, (const unsigned char *)png.data, png.len);
    buf_puts(out, "\"/>\n");
    if (png.failed) canvas->failed = true;
    buf_free(&png);
    close_clips(canvas, groups);
}

void svg_finish(Canvas *canvas, Buf *out) {
    buf_printf(out, "<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"no\"?>\n"
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%dpt\" height=\"%dpt\" viewBox=\"0 0 %d %d\""
                    " version=\"1.1\">\n", canvas->width, canvas->height, canvas->width, canvas->height);
    buf_put(out, canvas->text.data, canvas->text.len);
    buf_puts(out, "</svg>\n");
}
