// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The operations of a canvas, by name. The arguments of each are described by a row of `ops`, with one letter per
// argument:
//
//   n  a number          t  a text          f  an array of floats (any shape)     F  the same, or None
//   v  floats, two columns                  b  bytes                              a  six floats, a transform
//   g  graphics context: a row of floats (see gc_read)
//
// Coordinates in arguments have y upward, as in scripts; they are flipped here.

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

// Returns a transform to pixels, with y downward.
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

// Limits a line width to what Cairo accepts. 0: nothing is drawn.
static double width_of(double width) {
    static const double MOST = 1e5;
    return width > MOST ? MOST : width > 0 ? width : 0;
}

static Paint gc_read(const Canvas *canvas, const PictureArg *arg) {
    const double *g = arg->floats;
    Paint paint = {.fills = g[GC_FILLS] != 0, .strokes = g[GC_STROKES] != 0 && g[GC_EDGE + 3] > 0 && g[GC_WIDTH] > 0,
                   .smooth = g[GC_SMOOTH] != 0};
    paint.face = colour_read(g + GC_FACE);
    paint.edge = colour_read(g + GC_EDGE);
    paint.pen.width = width_of(g[GC_WIDTH]);
    paint.pen.cap = g[GC_CAP] == 1 ? CAIRO_LINE_CAP_ROUND : g[GC_CAP] == 2 ? CAIRO_LINE_CAP_SQUARE : CAIRO_LINE_CAP_BUTT;
    paint.pen.join = g[GC_JOIN] == 1   ? CAIRO_LINE_JOIN_ROUND
                     : g[GC_JOIN] == 2 ? CAIRO_LINE_JOIN_BEVEL
                                       : CAIRO_LINE_JOIN_MITER;
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

// --- Paths ---------------------------------------------------------------------------------------

static Shaping shaping(const Canvas *canvas, const PictureArg *gc, const Paint *paint, Affine to, double threshold) {
    Shaping how = {.to = to, .snap = snap_of(gc), .line_width = paint->strokes ? paint->pen.width : 0,
                   .threshold = threshold, .open = !paint->fills};
    double room = paint->pen.width + 2;
    // A dashed line is cut only at the picture's edges, not at the clip, since the dash pattern would restart at a cut.
    const double all[4] = {0, 0, canvas->width, canvas->height};
    const double *clip = paint->pen.dash_count > 1 ? all : paint->clip;
    how.seen[0] = fmax(clip[0], 0) - room;
    how.seen[1] = fmax(clip[1], 0) - room;
    how.seen[2] = fmin(clip[2], canvas->width) + room;
    how.seen[3] = fmin(clip[3], canvas->height) + room;
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

// path(points, codes, transform, gc, threshold): draws a path.
static const char *op_path(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    Vertices v = vertices_of(&a[0], &a[1]);
    (void)out;
    if (v.codes && a[1].len < v.count) return "a code is needed for each point";
    draw_vertices(canvas, &v, &a[2], &a[3], a[4].number);
    return NULL;
}

// line(x, y, transform, gc, threshold): draws a polyline.
static const char *op_line(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    (void)out;
    if (a[0].len != a[1].len) return "x and y have different lengths";
    Vertices v = {.x = a[0].floats, .y = a[1].floats, .stride = 1, .count = a[0].len};
    draw_vertices(canvas, &v, &a[2], &a[3], a[4].number);
    return NULL;
}

// --- Markers -------------------------------------------------------------------------------------

// A shape that is drawn at many places, and its stamps when they have been made.
typedef struct Marker {
    Path path;
    Stamp stamps[2]; // of the face; of the edge
    Print print;     // of both, if the colours are the same at all places
    bool stamped;
} Marker;

static void marker_init(Marker *m, Mem *mem) {
    *m = (Marker){.stamped = false};
    path_init(&m->path, mem);
}

static void marker_free(Marker *m) {
    print_free(&m->print, m->path.mem);
    stamp_free(&m->stamps[0]);
    stamp_free(&m->stamps[1]);
    path_free(&m->path);
}

// Makes the stamps of the path, moved by `dx`, `dy` from a pixel's corner. `same`: all will have these colours.
static void marker_stamp(Canvas *canvas, Marker *m, const Paint *paint, double dx, double dy, bool same) {
    const Colour colours[2] = {paint->face, paint->edge};
    Path moved;
    path_init(&moved, canvas->mem);
    path_append(&moved, &m->path, dx, dy);
    bool ok = !moved.failed && !m->path.failed;
    if (ok && paint->fills) ok = stamp_make(&m->stamps[0], &moved, NULL);
    if (ok && paint->strokes) ok = stamp_make(&m->stamps[1], &moved, &paint->pen);
    if (ok && same) ok = print_make(&m->print, canvas->mem, m->stamps, colours, 2);
    path_free(&moved);
    m->stamped = ok;
    if (!ok) canvas->failed = true;
}

static void marker_put(Canvas *canvas, const Marker *m, const Paint *paint, const IntBox *clip, int x, int y) {
    if (m->print.over) {
        print_put(&m->print, canvas, clip, x, y);
        return;
    }
    if (paint->fills) stamp_put(&m->stamps[0], canvas, clip, x, y, &paint->face);
    if (paint->strokes) stamp_put(&m->stamps[1], canvas, clip, x, y, &paint->edge);
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

static void put_stamps(Canvas *canvas, Marker *m, const Paint *paint, const Affine *to, const PictureArg *x,
                       const PictureArg *y) {
    IntBox clip = canvas_pixels_in(canvas, paint->clip);
    marker_stamp(canvas, m, paint, 0, 0, true);
    if (canvas->failed || !stamps_begin(canvas)) return;
    for (size_t i = 0; i < x->len; i++) {
        Point p = affine_apply(to, x->floats[i], y->floats[i]);
        if (is_near(p)) marker_put(canvas, m, paint, &clip, (int)floor(p.x + 0.5), (int)floor(p.y + 0.5));
    }
    stamps_end(canvas);
}

// Returns how far a shape reaches from its position, including the pen.
static double reach_of(const Path *path, const Paint *paint, CanvasKind kind) {
    double box[4];
    if (!path_box(path, box)) return 0;
    double most = fmax(fmax(-box[0], -box[1]), fmax(box[2], box[3]));
    return most + (paint->strokes ? paint->pen.width * fmax(pen_miter(&paint->pen, kind), 2) : 0);
}

static void put_paths(Canvas *canvas, const Marker *m, const Paint *paint, const Affine *to, const PictureArg *x,
                      const PictureArg *y) {
    double reach = reach_of(&m->path, paint, canvas->kind);
    const double *clip = paint->clip;
    bool pixels = canvas->kind == CANVAS_PNG;
    for (size_t i = 0; i < x->len && !canvas->failed; i++) {
        Point p = affine_apply(to, x->floats[i], y->floats[i]);
        if (!is_near(p) || p.x < clip[0] - reach || p.x > clip[2] + reach || p.y < clip[1] - reach ||
            p.y > clip[3] + reach)
            continue;
        if (pixels) p = (Point){floor(p.x + 0.5), floor(p.y + 0.5)};
        draw_moved(canvas, &m->path, paint, p);
    }
}

// markers(points, codes, transform, x, y, transform of x and y, gc): draws a shape at each (x, y). On a PNG, positions
// are rounded to whole pixels.
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
    // As in matplotlib, a marker that is not snapped itself is placed around a pixel's centre.
    if (canvas->kind == CANVAS_PNG && !path_snaps(&v, &how)) how.to.e += 0.5, how.to.f += 0.5;
    path_shape(&m.path, &v, &how);
    bool stamps = canvas->kind == CANVAS_PNG && stamp_fits(&m.path, paint.strokes ? &paint.pen : NULL);
    if (stamps) put_stamps(canvas, &m, &paint, &to, &a[3], &a[4]);
    else put_paths(canvas, &m, &paint, &to, &a[3], &a[4]);
    marker_free(&m);
    return NULL;
}

// --- Collections ---------------------------------------------------------------------------------

// The items of a collection. Each array has its own length and is repeated as often as necessary.
typedef struct Items {
    Canvas *canvas;
    Vertices v;
    const double *starts, *scales, *x, *y, *faces, *edges, *widths;
    size_t shapes, scale_count, places, face_count, edge_count, width_count, count;
    Affine shape_to, to; // shape_to: transform of the shapes, each item scales its linear part; to: of the positions
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
    if (!(it->paint.pen.width > 0) || !(it->paint.edge.a > 0)) it->paint.strokes = false;
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

// Draws many items of one shape as stamps. Positions are rounded to eighths of a pixel; the stamp of each fraction is
// made when it is first needed.
enum { PARTS = 8 };

static void draw_stamps(Items *it, Marker stamps[PARTS * PARTS]) {
    Canvas *canvas = it->canvas;
    IntBox clip = canvas_pixels_in(canvas, it->paint.clip);
    bool same = it->face_count <= 1 && it->edge_count <= 1;
    if (!stamps_begin(canvas)) return;
    for (size_t i = 0; i < it->count && !canvas->failed; i++) {
        Point at;
        if (!item_place(it, i, &at)) continue;
        int x = (int)floor(at.x * PARTS + 0.5), y = (int)floor(at.y * PARTS + 0.5);
        int left = x & (PARTS - 1), top = y & (PARTS - 1);
        Marker *m = &stamps[top * PARTS + left];
        item_paint(it, i);
        if (!m->stamped) {
            Paint both = it->paint;
            if (!same) { // for all items, whatever this one's colours are
                both.fills = it->face_count > 0;
                both.strokes = it->edge_count > 0 && it->paint.pen.width > 0;
            }
            item_shape(it, i, &m->path);
            marker_stamp(canvas, m, &both, left / (double)PARTS, top / (double)PARTS, same);
        }
        if (m->stamped) marker_put(canvas, m, &it->paint, &clip, (x - left) / PARTS, (y - top) / PARTS);
    }
    stamps_end(canvas);
}

// Returns whether there are many small items that differ only in colour and position.
static bool are_alike(Items *it) {
    enum { MANY = 4 * PARTS * PARTS };
    if (it->shapes != 1 || it->scale_count > 1 || it->width_count > 1 || it->places < MANY) return false;
    Path path;
    path_init(&path, it->canvas->mem);
    item_paint(it, 0);
    item_shape(it, 0, &path);
    bool small = stamp_fits(&path, it->edge_count ? &it->paint.pen : NULL);
    path_free(&path);
    return small;
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
    for (int i = 0; i < PARTS * PARTS; i++) marker_free(&stamps[i]);
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

// collection(points, codes, starts, scales, transform, x, y, transform of x and y, faces, edges, widths, gc): draws
// shapes with cycled properties. Shape k has the points from starts[k] to before starts[k + 1]. If x and y are None,
// the shapes are not moved.
static const char *op_collection(Canvas *canvas, const PictureArg *a, PictureResult *out) {
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
    if (canvas->kind == CANVAS_PNG && are_alike(&it)) draw_many(&it);
    else draw_each(&it);
    return NULL;
}

// mesh(x, y, colours as bytes, transform, gc): fills the quadrilaterals of a grid whose corners are (x, y).
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
    // Viewers of SVG and PDF leave seams between neighbours, which thin lines in the same colour cover.
    bool seams = canvas->kind != CANVAS_PNG && !paint.strokes && !paint.smooth;
    if (seams) paint.pen = (Pen){.width = 0.3, .join = CAIRO_LINE_JOIN_BEVEL};
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
            if (seams) paint.edge = paint.face, paint.strokes = c[3] == 255;
            if (finite) canvas_paint(canvas, &path, &paint);
        }
    path_free(&path);
    return NULL;
}

// --- Images --------------------------------------------------------------------------------------

// image(rgba as bytes, height, width, box, filter, clip, alpha): draws an image; its first row is at the box's y1.
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
    canvas_picture(canvas, &picture, box, clip, (Filter)filter, a[6].number);
    return NULL;
}

// --- Text ----------------------------------------------------------------------------------------

// text(words, x, y, angle, face, slanted, size, colour, clip): draws a line of text.
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

// clip_path(points or None, codes, transform): sets or removes the clip path.
static const char *op_clip_path(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    (void)out;
    path_free(&canvas->clip_path);
    canvas_clip_path(canvas);
    if (a[0].kind != ARG_FLOATS || a[0].len < 2) return NULL;
    Vertices v = vertices_of(&a[0], &a[1]);
    if (v.codes && a[1].len < v.count) return "a code is needed for each point";
    Shaping how = {.to = affine_read(canvas, &a[2]), .snap = SNAP_NO};
    path_shape(&canvas->clip_path, &v, &how);
    canvas_clip_path(canvas);
    return NULL;
}

// save(): returns the bytes of the file.
static const char *op_save(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    (void)a;
    out->has_bytes = true;
    canvas_file(canvas, &out->bytes);
    return NULL;
}

// rgba(): returns the pixels of a PNG as bytes.
static const char *op_rgba(Canvas *canvas, const PictureArg *a, PictureResult *out) {
    (void)a;
    if (canvas->kind != CANVAS_PNG) return "there are no pixels";
    out->has_bytes = true;
    buf_fill(&out->bytes, 0, (size_t)canvas->width * (size_t)canvas->height * 4);
    if (!out->bytes.failed) canvas_rgba(canvas, (unsigned char *)out->bytes.data);
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

static bool args_fit(const char *letters, const PictureArg *args, int count) {
    if (strlen(letters) != (size_t)count) return false;
    for (int i = 0; i < count; i++)
        if (!fits(letters[i], &args[i])) return false;
    return true;
}

// text_size(words, face, slanted, size, plain): returns width, height, descent, and the x where the first glyph begins.
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

// Minimum, maximum, and least positive value of a coordinate, which a logarithmic axis needs.
typedef struct Extent {
    double least, greatest, least_positive;
} Extent;

static inline void extend(Extent *e, double v) {
    e->least = v < e->least ? v : e->least;
    e->greatest = v > e->greatest ? v : e->greatest;
    e->least_positive = v > 0 && v < e->least_positive ? v : e->least_positive;
}

// extent(x, y): returns the extents of x and of y over the points that are finite; infinities if there are none.
static PictureStatus extent(const PictureArg *a, int count, PictureResult *out) {
    static const Extent none = {INFINITY, -INFINITY, INFINITY};
    Extent of_x = none, of_y = none;
    if (count != 2 || !fits('f', &a[0]) || !fits('f', &a[1]) || a[0].len != a[1].len) {
        out->why = "extent needs two arrays of the same length";
        return PICTURE_REFUSED;
    }
    for (size_t i = 0; i < a[0].len; i++) {
        double x = a[0].floats[i], y = a[1].floats[i];
        if (!isfinite(x) || !isfinite(y)) continue;
        extend(&of_x, x);
        extend(&of_y, y);
    }
    const double numbers[6] = {of_x.least, of_x.greatest, of_x.least_positive,
                               of_y.least, of_y.greatest, of_y.least_positive};
    memcpy(out->numbers, numbers, sizeof numbers);
    out->count = 6;
    return PICTURE_OK;
}

static void put_vertex(Buf *out, double code, Point p) {
    const double row[3] = {code, p.x, -p.y};
    buf_put(out, (const char *)row, sizeof row);
}

// text_path(words, face, slanted, size): returns the outline as rows of floats: matplotlib's code, x, y (upward).
static PictureStatus text_path(Pictures *pictures, const PictureArg *a, int count, PictureResult *out) {
    static const double codes[] = {[PATH_MOVE] = 1, [PATH_LINE] = 2, [PATH_CURVE] = 4, [PATH_CLOSE] = 79};
    static const char letters[] = "tnnn";
    if (!args_fit(letters, a, count)) {
        out->why = "text_path needs other arguments";
        return PICTURE_REFUSED;
    }
    Font font = {(int)a[1].number, a[2].number != 0, a[3].number};
    Path path;
    path_init(&path, pictures->mem);
    text_outline(pictures->fonts, &font, a[0].text, a[0].len, &path);
    const Point *p = path.points;
    for (size_t i = 0; i < path.op_count && !path.failed; i++) {
        PathOp op = path.ops[i];
        size_t points = op == PATH_CURVE ? 3 : op == PATH_CLOSE ? 0 : 1;
        for (size_t k = 0; k < points; k++) put_vertex(&out->bytes, codes[op], *p++);
        if (points == 0) put_vertex(&out->bytes, codes[op], (Point){0, 0});
    }
    bool failed = path.failed || out->bytes.failed;
    path_free(&path);
    out->has_bytes = !failed;
    return failed ? PICTURE_NO_MEMORY : PICTURE_OK;
}

PictureStatus ops_call(Pictures *pictures, Canvas *canvas, const char *op, const PictureArg *args, int count,
                       PictureResult *out) {
    if (strcmp(op, "text_size") == 0) return text_size(pictures, args, count, out);
    if (strcmp(op, "text_path") == 0) return text_path(pictures, args, count, out);
    if (strcmp(op, "extent") == 0) return extent(args, count, out);
    for (size_t i = 0; canvas && i < sizeof ops / sizeof *ops; i++) {
        if (strcmp(ops[i].name, op) != 0) continue;
        out->why = args_fit(ops[i].arguments, args, count) ? ops[i].run(canvas, args, out)
                                                           : "an operation got other arguments than it needs";
        cairo_status_t status = cairo_status(canvas->cairo);
        bool failed = canvas->failed || out->bytes.failed || status == CAIRO_STATUS_NO_MEMORY;
        canvas->failed = false;
        if (failed) return PICTURE_NO_MEMORY;
        if (status != CAIRO_STATUS_SUCCESS) out->why = cairo_status_to_string(status);
        return out->why ? PICTURE_REFUSED : PICTURE_OK;
    }
    out->why = "there is no such operation";
    return PICTURE_REFUSED;
}
