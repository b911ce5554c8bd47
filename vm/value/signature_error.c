// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The TypeErrors of calls that do not fit a signature. Functions written in the language and
// natives have different wordings, as they have in CPython.

#include "vm/value/signature_bind.h"

#include "vm/value/class.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

static const char *plural(size_t n) {
    return n == 1 ? "" : "s";
}

static size_t keyword_count(const Call *call) {
    return call->names ? call->names->len : 0;
}

// Raises a TypeError with the text, which it consumes.
static Status raise_text(Vm *vm, Buf *text) {
    buf_putc(text, '\0');
    Status st = text->failed ? vm_no_memory(vm) : vm_raise(vm, EXC_TypeError, "%s", text->data);
    buf_free(text);
    return st;
}

// --- Functions written in the language ---------------------------------------------------------

static bool is_positional_only(const Signature *sig, const Str *name) {
    for (int i = 0; i < sig->positional_only; i++)
        if (str_equal(sig->params[i].name, name)) return true;
    return false;
}

static bool given_by_name(const Call *call, const Str *name) {
    for (size_t k = 0; k < keyword_count(call); k++)
        if (str_equal(call->names->items[k].str, name)) return true;
    return false;
}

static Status unexpected(Vm *vm, const Call *call) {
    const Signature *sig = call->sig;
    if (!is_positional_only(sig, call->name))
        return vm_raise(vm, EXC_TypeError, "%s() got an unexpected keyword argument '%s'",
                        sig->name, call->name->data);
    Buf text;
    buf_init(&text, &vm->mem);
    buf_printf(&text, "%s() got some positional-only arguments passed as keyword arguments: '",
               sig->name);
    const char *separator = "";
    for (int i = 0; i < sig->positional_only; i++) {
        if (!given_by_name(call, sig->params[i].name)) continue;
        buf_printf(&text, "%s%s", separator, sig->params[i].name->data);
        separator = ", ";
    }
    buf_putc(&text, '\'');
    return raise_text(vm, &text);
}

static size_t keyword_only_given(const Call *call) {
    const Signature *sig = call->sig;
    size_t given = 0;
    for (int i = sig->positional; i < sig->positional + sig->keyword_only; i++)
        given += call->slots[i].kind != K_UNDEF;
    return given;
}

static Status too_many(Vm *vm, const Call *call) {
    const Signature *sig = call->sig;
    size_t most = (size_t)sig->positional, least = (size_t)sig->required;
    size_t keywords = keyword_only_given(call);
    Buf text;
    buf_init(&text, &vm->mem);
    buf_printf(&text, "%s() takes ", sig->name);
    if (least < most) buf_printf(&text, "from %zu to ", least);
    buf_printf(&text, "%zu positional argument%s but %zu", most, least < most ? "s" : plural(most),
               call->count);
    if (keywords)
        buf_printf(&text, " positional argument%s (and %zu keyword-only argument%s)",
                   plural(call->count), keywords, plural(keywords));
    buf_printf(&text, " %s given", call->count == 1 && !keywords ? "was" : "were");
    return raise_text(vm, &text);
}

static bool is_missing(const Call *call, int i) {
    return !call->sig->params[i].optional && call->slots[i].kind == K_UNDEF;
}

// Writes the names of missing parameters: 'a', or 'a' and 'b', or 'a', 'b', and 'c'.
static void list_missing(Buf *text, const Call *call, int from, int to, size_t count) {
    size_t done = 0;
    for (int i = from; i < to; i++) {
        if (!is_missing(call, i)) continue;
        if (done) buf_puts(text, count > 2 ? ", " : " ");
        if (done && done == count - 1) buf_puts(text, "and ");
        buf_printf(text, "'%s'", call->sig->params[i].name->data);
        done++;
    }
}

static Status missing(Vm *vm, const Call *call, const char *what, int from, int to) {
    size_t count = 0;
    for (int i = from; i < to; i++) count += is_missing(call, i);
    Buf text;
    buf_init(&text, &vm->mem);
    buf_printf(&text, "%s() missing %zu required %s argument%s: ", call->sig->name, count, what,
               plural(count));
    list_missing(&text, call, from, to, count);
    return raise_text(vm, &text);
}

static Status function_error(Vm *vm, BindFailure failure, const Call *call) {
    const Signature *sig = call->sig;
    switch (failure) {
    case BIND_UNEXPECTED: return unexpected(vm, call);
    case BIND_MULTIPLE:
        return vm_raise(vm, EXC_TypeError, "%s() got multiple values for argument '%s'", sig->name,
                        call->name->data);
    case BIND_TOO_MANY: return too_many(vm, call);
    case BIND_MISSING: return missing(vm, call, "positional", 0, sig->positional);
    default:
        return missing(vm, call, "keyword-only", sig->positional,
                       sig->positional + sig->keyword_only);
    }
}

// --- Natives -----------------------------------------------------------------------------------

// Numbers of parameters and arguments in messages, which do not count self.
typedef struct Counts {
    size_t most, least, positional_only, given, keywords;
} Counts;

static size_t less(int n, size_t self) {
    return (size_t)n > self ? (size_t)n - self : 0;
}

// Returns 1 if the first parameter is self, or the class of a class method, which messages do not count; otherwise 0.
static size_t hidden(const Signature *sig) {
    if (sig->bound_self) return 1;
    return sig->owner.kind == K_CLASS && sig->positional && str_is(sig->params[0].name, "cls");
}

static Counts count(const Call *call) {
    const Signature *sig = call->sig;
    size_t self = hidden(sig);
    return (Counts){
        .most = less(sig->positional, self),
        .least = less(sig->required, self),
        .positional_only = less(sig->positional_only, self),
        .given = call->count - self,
        .keywords = keyword_count(call),
    };
}

// Returns the class or module whose name precedes a native's in messages; "" for built-in functions.
static const char *owner_name(const Signature *sig) {
    if (sig->owner.kind == K_CLASS) return sig->owner.cls->name->data;
    if (sig->owner.kind != K_MODULE || str_is(sig->owner.module->name, "builtins")) return "";
    return sig->owner.module->name->data;
}

static Status raise_full(Vm *vm, const Signature *sig, const char *before, const char *after) {
    const char *owner = owner_name(sig);
    return vm_raise(vm, EXC_TypeError, "%s%s%s%s() %s", before, owner, *owner ? "." : "", sig->name,
                    after);
}

// Raises an error such as "pop expected at most 1 argument, got 2".
static Status expected(Vm *vm, const Signature *sig, Counts n) {
    bool few = n.given < n.least;
    size_t bound = few ? n.least : n.most;
    bool exact = n.least == n.most && !sig->has_varargs;
    return vm_raise(vm, EXC_TypeError, "%s expected %s%zu argument%s, got %zu", sig->name,
                    exact ? "" : (few ? "at least " : "at most "), bound, plural(bound), n.given);
}

static bool is_constructor(const NativeDef *def) {
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (kind_slots[kind]->construct == def) return true;
    return def == &staticmethod_construct || def == &classmethod_construct;
}

// Raises the error for a native that takes no keywords.
static Status positional_error(Vm *vm, const Signature *sig, Counts n) {
    Buf after;
    if (n.keywords) return raise_full(vm, sig, "", "takes no keyword arguments");
    if (sig->has_varargs || n.most > 1 || n.least != n.most || (n.most && is_constructor(sig->def)))
        return expected(vm, sig, n);
    buf_init(&after, &vm->mem);
    buf_printf(&after, "takes %s (%zu given)", n.most ? "exactly one argument" : "no arguments",
               n.given);
    buf_putc(&after, '\0');
    Status st = after.failed ? vm_no_memory(vm) : raise_full(vm, sig, "", after.data);
    buf_free(&after);
    return st;
}

static Status keyword_error(Vm *vm, BindFailure failure, const Call *call, Counts n) {
    const Signature *sig = call->sig;
    size_t self = hidden(sig);
    if (failure == BIND_MULTIPLE)
        return vm_raise(vm, EXC_TypeError,
                        "argument for %s() given by name ('%s') and position (%zu)", sig->name,
                        call->name->data, (size_t)call->index + 1 - self);
    if (failure == BIND_UNEXPECTED)
        return vm_raise(vm, EXC_TypeError, "'%s' is an invalid keyword argument for %s()",
                        call->name->data, sig->name);
    if (failure == BIND_TOO_MANY && n.most == 0)
        return vm_raise(vm, EXC_TypeError, "%s() takes no positional arguments", sig->name);
    if (n.positional_only == n.most && failure != BIND_MISSING_KEYWORD) return expected(vm, sig, n);
    if (failure == BIND_TOO_MANY)
        return vm_raise(vm, EXC_TypeError, "%s() takes %s %zu positional argument%s (%zu given)",
                        sig->name, n.least < n.most ? "at most" : "exactly", n.most, plural(n.most),
                        n.given);
    if (n.given < n.positional_only)
        return vm_raise(vm, EXC_TypeError,
                        "%s() takes at least %zu positional argument%s (%zu given)", sig->name,
                        n.positional_only, plural(n.positional_only), n.given);
    int at = 0;
    while (!is_missing(call, at)) at++;
    return vm_raise(vm, EXC_TypeError, "%s() missing required argument '%s' (pos %zu)", sig->name,
                    sig->params[at].name->data, (size_t)at + 1 - self);
}

// Returns whether a method of a built-in kind got a first argument of another class.
static bool wrong_self(Vm *vm, const Call *call) {
    const Signature *sig = call->sig;
    if (!sig->bound_self || sig->owner.kind != K_CLASS) return false;
    const Class *owner = sig->owner.cls;
    if (owner->instance_kind == K_INSTANCE) return false;
    if (call->args[0].kind == owner->instance_kind) return false; // NumPy scalars have many classes
    return !class_is_subclass(class_of(vm, unwrap(call->args[0])), owner);
}

static Status native_error(Vm *vm, BindFailure failure, const Call *call) {
    const Signature *sig = call->sig;
    if (hidden(sig) && call->count == 0)
        return raise_full(vm, sig, "unbound method ", "needs an argument");
    if (wrong_self(vm, call))
        return vm_raise(vm, EXC_TypeError,
                        "descriptor '%s' for '%s' objects doesn't apply to a '%s' object",
                        sig->name, owner_name(sig), type_name(vm, call->args[0]));
    Counts n = count(call);
    if (sig->positional_only == sig->positional && !sig->keyword_only && !sig->has_varkw)
        return positional_error(vm, sig, n);
    size_t total = n.most + (size_t)sig->keyword_only;
    if (n.positional_only < n.most && !sig->has_varargs && !sig->has_varkw &&
        n.given + n.keywords > total)
        return vm_raise(vm, EXC_TypeError, "%s() takes at most %zu %sargument%s (%zu given)",
                        sig->name, total, n.given ? "" : "keyword ", plural(total),
                        n.given + n.keywords);
    if (failure == BIND_MULTIPLE && n.given > n.most) failure = BIND_TOO_MANY; // CPython checks that first
    return keyword_error(vm, failure, call, n);
}

Status signature_error(Vm *vm, BindFailure failure, const Call *call) {
    return call->sig->def ? native_error(vm, failure, call) : function_error(vm, failure, call);
}
