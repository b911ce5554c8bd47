// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Opens other libraries at first use, and finds the folders of this library's own files.

#ifndef NACRE_LANG_SUPPORT_LIBRARIES_H
#define NACRE_LANG_SUPPORT_LIBRARIES_H

#include <limits.h>
#include <stdbool.h>

// Folders of plug-ins and of bundled libraries, relative to the folder of this library.
enum { LIBRARY_PLACES = 3 };
extern const char *const library_places[LIBRARY_PLACES];

// Finds the folder of this library, or of the program that it is linked into. Returns false if it is not known.
bool library_folder(char folder[PATH_MAX]);

// Opens a library (dlopen) that was at `path` when this one was built. A bundled copy of that name (in
// folder `bundled` of one of the places) is preferred; else `path` is tried, then its file name. Returns
// NULL if none can be opened, or if `path` is "".
void *library_open(const char *path, int flags);
// Returns the path that library_open tries first, for messages: `path`, or that of the bundled copy in `at`.
const char *library_where(const char *path, char at[PATH_MAX]);

#endif
