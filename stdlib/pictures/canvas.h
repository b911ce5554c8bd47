// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Internals of the plug-in: paths in pixels (y downward), and the canvas, which Cairo draws on.

#ifndef NACRE_STDLIB_PICTURES_CANVAS_H
#define NACRE_STDLIB_PICTURES_CANVAS_H

#include <cairo.h>

#include "stdlib/pictures/pictures.h"

typedef struct Point {
    double x, y;
} Point;

typedef struct Affine {
    double a, b, c, d, e, f; // x' = a x + c y + e, y' = b x + d y + f
} Affine;

static inline Point affine_apply(const Affine *t, double x, double y) {
    return (Point){t->a * x + t->c * y + t->e, t->b * x + t->d * y + t->f};
}

// --- Paths (path.c) --------------------------------------------------------------------------------

typedef enum PathOp { PATH_MOVE, PATH_LINE, PATH_CURVE, PATH_CLOSE } PathOp; // a curve has three points, a close none

typedef struct Path {
    Mem *mem;
    unsigned char *ops;
    Point *points;
    size_t op_count, op_cap, point_count, point_cap;
    bool failed; // out of memory
} Path;

void path_init(Path *path, Mem *mem);
void path_free(Path *path);
void path_clear(Path *path);
void path_move(Path *path, double x, double y);
void path_line(Path *path, double x, double y);
void path_curve(Path *path, Point a, Point b, Point c);
void path_quadratic(Path *path, Point from, Point a, Point b);
void path_close(Path *path);
void path_append(Path *to, const Path *from, double dx, double dy);
bool path_box(const Path *path, double box[4]); // bounding box of all points: x0, y0, x1, y1; false: no points

// Vertices as scripts give them, in one array of two columns or in two arrays.
typedef struct Vertices {
    const double *x, *y;
    size_t stride, count;
    const double *codes; // matplotlib's codes, or NULL: one polyline
} Vertices;

typedef enum Snap { SNAP_AUTO = -1, SNAP_NO, SNAP_YES } Snap;

typedef struct Shaping {
    Affine to; // transform to pixels, y downward
    Snap snap;
    double line_width; // pixels, for snapping
    double threshold;  // > 0: vertices closer than this to a line through their neighbours are dropped
    bool open;         // not filled, so parts outside `seen` may be dropped
    double seen[4];    // visible box: x0, y0, x1, y1
} Shaping;
bool path_snaps(const Vertices *vertices, const Shaping *how); // whether vertices snap to pixels' centres or edges
void path_shape(Path *path, const Vertices *vertices, const Shaping *how);

// --- Paths that reach far (far.c) -----------------------------------------------------------------

// Returns whether a point of the path is outside the safe range of Cairo's coordinates, which have 24 integer bits.
bool path_is_far(const Path *path);
// Append the part of a path within reach to `out`, with curves as lines: of the enclosed area, or of the outline.
void path_near_area(const Path *path, Path *out);
void path_near_line(const Path *path, Path *out);

// --- Painting (canvas.c) -------------------------------------------------------------------------

typedef struct Colour {
    double r, g, b, a;
} Colour;

typedef struct IntBox {
    int x0, y0, x1, y1;
} IntBox;

typedef struct Pen {
    double width; // pixels
    cairo_line_cap_t cap;
    cairo_line_join_t join;
    const double *dashes; // lengths on and off, in pixels
    int dash_count;
    double dash_offset;
} Pen;

// How a path is painted.
typedef struct Paint {
    bool fills, strokes;
    Colour face, edge;
    Pen pen;
    double clip[4]; // x0, y0, x1, y1 in pixels, y downward
    bool smooth;
} Paint;

typedef enum CanvasKind { CANVAS_PNG, CANVAS_SVG, CANVAS_PDF } CanvasKind;

struct Canvas {
    Pictures *pictures; // counted reference
    Mem *mem;
    CanvasKind kind;
    int width, height;
    uint32_t *pixels;      // for PNG: Cairo's ARGB32, premultiplied
    Buf file;              // for SVG or PDF: what Cairo has written
    cairo_surface_t *surface;
    cairo_t *cairo;
    double clip[4];  // Cairo's current clip box; clip[0] is NAN when it has to be set again
    Path clip_path;  // without ops: no clip path
    cairo_surface_t *mask; // for stamps: coverage of the clip path by pixel, made on demand; or NULL
    bool failed; // out of memory
};

bool canvas_begin(Canvas *canvas); // false: out of memory; canvas_end has to be called nevertheless
void canvas_end(Canvas *canvas);
void canvas_paint(Canvas *canvas, const Path *path, const Paint *paint);
void canvas_clip_path(Canvas *canvas); // to be called after each change of canvas->clip_path
void canvas_file(Canvas *canvas, Buf *out);
void canvas_rgba(Canvas *canvas, unsigned char *rgba); // for PNG: copies the pixels, with straight alpha
IntBox canvas_pixels_in(const Canvas *canvas, const double clip[4]);
// Paints a surface scaled to a box, with nearest-neighbour sampling.
void canvas_put_surface(Canvas *canvas, cairo_surface_t *surface, const double box[4], const double clip[4]);
cairo_surface_t *canvas_mask(Canvas *canvas); // the clip path's coverage by pixel; NULL: canvas->failed
void path_put(const Path *path, cairo_t *cairo); // replaces the context's current path
// pen_put sets the context's pen. The miter limit is how far corners may reach beyond their vertex, in half line
// widths.
void pen_put(const Pen *pen, cairo_t *cairo, double miter);
double pen_miter(const Pen *pen, CanvasKind kind);

// --- Stamps (stamps.c) ---------------------------------------------------------------------------

// A small coverage mask that is blended at many places of a PNG.
typedef struct Stamp {
    int x0, y0, width, height; // relative to the place
    int stride;
    const unsigned char *cover;
    cairo_surface_t *surface; // owns `cover`; NULL: borrowed
} Stamp;
// Returns whether a shape is small enough for stamps.
bool stamp_fits(const Path *path, const Pen *pen);
// Makes a stamp of a path's area, or, with a pen, of its stroke. False: out of memory.
bool stamp_make(Stamp *stamp, const Path *path, const Pen *pen);
void stamp_free(Stamp *stamp);
// Stamps are written directly into the pixels. stamps_begin first flushes Cairo's pending drawing; stamps_end tells
// Cairo that the pixels have changed.
bool stamps_begin(Canvas *canvas); // false: out of memory
void stamp_put(const Stamp *stamp, Canvas *canvas, const IntBox *clip, int x, int y, const Colour *colour);
void stamps_end(Canvas *canvas);

// Several stamps on top of each other, in colours that are the same at all places.
typedef struct Print {
    int x0, y0, width, height;
    int stride;      // pixels from row to row: a multiple of PRINT_STEP
    uint32_t *over;  // premultiplied pixels that are added to the canvas's
    uint32_t *under; // 255 - alpha, in all four bytes: the share of the canvas's pixels that remains
    size_t size;     // bytes of `over`, and of `under`
} Print;
bool print_make(Print *print, Mem *mem, const Stamp *stamps, const Colour *colours, int count); // false: out of memory
void print_free(Print *print, Mem *mem);
void print_put(const Print *print, Canvas *canvas, const IntBox *clip, int x, int y);

// --- Images (images.c) ---------------------------------------------------------------------------

typedef struct Picture {
    const unsigned char *rgba;
    int width, height;
} Picture;
typedef enum Filter { FILTER_NEAREST, FILTER_BILINEAR, FILTER_BICUBIC, FILTER_HANNING, FILTER_COUNT } Filter;
// Draws a picture so that its pixels fill the box. A box whose ends are swapped mirrors it.
void canvas_picture(Canvas *canvas, const Picture *picture, const double box[4], const double clip[4], Filter filter,
                    double alpha);

// --- Text (text.c) -------------------------------------------------------------------------------

typedef struct Fonts Fonts;
struct Pictures {
    Mem *mem;
    int references;
    Fonts *fonts;
};
Fonts *fonts_open(Mem *mem);
void fonts_close(Fonts *fonts);

typedef struct Font {
    int face; // 0 sans, 1 sans bold, 2 mono, 3 serif
    bool slanted;
    double size; // pixels
} Font;
typedef struct TextSize {
    double width, height, descent, x_min;
} TextSize;
// Measures a line of text. `plain`: without hinting, as formulas are set. False: out of memory.
bool text_measure(Fonts *fonts, const Font *font, const char *text, size_t len, bool plain, TextSize *size);
// Draws text from the start `at` of its baseline, in pixels (y downward). `angle` is in degrees, counter-clockwise.
void text_draw(Canvas *canvas, const Font *font, const char *text, size_t len, Point at, double angle, Colour colour,
               const double clip[4]);
// Appends the unhinted outlines of a text, with the baseline starting at (0, 0).
void text_outline(Fonts *fonts, const Font *font, const char *text, size_t len, Path *out);

#endif
