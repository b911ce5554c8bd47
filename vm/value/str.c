// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Text values: memory, interning, comparison, code points.

#include "vm/value/str.h"

#include <string.h>

#include "lang/support/utf8.h"
#include "vm/value/bytes.h"
#include "vm/value/str_impl.h"

// --- Memory ------------------------------------------------------------------------------------

enum { SMALL_BLOCK = 128, SMALL_STEP = 16, STEPS_PER_DOUBLING = 8 };

// No text is longer, so that sizes and code point counts fit their fields.
static const size_t longest = UINT32_MAX - 1;

// Bytes allocated for a text of `len` bytes: a size class (multiples of 16, then eight classes per
// doubling). A string's capacity thus follows from its length, with no field for it, and a string
// that grows by appending moves only when it leaves its class.
static size_t block_of(size_t len) {
    size_t need = sizeof(Str) + len + 1;
    size_t step = SMALL_STEP;
    if (need > SMALL_BLOCK) {
        size_t below = (size_t)1 << (63 - __builtin_clzll(need - 1)); // power of two < need
        step = below / STEPS_PER_DOUBLING;
    }
    return (need + step - 1) & ~(step - 1);
}

static size_t str_size(const Str *s) {
    return block_of(s->len);
}

size_t str_block_size(const Obj *obj) {
    return str_size((const Str *)obj);
}

// Not obj_new: that would clear what is about to be written.
Str *str_alloc(Vm *vm, size_t len) {
    if (len > longest) return NULL;
    Str *s = mem_alloc(&vm->mem, block_of(len));
    if (!s) return NULL;
    s->obj = (Obj){.refs = 1, .kind = K_STR};
    s->len = (uint32_t)len;
    s->chars = (uint32_t)len;
    s->hash = 0;
    s->data[len] = '\0';
    return s;
}

bool bytes_ascii(const char *bytes, size_t len) {
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        if (word & 0x8080808080808080u) return false;
    }
    for (; i < len; i++)
        if (bytes[i] & 0x80) return false;
    return true;
}

// Counts code points: bytes that do not continue one.
size_t str_count_chars(const char *bytes, size_t len) {
    size_t count = 0;
    for (size_t i = 0; i < len; i++) count += (signed char)bytes[i] >= -64;
    return count;
}

void str_finish(Str *s) {
    if (bytes_ascii(s->data, s->len))
        s->obj.aux |= STR_ASCII;
    else
        s->chars = (uint32_t)str_count_chars(s->data, s->len);
}

static Str *str_copy(Vm *vm, const char *bytes, size_t len) {
    Str *s = str_alloc(vm, len);
    if (!s) return NULL;
    memcpy(s->data, bytes, len);
    str_finish(s);
    return s;
}

static Str *shared(Str *s) {
    s->obj.refs++;
    return s;
}

// Returns the shared string for a text of at most one ASCII character (owned); NULL when there is none.
static Str *str_shared(Vm *vm, const char *bytes, size_t len) {
    if (len > 1) return NULL;
    Str *s = len == 0 ? vm->empty_str : bytes[0] & 0x80 ? NULL : vm->letters[(int)bytes[0]];
    return s ? shared(s) : NULL;
}

Str *str_new(Vm *vm, const char *bytes, size_t len) {
    Str *s = str_shared(vm, bytes, len);
    return s ? s : str_copy(vm, bytes, len);
}

Str *str_text(Vm *vm, const char *text) {
    return str_new(vm, text, strlen(text));
}

Str *str_from_buf(Vm *vm, Buf *buf) {
    Str *s = buf->failed ? NULL : str_new(vm, buf->data ? buf->data : "", buf->len);
    buf_free(buf);
    return s;
}

Status str_out(Vm *vm, Str *str, Value *out) {
    if (!str) return vm_no_memory(vm);
    *out = v_obj(str);
    return ST_OK;
}

Status str_buf_out(Vm *vm, Buf *buf, Value *out) {
    return str_out(vm, str_from_buf(vm, buf), out);
}

Status str_bytes_out(Vm *vm, const char *bytes, size_t len, Value *out) {
    return str_out(vm, str_new(vm, bytes, len), out);
}

Str *str_char(Vm *vm, uint32_t cp) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    buf_utf8(&buf, cp);
    return str_from_buf(vm, &buf);
}

// --- Joining -----------------------------------------------------------------------------------

Str *str_concat_all(Vm *vm, const Value *strings, size_t count) {
    size_t len = 0, at = 0;
    for (size_t i = 0; i < count; i++) len += strings[i].str->len;
    Str *s = str_alloc(vm, len);
    if (!s) return NULL;
    s->chars = 0;
    uint32_t ascii = STR_ASCII;
    for (size_t i = 0; i < count; i++) {
        const Str *part = strings[i].str;
        memcpy(s->data + at, part->data, part->len);
        at += part->len;
        s->chars += part->chars;
        ascii &= part->obj.aux;
    }
    s->obj.aux |= (uint16_t)(ascii & STR_ASCII);
    return s;
}

Str *str_concat(Vm *vm, const Str *a, const Str *b) {
    Str *s = str_alloc(vm, (size_t)a->len + b->len);
    if (!s) return NULL;
    memcpy(s->data, a->data, a->len);
    memcpy(s->data + a->len, b->data, b->len);
    s->chars = a->chars + b->chars;
    s->obj.aux = a->obj.aux & b->obj.aux & STR_ASCII;
    return s;
}

Str *str_append(Vm *vm, Str *a, const Str *b) {
    size_t len = (size_t)a->len + b->len;
    bool in_place = a->obj.refs == 1 && a != b && !(a->obj.aux & STR_INTERNED) && len <= longest &&
                    !(a->obj.flags & OBJ_WEAK); // weak.c finds it by its address
    if (!in_place) {
        Str *joined = str_concat(vm, a, b);
        if (joined) release_obj(vm, a);
        return joined;
    }
    size_t have = str_size(a), want = block_of(len);
    if (want != have) {
        Str *grown = mem_realloc(&vm->mem, a, have, want);
        if (!grown) return NULL;
        a = grown;
    }
    memcpy(a->data + a->len, b->data, b->len);
    a->data[len] = '\0';
    a->len = (uint32_t)len;
    a->chars += b->chars;
    a->hash = 0;
    a->obj.aux = a->obj.aux & b->obj.aux & STR_ASCII;
    return a;
}

// --- Hash and comparison -----------------------------------------------------------------------

// One round of the multiply-and-fold hash family (Wang Yi's wyhash): 64 x 64 -> 128 bits, halves
// combined.
static uint64_t fold(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 Wide;
    Wide product = (Wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

int64_t bytes_hash(const char *bytes, size_t len) {
    static const uint64_t k1 = 0x9E3779B97F4A7C15u, k2 = 0xD6E8FEB86659FD93u;
    if (len == 0) return 0; // as in CPython, whatever the seed of its hashes
    uint64_t hash = k1 ^ len;
    for (; len > 8; bytes += 8, len -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = fold(hash ^ word, k2);
    }
    uint64_t last = 0;
    memcpy(&last, bytes, len);
    hash = fold(hash ^ last, k2);
    hash = fold(hash ^ k2, k1);
    return hash ? (int64_t)hash : 1;
}

int64_t str_hash(Str *str) {
    if (!str->hash) str->hash = bytes_hash(str->data, str->len);
    return str->hash;
}

bool str_equal(const Str *a, const Str *b) {
    if (a == b) return true;
    if (a->len != b->len) return false;
    if (a->obj.aux & b->obj.aux & STR_INTERNED) return false;
    return memcmp(a->data, b->data, a->len) == 0;
}

bool str_is(const Str *a, const char *text) {
    return strlen(text) == a->len && memcmp(a->data, text, a->len) == 0;
}

// UTF-8 keeps the order of code points.
int str_cmp(const Str *a, const Str *b) {
    size_t common = a->len < b->len ? a->len : b->len;
    int order = memcmp(a->data, b->data, common);
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

// --- Interning ---------------------------------------------------------------------------------
//
// vm->interned holds the interned strings without counting them as references: linear probing, at
// most half full. A string leaves it when it dies.

static size_t intern_find(const Vm *vm, const char *bytes, size_t len, int64_t hash) {
    size_t i = (size_t)hash & vm->interned_mask;
    for (Str *s; (s = vm->interned[i]); i = (i + 1) & vm->interned_mask)
        if (s->hash == hash && s->len == len && memcmp(s->data, bytes, len) == 0) break;
    return i;
}

enum { FIRST_INTERNED = 4096 }; // enough for the names that a VM starts with

static bool intern_grow(Vm *vm) {
    size_t old_size = vm->interned ? (size_t)vm->interned_mask + 1 : 0;
    if ((size_t)vm->interned_count * 2 < old_size) return true;
    size_t size = old_size ? old_size * 2 : FIRST_INTERNED;
    Str **old = vm->interned;
    Str **table = mem_zalloc(&vm->mem, size * sizeof *table);
    if (!table) return false;
    vm->interned = table;
    vm->interned_mask = (uint32_t)(size - 1);
    for (size_t i = 0; i < old_size; i++) {
        Str *s = old[i];
        if (s) table[intern_find(vm, s->data, s->len, s->hash)] = s;
    }
    mem_free(&vm->mem, old, old_size * sizeof *old);
    return true;
}

Str *str_intern(Vm *vm, const char *bytes, size_t len) {
    if (!intern_grow(vm)) return NULL;
    int64_t hash = bytes_hash(bytes, len);
    size_t i = intern_find(vm, bytes, len, hash);
    if (vm->interned[i]) return shared(vm->interned[i]);
    Str *s = str_copy(vm, bytes, len);
    if (!s) return NULL;
    s->hash = hash;
    s->obj.aux |= STR_INTERNED;
    vm->interned[i] = s;
    vm->interned_count++;
    return s;
}

Str *str_intern_str(Vm *vm, Str *str) {
    if (str->obj.aux & STR_INTERNED) return shared(str);
    return str_intern(vm, str->data, str->len);
}

// Removes by shifting back the entries after it that would no longer be found (Knuth's algorithm R,
// The Art of Computer Programming 6.4).
void str_interned_drop(Vm *vm, Str *str) {
    if (!vm->interned) return;
    size_t mask = vm->interned_mask;
    size_t hole = intern_find(vm, str->data, str->len, str->hash);
    if (vm->interned[hole] != str) return;
    vm->interned_count--;
    for (size_t i = (hole + 1) & mask; vm->interned[i]; i = (i + 1) & mask) {
        size_t home = (size_t)vm->interned[i]->hash & mask;
        if (((i - home) & mask) < ((i - hole) & mask)) continue; // its home lies after the hole
        vm->interned[hole] = vm->interned[i];
        hole = i;
    }
    vm->interned[hole] = NULL;
}

// --- Code points -------------------------------------------------------------------------------

size_t str_offset(const Str *s, size_t index) {
    if (str_is_ascii(s)) return index;
    if (index >= s->chars) return s->len;
    size_t at = 0;
    for (; index > 0; index--) at += (size_t)utf8_width(s->data[at]);
    return at;
}

uint32_t str_decode(const char *bytes, const char *end, int *width) {
    const unsigned char *b = (const unsigned char *)bytes;
    *width = utf8_width(*bytes);
    if (end - bytes < *width) {
        *width = (int)(end - bytes);
        return 0xFFFD;
    }
    switch (*width) {
    case 1: return b[0];
    case 2: return (b[0] & 0x1Fu) << 6 | (b[1] & 0x3Fu);
    case 3: return (b[0] & 0x0Fu) << 12 | (b[1] & 0x3Fu) << 6 | (b[2] & 0x3Fu);
    default:
        return (b[0] & 0x07u) << 18 | (b[1] & 0x3Fu) << 12 | (b[2] & 0x3Fu) << 6 | (b[3] & 0x3Fu);
    }
}

Str *str_slice(Vm *vm, Str *s, size_t start, size_t stop) {
    if (stop > s->chars) stop = s->chars;
    if (start >= stop) return str_new(vm, "", 0);
    if (start == 0 && stop == s->chars) return shared(s);
    if (str_is_ascii(s)) return str_new(vm, s->data + start, stop - start);
    size_t from = str_offset(s, start), to = from;
    for (size_t left = stop - start; left > 0; left--) to += (size_t)utf8_width(s->data[to]);
    return str_new(vm, s->data + from, to - from);
}

Status str_utf8_check(Vm *vm, const char *bytes, size_t len) {
    size_t at;
    const char *why;
    if (bytes_ascii(bytes, len) || utf8_validate(bytes, len, &at, &why)) return ST_OK;
    Bytes *object = bytes_new(vm, bytes, len);
    if (!object) return vm_no_memory(vm);
    size_t count = utf8_bad_length(bytes + at, len - at);
    vm_raise_unicode(vm, EXC_UnicodeDecodeError, "utf-8", v_obj(object), at, at + count, why);
    release_obj(vm, object);
    return ST_ERROR;
}
