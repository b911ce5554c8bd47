// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The renderer: each value is a variable, each instruction the expression of its row in the op
// table.

#include "backends/emit/emit.h"

static const char *spelled(const Dialect *d, uint8_t type) {
    return d->types[type];
}

static void put_value(Buf *out, int value) {
    if (value < KERN_FIRST_PARAM)
        buf_printf(out, "l%d", value);
    else if (value < KERN_FIRST_CODE)
        buf_printf(out, "p%d", value - KERN_FIRST_PARAM);
    else
        buf_printf(out, "v%d", value - KERN_FIRST_CODE);
}

// --- Arguments ---------------------------------------------------------------------------------

static void put_params(const Dialect *d, const Form *f, Buf *out) {
    for (int i = 0; i < f->param_count; i++)
        buf_printf(out, "    const %s p%d = *(const %s *)(params + %d);\n",
                   spelled(d, f->param_types[i]), i, spelled(d, f->param_types[i]),
                   i * PARAM_BYTES);
}

static void put_addresses(const Dialect *d, const Form *f, Buf *out) {
    for (int i = 0; i < f->load_count; i++) {
        const char *type = spelled(d, f->load_types[i]);
        if (f->motions[i] == MOTION_STRIDED)
            buf_printf(out,
                       "    const char *a%d = loads[%d];\n    const int64_t s%d = steps[%d];\n", i,
                       i, i, i);
        else
            buf_printf(out, "    const %s *a%d = (const %s *)loads[%d];\n", type, i, type, i);
    }
    for (int i = 0; i < f->out_count; i++) {
        const char *type = spelled(d, f->code[f->outs[i]].type);
        buf_printf(out, "    %s *o%d = (%s *)outs[%d];\n", type, i, type, i);
    }
}

// --- The body ----------------------------------------------------------------------------------

static void put_loads(const Dialect *d, const Form *f, Buf *out) {
    for (int i = 0; i < f->load_count; i++) {
        const char *type = spelled(d, f->load_types[i]);
        buf_printf(out, "        const %s l%d = ", type, i);
        if (f->motions[i] == MOTION_UNIT)
            buf_printf(out, "a%d[i];\n", i);
        else if (f->motions[i] == MOTION_NONE)
            buf_printf(out, "*a%d;\n", i);
        else
            buf_printf(out, "*(const %s *)(a%d + (int64_t)i * s%d);\n", type, i, i);
    }
}

static bool is_truth(DType type) {
    return type == DT_BOOL;
}

static void put_cast(const Dialect *d, const FormInstr *in, Buf *out) {
    DType from = (DType)in->from, to = (DType)in->type;
    bool odd = dtype_kind(from) == DK_FLOAT && dtype_kind(to) == DK_UINT;
    if (is_truth(to)) {
        put_value(out, in->args[0]);
        buf_puts(out, " != 0;\n");
        return;
    }
    buf_printf(out, "(%s)%s(", spelled(d, in->type), odd ? "nc_to_unsigned" : "");
    put_value(out, in->args[0]);
    buf_puts(out, ");\n");
}

// The operands are x, y and z of type T there, as in the op table.
static void put_expression(const Dialect *d, const FormInstr *in, int number, Buf *out) {
    static const char *const names[] = {"x", "y", "z"};
    const OpInfo *op = &op_info[in->op];
    buf_printf(out, "        %s v%d;\n        {\n            typedef %s T;\n", spelled(d, in->type),
               number, spelled(d, in->from));
    for (int a = 0; a < op->arity; a++) {
        bool truth = a == 0 && op->dtype_rule == RULE_SELECT;
        buf_printf(out, "            const %s %s = ", truth ? spelled(d, DT_BOOL) : "T", names[a]);
        put_value(out, in->args[a]);
        buf_puts(out, ";\n");
    }
    buf_printf(out, "            v%d = (%s)(%s);\n        }\n", number, spelled(d, in->type),
               op->expr[dtype_kind((DType)in->from)]);
}

static void put_code(const Dialect *d, const Form *f, Buf *out) {
    for (int i = 0; i < f->code_count; i++) {
        const FormInstr *in = &f->code[i];
        if (in->op != AOP_CAST) {
            put_expression(d, in, i, out);
            continue;
        }
        buf_printf(out, "        const %s v%d = ", spelled(d, in->type), i);
        put_cast(d, in, out);
    }
    for (int i = 0; i < f->out_count; i++)
        buf_printf(out, "        o%d[i] = v%d;\n", i, f->outs[i]);
}

static bool can_spell(const Dialect *d, const Form *f) {
    for (int i = 0; i < f->load_count; i++)
        if (!spelled(d, f->load_types[i])) return false;
    for (int i = 0; i < f->param_count; i++)
        if (!spelled(d, f->param_types[i])) return false;
    for (int i = 0; i < f->code_count; i++)
        if (!spelled(d, f->code[i].from) || !spelled(d, f->code[i].type)) return false;
    return true;
}

bool emit_kernel(const Dialect *d, const Form *f, Buf *out) {
    if (!can_spell(d, f)) return false;
    buf_puts(out, d->prelude);
    buf_puts(out,
             "\nvoid " NACRE_BODY "(char *const *loads, const int64_t *steps, const char *params, "
             "char *const *outs, size_t n) {\n    (void)loads, (void)steps, (void)params;\n");
    put_params(d, f, out);
    put_addresses(d, f, out);
    buf_puts(out, d->open);
    put_loads(d, f, out);
    put_code(d, f, out);
    buf_puts(out, d->close);
    buf_puts(out, "}\n");
    return !out->failed;
}
