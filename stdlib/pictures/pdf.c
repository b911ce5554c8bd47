// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// PDF 1.4: one page, whose contents are written while it is drawn; images and levels of transparency are objects.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lang/support/deflate.h"
#include "stdlib/pictures/canvas.h"

enum { ALPHAS_MOST = 256, IMAGES_MOST = 1024 };

typedef struct Level {
    int fill, stroke; // of 255
} Level;

struct VectorState {
    Level levels[ALPHAS_MOST];
    int level_count;
    Buf images[IMAGES_MOST]; // streams of colours, and of alpha behind them
    int widths[IMAGES_MOST], heights[IMAGES_MOST];
    int image_count;
};

bool vector_begin(Canvas *canvas) {
    if (canvas->kind != CANVAS_PDF) return true;
    canvas->vector = mem_zalloc(canvas->mem, sizeof *canvas->vector);
    return canvas->vector != NULL;
}

void vector_end(Canvas *canvas) {
    if (!canvas->vector) return;
    for (int i = 0; i < canvas->vector->image_count; i++) buf_free(&canvas->vector->images[i]);
    mem_free(canvas->mem, canvas->vector, sizeof *canvas->vector);
    canvas->vector = NULL;
}

static void put_number(Buf *out, double x) {
    char text[40];
    if (!isfinite(x)) x = 0;
    int length = snprintf(text, sizeof text, "%.4f", fmax(-1e9, fmin(1e9, x)));
    while (length > 1 && text[length - 1] == '0') length--;
    if (text[length - 1] == '.') length--;
    buf_put(out, text, (size_t)length);
    buf_putc(out, ' ');
}

// PDF's y runs upward.
static void put_point(Canvas *canvas, Point p) {
    put_number(&canvas->text, p.x);
    put_number(&canvas->text, canvas->height - p.y);
}

static void put_path(Canvas *canvas, const Path *path) {
    Buf *out = &canvas->text;
    const Point *p = path->points;
    for (size_t i = 0; i < path->op_count; i++)
        switch (path->ops[i]) {
        case PATH_MOVE: put_point(canvas, *p++), buf_puts(out, "m\n"); break;
        case PATH_LINE: put_point(canvas, *p++), buf_puts(out, "l\n"); break;
        case PATH_CURVE:
            for (int k = 0; k < 3; k++) put_point(canvas, *p++);
            buf_puts(out, "c\n");
            break;
        default: buf_puts(out, "h\n");
        }
}

static void put_clips(Canvas *canvas, const double clip[4]) {
    Buf *out = &canvas->text;
    put_point(canvas, (Point){clip[0], clip[3]});
    put_number(out, fmax(0, clip[2] - clip[0]));
    put_number(out, fmax(0, clip[3] - clip[1]));
    buf_puts(out, "re W n\n");
    if (canvas->clip_path.op_count) {
        put_path(canvas, &canvas->clip_path);
        buf_puts(out, "W n\n");
    }
}

static int part_of(double alpha) {
    return alpha <= 0 ? 0 : alpha >= 1 ? 255 : (int)(alpha * 255 + 0.5);
}

static void put_alpha(Canvas *canvas, double fill, double stroke) {
    struct VectorState *v = canvas->vector;
    Level level = {part_of(fill), part_of(stroke)};
    int i = 0;
    while (i < v->level_count && (v->levels[i].fill != level.fill || v->levels[i].stroke != level.stroke)) i++;
    if (i == ALPHAS_MOST) i = ALPHAS_MOST - 1; // the last one that there was room for
    else if (i == v->level_count) v->levels[v->level_count++] = level;
    buf_printf(&canvas->text, "/A%d gs\n", i);
}

static void put_colour(Buf *out, const Colour *c, const char *op) {
    put_number(out, c->r);
    put_number(out, c->g);
    put_number(out, c->b);
    buf_puts(out, op);
}

static void put_pen(Buf *out, const Pen *pen) {
    put_number(out, pen->width);
    buf_printf(out, "w %d J %d j [", (int)pen->cap, (int)pen->join);
    for (int i = 0; i < pen->dash_count; i++) put_number(out, pen->dashes[i]);
    buf_puts(out, "] ");
    put_number(out, pen->dash_offset);
    buf_puts(out, "d\n");
}

void pdf_paint(Canvas *canvas, const Path *path, const Paint *paint) {
    Buf *out = &canvas->text;
    buf_puts(out, "q\n");
    put_clips(canvas, paint->clip);
    put_alpha(canvas, paint->fills ? paint->face.a : 1, paint->strokes ? paint->edge.a : 1);
    if (paint->fills) put_colour(out, &paint->face, "rg\n");
    if (paint->strokes) {
        put_colour(out, &paint->edge, "RG\n");
        put_pen(out, &paint->pen);
    }
    put_path(canvas, path);
    buf_puts(out, paint->fills && paint->strokes ? "B\nQ\n" : paint->fills ? "f\nQ\n" : "S\nQ\n");
}

// A stream object: what its dictionary says besides its length, and the bytes, packed where that can be done.
static void put_stream(Buf *out, const char *head, const char *bytes, size_t len) {
    Buf packed;
    buf_init(&packed, out->mem);
    DeflateResult result = deflate_pack(bytes, len, &packed);
    if (result == DEFLATE_OK) {
        // zlib's frame around it: two bytes in front, the check sum behind.
        uint32_t a = 1, b = 0;
        for (size_t i = 0; i < len; i++) {
            a = (a + (unsigned char)bytes[i]) % 65521;
            b = (b + a) % 65521;
        }
        uint32_t sum = b << 16 | a;
        buf_printf(out, "<< %s /Filter /FlateDecode /Length %zu >>\nstream\n\x78\x9c", head, packed.len + 6);
        buf_put(out, packed.data, packed.len);
        for (int shift = 24; shift >= 0; shift -= 8) buf_putc(out, (char)(sum >> shift & 255));
    } else if (result == DEFLATE_ABSENT) {
        buf_printf(out, "<< %s /Length %zu >>\nstream\n", head, len);
        buf_put(out, bytes, len);
    } else {
        out->failed = true;
    }
    buf_puts(out, "\nendstream\nendobj\n");
    buf_free(&packed);
}

void pdf_picture(Canvas *canvas, const Picture *picture, const double box[4], const double clip[4], double alpha) {
    struct VectorState *v = canvas->vector;
    if (v->image_count == IMAGES_MOST) {
        canvas->failed = true;
        return;
    }
    int id = v->image_count++;
    size_t count = (size_t)picture->width * (size_t)picture->height;
    Buf *image = &v->images[id], *out = &canvas->text;
    buf_init(image, canvas->mem);
    for (size_t i = 0; i < count; i++) buf_put(image, (const char *)picture->rgba + 4 * i, 3);
    for (size_t i = 0; i < count; i++) buf_putc(image, (char)picture->rgba[4 * i + 3]);
    if (image->failed) canvas->failed = true;
    v->widths[id] = picture->width;
    v->heights[id] = picture->height;
    buf_puts(out, "q\n");
    put_clips(canvas, clip);
    put_alpha(canvas, alpha, 1);
    put_number(out, box[2] - box[0]);
    buf_puts(out, "0 0 ");
    put_number(out, box[3] - box[1]);
    put_point(canvas, (Point){box[0], box[3]});
    buf_printf(out, "cm /I%d Do\nQ\n", id);
}

// --- The file --------------------------------------------------------------------------------------

enum { OBJECTS_FIRST = 5 }; // catalog, pages, page, contents, resources; images follow, two each

static void begin_object(Buf *out, size_t *places, int id) {
    places[id] = out->len;
    buf_printf(out, "%d 0 obj\n", id);
}

static void put_resources(Buf *out, const struct VectorState *v) {
    buf_puts(out, "<< /ExtGState <<");
    for (int i = 0; i < v->level_count; i++)
        buf_printf(out, " /A%d << /Type /ExtGState /ca %.4f /CA %.4f >>", i, v->levels[i].fill / 255.0,
                   v->levels[i].stroke / 255.0);
    buf_puts(out, " >> /XObject <<");
    for (int i = 0; i < v->image_count; i++) buf_printf(out, " /I%d %d 0 R", i, OBJECTS_FIRST + 1 + 2 * i);
    buf_puts(out, " >> >>\nendobj\n");
}

static void put_image(Buf *out, const struct VectorState *v, int i, size_t *places) {
    char head[256];
    int id = OBJECTS_FIRST + 1 + 2 * i;
    size_t count = v->images[i].len / 4;
    const char *format = "/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace %s";
    int length = snprintf(head, sizeof head, format, v->widths[i], v->heights[i], "/DeviceRGB");
    snprintf(head + length, sizeof head - (size_t)length, " /SMask %d 0 R", id + 1);
    begin_object(out, places, id);
    put_stream(out, head, v->images[i].data, 3 * count);
    snprintf(head, sizeof head, format, v->widths[i], v->heights[i], "/DeviceGray");
    begin_object(out, places, id + 1);
    put_stream(out, head, v->images[i].data + 3 * count, count);
}

static void put_objects(Canvas *canvas, Buf *out, size_t *places, int last) {
    const struct VectorState *v = canvas->vector;
    buf_puts(out, "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n");
    begin_object(out, places, 1);
    buf_puts(out, "<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
    begin_object(out, places, 2);
    buf_puts(out, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n");
    begin_object(out, places, 3);
    buf_printf(out, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R /Resources 5 0 R >>\nendobj\n",
               canvas->width, canvas->height);
    begin_object(out, places, 4);
    put_stream(out, "", canvas->text.data ? canvas->text.data : "", canvas->text.len);
    begin_object(out, places, 5);
    put_resources(out, v);
    for (int i = 0; i < v->image_count; i++) put_image(out, v, i, places);
    size_t table = out->len;
    buf_printf(out, "xref\n0 %d\n0000000000 65535 f \n", last + 1);
    for (int id = 1; id <= last; id++) buf_printf(out, "%010zu 00000 n \n", places[id]);
    buf_printf(out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%zu\n%%%%EOF\n", last + 1, table);
}

void pdf_finish(Canvas *canvas, Buf *out) {
    int last = OBJECTS_FIRST + 2 * canvas->vector->image_count;
    size_t size = (size_t)(last + 1) * sizeof(size_t);
    size_t *places = mem_zalloc(canvas->mem, size);
    if (!places) {
        out->failed = true;
        return;
    }
    put_objects(canvas, out, places, last);
    mem_free(canvas->mem, places, size);
}
