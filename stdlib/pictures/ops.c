// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The operations of a canvas, by name. Each has a row in `ops` that says what it gets, with a letter for each argument:
//
//   n  a number          t  a text          f  an array of floats (any shape)     F  the same, or None
//   v  floats, two columns                  b  bytes                              a  six floats, a transform
//   g  what is drawn with, a row of floats (see gc_read)
//
// Coordinates come with y upward, as scripts see them, and are turned over here.

#include "stdlib/pictures/ops.h"

#include <math.h>
#include <string.h>

// --- Arguments -----------------------------------------------------------------------------------

static bool is_floats(const PictureArg *arg, size_t least) {
    return arg->kind == ARG_FLOATS && arg->len >= least;
}

enum { GC_WIDTH, GC_CAP, GC_JOIN, GC_SNAP, GC_SMOOTH, GC_FILLS, GC_FACE, GC_STROKES = 10, GC_EDGE, GC_CLIP = 15,
       GC_DASH_OFFSET = 19, GC_DASHES, GC_LEAST = GC_DASHES };

static bool fits(char letter, const PictureArg *arg) {
    switch (letter) {
    case 'n': return arg->kind == ARG_NUMBER;
    case 't': return arg->kind == ARG_TEXT;
    case 'f': return arg->kind == ARG_FLOATS;
    case 'F': return arg->kind == ARG_FLOATS || arg->kind == ARG_NONE;
    case 'v': return arg->kind == ARG_FLOATS && (arg->len == 0 || (arg->ndim == 2 && arg->shape[1] == 2));
    case 'b': return arg->kind == ARG_BYTES;
    case 'a': return is_floats(arg, 6);
    case 'g': return is_floats(arg, GC_LEAST);
    default: return false;
    }
}

// A transform to pixels, with y downward.
static Affine affine_read(const Canvas *canvas, const PictureArg *arg) {
    const double *t = arg->floats;
    return (Affine){t[0], -t[1], t[2], -t[3], t[4], canvas->height - t[5]};
}

static Affine affine_plain(const PictureArg *arg) {
    const double *t = arg->floats;
    return (Affine){t[0], t[1], t[2], t[3], t[4], t[5]};
}

static Colour colour_read(const double *c) {
    return (Colour){c[0], c[1], c[2], c[3]};
}

static void clip_read(const Canvas *canvas, const double *from, double clip[4]) {
    clip[0] = from[0];
    clip[1] = canvas->height - from[3];
    clip[2] = from[2];
    clip[3] = canvas->height - from[1];
}

static double width_of(double width) {
    static const double MOST = 1e5;
    return width > MOST ? MOST : width > 0 ? width : 0;
}

static Paint gc_read(const Canvas *canvas, const PictureArg *arg) {
    const double *g = arg->floats;
    Paint paint = {.fills = g[GC_FILLS] != 0, .strokes = g[GC_STROKES] != 0 && g[GC_WIDTH] > 0, .smooth = g[GC_SMOOTH] != 0};
    paint.face = colour_read(g + GC_FACE);
    paint.edge = colour_read(g + GC_EDGE);
    paint.pen.width = width_of(g[GC_WIDTH]);
    paint.pen.cap = g[GC_CAP] == 1 ? CAP_ROUND : g[GC_CAP] == 2 ? CAP_SQUARE : CAP_BUTT;
    paint.pen.join = g[GC_JOIN] == 1 ? JOIN_ROUND : g[GC_JOIN] == 2 ? JOIN_BEVEL : JOIN_MITER;
    paint.pen.dash_offset = g[GC_DASH_OFFSET];
    paint.pen.dashes = g + GC_DASHES;
    paint.pen.dash_count = (int)(arg->len - GC_DASHES);
    clip_read(canvas, g + GC_CLIP, paint.clip);
    return paint;
}

static Snap snap_of(const PictureArg *gc) {
    double snap = gc->floats[GC_SNAP];
    return snap < 0 ? SNAP_AUTO : snap > 0 ? SNAP_YES : SNAP_NO;
}

static Vertices vertices_of(const PictureArg *points, const PictureArg *codes) {
    return (Vertices){.x = points->floats, .y = points->floats + 1, .stride = 2, .count = points->len / 2,
                      .codes = codes->kind == ARG_FLOATS ? codes->floats : NULL};
}

// --- Painting on pixels --------------------------------------------------------------------------

static IntBox pixels_of(const Canvas *canvas, const double clip[4]) {
    double least = -1, width = canvas->width + 1, height = canvas->height + 1;
    return (IntBox){(int)floor(fmin(fmax(clip[0], least), width) + 0.5),
                    (int)floor(fmin(fmax(clip[1], least), height) + 0.5),
                    (int)floor(fmin(fmax(clip[2], least), width) + 0.5),
                    (int)floor(fmin(fmax(clip[3], least), height) + 0.5)};
}

static bool is_dashed(const Pen *pen) {
    return pen->dash_count > 1;
}

// Polygons that cover what a pen does along a flat path.
static void stroke_of(Canvas *canvas, const Path *flat, const Pen *pen, Path *out) {
    if (!is_dashed(pen)) {
        path_stroke(flat, pen, out);
        return;
    }
    Path dashed;
    path_init(&dashed, canvas->mem);
    path_dash(flat, pen, &dashed);
    path_stroke(&dashed, pen, out);
    if (dashed.failed) canvas->failed = true;
    path_free(&dashed);
}

void raster_paint(Canvas *canvas, const Path *path, const Paint *paint) {
    Path flat, area;
    IntBox clip = pixels_of(canvas, paint->clip);
    path_init(&flat, canvas->mem);
    path_init(&area, canvas->mem);
    path_flatten(path, &flat);
    if (paint->fills) raster_fill(&canvas->raster, &flat, clip, paint->face, paint->smooth);
    if (paint->strokes) {
        stroke_of(canvas, &flat, &paint->pen, &area);
        raster_fill(&canvas->raster, &area, clip, paint->edge, paint->smooth);
    }
    if (flat.failed || area.failed) canvas->failed = true;
    path_free(&flat);
    path_free(&area);
}

// --- Paths ---------------------------------------------------------------------------------------

static Shaping shaping(const Canvas *canvas, const PictureArg *gc, const Paint *paint, Affine to, double threshold) {
    Shaping how = {.to = to, .snap = snap_of(gc), .line_width = paint->strokes ? paint->pen.width : 0,
                   .threshold = threshold, .open = !paint->fills};
    double room = paint->pen.width + 2;
    how.seen[0] = fmax(paint->clip[0], 0) - room;
    how.seen[1] = fmax(paint->clip[1], 0) - room;
    how.seen[2] = fmin(paint->clip[2], canvas->width) + room;
    how.seen[3] = fmin(paint->clip[3], canvas->height) + room;
    return how;
}

static void draw_vertices(Canvas *canvas, const Vertices *v, const PictureArg *transform, const PictureArg *gc,
                          double threshold) {
    Paint paint = gc_read(canvas, gc);
    Shaping how = shaping(canvas, gc, &paint, affine_read(canvas, transform), threshold);
    Path path;
    path_init(&path, canvas->mem);
    path_shape(&path, v, &how);
    canvas_paint(canvas, &path, &paint);
    path_free(&path);
}

// path(points, codes, transform, gc, threshold)
static const char *op_path(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    Vertices v = vertices_of(&a[0], &a[1]);
    (void)out;
    if (v.codes && a[1].len < v.count) return "a code is needed for each point";
    draw_vertices(canvas, &v, &a[2], &a[3], a[4].number);
    return NULL;
}

// line(x, y, transform, gc, threshold)
static const char *op_line(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    (void)out;
    if (a[0].len != a[1].len) return "x and y have different lengths";
    Vertices v = {.x = a[0].floats, .y = a[1].floats, .stride = 1, .count = a[0].len};
    draw_vertices(canvas, &v, &a[2], &a[3], a[4].number);
    return NULL;
}

// --- Markers -------------------------------------------------------------------------------------

// Everything that one shape needs to be put at many places.
typedef struct Marker {
    Path path, flat, area;
    Stamp face, edge;
    bool stamped;
} Marker;

static void marker_init(Marker *m, Mem *mem) {
    path_init(&m->path, mem);
    path_init(&m->flat, mem);
    path_init(&m->area, mem);
    m->face = m->edge = (Stamp){0};
    m->stamped = false;
}

static void marker_free(Marker *m, Mem *mem) {
    path_free(&m->path);
    path_free(&m->flat);
    path_free(&m->area);
    stamp_free(&m->face, mem);
    stamp_free(&m->edge, mem);
}

// Makes the stamps of a path that lies `dx`, `dy` from a pixel's corner.
static void marker_stamp(Canvas *canvas, Marker *m, const Paint *paint, double dx, double dy) {
    Path moved;
    path_init(&moved, canvas->mem);
    path_append(&moved, &m->path, dx, dy);
    path_flatten(&moved, &m->flat);
    path_free(&moved);
    if (paint->strokes) stroke_of(canvas, &m->flat, &paint->pen, &m->area);
    bool ok = !m->flat.failed && !m->area.failed;
    if (ok && paint->fills) ok = stamp_make(&m->face, canvas->mem, &m->flat);
    if (ok && paint->strokes) ok = stamp_make(&m->edge, canvas->mem, &m->area);
    m->stamped = ok;
    if (!ok) canvas->failed = true;
}

static void marker_put(Canvas *canvas, const Marker *m, const Paint *paint, IntBox clip, int x, int y) {
    if (m->face.cover) stamp_put(&m->face, &canvas->raster, clip, x, y, &paint->face);
    if (m->edge.cover) stamp_put(&m->edge, &canvas->raster, clip, x, y, &paint->edge);
}

static bool is_near(Point p) {
    return p.x > -1e5 && p.x < 1e5 && p.y > -1e5 && p.y < 1e5;
}

static void draw_moved(Canvas *canvas, const Path *shape, const Paint *paint, Point at) {
    Path path;
    path_init(&path, canvas->mem);
    path_append(&path, shape, at.x, at.y);
    canvas_paint(canvas, &path, paint);
    path_free(&path);
}

// markers(points, codes, transform, x, y, transform of x and y, gc): at whole pixels.
static const char *op_markers(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    Vertices v = vertices_of(&a[0], &a[1]);
    Paint paint = gc_read(canvas, &a[6]);
    Affine shape_to = affine_plain(&a[2]), to = affine_read(canvas, &a[5]);
    Marker m;
    (void)out;
    if (v.codes && a[1].len < v.count) return "a code is needed for each point";
    if (a[3].len != a[4].len) return "x and y have different lengths";
    marker_init(&m, canvas->mem);
    shape_to.b = -shape_to.b, shape_to.d = -shape_to.d, shape_to.f = -shape_to.f;
    Shaping how = shaping(canvas, &a[6], &paint, shape_to, 0);
    path_shape(&m.path, &v, &how);
    bool pixels = canvas->kind == CANVAS_PNG;
    IntBox clip = pixels_of(canvas, paint.clip);
    if (pixels) marker_stamp(canvas, &m, &paint, 0, 0);
    for (size_t i = 0; i < a[3].len && !canvas->failed; i++) {
        Point p = affine_apply(&to, a[3].floats[i], a[4].floats[i]);
        if (!is_near(p)) continue;
        if (pixels) marker_put(canvas, &m, &paint, clip, (int)floor(p.x + 0.5), (int)floor(p.y + 0.5));
        else if (p.x >= paint.clip[0] - 50 && p.x <= paint.clip[2] + 50 && p.y >= paint.clip[1] - 50 &&
                 p.y <= paint.clip[3] + 50)
            draw_moved(canvas, &m.path, &paint, p);
    }
    marker_free(&m, canvas->mem);
    return NULL;
}

// --- Collections ---------------------------------------------------------------------------------

// Rows of what is drawn, each with a length of its own that is gone through again and again.
typedef struct Items {
    Canvas *canvas;
    Vertices v;
    const double *starts, *scales, *x, *y, *faces, *edges, *widths;
    size_t shapes, scale_count, places, face_count, edge_count, width_count, count;
    Affine shape_to, to; // of shapes without their scale, and of places
    Snap snap;
    Paint paint;
} Items;

static void item_shape(const Items *it, size_t i, Path *path) {
    size_t k = i % it->shapes, from = (size_t)it->starts[k], to = (size_t)it->starts[k + 1];
    double scale = it->scale_count ? it->scales[i % it->scale_count] : 1;
    Vertices v = it->v;
    v.x += 2 * from;
    v.y += 2 * from;
    v.count = to - from;
    if (v.codes) v.codes += from;
    Shaping how = {.to = it->shape_to, .snap = it->snap, .line_width = it->paint.strokes ? it->paint.pen.width : 0};
    how.to.a *= scale, how.to.b *= scale, how.to.c *= scale, how.to.d *= scale;
    path_shape(path, &v, &how);
}

static void item_paint(Items *it, size_t i) {
    it->paint.fills = it->face_count > 0;
    it->paint.strokes = it->edge_count > 0;
    if (it->face_count) it->paint.face = colour_read(it->faces + 4 * (i % it->face_count));
    if (it->edge_count) it->paint.edge = colour_read(it->edges + 4 * (i % it->edge_count));
    if (it->width_count) it->paint.pen.width = width_of(it->widths[i % it->width_count]);
    if (!(it->paint.pen.width > 0) || it->paint.edge.a <= 0) it->paint.strokes = false;
    if (it->paint.face.a <= 0) it->paint.fills = false;
}

static bool item_place(const Items *it, size_t i, Point *at) {
    *at = (Point){0, 0};
    if (!it->places) return true;
    *at = affine_apply(&it->to, it->x[i % it->places], it->y[i % it->places]);
    return is_near(*at);
}

static void draw_each(Items *it) {
    Path path;
    path_init(&path, it->canvas->mem);
    for (size_t i = 0; i < it->count && !it->canvas->failed; i++) {
        Point at;
        item_paint(it, i);
        if (!item_place(it, i, &at)) continue;
        path_clear(&path);
        item_shape(it, i, &path);
        if (at.x == 0 && at.y == 0) canvas_paint(it->canvas, &path, &it->paint);
        else draw_moved(it->canvas, &path, &it->paint, at);
    }
    path_free(&path);
}

// Many places of one shape: stamps of it, at eighths of a pixel, each made when it is first needed.
enum { PARTS = 8 };

static void draw_stamps(Items *it, Marker stamps[PARTS * PARTS]) {
    Canvas *canvas = it->canvas;
    IntBox clip = pixels_of(canvas, it->paint.clip);
    for (size_t i = 0; i < it->count && !canvas->failed; i++) {
        Point at;
        if (!item_place(it, i, &at)) continue;
        int x = (int)floor(at.x * PARTS + 0.5), y = (int)floor(at.y * PARTS + 0.5);
        int left = x & (PARTS - 1), top = y & (PARTS - 1);
        Marker *m = &stamps[top * PARTS + left];
        item_paint(it, i);
        if (!m->stamped) {
            Paint both = it->paint; // whatever this item's colours are
            both.fills = it->face_count > 0;
            both.strokes = it->edge_count > 0 && it->paint.pen.width > 0;
            item_shape(it, i, &m->path);
            marker_stamp(canvas, m, &both, left / (double)PARTS, top / (double)PARTS);
        }
        marker_put(canvas, m, &it->paint, clip, (x - left) / PARTS, (y - top) / PARTS);
    }
}

static void draw_many(Items *it) {
    size_t size = PARTS * PARTS * sizeof(Marker);
    Marker *stamps = mem_alloc(it->canvas->mem, size);
    if (!stamps) {
        it->canvas->failed = true;
        return;
    }
    for (int i = 0; i < PARTS * PARTS; i++) marker_init(&stamps[i], it->canvas->mem);
    draw_stamps(it, stamps);
    for (int i = 0; i < PARTS * PARTS; i++) marker_free(&stamps[i], it->canvas->mem);
    mem_free(it->canvas->mem, stamps, size);
}

static const char *items_check(const Items *it, const PictureArg *a) {
    if (it->shapes == 0) return "there is no shape";
    for (size_t k = 0; k < it->shapes; k++)
        if (!(it->starts[k] >= 0 && it->starts[k] <= it->starts[k + 1] && it->starts[k + 1] <= (double)it->v.count))
            return "shapes begin within the points, in their order";
    if (it->v.codes && a[1].len < it->v.count) return "a code is needed for each point";
    if (a[5].kind != a[6].kind || a[5].len != a[6].len) return "x and y have different lengths";
    return NULL;
}

// collection(points, codes, starts, scales, transform, x, y, transform of x and y, faces, edges, widths, gc)
static const char *op_collection(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    enum { MANY = 2000 };
    Items it = {.canvas = canvas, .v = vertices_of(&a[0], &a[1]), .starts = a[2].floats, .scales = a[3].floats,
                .x = a[5].floats, .y = a[6].floats, .faces = a[8].floats, .edges = a[9].floats, .widths = a[10].floats};
    (void)out;
    it.shapes = a[2].len ? a[2].len - 1 : 0;
    it.scale_count = a[3].len;
    it.places = a[5].kind == ARG_FLOATS ? a[5].len : 0;
    if (a[5].kind == ARG_FLOATS && it.places == 0) return NULL;
    it.face_count = a[8].len / 4;
    it.edge_count = a[9].len / 4;
    it.width_count = a[10].len;
    it.count = it.places > it.shapes ? it.places : it.shapes;
    it.paint = gc_read(canvas, &a[11]);
    it.snap = snap_of(&a[11]);
    const char *why = items_check(&it, a);
    if (why) return why;
    if (it.places) {
        it.shape_to = affine_plain(&a[4]);
        it.shape_to.b = -it.shape_to.b, it.shape_to.d = -it.shape_to.d, it.shape_to.f = -it.shape_to.f;
        it.to = affine_read(canvas, &a[7]);
    } else {
        it.shape_to = affine_read(canvas, &a[4]);
    }
    bool alike = it.shapes == 1 && it.scale_count <= 1 && it.width_count <= 1 && it.places > MANY;
    if (alike && canvas->kind == CANVAS_PNG) draw_many(&it);
    else draw_each(&it);
    return NULL;
}

// mesh(x, y, colours as bytes, transform, gc): quadrilaterals between rows of corners.
static const char *op_mesh(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    (void)out;
    if (a[0].ndim != 2 || a[1].ndim != 2 || a[0].shape[0] != a[1].shape[0] || a[0].shape[1] != a[1].shape[1])
        return "x and y have the same two dimensions";
    int64_t rows = a[0].shape[0] - 1, columns = a[0].shape[1] - 1;
    if (rows < 1 || columns < 1) return NULL;
    if (a[2].len != (size_t)(rows * columns * 4)) return "there are four bytes of colour for each cell";
    Affine to = affine_read(canvas, &a[3]);
    Paint paint = gc_read(canvas, &a[4]);
    Path path;
    path_init(&path, canvas->mem);
    paint.fills = true;
    for (int64_t i = 0; i < rows && !canvas->failed; i++)
        for (int64_t j = 0; j < columns; j++) {
            const unsigned char *c = a[2].bytes + 4 * (i * columns + j);
            if (c[3] == 0) continue;
            const int64_t at[4] = {i * (columns + 1) + j, i * (columns + 1) + j + 1, (i + 1) * (columns + 1) + j + 1,
                                   (i + 1) * (columns + 1) + j};
            bool finite = true;
            path_clear(&path);
            for (int k = 0; k < 4; k++) {
                Point p = affine_apply(&to, a[0].floats[at[k]], a[1].floats[at[k]]);
                finite = finite && is_near(p);
                if (k == 0) path_move(&path, p.x, p.y);
                else path_line(&path, p.x, p.y);
            }
            path_close(&path);
            paint.face = (Colour){c[0] / 255.0, c[1] / 255.0, c[2] / 255.0, c[3] / 255.0};
            if (finite) canvas_paint(canvas, &path, &paint);
        }
    path_free(&path);
    return NULL;
}

// --- Images --------------------------------------------------------------------------------------

void raster_picture(Canvas *canvas, const Picture *picture, int x, int y, const double clip[4], double alpha) {
    Raster *r = &canvas->raster;
    IntBox box = pixels_of(canvas, clip);
    for (int row = 0; row < picture->height; row++) {
        int to = y + row;
        if (to < 0 || to >= r->height || to < box.y0 || to >= box.y1) continue;
        const unsigned char *from = picture->rgba + (size_t)row * (size_t)picture->width * 4;
        for (int i = 0; i < picture->width; i++) {
            int at = x + i;
            if (at < 0 || at >= r->width || at < box.x0 || at >= box.x1) continue;
            raster_blend(r, at, to, from + 4 * i, (unsigned)(from[4 * i + 3] * alpha + 0.5));
        }
    }
}

static void draw_resampled(Canvas *canvas, const Picture *picture, const double box[4], const double clip[4],
                           Filter filter, double alpha) {
    IntBox seen = pixels_of(canvas, clip);
    double x0 = fmin(box[0], box[2]), x1 = fmax(box[0], box[2]), y0 = fmin(box[1], box[3]), y1 = fmax(box[1], box[3]);
    IntBox to = {(int)fmax(fmax(seen.x0, 0), floor(x0 + 0.5)), (int)fmax(fmax(seen.y0, 0), floor(y0 + 0.5)),
                 (int)fmin(fmin(seen.x1, canvas->width), floor(x1 + 0.5)),
                 (int)fmin(fmin(seen.y1, canvas->height), floor(y1 + 0.5))};
    if (to.x1 <= to.x0 || to.y1 <= to.y0) return;
    size_t size = (size_t)(to.x1 - to.x0) * (size_t)(to.y1 - to.y0) * 4;
    unsigned char *rgba = mem_alloc(canvas->mem, size);
    if (rgba && picture_resample(canvas->mem, picture, box, filter, &to, rgba)) {
        Picture made = {rgba, to.x1 - to.x0, to.y1 - to.y0};
        raster_picture(canvas, &made, to.x0, to.y0, clip, alpha);
    } else {
        canvas->failed = true;
    }
    mem_free(canvas->mem, rgba, size);
}

// image(rgba as bytes, height, width, box, filter, clip, alpha): the first row lies at the box's y1.
static const char *op_image(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    enum { SIDE_MOST = 1 << 20 };
    double box[4], clip[4], height = a[1].number, width = a[2].number;
    (void)out;
    if (!(height >= 1 && height <= SIDE_MOST && width >= 1 && width <= SIDE_MOST)) return NULL;
    if (a[0].len != (size_t)height * (size_t)width * 4) return "there are four bytes of colour for each pixel";
    if (!is_floats(&a[3], 4) || !is_floats(&a[5], 4)) return "a box is four numbers";
    Picture picture = {a[0].bytes, (int)width, (int)height};
    clip_read(canvas, a[3].floats, box);
    clip_read(canvas, a[5].floats, clip);
    for (int i = 0; i < 4; i++)
        if (!(fabs(box[i]) < 1e9)) return NULL;
    if (box[0] == box[2] || box[1] == box[3]) return NULL;
    int filter = (int)a[4].number;
    if (filter < 0 || filter >= FILTER_COUNT) return "there is no such filter";
    if (canvas->kind == CANVAS_PNG) draw_resampled(canvas, &picture, box, clip, (Filter)filter, a[6].number);
    else if (canvas->kind == CANVAS_SVG) svg_picture(canvas, &picture, box, clip, a[6].number);
    else pdf_picture(canvas, &picture, box, clip, a[6].number);
    return NULL;
}

// --- Text ----------------------------------------------------------------------------------------

// text(words, x, y, angle, face, slanted, size, colour, clip)
static const char *op_text(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    double clip[4];
    (void)out;
    if (!is_floats(&a[7], 4) || !is_floats(&a[8], 4)) return "colours and boxes are four numbers";
    Font font = {(int)a[4].number, a[5].number != 0, a[6].number};
    clip_read(canvas, a[8].floats, clip);
    text_draw(canvas, &font, a[0].text, a[0].len, (Point){a[1].number, canvas->height - a[2].number}, a[3].number,
              colour_read(a[7].floats), clip);
    return NULL;
}

// clip_path(points or None, codes, transform)
static const char *op_clip_path(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    (void)out;
    path_clear(&canvas->clip_path);
    if (canvas->kind == CANVAS_PNG) raster_unmask(&canvas->raster);
    if (a[0].kind != ARG_FLOATS || a[0].len < 2) return NULL;
    Vertices v = vertices_of(&a[0], &a[1]);
    if (v.codes && a[1].len < v.count) return "a code is needed for each point";
    Shaping how = {.to = affine_read(canvas, &a[2]), .snap = SNAP_NO};
    path_shape(&canvas->clip_path, &v, &how);
    if (canvas->kind == CANVAS_PNG) {
        Path flat;
        path_init(&flat, canvas->mem);
        path_flatten(&canvas->clip_path, &flat);
        raster_mask(&canvas->raster, &flat);
        if (flat.failed || !canvas->raster.mask) canvas->failed = true;
        path_free(&flat);
    }
    return NULL;
}

// save(): the file's bytes
static const char *op_save(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    (void)a;
    out->has_bytes = true;
    canvas_save(canvas, &out->bytes);
    return NULL;
}

// rgba(): the pixels
static const char *op_rgba(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    (void)a;
    if (canvas->kind != CANVAS_PNG) return "there are no pixels";
    out->has_bytes = true;
    buf_put(&out->bytes, (const char *)canvas->raster.rgba, (size_t)canvas->width * (size_t)canvas->height * 4);
    return NULL;
}

// --- The table -----------------------------------------------------------------------------------

static const struct {
    const char *name, *arguments;
    const char *(*run)(Canvas *canvas, const PictureArg *args, PictureResult *out);
} ops[] = {
    {"path", "vFagn", op_path},
    {"line", "ffagn", op_line},
    {"markers", "vFaffag", op_markers},
    {"collection", "vFffaFFafffg", op_collection},
    {"mesh", "ffbag", op_mesh},
    {"image", "bnnfnfn", op_image},
    {"text", "tnnnnnnff", op_text},
    {"clip_path", "FFa", op_clip_path},
    {"save", "", op_save},
    {"rgba", "", op_rgba},
};

// text_size(words, face, slanted, size, plain): width, height, descent, and where the first glyph begins
static PictureStatus text_size(Pictures *pictures, const PictureArg *a, int count, PictureResult *out) {
    static const char letters[] = "tnnnn";
    TextSize size;
    for (int i = 0; i < 5; i++)
        if (count != 5 || !fits(letters[i], &a[i])) {
            out->why = "text_size needs other arguments";
            return PICTURE_REFUSED;
        }
    Font font = {(int)a[1].number, a[2].number != 0, a[3].number};
    if (!text_measure(pictures->fonts, &font, a[0].text, a[0].len, a[4].number != 0, &size)) return PICTURE_NO_MEMORY;
    out->count = 4;
    out->numbers[0] = size.width;
    out->numbers[1] = size.height;
    out->numbers[2] = size.descent;
    out->numbers[3] = size.x_min;
    return PICTURE_OK;
}

static bool args_fit(const char *letters, const PictureArg *args, int count) {
    if (strlen(letters) != (size_t)count) return false;
    for (int i = 0; i < count; i++)
        if (!fits(letters[i], &args[i])) return false;
    return true;
}

PictureStatus ops_call(Pictures *pictures, Canvas *canvas, const char *op, const PictureArg *args, int count,
                       PictureResult *out) {
    if (strcmp(op, "text_size") == 0) return text_size(pictures, args, count, out);
    for (size_t i = 0; canvas && i < sizeof ops / sizeof *ops; i++) {
        if (strcmp(ops[i].name, op) != 0) continue;
        out->why = args_fit(ops[i].arguments, args, count) ? ops[i].run(canvas, args, out)
                                                           : "an operation got other arguments than it needs";
        bool failed = canvas->failed || out->bytes.failed || canvas->text.failed;
        canvas->failed = false;
        if (failed) return PICTURE_NO_MEMORY;
        return out->why ? PICTURE_REFUSED : PICTURE_OK;
    }
    out->why = "there is no such operation";
    return PICTURE_REFUSED;
}
