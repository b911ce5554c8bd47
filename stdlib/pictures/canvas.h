// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inside the plug-in: paths in pixels (y runs downward), and the three kinds of paper they are put on.

#ifndef NACRE_STDLIB_PICTURES_CANVAS_H
#define NACRE_STDLIB_PICTURES_CANVAS_H

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
void path_flatten(const Path *path, Path *out); // lines only
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
void path_shape(Path *path, const Vertices *vertices, const Shaping *how);

// --- Strokes (stroke.c) --------------------------------------------------------------------------

typedef enum Cap { CAP_BUTT, CAP_ROUND, CAP_SQUARE } Cap;
typedef enum Join { JOIN_MITER, JOIN_ROUND, JOIN_BEVEL } Join;

typedef struct Pen {
    double width; // pixels
    Cap cap;
    Join join;
    const double *dashes; // lengths on and off, in pixels
    int dash_count;
    double dash_offset;
} Pen;

void path_dash(const Path *flat, const Pen *pen, Path *out);
void path_stroke(const Path *flat, const Pen *pen, Path *out); // polygons that turn the same way

// --- Pixels (raster.c) ---------------------------------------------------------------------------

typedef struct Colour {
    double r, g, b, a;
} Colour;

typedef struct IntBox {
    int x0, y0, x1, y1;
} IntBox;

typedef struct Raster {
    Mem *mem;
    int width, height;
    unsigned char *rgba; // alpha is not multiplied in
    float *cover;        // of (width + 2) * height cells, 0 between calls
    int *first, *last;   // cells touched in each row
    unsigned char *mask; // of a clip path, or NULL: one byte a pixel
} Raster;

bool raster_init(Raster *raster, Mem *mem, int width, int height);
void raster_free(Raster *raster);
// Winding numbers other than 0 are inside.
void raster_fill(Raster *raster, const Path *flat, IntBox clip, Colour colour, bool smooth);
void raster_mask(Raster *raster, const Path *flat);   // further drawing is clipped to it
void raster_unmask(Raster *raster);
void raster_blend(Raster *raster, int x, int y, const unsigned char rgb[3], unsigned alpha); // within the picture

// A small picture of coverage, put at many places.
typedef struct Stamp {
    int x0, y0, width, height; // relative to the place
    unsigned char *cover;
    size_t size;
} Stamp;
bool stamp_make(Stamp *stamp, Mem *mem, const Path *flat);
void stamp_put(const Stamp *stamp, Raster *raster, IntBox clip, int x, int y, const Colour *colour);
void stamp_free(Stamp *stamp, Mem *mem);

// --- Canvases ------------------------------------------------------------------------------------

typedef enum CanvasKind { CANVAS_PNG, CANVAS_SVG, CANVAS_PDF } CanvasKind;

struct Canvas {
    Pictures *pictures; // holds a reference
    Mem *mem;
    CanvasKind kind;
    int width, height;
    Raster raster;
    Buf text;      // of an SVG, or the contents of a PDF
    int clips;     // in an SVG: numbers given
    Path clip_path; // has no ops: there is none
    struct VectorState *vector;
    bool failed;
};

// What a path is painted with.
typedef struct Paint {
    bool fills, strokes;
    Colour face, edge;
    Pen pen;
    double clip[4]; // x0, y0, x1, y1 in pixels, y downward
    bool smooth;
} Paint;

typedef struct Picture {
    const unsigned char *rgba;
    int width, height;
} Picture;

void canvas_paint(Canvas *canvas, const Path *path, const Paint *paint);
void raster_paint(Canvas *canvas, const Path *path, const Paint *paint);
// A picture whose pixels are the canvas's, its upper left corner at x, y.
void raster_picture(Canvas *canvas, const Picture *picture, int x, int y, const double clip[4], double alpha);

// --- SVG and PDF (svg.c, pdf.c) ------------------------------------------------------------------

bool vector_begin(Canvas *canvas);
void vector_end(Canvas *canvas); // frees
void svg_paint(Canvas *canvas, const Path *path, const Paint *paint);
void svg_picture(Canvas *canvas, const Picture *picture, const double box[4], const double clip[4], double alpha);
void svg_finish(Canvas *canvas, Buf *out);
void pdf_paint(Canvas *canvas, const Path *path, const Paint *paint);
void pdf_picture(Canvas *canvas, const Picture *picture, const double box[4], const double clip[4], double alpha);
void pdf_finish(Canvas *canvas, Buf *out);

// --- Images (images.c) ---------------------------------------------------------------------------

typedef enum Filter { FILTER_NEAREST, FILTER_BILINEAR, FILTER_BICUBIC, FILTER_HANNING, FILTER_COUNT } Filter;
// Samples `from`, whose pixels lie in the box (which may be turned over), at the pixels of `to`.
bool picture_resample(Mem *mem, const Picture *from, const double box[4], Filter filter, const IntBox *to,
                      unsigned char *rgba);

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
