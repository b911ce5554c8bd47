// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The interface between the library (stdlib/pictures.c) and the plug-in nacre-pictures.so. The plug-in is a canvas: it
// draws paths, markers, images and text on pixels, or writes them as SVG or PDF. It does not know the language's
// values: each operation has a name and gets numbers, texts and arrays.

#ifndef NACRE_STDLIB_PICTURES_PICTURES_H
#define NACRE_STDLIB_PICTURES_PICTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/support/buf.h"

// Increased with every change to this file.
#define PICTURES_VERSION 1

typedef enum PictureArgKind { ARG_NONE, ARG_NUMBER, ARG_TEXT, ARG_FLOATS, ARG_BYTES } PictureArgKind;

// An argument, borrowed for the call. Arrays are contiguous, in C order.
typedef struct PictureArg {
    PictureArgKind kind;
    double number;
    const char *text; // NUL-terminated UTF-8
    size_t len;       // bytes of the text, or elements of the array
    const double *floats;
    const unsigned char *bytes; // of an array of uint8, or of a bytes object
    int ndim;
    int64_t shape[4];
} PictureArg;

typedef enum PictureStatus { PICTURE_OK, PICTURE_NO_MEMORY, PICTURE_REFUSED } PictureStatus;

// Results of an operation: numbers, bytes, or nothing. The caller initialises `bytes` and frees it.
typedef struct PictureResult {
    int count; // of numbers
    double numbers[8];
    bool has_bytes;
    Buf bytes;
    const char *why; // if PICTURE_REFUSED: what is wrong with the call; static text
} PictureResult;

typedef struct Pictures Pictures; // fonts, shared by canvases
typedef struct Canvas Canvas;

typedef struct PicturesPlugin {
    unsigned version; // PICTURES_VERSION
    Pictures *(*open)(Mem *mem); // NULL: out of memory
    void (*close)(Pictures *pictures); // open canvases keep a reference
    // Makes a canvas of the kind "png", "svg" or "pdf". Sizes are in pixels, for a PDF in points. NULL: out of memory.
    Canvas *(*canvas)(Pictures *pictures, const char *kind, int width, int height);
    void (*canvas_close)(Canvas *canvas);
    // Runs an operation. `canvas` is NULL for one that needs none.
    PictureStatus (*call)(Pictures *pictures, Canvas *canvas, const char *op, const PictureArg *args, int count,
                          PictureResult *out);
} PicturesPlugin;
typedef const PicturesPlugin *(*PicturesPluginFn)(void); // nacre_pictures

#endif
