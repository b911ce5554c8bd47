// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders libraries: a function per region, and a wrapper around them that takes plain pointers,
// checks shapes, and returns results or the exception of the exit taken.

#include "backends/emit/emit_ahead.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *spelled(const Dialect *d, uint8_t type) {
    return type == DT_BOOL ? "bool" : d->types[type];
}

static char member(uint8_t type) {
    return dtype_kind((DType)type) == DK_FLOAT ? 'f' : 'i';
}

// --- The function's head -----------------------------------------------------------------------

// Names a parameter. The program's names are used only in the header (`shown`), since some are reserved in C.
static void name_param(const AheadFunction *f, int p, bool shown, char name[AHEAD_NAME + 2]) {
    static const char *const taken[] = {
        "auto",     "char",   "const",    "default", "do",     "double",   "enum",     "extern",
        "float",    "goto",   "inline",   "int",     "long",   "register", "restrict", "rt",
        "short",    "signed", "sizeof",   "static",  "struct", "switch",   "typedef",  "union",
        "unsigned", "void",   "volatile", "case",    "bool",   "result"};
    bool odd = strncmp(f->params[p].name, "result_", 7) == 0;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        odd |= strcmp(f->params[p].name, taken[i]) == 0;
    if (shown)
        snprintf(name, AHEAD_NAME + 2, "%s%s", f->params[p].name, odd ? "_" : "");
    else
        snprintf(name, AHEAD_NAME + 2, "p%d", p);
}

static void put_param(const Dialect *d, const AheadFunction *f, int p, bool shown, Buf *out) {
    const AheadParam *param = &f->params[p];
    const char *type = spelled(d, param->type.dtype);
    char name[AHEAD_NAME + 2];
    name_param(f, p, shown, name);
    if (param->type.kind == AHEAD_ARRAY)
        buf_printf(out, ", %s%s *%s, const int64_t *%s_shape, const int64_t *%s_strides",
                   param->written ? "" : "const ", type, name, name, name);
    else if (param->type.kind != AHEAD_NONE)
        buf_printf(out, ", %s %s", type, name);
}

static void put_result_name(const AheadFunction *f, int i, Buf *out) {
    buf_puts(out, "result");
    if (f->tuple) buf_printf(out, "_%d", i);
}

static void put_head(const Dialect *d, const char *module, const AheadFunction *f, bool shown,
                     Buf *out) {
    buf_printf(out, "int %s_%s(nacre_rt *rt", module, f->name);
    for (int p = 0; p < f->param_count; p++) put_param(d, f, p, shown, out);
    for (int i = 0; i < f->result_count; i++) {
        const AheadType *type = &f->results[i];
        if (type->kind == AHEAD_NONE) continue;
        bool array = type->kind == AHEAD_ARRAY;
        buf_printf(out, ", %s *", array ? "nacre_rt_array" : spelled(d, type->dtype));
        put_result_name(f, i, out);
    }
    buf_putc(out, ')');
}

// --- Exits -------------------------------------------------------------------------------------

static void put_site(const AheadCode *code, const RegionExit *exit, Buf *out) {
    const AheadPlace *place = &code->places[exit->scope];
    buf_printf(out, "    {%d, %d, %u, ", exit->why, exit->detail, exit->line);
    emit_string(place->file, out);
    buf_puts(out, ", ");
    emit_string(place->function, out);
    if (exit->why == LEFT_RAISE) {
        buf_puts(out, ", ");
        emit_string(code->raised[exit->detail].cls, out);
        buf_puts(out, ", ");
        emit_string(code->raised[exit->detail].text, out);
    }
    buf_puts(out, "},\n");
}

static void put_sites(const AheadFunction *f, int which, Buf *out) {
    const Region *r = f->code[which].region;
    buf_printf(out, "static const nacre_rt_site sites%d_%s[] = {\n", which, f->name);
    for (int32_t e = 0; e < r->exit_count; e++) put_site(&f->code[which], &r->exits[e], out);
    buf_puts(out, "    {0},\n};\n");
}

// --- Code --------------------------------------------------------------------------------------

static const char *file_of(void *context, uint16_t scope) {
    const AheadCode *code = context;
    return code->places[scope].file;
}

static bool put_region(const Dialect *d, const AheadFunction *f, int which, Buf *out) {
    Buf head;
    buf_init(&head, out->mem);
    buf_printf(&head, "static int32_t code%d_%s", which, f->name);
    buf_putc(&head, '\0');
    RegionNotes notes = {.context = (void *)(uintptr_t)&f->code[which], .file = file_of};
    bool known = !head.failed && emit_region_as(d, f->code[which].region, head.data, &notes, out);
    buf_free(&head);
    return known;
}

// --- Around it ---------------------------------------------------------------------------------

static int slots_of(const AheadFunction *f) {
    int most = 1;
    for (int i = 0; i < 2; i++)
        if (f->code[i].region && f->code[i].region->slot_count > most)
            most = f->code[i].region->slot_count;
    return most;
}

// Writes the call that fills the slots of an array and checks the array against the annotation.
static void put_array(const AheadFunction *f, int p, Buf *out) {
    const AheadParam *param = &f->params[p];
    int slots = 1 + 2 * param->type.ndim;
    buf_printf(out, "    nacre_rt_slot a%d[%d];\n", p, slots);
    buf_printf(
        out,
        "    if ((status = nacre_rt_take(rt, &(nacre_rt_param){\"%s\", p%d, sizeof *p%d, %d, "
        "p%d_shape, p%d_strides}, a%d, &dense)))\n        return status;\n",
        param->name, p, p, param->type.ndim, p, p, p);
}

static void put_sizes(const AheadFunction *f, int p, Buf *out) {
    const AheadParam *param = &f->params[p];
    for (int d = 0; d < param->type.ndim; d++) {
        const AheadSize *size = &f->sizes[param->type.sizes[d]];
        if (size->name[0] && size->param == p && size->dim == d) continue;
        buf_printf(out, "    if ((status = nacre_rt_size(rt, \"%s\", \"%s\", a%d[%d].i, ",
                   size->name, param->name, p, 1 + d);
        if (size->name[0])
            buf_printf(out, "\"%s\", a%d[%d].i", f->params[size->param].name, size->param,
                       1 + size->dim);
        else
            buf_printf(out, "NULL, %lld", (long long)size->number);
        buf_puts(out, ")))\n        return status;\n");
    }
}

static void put_call(const AheadFunction *f, int which, Buf *out) {
    for (int p = 0; p < f->param_count; p++) {
        const AheadParam *param = &f->params[p];
        int32_t slot = param->slot[which];
        if (slot == NO_VALUE) continue;
        if (param->type.kind == AHEAD_ARRAY)
            for (int i = 0; i < 1 + 2 * param->type.ndim; i++)
                buf_printf(out, "        slots[%d] = a%d[%d];\n", slot + i, p, i);
        else
            buf_printf(out, "        slots[%d].%c = p%d;\n", slot, member(param->type.dtype), p);
    }
    buf_printf(out,
               "        site = &sites%d_%s[code%d_%s((Slot *)slots, &going, &rounds, calls)];\n",
               which, f->name, which, f->name);
}

static void put_results(const Dialect *d, const AheadFunction *f, Buf *out) {
    int slot = 0;
    for (int i = 0; i < f->result_count; i++) {
        const AheadType *type = &f->results[i];
        if (type->kind == AHEAD_NONE) continue;
        if (type->kind == AHEAD_ARRAY) {
            buf_printf(out, "    nacre_rt_give(rt, slots + %d, %d, ", slot, type->ndim);
            put_result_name(f, i, out);
            buf_puts(out, ");\n");
            slot += 1 + 2 * type->ndim;
            continue;
        }
        buf_puts(out, "    *");
        put_result_name(f, i, out);
        buf_printf(out, " = (%s)slots[%d].%c;\n", spelled(d, type->dtype), slot++,
                   member(type->dtype));
    }
}

static void put_around(const Dialect *d, const char *module, const AheadFunction *f, Buf *out) {
    put_head(d, module, f, false, out);
    buf_printf(out,
               " {\n    static const volatile size_t going = 1;\n"
               "    const Calls *calls = nacre_rt_begin(rt, NACRE_RT_ABI);\n"
               "    const nacre_rt_site *site;\n    nacre_rt_slot slots[%d];\n"
               "    int64_t rounds = 0;\n    int status = 0, dense = 1;\n"
               "    (void)status, (void)dense;\n"
               "    if (!calls) return NACRE_RT_MISUSE;\n",
               slots_of(f));
    for (int p = 0; p < f->param_count; p++)
        if (f->params[p].type.kind == AHEAD_ARRAY) put_array(f, p, out);
    for (int p = 0; p < f->param_count; p++)
        if (f->params[p].type.kind == AHEAD_ARRAY) put_sizes(f, p, out);
    buf_printf(out, "    %s{\n", f->code[1].region ? "if (dense) " : "");
    put_call(f, 0, out);
    if (f->code[1].region) {
        buf_puts(out, "    } else {\n");
        put_call(f, 1, out);
    }
    buf_printf(out, "    }\n    if (site->why != %d) return nacre_rt_leave(rt, site, slots);\n",
               LEFT_RETURN);
    put_results(d, f, out);
    buf_puts(out, "    return NACRE_RT_OK;\n}\n");
}

// --- All of it ---------------------------------------------------------------------------------

void emit_ahead_begin(const Dialect *d, Buf *out) {
    buf_puts(out, "#include <stdbool.h>\n#include <stdint.h>\n#include <nacre/rt.h>\n");
    buf_puts(out, d->prelude);
    buf_puts(out, d->region_prelude);
}

bool emit_ahead(const Dialect *d, const char *module, const AheadFunction *f, Buf *out) {
    for (int which = 0; which < 2; which++) {
        if (!f->code[which].region) continue;
        put_sites(f, which, out);
        if (!put_region(d, f, which, out)) return false;
    }
    buf_printf(out, "#line 1 \"%s.c\"\n", module);
    buf_puts(out, "__attribute__((visibility(\"default\"))) ");
    put_around(d, module, f, out);
    return !out->failed;
}

// Writes the name of the include guard: the module's name in capitals, then _H.
static void put_guard(const char *module, Buf *out) {
    for (; *module; module++) buf_putc(out, (char)toupper((unsigned char)*module));
    buf_puts(out, "_H\n");
}

void emit_header_begin(const char *module, Buf *out) {
    buf_printf(
        out,
        "/* Functions of module %s, compiled ahead of time by nacre build.\n *\n"
        " * Each takes a nacre_rt (nacre/rt.h) and answers 0 or a nacre_rt_status; nacre_rt_error "
        "tells more.\n"
        " * An array is a pointer to its first element, its shape, and its strides in bytes "
        "(NULL: C order).\n"
        " * Results are written on success only; arrays among them are new, and the caller's: "
        "nacre_rt_array_free. */\n\n#ifndef ",
        module);
    put_guard(module, out);
    buf_puts(out, "#define ");
    put_guard(module, out);
    buf_puts(out, "\n#include <stdbool.h>\n#include <stdint.h>\n\n#include <nacre/rt.h>\n\n"
                  "#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
}

static void put_type(const AheadFunction *f, const AheadType *type, bool sized, Buf *out) {
    static const char *const python[] = {"None", "bool", "int", "float"};
    buf_puts(out, type->kind < AHEAD_SCALAR ? python[type->kind] : dtype_info[type->dtype].name);
    if (type->kind != AHEAD_ARRAY) return;
    for (int d = 0; d < type->ndim; d++) {
        const AheadSize *size = &f->sizes[type->sizes[d]];
        buf_puts(out, d ? ", " : "[");
        if (!sized)
            buf_puts(out, "...");
        else if (size->name[0])
            buf_puts(out, size->name);
        else
            buf_printf(out, "%lld", (long long)size->number);
    }
    buf_putc(out, ']');
}

void emit_ahead_header(const Dialect *d, const char *module, const AheadFunction *f, Buf *out) {
    buf_printf(out, "\n/* %s(", f->name);
    for (int p = 0; p < f->param_count; p++) {
        buf_printf(out, "%s%s: ", p ? ", " : "", f->params[p].name);
        put_type(f, &f->params[p].type, true, out);
    }
    buf_printf(out, ") -> %s", f->tuple ? "tuple[" : "");
    for (int i = 0; i < f->result_count; i++) {
        if (i) buf_puts(out, ", ");
        put_type(f, &f->results[i], false, out);
    }
    buf_printf(out, "%s */\n", f->tuple ? "]" : "");
    put_head(d, module, f, true, out);
    buf_puts(out, ";\n");
}

void emit_header_end(Buf *out) {
    buf_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
