// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Entry point of the plug-in nacre-pictures.so, and the lifetime of its objects.

#include <string.h>

#include "stdlib/pictures/canvas.h"
#include "stdlib/pictures/ops.h"

static Pictures *pictures_open(Mem *mem) {
    Pictures *pictures = mem_zalloc(mem, sizeof *pictures);
    if (!pictures) return NULL;
    *pictures = (Pictures){.mem = mem, .references = 1, .fonts = fonts_open(mem)};
    if (pictures->fonts) return pictures;
    mem_free(mem, pictures, sizeof *pictures);
    return NULL;
}

static void pictures_close(Pictures *pictures) {
    if (--pictures->references > 0) return;
    fonts_close(pictures->fonts);
    mem_free(pictures->mem, pictures, sizeof *pictures);
}

static void canvas_close(Canvas *canvas) {
    Pictures *pictures = canvas->pictures;
    canvas_end(canvas);
    mem_free(canvas->mem, canvas, sizeof *canvas);
    pictures_close(pictures);
}

static Canvas *canvas_open(Pictures *pictures, const char *kind, int width, int height) {
    Canvas *canvas = mem_zalloc(pictures->mem, sizeof *canvas);
    if (!canvas) return NULL;
    canvas->kind = strcmp(kind, "svg") == 0 ? CANVAS_SVG : strcmp(kind, "pdf") == 0 ? CANVAS_PDF : CANVAS_PNG;
    canvas->pictures = pictures;
    canvas->mem = pictures->mem;
    canvas->width = width;
    canvas->height = height;
    pictures->references++;
    if (canvas_begin(canvas)) return canvas;
    canvas_close(canvas);
    return NULL;
}

static const PicturesPlugin plugin = {
    PICTURES_VERSION, pictures_open, pictures_close, canvas_open, canvas_close, ops_call,
};

__attribute__((visibility("default"))) const PicturesPlugin *nacre_pictures(void) {
    return &plugin;
}
