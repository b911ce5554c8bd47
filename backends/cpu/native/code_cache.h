// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// On-disk cache of machine code, keyed by a hash of the source, the compiler command and the
// processor. Its contents are not trusted: the folder must belong to the user alone, symbolic links
// are not followed, and the bytes that are loaded are the ones that were checked.

#ifndef NACRE_BACKENDS_CPU_NATIVE_CODE_CACHE_H
#define NACRE_BACKENDS_CPU_NATIVE_CODE_CACHE_H

#include "lang/support/buf.h"

typedef struct CodeKey {
    uint64_t halves[2];
} CodeKey;

typedef struct CodeCache {
    int folder; // a descriptor; -1: no cache
} CodeCache;

// Computes the key of code built from `source`; `command` is the compiler's argument list, ended by NULL.
CodeKey code_key(const Buf *source, const char *const *command);

// Opens $NACRE_CACHE, $XDG_CACHE_HOME/nacre or ~/.cache/nacre, creating the folder if it is missing.
// The folder is not used (cache->folder is -1) unless it belongs to the user alone.
void code_cache_open(CodeCache *cache);
void code_cache_close(CodeCache *cache);

// Copies the cached library to a new file in a private folder of the caller. False: missing or
// corrupt.
bool code_cache_load(const CodeCache *cache, CodeKey key, const char *path, Mem *mem);
// Caches the library in the file `path`. Evicts the least recently used entries above the size limit.
// Failures are ignored.
void code_cache_store(const CodeCache *cache, CodeKey key, const char *path, Mem *mem);

// The same with bytes in memory instead of files. code_cache_read returns a block of `size` bytes, in which the
// cached bytes begin at `skip`; the caller frees the block. NULL: missing or corrupt.
char *code_cache_read(const CodeCache *cache, CodeKey key, Mem *mem, size_t *size, size_t *skip);
void code_cache_write(const CodeCache *cache, CodeKey key, const char *bytes, size_t size);

// Claims the build of a key for this process. Returns a descriptor for code_cache_release,
// CLAIM_BUSY if another process is building, or CLAIM_NONE if nothing can be written.
enum { CLAIM_BUSY = -1, CLAIM_NONE = -2 };
int code_cache_claim(const CodeCache *cache, CodeKey key);
void code_cache_release(const CodeCache *cache, CodeKey key, int claim);

// Creates a file for its owner only. False: it exists, or could not be written completely.
bool write_private_file(const char *path, const char *bytes, size_t size);

#endif
