// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Painting with Cairo: into pixels, or as SVG or PDF into a buffer.

#include "stdlib/pictures/canvas.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <endian.h>
#include <math.h>
#include <string.h>

#include "stdlib/png.h"

// --- Canvases ------------------------------------------------------------------------------------

static cairo_status_t file_write(void *file, const unsigned char *data, unsigned length) {
    buf_put(file, (const char *)data, length);
    return ((Buf *)file)->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static size_t pixels_size(const Canvas *canvas) {
    return (size_t)canvas->width * (size_t)canvas->height * 4;
}

static cairo_surface_t *surface_make(Canvas *canvas) {
    double width = canvas->width, height = canvas->height;
    if (canvas->kind == CANVAS_SVG) {
        cairo_surface_t *svg = cairo_svg_surface_create_for_stream(file_write, &canvas->file, width, height);
        cairo_svg_surface_restrict_to_version(svg, CAIRO_SVG_VERSION_1_1);
        return svg;
    }
    if (canvas->kind == CANVAS_PDF) {
        cairo_surface_t *pdf = cairo_pdf_surface_create_for_stream(file_write, &canvas->file, width, height);
        // No creation date: the same drawing always gives the same bytes.
        cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, "");
        return pdf;
    }
    canvas->pixels = mem_zalloc(canvas->mem, pixels_size(canvas));
    if (!canvas->pixels) return NULL;
    return cairo_image_surface_create_for_data((unsigned char *)canvas->pixels, CAIRO_FORMAT_ARGB32, canvas->width,
                                               canvas->height, canvas->width * 4);
}

bool canvas_begin(Canvas *canvas) {
    buf_init(&canvas->file, canvas->mem);
    path_init(&canvas->clip_path, canvas->mem);
    canvas->clip[0] = NAN;
    canvas->surface = surface_make(canvas);
    if (!canvas->surface) return false;
    canvas->cairo = cairo_create(canvas->surface);
    return cairo_status(canvas->cairo) == CAIRO_STATUS_SUCCESS;
}

static void mask_drop(Canvas *canvas) {
    if (canvas->mask) cairo_surface_destroy(canvas->mask);
    canvas->mask = NULL;
}

void canvas_end(Canvas *canvas) {
    mask_drop(canvas);
    if (canvas->cairo) cairo_destroy(canvas->cairo);
    if (canvas->surface) {
        cairo_surface_finish(canvas->surface); // Cairo writes the rest of an SVG or a PDF to the buffer
        cairo_surface_destroy(canvas->surface);
    }
    mem_free(canvas->mem, canvas->pixels, pixels_size(canvas));
    buf_free(&canvas->file);
    path_free(&canvas->clip_path);
}

// --- Paths ---------------------------------------------------------------------------------------

void path_put(const Path *path, cairo_t *cairo) {
    const Point *p = path->points;
    cairo_new_path(cairo);
    for (size_t i = 0; i < path->op_count; i++)
        switch (path->ops[i]) {
        case PATH_MOVE: cairo_move_to(cairo, p->x, p->y), p++; break;
        case PATH_LINE: cairo_line_to(cairo, p->x, p->y), p++; break;
        case PATH_CURVE: cairo_curve_to(cairo, p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y), p += 3; break;
        default: cairo_close_path(cairo);
        }
}

// Returns whether the pen has dashes that Cairo accepts: none negative, and not all of them zero.
static bool is_dashed(const Pen *pen) {
    double sum = 0;
    for (int i = 0; i < pen->dash_count; i++) {
        if (!(pen->dashes[i] >= 0)) return false;
        sum += pen->dashes[i];
    }
    return pen->dash_count > 1 && sum > 1e-3 && isfinite(sum) && isfinite(pen->dash_offset);
}

// Returns matplotlib's miter limit: on pixels it is the line width (at least 1), elsewhere 10.
double pen_miter(const Pen *pen, CanvasKind kind) {
    return kind == CANVAS_PNG ? fmax(1, pen->width) : 10;
}

void pen_put(const Pen *pen, cairo_t *cairo, double miter) {
    cairo_set_line_width(cairo, pen->width);
    cairo_set_miter_limit(cairo, miter);
    cairo_set_line_cap(cairo, pen->cap);
    cairo_set_line_join(cairo, pen->join);
    bool dashed = is_dashed(pen);
    cairo_set_dash(cairo, pen->dashes, dashed ? pen->dash_count : 0, dashed ? pen->dash_offset : 0);
}

typedef void (*Cut)(const Path *path, Path *out);

static void put_near(Canvas *canvas, cairo_t *cairo, const Path *path, Cut cut) {
    if (!path_is_far(path)) {
        path_put(path, cairo);
        return;
    }
    Path near;
    path_init(&near, canvas->mem);
    cut(path, &near);
    if (near.failed) canvas->failed = true;
    else path_put(&near, cairo);
    path_free(&near);
}

// --- Clips ---------------------------------------------------------------------------------------

static double clamp(double x, double least, double most) {
    return fmin(fmax(x, least), most);
}

IntBox canvas_pixels_in(const Canvas *canvas, const double clip[4]) {
    double width = canvas->width, height = canvas->height;
    return (IntBox){(int)floor(clamp(clip[0], 0, width) + 0.5), (int)floor(clamp(clip[1], 0, height) + 0.5),
                    (int)floor(clamp(clip[2], 0, width) + 0.5), (int)floor(clamp(clip[3], 0, height) + 0.5)};
}

// Adds the clip box to the current path. On pixels it is rounded to whole pixels, so that Cairo clips to a box without
// a mask.
static void put_box(const Canvas *canvas, const double clip[4]) {
    if (canvas->kind == CANVAS_PNG) {
        IntBox box = canvas_pixels_in(canvas, clip);
        cairo_rectangle(canvas->cairo, box.x0, box.y0, fmax(0, box.x1 - box.x0), fmax(0, box.y1 - box.y0));
        return;
    }
    double x0 = clamp(clip[0], 0, canvas->width), y0 = clamp(clip[1], 0, canvas->height);
    double x1 = clamp(clip[2], 0, canvas->width), y1 = clamp(clip[3], 0, canvas->height);
    cairo_rectangle(canvas->cairo, x0, y0, fmax(0, x1 - x0), fmax(0, y1 - y0));
}

static bool is_everything(const Canvas *canvas, const double clip[4]) {
    return clip[0] <= 0 && clip[1] <= 0 && clip[2] >= canvas->width && clip[3] >= canvas->height;
}

static void set_clip(Canvas *canvas, const double clip[4]) {
    if (memcmp(canvas->clip, clip, sizeof canvas->clip) == 0) return;
    memcpy(canvas->clip, clip, sizeof canvas->clip);
    cairo_reset_clip(canvas->cairo);
    cairo_new_path(canvas->cairo);
    if (!is_everything(canvas, clip)) {
        put_box(canvas, clip);
        cairo_clip(canvas->cairo);
    }
    if (canvas->clip_path.op_count) {
        put_near(canvas, canvas->cairo, &canvas->clip_path, path_near_area);
        cairo_clip(canvas->cairo);
    }
}

cairo_surface_t *canvas_mask(Canvas *canvas) {
    cairo_surface_t *mask = cairo_image_surface_create(CAIRO_FORMAT_A8, canvas->width, canvas->height);
    cairo_t *cairo = cairo_create(mask);
    put_near(canvas, cairo, &canvas->clip_path, path_near_area);
    cairo_fill(cairo);
    if (cairo_status(cairo) != CAIRO_STATUS_SUCCESS) canvas->failed = true;
    cairo_destroy(cairo);
    cairo_surface_flush(mask);
    if (!canvas->failed) return mask;
    cairo_surface_destroy(mask);
    return NULL;
}

void canvas_clip_path(Canvas *canvas) {
    if (canvas->clip_path.failed) canvas->failed = true;
    canvas->clip[0] = NAN;
    mask_drop(canvas);
}

// --- Painting ------------------------------------------------------------------------------------

static void set_colour(cairo_t *cairo, const Colour *c) {
    cairo_set_source_rgba(cairo, c->r, c->g, c->b, c->a);
}

// Returns whether a path of lines crosses rows of pixels so often that Cairo would be slow: it keeps all edges of a row
// sorted, which takes time quadratic in their number.
static bool is_dense(const Canvas *canvas, const Path *path) {
    enum { CROSSINGS_MOST = 50 }; // per row, on average
    double rise = 0;
    if (path->op_count < 2 * CROSSINGS_MOST || path->point_count != path->op_count || path_is_far(path)) return false;
    for (size_t i = 1; i < path->op_count; i++)
        if (path->ops[i] == PATH_LINE) rise += fabs(path->points[i].y - path->points[i - 1].y);
    return rise > (double)CROSSINGS_MOST * canvas->height && cairo_get_dash_count(canvas->cairo) == 0;
}

// Strokes a line in short pieces. Each piece repeats the last segment of the one before, so that joins are drawn.
static void stroke_pieces(cairo_t *cairo, const Path *path) {
    enum { PIECE = 8 };
    size_t count = 0; // segments of this piece
    cairo_new_path(cairo);
    for (size_t i = 0; i < path->op_count; i++) {
        const Point *p = &path->points[i];
        if (path->ops[i] == PATH_MOVE) {
            cairo_move_to(cairo, p->x, p->y);
        } else if (count >= PIECE) {
            cairo_line_to(cairo, p->x, p->y);
            cairo_stroke(cairo);
            cairo_move_to(cairo, p[-1].x, p[-1].y);
            cairo_line_to(cairo, p->x, p->y);
            count = 0;
        } else {
            cairo_line_to(cairo, p->x, p->y);
        }
        count++;
    }
    cairo_stroke(cairo);
}

static void stroke_dense(Canvas *canvas, const Path *path, double alpha) {
    cairo_t *cairo = canvas->cairo;
    if (alpha >= 1) {
        stroke_pieces(cairo, path);
        return;
    }
    // Pieces overlap, so a translucent colour would be blended twice there. Draw their coverage to a mask first, then
    // paint the colour through it.
    cairo_pattern_t *colour = cairo_pattern_reference(cairo_get_source(cairo));
    cairo_push_group_with_content(cairo, CAIRO_CONTENT_ALPHA);
    cairo_set_source_rgba(cairo, 0, 0, 0, 1);
    stroke_pieces(cairo, path);
    cairo_pattern_t *coverage = cairo_pop_group(cairo);
    cairo_set_source(cairo, colour);
    cairo_mask(cairo, coverage);
    cairo_pattern_destroy(coverage);
    cairo_pattern_destroy(colour);
}

void canvas_paint(Canvas *canvas, const Path *path, const Paint *paint) {
    if (path->failed) canvas->failed = true;
    if (canvas->failed || path->op_count == 0 || (!paint->fills && !paint->strokes)) return;
    cairo_t *cairo = canvas->cairo;
    set_clip(canvas, paint->clip);
    cairo_set_antialias(cairo, paint->smooth ? CAIRO_ANTIALIAS_DEFAULT : CAIRO_ANTIALIAS_NONE);
    if (paint->fills) {
        put_near(canvas, cairo, path, path_near_area);
        set_colour(cairo, &paint->face);
        cairo_fill(cairo);
    }
    if (paint->strokes) {
        set_colour(cairo, &paint->edge);
        pen_put(&paint->pen, cairo, pen_miter(&paint->pen, canvas->kind));
        // Without antialiasing a line thinner than a pixel would have holes.
        if (canvas->kind == CANVAS_PNG && !paint->smooth)
            cairo_set_line_width(cairo, fmax(1, floor(paint->pen.width + 0.5)));
        if (canvas->kind == CANVAS_PNG && is_dense(canvas, path)) {
            stroke_dense(canvas, path, paint->edge.a);
        } else {
            put_near(canvas, cairo, path, path_near_line);
            cairo_stroke(cairo);
        }
    }
}

void canvas_put_surface(Canvas *canvas, cairo_surface_t *surface, const double box[4], const double clip[4]) {
    cairo_t *cairo = canvas->cairo;
    int width = cairo_image_surface_get_width(surface), height = cairo_image_surface_get_height(surface);
    set_clip(canvas, clip);
    cairo_save(cairo);
    cairo_translate(cairo, box[0], box[1]);
    cairo_scale(cairo, (box[2] - box[0]) / width, (box[3] - box[1]) / height);
    cairo_set_source_surface(cairo, surface, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_paint(cairo);
    cairo_restore(cairo);
}

// --- Files ---------------------------------------------------------------------------------------

// Converts a pixel from premultiplied to straight alpha. Fully transparent pixels become white.
static uint32_t divide_by_alpha(uint32_t pixel) {
    uint32_t alpha = pixel >> 24, out = pixel & 0xff000000;
    if (alpha == 0) return 0x00ffffff;
    for (int shift = 0; shift < 24; shift += 8)
        out |= ((pixel >> shift & 255) * 255 + alpha / 2) / alpha << shift;
    return out;
}

static void pixels_row(const void *ctx, uint32_t y, unsigned char *rgba) {
    const Canvas *canvas = ctx;
    size_t width = (size_t)canvas->width;
    const uint32_t *row = canvas->pixels + width * y;
    uint32_t common = 0xff000000;
    for (size_t i = 0; i < width; i++) common &= row[i];
    const bool opaque = common == 0xff000000;
    for (size_t i = 0; i < width; i++) {
        uint32_t argb = opaque ? row[i] : divide_by_alpha(row[i]);
        uint32_t bytes = htobe32(argb << 8 | argb >> 24);
        memcpy(rgba + 4 * i, &bytes, 4);
    }
}

void canvas_rgba(Canvas *canvas, unsigned char *rgba) {
    cairo_surface_flush(canvas->surface);
    for (int y = 0; y < canvas->height; y++)
        pixels_row(canvas, (uint32_t)y, rgba + (size_t)y * (size_t)canvas->width * 4);
}

void canvas_file(Canvas *canvas, Buf *out) {
    if (canvas->kind == CANVAS_PNG) {
        cairo_surface_flush(canvas->surface);
        png_write(&(PngRows){pixels_row, canvas}, (uint32_t)canvas->width, (uint32_t)canvas->height, out);
        return;
    }
    cairo_surface_finish(canvas->surface);
    if (canvas->file.failed) out->failed = true;
    else buf_put(out, canvas->file.data, canvas->file.len);
}
