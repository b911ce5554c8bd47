// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The on-disk cache of machine code.

#include "backends/cpu/native/code_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

enum { NAME_BYTES = 64, ENTRY_MAX = 1 << 24, PATH_MAX_BYTES = 4096 };
static const int64_t cache_limit = (int64_t)64 << 20; // bytes
static const char magic[8] = "NACREKC1";

// Header in front of a library's bytes.
typedef struct Head {
    char magic[sizeof magic];
    CodeKey key, checksum;
    uint64_t size;
} Head;

// --- Hashes ------------------------------------------------------------------------------------

static void mix(CodeKey *key, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (; size; at += 8, size -= size < 8 ? size : 8) {
        uint64_t word = 0;
        memcpy(&word, at, size < 8 ? size : 8);
        key->halves[0] = (key->halves[0] ^ word) * 0x9E3779B97F4A7C15u;
        key->halves[1] = (key->halves[1] + word) * 0xC2B2AE3D27D4EB4Fu;
        key->halves[0] ^= key->halves[1] >> 29;
        key->halves[1] ^= key->halves[0] >> 31;
    }
}

// Code is compiled for this processor, so its features are part of the key.
static void mix_processor(CodeKey *key) {
#if defined(__x86_64__)
    unsigned words[4];
    static const unsigned leaves[] = {0, 1, 7, 0x80000001u};
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        memset(words, 0, sizeof words);
        __get_cpuid_count(leaves[i], 0, &words[0], &words[1], &words[2], &words[3]);
        if (leaves[i] == 1) words[1] = 0; // words[1] depends on the core that runs this
        mix(key, words, sizeof words);
    }
#else
    unsigned long bits[2] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    mix(key, bits, sizeof bits);
#endif
}

CodeKey code_key(const Buf *source, const char *const *command) {
    CodeKey key = {{1, 2}};
    mix(&key, source->data, source->len);
    for (; *command; command++) mix(&key, *command, strlen(*command) + 1);
    mix_processor(&key);
    return key;
}

static void name_entry(CodeKey key, const char *ending, char name[NAME_BYTES]) {
    snprintf(name, NAME_BYTES, "%016" PRIx64 "%016" PRIx64 ".%s", key.halves[0], key.halves[1],
             ending);
}

// --- The folder --------------------------------------------------------------------------------

static bool folder_name(char path[PATH_MAX_BYTES]) {
    const char *own = getenv("NACRE_CACHE"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int length = -1;
    if (own && *own)
        length = snprintf(path, PATH_MAX_BYTES, "%s", own);
    else if (cache && *cache == '/')
        length = snprintf(path, PATH_MAX_BYTES, "%s/nacre", cache);
    else if (home && *home == '/')
        length = snprintf(path, PATH_MAX_BYTES, "%s/.cache/nacre", home);
    return length > 0 && length < PATH_MAX_BYTES;
}

static void make_folders(char *path) {
    for (char *at = path + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        mkdir(path, 0700);
        *at = '/';
    }
    mkdir(path, 0700);
}

static bool is_private(int descriptor, mode_t kind) {
    struct stat info;
    return fstat(descriptor, &info) == 0 && (info.st_mode & S_IFMT) == kind &&
           info.st_uid == geteuid() && !(info.st_mode & 077);
}

void code_cache_open(CodeCache *cache) {
    char path[PATH_MAX_BYTES];
    cache->folder = -1;
    if (!folder_name(path)) return;
    make_folders(path);
    cache->folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (cache->folder < 0 || is_private(cache->folder, S_IFDIR)) return;
    close(cache->folder);
    cache->folder = -1;
}

void code_cache_close(CodeCache *cache) {
    if (cache->folder >= 0) close(cache->folder);
    cache->folder = -1;
}

// --- Bytes -------------------------------------------------------------------------------------

static bool write_all(int file, const char *bytes, size_t size) {
    for (size_t at = 0; at < size;) {
        ssize_t some = write(file, bytes + at, size - at);
        if (some > 0)
            at += (size_t)some;
        else if (some == 0 || errno != EINTR)
            return false;
    }
    return true;
}

static bool read_all(int file, char *bytes, size_t size) {
    for (size_t at = 0; at < size;) {
        ssize_t some = read(file, bytes + at, size - at);
        if (some > 0)
            at += (size_t)some;
        else if (some == 0 || errno != EINTR)
            return false;
    }
    return true;
}

// Reads a file and returns its bytes, owned. NULL: empty, too large, or not readable.
static char *bytes_of(int file, Mem *mem, size_t *size) {
    struct stat info;
    if (fstat(file, &info) != 0 || info.st_size <= 0 || info.st_size > ENTRY_MAX) return NULL;
    *size = (size_t)info.st_size;
    char *bytes = mem_alloc(mem, *size);
    if (bytes && read_all(file, bytes, *size)) return bytes;
    if (bytes) mem_free(mem, bytes, *size);
    return NULL;
}

bool write_private_file(const char *path, const char *bytes, size_t size) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool written = file >= 0 && write_all(file, bytes, size);
    if (file >= 0) written = close(file) == 0 && written;
    return written;
}

// --- Entries -----------------------------------------------------------------------------------

static CodeKey checksum_of(const char *bytes, size_t size) {
    CodeKey sum = {{3, size}};
    mix(&sum, bytes, size);
    return sum;
}

static bool is_sound(const char *bytes, size_t size, CodeKey key) {
    Head head;
    if (size <= sizeof head) return false;
    memcpy(&head, bytes, sizeof head);
    CodeKey sum = checksum_of(bytes + sizeof head, size - sizeof head);
    return memcmp(head.magic, magic, sizeof magic) == 0 &&
           memcmp(&head.key, &key, sizeof key) == 0 && head.size == size - sizeof head &&
           memcmp(&head.checksum, &sum, sizeof sum) == 0;
}

char *code_cache_read(const CodeCache *cache, CodeKey key, Mem *mem, size_t *size, size_t *skip) {
    char name[NAME_BYTES];
    name_entry(key, "code", name);
    int file = cache->folder < 0
                   ? -1
                   : openat(cache->folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return NULL;
    char *bytes = is_private(file, S_IFREG) ? bytes_of(file, mem, size) : NULL;
    bool sound = bytes && is_sound(bytes, *size, key);
    if (sound)
        futimens(file, NULL); // marks it as recently used
    else
        unlinkat(cache->folder, name, 0);
    close(file);
    *skip = sizeof(Head);
    if (sound || !bytes) return bytes;
    mem_free(mem, bytes, *size);
    return NULL;
}

bool code_cache_load(const CodeCache *cache, CodeKey key, const char *path, Mem *mem) {
    size_t size, skip;
    char *bytes = code_cache_read(cache, key, mem, &size, &skip);
    if (!bytes) return false;
    bool loaded = write_private_file(path, bytes + skip, size - skip);
    mem_free(mem, bytes, size);
    return loaded;
}

// Finds the least recently used entry; false: none.
static bool oldest(int folder, DIR *dir, char name[NAME_BYTES], int64_t *total) {
    struct timespec least = {0};
    bool found = false;
    *total = 0;
    rewinddir(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct stat info;
        size_t length = strlen(entry->d_name);
        if (length + 1 > NAME_BYTES || length < 5 ||
            strcmp(entry->d_name + length - 5, ".code") != 0)
            continue;
        if (fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
        *total += info.st_size;
        bool older = info.st_mtim.tv_sec < least.tv_sec ||
                     (info.st_mtim.tv_sec == least.tv_sec && info.st_mtim.tv_nsec < least.tv_nsec);
        if (found && !older) continue;
        found = true;
        least = info.st_mtim;
        memcpy(name, entry->d_name, length + 1);
    }
    return found;
}

static void keep_below_limit(int folder) {
    char name[NAME_BYTES];
    int64_t total;
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (!dir) {
        if (copy >= 0) close(copy);
        return;
    }
    while (oldest(folder, dir, name, &total) && total > cache_limit)
        if (unlinkat(folder, name, 0) != 0) break;
    closedir(dir);
}

static bool write_entry(int file, CodeKey key, const char *bytes, size_t size) {
    Head head = {.key = key, .checksum = checksum_of(bytes, size), .size = size};
    memcpy(head.magic, magic, sizeof magic);
    return write_all(file, (const char *)&head, sizeof head) && write_all(file, bytes, size);
}

void code_cache_write(const CodeCache *cache, CodeKey key, const char *bytes, size_t size) {
    char name[NAME_BYTES], fresh[NAME_BYTES], ending[24];
    if (cache->folder < 0 || size > ENTRY_MAX - sizeof(Head)) return;
    snprintf(ending, sizeof ending, "%ld", (long)getpid());
    name_entry(key, "code", name);
    name_entry(key, ending, fresh);
    int file =
        openat(cache->folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool written = file >= 0 && write_entry(file, key, bytes, size);
    if (file >= 0) written = close(file) == 0 && written;
    if (file >= 0 && !(written && renameat(cache->folder, fresh, cache->folder, name) == 0))
        unlinkat(cache->folder, fresh, 0);
    keep_below_limit(cache->folder);
}

void code_cache_store(const CodeCache *cache, CodeKey key, const char *path, Mem *mem) {
    size_t size;
    int from = cache->folder < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0) return;
    char *bytes = bytes_of(from, mem, &size);
    close(from);
    if (!bytes) return;
    code_cache_write(cache, key, bytes, size);
    mem_free(mem, bytes, size);
}

// --- Claims ------------------------------------------------------------------------------------

int code_cache_claim(const CodeCache *cache, CodeKey key) {
    char name[NAME_BYTES];
    name_entry(key, "lock", name);
    int file = cache->folder < 0
                   ? -1
                   : openat(cache->folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return CLAIM_NONE;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return file;
    close(file);
    return CLAIM_BUSY;
}

void code_cache_release(const CodeCache *cache, CodeKey key, int claim) {
    char name[NAME_BYTES];
    if (claim < 0) return;
    name_entry(key, "lock", name);
    unlinkat(cache->folder, name, 0);
    close(claim);
}
