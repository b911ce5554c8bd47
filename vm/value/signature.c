// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Signatures of natives: parsing the text of a row, and the VM's table of parsed ones.

#include <string.h>

#include "vm/value/func.h"
#include "vm/value/num.h"
#include "vm/value/str.h"

// --- Reading the text --------------------------------------------------------------------------

typedef enum ItemRole { ITEM_PARAM, ITEM_SLASH, ITEM_STAR, ITEM_VARARGS, ITEM_VARKW } ItemRole;

// One comma-separated piece of a signature.
typedef struct Item {
    ItemRole role;
    const char *name;
    size_t name_len;
    const char *fallback; // text after '=', or NULL
    size_t fallback_len;
} Item;

// Returns the length up to the next comma, or the line's end, that is not inside quotes.
static size_t piece_length(const char *text) {
    char quote = 0;
    size_t n = 0;
    for (; text[n] && (quote || (text[n] != ',' && text[n] != '\n')); n++) {
        if (quote && text[n] == '\\' && text[n + 1]) {
            n++;
        } else if (quote ? text[n] == quote : (text[n] == '\'' || text[n] == '"')) {
            quote = quote ? 0 : text[n];
        }
    }
    return n;
}

static void split_piece(const char *text, size_t len, Item *item) {
    while (len && text[len - 1] == ' ') len--;
    *item = (Item){.role = ITEM_PARAM};
    if (len == 1 && (*text == '/' || *text == '*')) {
        item->role = *text == '/' ? ITEM_SLASH : ITEM_STAR;
        return;
    }
    while (len && *text == '*') {
        item->role = item->role == ITEM_PARAM ? ITEM_VARARGS : ITEM_VARKW;
        text++;
        len--;
    }
    const char *equals = memchr(text, '=', len);
    item->name = text;
    item->name_len = equals ? (size_t)(equals - text) : len;
    if (equals) {
        item->fallback = equals + 1;
        item->fallback_len = len - item->name_len - 1;
    }
}

// Reads the item at *text and moves past it; false at the end.
static bool next_item(const char **text, Item *item) {
    while (**text == ' ' || **text == ',') ++*text;
    if (!**text || **text == '\n') return false;
    size_t len = piece_length(*text);
    split_piece(*text, len, item);
    *text += len;
    return true;
}

static bool parse_string(Vm *vm, const char *text, size_t len, Value *out) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    for (size_t i = 1; i + 1 < len; i++) {
        char c = text[i];
        if (c == '\\') {
            c = text[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        buf_putc(&buf, c);
    }
    Str *str = str_from_buf(vm, &buf);
    if (str) *out = v_obj(str);
    return str != NULL;
}

static bool parse_number(const char *text, size_t len, Value *out) {
    bool negative = *text == '-';
    int64_t i = 0;
    for (size_t at = negative; at < len; at++) {
        if (text[at] < '0' || text[at] > '9') {
            double d;
            if (!float_parse(text, len, &d)) return false;
            *out = v_float(d);
            return true;
        }
        i = i * 10 + (text[at] - '0');
    }
    *out = v_int(negative ? -i : i);
    return true;
}

static bool text_is(const char *text, size_t len, const char *word) {
    return len == strlen(word) && memcmp(text, word, len) == 0;
}

static bool parse_fallback(Vm *vm, const char *text, size_t len, Value *out) {
    if (text_is(text, len, "?")) {
        *out = V_UNDEF;
    } else if (text_is(text, len, "None")) {
        *out = V_NONE;
    } else if (text_is(text, len, "True") || text_is(text, len, "False")) {
        *out = v_bool(*text == 'T');
    } else if (*text == '\'' || *text == '"') {
        return parse_string(vm, text, len, out);
    } else {
        return parse_number(text, len, out);
    }
    return true;
}

const char *native_doc(const NativeDef *def, size_t *signature_len) {
    const char *at = def->signature;
    Item item;
    while (next_item(&at, &item)) {}
    *signature_len = (size_t)(at - def->signature);
    return *at == '\n' ? at + 1 : NULL;
}

// --- Building ----------------------------------------------------------------------------------

static size_t signature_size(const Signature *sig) {
    return sizeof *sig + (size_t)sig->total * (sizeof(Param) + sizeof(Value));
}

// Counts the signature's parameters by sort.
static void count_items(const char *text, Signature *sig) {
    Item item;
    bool keyword_only = false;
    while (next_item(&text, &item)) {
        switch (item.role) {
        case ITEM_SLASH: sig->positional_only = sig->positional; break;
        case ITEM_STAR: keyword_only = true; break;
        case ITEM_VARARGS:
            sig->has_varargs = 1;
            keyword_only = true;
            break;
        case ITEM_VARKW: sig->has_varkw = 1; break;
        case ITEM_PARAM:
            if (keyword_only) {
                sig->keyword_only++;
            } else {
                sig->positional++;
                if (!item.fallback) sig->required = sig->positional;
            }
            break;
        }
    }
    sig->total = sig->positional + sig->keyword_only + sig->has_varargs + sig->has_varkw;
}

int native_slots(const NativeDef *def) {
    Signature counts = {.total = 0};
    count_items(def->signature, &counts);
    return counts.total;
}

static bool fill_param(Vm *vm, Param *param, const Item *item) {
    param->name = str_intern(vm, item->name, item->name_len);
    param->optional = item->fallback != NULL || item->role != ITEM_PARAM;
    if (!param->name) return false;
    return !item->fallback ||
           parse_fallback(vm, item->fallback, item->fallback_len, &param->fallback);
}

static bool fill_params(Vm *vm, const char *text, Signature *sig) {
    Item item;
    int next = 0, named = sig->positional + sig->keyword_only;
    while (next_item(&text, &item)) {
        int slot = next;
        if (item.role == ITEM_SLASH || item.role == ITEM_STAR) continue;
        if (item.role == ITEM_PARAM) next++;
        if (item.role == ITEM_VARARGS) slot = named;
        if (item.role == ITEM_VARKW) slot = named + sig->has_varargs;
        if (!fill_param(vm, &sig->params[slot], &item)) return false;
    }
    sig->bound_self = sig->positional && str_is(sig->params[0].name, "self");
    return true;
}

// Lists the fallbacks if positional arguments alone can make a call.
static void list_fallbacks(Signature *sig, Value *list) {
    if (sig->has_varargs || sig->has_varkw) return;
    for (int i = 0; i < sig->total; i++) {
        if (i >= sig->positional && !sig->params[i].optional) return;
        list[i] = sig->params[i].fallback;
    }
    sig->fallbacks = list;
}

static void signature_free(Vm *vm, Signature *sig) {
    for (int i = 0; i < sig->total; i++) {
        release_obj(vm, sig->params[i].name);
        release(vm, sig->params[i].fallback);
    }
    release(vm, sig->owner);
    mem_free(&vm->mem, sig, signature_size(sig));
}

static Signature *signature_parse(Vm *vm, const NativeDef *def, Value owner) {
    Signature counts = {.name = def->name, .def = def, .owner = owner};
    count_items(def->signature, &counts);
    Signature *sig = mem_zalloc(&vm->mem, signature_size(&counts));
    if (!sig) return NULL;
    *sig = counts;
    retain(owner);
    sig->params = (Param *)(sig + 1);
    if (fill_params(vm, def->signature, sig)) {
        list_fallbacks(sig, (Value *)(sig->params + sig->total));
        return sig;
    }
    signature_free(vm, sig);
    return NULL;
}

// --- The table ---------------------------------------------------------------------------------

enum { FIRST_TABLE = 64 };

static bool is_of(const Signature *sig, const NativeDef *def, Value owner) {
    return sig->def == def && sig->owner.kind == owner.kind && sig->owner.bits == owner.bits;
}

static size_t table_slot(Signature *const *table, size_t cap, const NativeDef *def, Value owner) {
    uintptr_t both = (uintptr_t)def >> 3 ^ (uintptr_t)owner.bits >> 4;
    size_t at = both * 0x9E3779B97F4A7C15u >> 20 & (cap - 1);
    while (table[at] && !is_of(table[at], def, owner)) at = (at + 1) & (cap - 1);
    return at;
}

static bool table_grow(Vm *vm) {
    size_t cap = vm->signature_cap ? 2 * vm->signature_cap : FIRST_TABLE;
    Signature **table = mem_zalloc(&vm->mem, cap * sizeof *table);
    if (!table) return false;
    for (size_t i = 0; i < vm->signature_cap; i++) {
        Signature *sig = vm->signatures[i];
        if (sig) table[table_slot(table, cap, sig->def, sig->owner)] = sig;
    }
    mem_free(&vm->mem, vm->signatures, vm->signature_cap * sizeof *table);
    vm->signatures = table;
    vm->signature_cap = cap;
    return true;
}

const Signature *signature_of(Vm *vm, const NativeDef *def, Value owner) {
    if (vm->signature_count * 3 >= vm->signature_cap * 2 && !table_grow(vm)) return NULL;
    Signature **slot = &vm->signatures[table_slot(vm->signatures, vm->signature_cap, def, owner)];
    if (*slot) return *slot;
    *slot = signature_parse(vm, def, owner);
    vm->signature_count += *slot != NULL;
    return *slot;
}

void signatures_free(Vm *vm) {
    for (size_t i = 0; i < vm->signature_cap; i++)
        if (vm->signatures[i]) signature_free(vm, vm->signatures[i]);
    mem_free(&vm->mem, vm->signatures, vm->signature_cap * sizeof *vm->signatures);
    vm->signatures = NULL;
    vm->signature_count = vm->signature_cap = 0;
}
