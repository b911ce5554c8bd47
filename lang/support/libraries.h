// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Other libraries, opened at first use, and where this one's own files lie.

#ifndef NACRE_LANG_SUPPORT_LIBRARIES_H
#define NACRE_LANG_SUPPORT_LIBRARIES_H

#include <limits.h>
#include <stdbool.h>

// Folders of plug-ins and of libraries that are shipped with this one, as seen from its own folder.
enum { LIBRARY_PLACES = 3 };
extern const char *const library_places[LIBRARY_PLACES];

// The folder of the library, or of the program that it is linked into; false: not known.
bool library_folder(char folder[PATH_MAX]);

// dlopen of a library that was found when this one was built: the one of that name that is shipped with
// this one (in folder `bundled` of its places), if there is one, else by the path it had then, else by its
// name. NULL: none, or `path` is "".
void *library_open(const char *path, int flags);
// Its path, to be told: `path`, or in `at`.
const char *library_where(const char *path, char at[PATH_MAX]);

#endif
