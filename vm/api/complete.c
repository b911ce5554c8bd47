// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Completion of a line: names, attributes, and modules after `import`.

#include <string.h>

#include "stdlib/names.h"
#include "vm/api/api.h"
#include "vm/interp/host.h"
#include "vm/value/dict.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static const char *const keywords[] = {
    "False", "None", "True", "and", "as", "assert", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
};

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

// Finds the dotted expression that ends at `end`: the start of its last word, and of the whole expression.
static void find_word(const char *text, size_t end, size_t *word, size_t *whole) {
    size_t at = end;
    while (at > 0 && is_word(text[at - 1])) at--;
    *word = at;
    while (at > 0 && text[at - 1] == '.') {
        at--;
        while (at > 0 && is_word(text[at - 1])) at--;
    }
    *whole = at;
}

static Status add_text(Vm *vm, List *list, const char *text, size_t len) {
    Str *str = str_new(vm, text, len);
    return str ? list_append(vm, list, v_obj(str)) : vm_no_memory(vm);
}

static Status add_defined(Vm *vm, List *list) {
    Module *main = vm->interp->main;
    uint32_t pos = 0;
    Value key, value;
    Status st = ST_OK;
    while (st == ST_OK && dict_next(main->slots_of, &pos, &key, &value))
        if (main->slots[value.i].kind != K_UNDEF) st = list_append(vm, list, retain(key));
    pos = 0;
    while (st == ST_OK && dict_next(vm->builtins, &pos, &key, &value))
        st = list_append(vm, list, retain(key));
    for (size_t i = 0; st == ST_OK && i < sizeof keywords / sizeof *keywords; i++)
        st = add_text(vm, list, keywords[i], strlen(keywords[i]));
    return st;
}

// --- Imports -------------------------------------------------------------------------------------

typedef enum Wanted {
    WANT_NAME,   // a variable, or an attribute
    WANT_MODULE, // import …, from …
    WANT_IMPORT, // from module …
    WANT_MEMBER, // from module import …
} Wanted;

typedef struct Context {
    Wanted wanted;
    const char *module; // WANT_MEMBER
    size_t module_len;
} Context;

typedef struct Word {
    const char *text;
    size_t len;
} Word;

static bool word_is(Word word, const char *text) {
    return word.len == strlen(text) && memcmp(word.text, text, word.len) == 0;
}

// Takes the next word, possibly dotted, from the text between *at and end.
static Word next_word(const char **at, const char *end) {
    const char *c = *at;
    while (c < end && !is_word(*c) && *c != '.') c++;
    Word word = {c, 0};
    while (c < end && (is_word(*c) || *c == '.')) c++;
    word.len = (size_t)(c - word.text);
    *at = c;
    return word;
}

// Finds the kind of completion from the words of the statement before the cursor.
static Context find_context(const char *text, size_t end) {
    const char *at = text + end, *stop = text + end;
    while (at > text && at[-1] != ';') at--;
    Word words[3] = {{0}}, last = {0};
    for (int i = 0;; i++) {
        Word word = next_word(&at, stop);
        if (word.len == 0) break;
        if (i < 3) words[i] = word;
        last = word;
    }
    if (word_is(last, "as")) return (Context){WANT_NAME, NULL, 0};
    if (word_is(words[0], "import")) return (Context){WANT_MODULE, NULL, 0};
    if (!word_is(words[0], "from")) return (Context){WANT_NAME, NULL, 0};
    if (words[1].len == 0) return (Context){WANT_MODULE, NULL, 0};
    if (word_is(words[2], "import")) return (Context){WANT_MEMBER, words[1].text, words[1].len};
    return (Context){words[2].len ? WANT_NAME : WANT_IMPORT, NULL, 0};
}

// Adds the component that follows `path` in a module's name to the list, if the name begins with `path`.
static Status add_component(Vm *vm, List *list, const char *name, const char *path, size_t len) {
    if (strncmp(name, path, len) != 0) return ST_OK;
    name += len;
    return add_text(vm, list, name, strcspn(name, "."));
}

static Status add_modules(Vm *vm, List *list, const char *path, size_t len) {
    Status st = ST_OK;
    for (const BuiltinModule *row = builtin_modules; st == ST_OK && row->name; row++)
        st = add_component(vm, list, row->name, path, len);
    for (int table = 0; table < PACKED_TABLES; table++)
        for (const StdlibModule *row = host_packed_modules(table); st == ST_OK && row && row->name; row++)
            st = add_component(vm, list, row->name, path, len);
    uint32_t pos = 0;
    Value key, value;
    while (st == ST_OK && dict_next(vm->modules, &pos, &key, &value))
        st = add_component(vm, list, key.str->data, path, len);
    return st;
}

// Lists a value's attributes. A module's come from dir(), since its __dir__ may list names that are not loaded yet.
static Status attributes(Vm *vm, Value v, Value *out) {
    if (v.kind != K_MODULE) return names_of(vm, v, out);
    Status st = api_by_code(vm, "dir", &v, 1, out);
    if (st != ST_OK) release(vm, *out);
    return st;
}

static Status members(Vm *vm, const Context *context, Value *out) {
    Str *name = str_intern(vm, context->module, context->module_len);
    if (!name) return vm_no_memory(vm);
    Value module = dict_get_str(vm->modules, name);
    release_obj(vm, name);
    return module.kind == K_UNDEF ? ST_STOP : attributes(vm, module, out);
}

// --- All together --------------------------------------------------------------------------------

static Status candidates(Vm *vm, const char *text, size_t whole, size_t word, Value *out) {
    Context context = find_context(text, whole);
    if (context.wanted == WANT_MEMBER) return members(vm, &context, out);
    if (context.wanted == WANT_NAME && word > whole) {
        Value object;
        Status st = api_follow(vm, text + whole, word - whole - 1, &object);
        if (st != ST_OK) return st;
        st = attributes(vm, object, out);
        release(vm, object);
        return st;
    }
    List *list = list_new(vm, 256);
    if (!list) return vm_no_memory(vm);
    Status st = ST_OK;
    if (context.wanted == WANT_IMPORT) st = add_text(vm, list, "import", 6);
    else if (context.wanted == WANT_MODULE) st = add_modules(vm, list, text + whole, word - whole);
    else st = add_defined(vm, list);
    if (st == ST_OK) st = seq_sort(vm, list->items, NULL, list->len, false);
    if (st == ST_OK) *out = v_obj(list);
    else release_obj(vm, list);
    return st;
}

NacreStatus nacre_complete(NacreVm *handle, const char *text, size_t len, size_t *start,
                           NacreCompleteFn each, void *ctx) {
    if (!api_is_alive(handle) || !text || !start || !each || handle->running) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    size_t word, whole;
    Value list;
    find_word(text, len, &word, &whole);
    *start = word;
    handle->running++;
    Status st = candidates(vm, text, whole, word, &list);
    handle->running--;
    if (st == ST_STOP) return NACRE_OK;
    if (st != ST_OK) {
        vm_clear_error(vm);
        return NACRE_ERROR;
    }
    const Str *last = NULL;
    for (size_t i = 0; i < list.list->len; i++) {
        Str *name = list.list->items[i].str;
        bool hidden = name->data[0] == '_' && (len == word || text[word] != '_');
        if (name->len < len - word || memcmp(name->data, text + word, len - word) != 0 || hidden)
            continue;
        if (last && str_equal(last, name)) continue;
        last = name;
        each(ctx, name->data);
    }
    release(vm, list);
    return NACRE_OK;
}
