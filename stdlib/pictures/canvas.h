// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inside the plug-in: paths in pixels (y runs downward), and the canvas that they are put on, which is Cairo's.

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

// --- Paths (path.c) ------------------------------------------------------------------------------

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
bool path_box(const Path *path, double box[4]); // of all points: x0, y0, x1, y1; false: there is none

// Vertices as scripts give them: of an array of two columns, or of two arrays.
typedef struct Vertices {
    const double *x, *y;
    size_t stride, count;
    const double *codes; // matplotlib's, or NULL: one line through all of them
} Vertices;

typedef enum Snap { SNAP_AUTO = -1, SNAP_NO, SNAP_YES } Snap;

typedef struct Shaping {
    Affine to; // pixels, y downward
    Snap snap;
    double line_width; // pixels, for snapping
    double threshold;  // > 0: points that far from a line through their neighbours are left out
    bool open;         // nothing is filled, so that what is out of `seen` may be left out
    double seen[4];    // x0, y0, x1, y1
} Shaping;
bool path_snaps(const Vertices *vertices, const Shaping *how); // whether it is put on pixels' centres or edges
void path_shape(Path *path, const Vertices *vertices, const Shaping *how);

// --- Paths that reach far (far.c) -----------------------------------------------------------------

// Cairo's coordinates are 24 bits before the point: whether some point of a path lies beyond what is safe.
bool path_is_far(const Path *path);
// What of a path lies in reach, as lines: of the area that it encloses, or of the line that it is.
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

// What a path is painted with.
typedef struct Paint {
    bool fills, strokes;
    Colour face, edge;
    Pen pen;
    double clip[4]; // x0, y0, x1, y1 in pixels, y downward
    bool smooth;
} Paint;

typedef enum CanvasKind { CANVAS_PNG, CANVAS_SVG, CANVAS_PDF } CanvasKind;

struct Canvas {
    Pictures *pictures; // holds a reference
    Mem *mem;
    CanvasKind kind;
    int width, height;
    uint32_t *pixels;      // of a PNG: Cairo's, the alpha on top, colours times alpha
    Buf file;              // of an SVG or a PDF, as Cairo writes it
    cairo_surface_t *surface;
    cairo_t *cairo;
    double clip[4];  // what Cairo clips to; clip[0] is NAN where that has to be said again
    Path clip_path;  // has no ops: there is none
    cairo_surface_t *mask; // for stamps: what the clip path covers of each pixel, made when it is needed, or NULL
    bool failed; // out of memory
};

bool canvas_begin(Canvas *canvas); // false: out of memory, and what there is has to be freed
void canvas_end(Canvas *canvas);
void canvas_paint(Canvas *canvas, const Path *path, const Paint *paint);
void canvas_clip_path(Canvas *canvas); // canvas->clip_path has changed
void canvas_file(Canvas *canvas, Buf *out);
void canvas_rgba(Canvas *canvas, unsigned char *rgba); // of a PNG: the pixels, colours not times alpha
IntBox canvas_pixels_in(const Canvas *canvas, const double clip[4]);
// A surface of pixels in a box; of those between them the nearest is taken.
void canvas_put_surface(Canvas *canvas, cairo_surface_t *surface, const double box[4], const double clip[4]);
cairo_surface_t *canvas_mask(Canvas *canvas); // what the clip path covers of each pixel; NULL: canvas->failed
void path_put(const Path *path, cairo_t *cairo); // what the context's current path becomes
// What the context strokes with; how far corners may reach beyond their vertex, in halves of the width.
void pen_put(const Pen *pen, cairo_t *cairo, double miter);
double pen_miter(const Pen *pen, CanvasKind kind);

// --- Stamps (stamps.c) ---------------------------------------------------------------------------

// A small picture of coverage, put at many places of a PNG.
typedef struct Stamp {
    int x0, y0, width, height; // relative to the place
    int stride;
    const unsigned char *cover;
    cairo_surface_t *surface; // whose bytes these are, or NULL
} Stamp;
// Whether a shape is small enough to be made stamps of.
bool stamp_fits(const Path *path, const Pen *pen);
// Of the area of a path or, with a pen, of what that does along it. False: out of memory.
bool stamp_make(Stamp *stamp, const Path *path, const Pen *pen);
void stamp_free(Stamp *stamp);
// Stamps are written into the pixels directly: stamps_begin flushes what Cairo has pending, stamps_end marks the surface
// as changed.
bool stamps_begin(Canvas *canvas); // false: out of memory
void stamp_put(const Stamp *stamp, Canvas *canvas, const IntBox *clip, int x, int y, const Colour *colour);
void stamps_end(Canvas *canvas);

// Stamps, one upon the other, in colours that are the same at all places.
typedef struct Print {
    int x0, y0, width, height;
    int stride;      // of rows, in pixels: a multiple of PRINT_STEP
    uint32_t *over;  // what is added to the canvas's pixels, as they are kept
    uint32_t *under; // what is left of them, four times each
    size_t size;     // of each of these two, in bytes
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
// The picture's pixels lie in the box, which may be turned over.
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
// `plain`: of the outlines before they are fitted to pixels, as formulas are set.
bool text_measure(Fonts *fonts, const Font *font, const char *text, size_t len, bool plain, TextSize *size);
// At the base line's begin, in pixels (y downward); `angle` in degrees, counter-clockwise.
void text_draw(Canvas *canvas, const Font *font, const char *text, size_t len, Point at, double angle, Colour colour,
               const double clip[4]);
void text_outline(Fonts *fonts, const Font *font, const char *text, size_t len, Path *out);

#endif
