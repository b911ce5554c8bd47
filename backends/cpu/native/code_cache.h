// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Machine code kept on disk, for the next process: by a hash of the source, the compiler's words
// and the processor. Nothing there is trusted: the folder belongs to the user and to nobody else,
// no link is followed, and what is loaded are the very bytes that have been checked.

#ifndef NACRE_BACKENDS_CPU_NATIVE_CODE_CACHE_H
#define NACRE_BACKENDS_CPU_NATIVE_CODE_CACHE_H

#include "lang/support/buf.h"

typedef struct CodeKey {
    uint64_t halves[2];
} CodeKey;

typedef struct CodeCache {
    int folder; // a descriptor; -1: there is no cache
} CodeCache;

// Of code: `command` are the compiler's words, ended by NULL.
CodeKey code_key(const Buf *source, const char *const *command);

// $NACRE_CACHE, $XDG_CACHE_HOME/nacre or ~/.cache/nacre, which is made if need be. A folder that
// others could write to, or that is no folder, is left alone.
void code_cache_open(CodeCache *cache);
void code_cache_close(CodeCache *cache);

// Writes the library to a new file of that path, in a folder that is the caller's own. False: it is
// not there, or not as it was written.
bool code_cache_load(const CodeCache *cache, CodeKey key, const char *path, Mem *mem);
// Keeps the library of that file. The cache stays below its size limit: what was not used for the
// longest time goes. Failures are nobody's business.
void code_cache_store(const CodeCache *cache, CodeKey key, const char *path, Mem *mem);

// Says that this process is going to build it: a descriptor for code_cache_release, CLAIM_BUSY if
// another one is, or CLAIM_NONE where nothing can be written.
enum { CLAIM_BUSY = -1, CLAIM_NONE = -2 };
int code_cache_claim(const CodeCache *cache, CodeKey key);
void code_cache_release(const CodeCache *cache, CodeKey key, int claim);

// A new file, for its owner only. False: it was there, or is not whole.
bool write_private_file(const char *path, const char *bytes, size_t size);

#endif
