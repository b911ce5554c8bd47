// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What prompts and notebooks ask: completions, documentation, figures. Nothing here runs code of
// the user: attributes are looked up only where that cannot call anything.

#include <string.h>

#include "vm/api/api.h"
#include "stdlib/names.h"
#include "vm/sched/engine.h"
#include "vm/value/dict.h"
#include "vm/value/ops.h"
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

// The dotted expression that ends at `end`: where its last word and the whole of it begin.
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

// A variable of the main module, or a built-in. Borrowed.
static Value find_name(Vm *vm, const char *bytes, size_t len) {
    Str *name = str_intern(vm, bytes, len);
    if (!name) return V_UNDEF;
    Value v = module_get(vm->interp->main, name);
    if (v.kind == K_UNDEF) v = dict_get_str(vm->builtins, name);
    release_obj(vm, name);
    return v;
}

// Follows a.b.c as far as plain attributes lead; ST_STOP where it would call something or fails.
static Status follow(Vm *vm, const char *text, size_t len, Value *out) {
    const char *end = text + len, *dot = memchr(text, '.', len);
    Value at = retain(find_name(vm, text, dot ? (size_t)(dot - text) : len));
    while (at.kind != K_UNDEF && dot) {
        const char *next = memchr(dot + 1, '.', (size_t)(end - dot - 1));
        Str *name = str_intern(vm, dot + 1, (size_t)((next ? next : end) - dot - 1));
        Value inner = V_UNDEF;
        Status st = name ? op_getattr(vm, at, name, &inner) : vm_no_memory(vm);
        release_obj(vm, name);
        vm_clear_error(vm);
        vm_clear_tail(vm);
        replace(vm, &at, st == ST_OK ? inner : V_UNDEF);
        dot = next;
    }
    if (at.kind == K_UNDEF) return ST_STOP;
    *out = at;
    return ST_OK;
}

static Status add_text(Vm *vm, List *list, const char *text) {
    Str *str = str_text(vm, text);
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
        st = add_text(vm, list, keywords[i]);
    return st;
}

static Status candidates(Vm *vm, const char *text, size_t whole, size_t word, Value *out) {
    if (word > whole) {
        Value object;
        Status st = follow(vm, text + whole, word - whole - 1, &object);
        if (st != ST_OK) return st;
        st = names_of(vm, object, out);
        release(vm, object);
        return st;
    }
    List *list = list_new(vm, 256);
    if (!list) return vm_no_memory(vm);
    Status st = add_defined(vm, list);
    if (st == ST_OK) st = seq_sort(vm, list->items, NULL, list->len, false);
    if (st == ST_OK) *out = v_obj(list);
    else release_obj(vm, list);
    return st;
}

NacreStatus nacre_complete(NacreVm *handle, const char *text, size_t len, size_t *start,
                           NacreCompleteFn each, void *ctx) {
    if (!handle || !text || !start || !each || handle->running) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    size_t word, whole;
    Value list;
    find_word(text, len, &word, &whole);
    *start = word;
    Status st = candidates(vm, text, whole, word, &list);
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

// --- Documentation ---------------------------------------------------------------------------------

static void put_parameter(Vm *vm, Buf *out, const Param *param) {
    buf_puts(out, param->name->data);
    if (!param->optional) return;
    buf_putc(out, '=');
    if (param->fallback.kind == K_UNDEF || op_repr(vm, param->fallback, out) != ST_OK)
        buf_puts(out, "...");
}

static void put_signature(Vm *vm, Buf *out, const Signature *sig) {
    const char *between = "";
    buf_putc(out, '(');
    for (int i = 0; i < sig->positional; i++) {
        buf_puts(out, between);
        put_parameter(vm, out, &sig->params[i]);
        between = ", ";
        if (i + 1 == sig->positional_only) buf_puts(out, ", /");
    }
    int star = sig->positional + sig->keyword_only;
    if (sig->has_varargs) buf_printf(out, "%s*%s", between, sig->params[star].name->data);
    else if (sig->keyword_only) buf_printf(out, "%s*", between);
    if (sig->has_varargs || sig->keyword_only) between = ", ";
    for (int i = 0; i < sig->keyword_only; i++) {
        buf_puts(out, between);
        put_parameter(vm, out, &sig->params[sig->positional + i]);
    }
    if (sig->has_varkw)
        buf_printf(out, "%s**%s", between, sig->params[star + sig->has_varargs].name->data);
    buf_putc(out, ')');
}

static void describe(Vm *vm, Value v, Buf *out) {
    Value callee = v.kind == K_BOUND ? v.bound->func : v, doc = V_UNDEF;
    if (callee.kind == K_FUNC) {
        buf_puts(out, callee.func->qualname->data);
        put_signature(vm, out, func_sig(callee.func));
        doc = callee.func->doc;
    } else if (callee.kind == K_NATIVE) {
        buf_puts(out, callee.native->def->name);
        put_signature(vm, out, callee.native->signature);
    } else {
        if (op_repr(vm, v, out) != ST_OK) buf_printf(out, "%s object", type_name(vm, v));
        if (v.kind == K_CLASS) doc = dict_get_str(v.cls->dict, vm_name(vm, NAME_doc));
    }
    buf_putc(out, '\n');
    if (doc.kind != K_STR) return;
    buf_put(out, doc.str->data, doc.str->len);
    buf_putc(out, '\n');
}

NacreStatus nacre_inspect(NacreVm *handle, const char *name, size_t len, NacreWriteFn write,
                          void *ctx) {
    if (!handle || !name || !write || handle->running) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    Value v;
    if (follow(vm, name, len, &v) != ST_OK) return NACRE_ERROR;
    Buf text;
    buf_init(&text, &vm->mem);
    describe(vm, v, &text);
    vm_clear_error(vm);
    release(vm, v);
    bool good = !text.failed && write(ctx, 1, text.data, text.len) == 0;
    buf_free(&text);
    return good ? NACRE_OK : NACRE_ERROR;
}

NacreStatus nacre_stats(const NacreVm *handle, NacreStats *stats) {
    if (!handle || !stats || stats->struct_size < sizeof(size_t)) return NACRE_MISUSE;
    const Mem *mem = &handle->vm.mem;
    NacreStats all = {.struct_size = stats->struct_size, .memory_in_use = mem->in_use,
                      .memory_peak = mem->peak, .allocations = mem->requests,
                      .objects = handle->vm.gc_count};
    EngineStats engine = engine_stats(&handle->vm);
    all.nodes_recorded = engine.recorded;
    all.nodes_executed = engine.executed;
    all.nodes_eliminated = engine.eliminated;
    all.nodes_pending = engine.recorded - engine.executed - engine.eliminated;
    all.kernels = engine.kernels;
    all.library_calls = engine.library_calls;
    all.fallbacks = engine.fallbacks;
    all.bytes_host_to_device = engine.bytes_in;
    all.bytes_device_to_host = engine.bytes_out;
    all.copies_host_to_device = engine.copies_in;
    all.copies_device_to_host = engine.copies_out;
    size_t size = stats->struct_size < sizeof all ? stats->struct_size : sizeof all;
    memcpy(stats, &all, size);
    return NACRE_OK;
}
