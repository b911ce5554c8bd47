// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parses annotations: float, float64, float64[N, 3], tuple[float64, float64[N]] (results only).
// They are read as text: the source text if annotations are not evaluated, otherwise the repr of
// module nacre's objects.

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/jit/ahead.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

bool ahead_is_annotated(const Func *func) {
    return func->annotations.kind == K_DICT && func->annotations.dict->count > 0;
}

// --- Reading -----------------------------------------------------------------------------------

typedef struct Reader {
    Ahead *ahead;
    const char *at;
    int param; // -1: the result
} Reader;

static void skip_space(Reader *r) {
    while (*r->at == ' ') r->at++;
}

static bool take(Reader *r, char c) {
    skip_space(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

// Reads a name; keeps only the part after the last dot. Empty: no name.
static void read_name(Reader *r, char name[AHEAD_NAME]) {
    const char *from;
    skip_space(r);
    do {
        from = r->at;
        while (isalnum((unsigned char)*r->at) || *r->at == '_') r->at++;
    } while (*r->at == '.' && r->at++);
    size_t length = (size_t)(r->at - from);
    if (length >= AHEAD_NAME) length = 0;
    memcpy(name, from, length);
    name[length] = '\0';
}

static bool same_size(const AheadSize *a, const AheadSize *b) {
    return strcmp(a->name, b->name) == 0 && (a->name[0] || a->number == b->number);
}

static bool read_size(Reader *r, int dim, uint8_t *out) {
    AheadFunction *f = r->ahead->function;
    AheadSize size = {.param = r->param, .dim = dim};
    skip_space(r);
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        size.number = strtoll(r->at, &end, 10);
        r->at = end;
    } else {
        read_name(r, size.name);
        if (!size.name[0]) return false;
    }
    int known = 0;
    while (known < f->size_count && !same_size(&f->sizes[known], &size)) known++;
    if (known == AHEAD_SIZES) return false;
    if (known == f->size_count && r->param >= 0) f->sizes[f->size_count++] = size;
    *out = (uint8_t)known;
    return true;
}

static bool read_sizes(Reader *r, AheadType *type) {
    type->kind = AHEAD_ARRAY;
    do {
        if (type->ndim == REGION_DIMS || !read_size(r, type->ndim, &type->sizes[type->ndim]))
            return false;
        type->ndim++;
    } while (take(r, ','));
    return take(r, ']');
}

static const struct {
    const char *name;
    uint8_t kind, dtype;
} python_types[] = {{"None", AHEAD_NONE, DT_BOOL},
                    {"bool", AHEAD_BOOL, DT_BOOL},
                    {"int", AHEAD_INT, DT_INT64},
                    {"float", AHEAD_FLOAT, DT_FLOAT64}};

static bool name_type(const char *name, AheadType *type) {
    for (size_t i = 0; i < sizeof python_types / sizeof *python_types; i++)
        if (strcmp(name, python_types[i].name) == 0) {
            *type = (AheadType){.kind = python_types[i].kind, .dtype = python_types[i].dtype};
            return true;
        }
    for (int t = 0; t < DT_COUNT; t++) {
        bool is =
            strcmp(name, dtype_info[t].name) == 0 || (t == DT_BOOL && strcmp(name, "bool_") == 0);
        if (!is || t == DT_FLOAT16 || dtype_kind((DType)t) == DK_COMPLEX) continue;
        *type = (AheadType){.kind = AHEAD_SCALAR, .dtype = (uint8_t)t};
        return true;
    }
    return false;
}

static bool read_type(Reader *r, AheadType *type) {
    char name[AHEAD_NAME];
    read_name(r, name);
    if (!name_type(name, type)) return false;
    if (!take(r, '[')) return true;
    return type->kind != AHEAD_NONE && read_sizes(r, type);
}

static bool read_result(Reader *r) {
    Ahead *ahead = r->ahead;
    const char *begin = r->at;
    char name[AHEAD_NAME];
    read_name(r, name);
    ahead->declared_count = 0;
    bool tuple = strcmp(name, "tuple") == 0;
    if (tuple && !take(r, '[')) { // `tuple` without items declares nothing
        ahead->declared_count = -1;
        return true;
    }
    if (!tuple) r->at = begin;
    do {
        if (ahead->declared_count == AHEAD_RESULTS ||
            !read_type(r, &ahead->declared[ahead->declared_count]))
            return false;
        ahead->declared_count++;
    } while (tuple && take(r, ','));
    return !tuple || take(r, ']');
}

// --- Annotations -------------------------------------------------------------------------------

static Status put_text(Vm *vm, Value annotation, Buf *out);

// Reads an attribute of an object, owned; V_UNDEF: no such attribute.
static Status attribute_of(Vm *vm, Instance *inst, const char *name, Value *out) {
    Str *key = str_intern(vm, name, strlen(name));
    *out = V_UNDEF;
    if (!key) return vm_no_memory(vm);
    Status st = instance_get(vm, inst, key, out);
    release_obj(vm, key);
    return st == ST_STOP ? ST_OK : st;
}

// Writes an evaluated `tuple[float64, float64]` back as text.
static Status put_alias(Vm *vm, Instance *inst, Buf *out) {
    Value origin, args = V_UNDEF;
    Status st = attribute_of(vm, inst, "__origin__", &origin);
    if (st == ST_OK) st = attribute_of(vm, inst, "__args__", &args);
    bool alias = st == ST_OK && origin.kind != K_UNDEF && args.kind == K_TUPLE;
    if (alias) st = put_text(vm, origin, out);
    for (size_t i = 0; alias && st == ST_OK && i < args.tuple->len; i++) {
        buf_putc(out, i ? ',' : '[');
        st = put_text(vm, args.tuple->items[i], out);
    }
    if (alias) buf_putc(out, ']');
    release(vm, origin);
    release(vm, args);
    return st;
}

static Status put_text(Vm *vm, Value annotation, Buf *out) {
    if (annotation.kind == K_STR) {
        buf_put(out, annotation.str->data, annotation.str->len);
        return ST_OK;
    }
    if (annotation.kind == K_CLASS) {
        buf_puts(out, annotation.cls->name->data);
        return ST_OK;
    }
    if (annotation.kind != K_INSTANCE) {
        Status st = op_repr(vm, annotation, out);
        return st == ST_DEFER ? ST_OK : st;
    }
    Value text;
    Status st = attribute_of(vm, annotation.inst, "text", &text);
    if (st == ST_OK && text.kind == K_STR) buf_put(out, text.str->data, text.str->len);
    else if (st == ST_OK) st = put_alias(vm, annotation.inst, out);
    release(vm, text);
    return st;
}

// Writes the NUL-terminated text of an annotation. Classes are written by name.
static Status text_of(Vm *vm, Value annotation, Buf *out) {
    Status st = put_text(vm, annotation, out);
    buf_putc(out, '\0');
    return st == ST_OK && out->failed ? vm_no_memory(vm) : st;
}

static Status read_one(Vm *vm, const Func *func, Ahead *ahead, int param, const char *name,
                       Value annotation) {
    Buf text;
    buf_init(&text, &vm->mem);
    Status st = text_of(vm, annotation, &text);
    if (st == ST_OK) {
        Reader r = {ahead, text.data, param};
        bool known =
            param < 0 ? read_result(&r) : read_type(&r, &ahead->function->params[param].type);
        skip_space(&r);
        if (!known || *r.at)
            ahead_fail(ahead, func, UINT32_MAX,
                       "the annotation of %s, %.100s, is no type that is compiled", name,
                       text.data);
    }
    buf_free(&text);
    return st;
}

static Status read_param(Vm *vm, const Func *func, Ahead *ahead, int p) {
    AheadParam *param = &ahead->function->params[p];
    Str *name = func->code->sig.params[p].name;
    Value annotation = dict_get_str(func->annotations.dict, name);
    if (annotation.kind == K_UNDEF) {
        ahead_fail(ahead, func, UINT32_MAX, "parameter %s has no annotation", name->data);
        return ST_OK;
    }
    snprintf(param->name, sizeof param->name, "%s", name->data);
    Status st = read_one(vm, func, ahead, p, name->data, annotation);
    ahead->function->arrays |= param->type.kind == AHEAD_ARRAY;
    return st;
}

Status ahead_read_types(Vm *vm, const Func *func, Ahead *ahead) {
    AheadFunction *f = ahead->function;
    snprintf(f->name, sizeof f->name, "%s", func->name->data);
    if (func->simple_args > AHEAD_PARAMS || strlen(func->name->data) >= AHEAD_NAME) {
        ahead_fail(ahead, func, UINT32_MAX,
                   "only functions with at most %d positional parameters are compiled",
                   AHEAD_PARAMS);
        return ST_OK;
    }
    f->param_count = (int)func->simple_args;
    Status st = ST_OK;
    for (int p = 0; p < f->param_count && st == ST_OK && !ahead->failed; p++)
        st = read_param(vm, func, ahead, p);
    Str *name = st == ST_OK ? str_intern(vm, "return", 6) : NULL;
    if (st == ST_OK && !name) return vm_no_memory(vm);
    if (st != ST_OK) return st;
    Value result = dict_get_str(func->annotations.dict, name);
    release_obj(vm, name);
    if (result.kind == K_NONE) {
        ahead->declared[0] = (AheadType){.kind = AHEAD_NONE};
        ahead->declared_count = 1;
    } else if (result.kind != K_UNDEF && !ahead->failed) {
        st = read_one(vm, func, ahead, -1, "the result", result);
    }
    return st;
}
