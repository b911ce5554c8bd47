// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Computes kernel signatures.

#include "vm/kernel/form.h"

#include <string.h>

static bool has_code(DType type) {
    return type != DT_FLOAT16 && dtype_kind(type) != DK_COMPLEX;
}

static bool is_expression(const KernInstr *in) {
    OpId op = (OpId)in->op;
    bool is_function = dtype_kind((DType)in->from) == DK_FLOAT && op_has_vector(op);
    if (!has_code((DType)in->from) || !has_code((DType)in->type)) return false;
    return op == AOP_CAST || !(op_info[op].may_raise || is_function);
}

static bool add_loads(const Kernel *k, bool all, Form *form) {
    for (int i = 0; i < k->load_count; i++) {
        const KernAccess *load = &k->loads[i];
        int64_t stride = load->strides[k->ndim - 1];
        if (!all && !has_code(load->dtype)) return false;
        form->load_types[i] = (uint8_t)load->dtype;
        form->motions[i] = stride == 0                                  ? MOTION_NONE
                           : stride == (int64_t)dtype_size(load->dtype) ? MOTION_UNIT
                                                                        : MOTION_STRIDED;
    }
    return true;
}

static bool add_code(const Kernel *k, bool all, Form *form) {
    for (int i = 0; i < k->param_count; i++) {
        if (!all && !has_code(k->param_types[i])) return false;
        form->param_types[i] = (uint8_t)k->param_types[i];
    }
    for (int i = 0; i < k->code_count; i++) {
        const KernInstr *in = &k->code[i];
        if (!all && !is_expression(in)) return false;
        form->code[i] =
            (FormInstr){in->op, in->from, in->type, {in->args[0], in->args[1], in->args[2]}};
    }
    return true;
}

static bool add_outs(const Kernel *k, Form *form) {
    for (int s = 0; s < k->store_count; s++) {
        int code = k->stores[s].value - KERN_FIRST_CODE, known = 0;
        if (code < 0) return false;
        while (known < form->out_count && form->outs[known] != code) known++;
        if (known == form->out_count) form->outs[form->out_count++] = (uint8_t)code;
    }
    return true;
}

// Returns whether an instruction's result is stored or read by a later one. An unused instruction is in a kernel only
// for its float flags, and C compilers would drop it.
static bool is_used(const Form *form, int code) {
    for (int i = 0; i < form->out_count; i++)
        if (form->outs[i] == code) return true;
    for (int i = code + 1; i < form->code_count; i++)
        for (int a = 0; a < 3; a++)
            if (form->code[i].args[a] == KERN_FIRST_CODE + code) return true;
    return false;
}

static bool is_all_used(const Form *form) {
    for (int i = 0; i < form->code_count; i++)
        if (!is_used(form, i)) return false;
    return true;
}

bool form_of_values(const Kernel *k, bool all, Form *form) {
    memset(form, 0, sizeof *form);
    form->load_count = (uint8_t)k->load_count;
    form->param_count = (uint8_t)k->param_count;
    form->code_count = (uint8_t)k->code_count;
    if (k->ndim == 0 || !add_loads(k, all, form)) return false;
    for (int i = 0; i < k->lines_count; i++)
        for (int part = 0; part < LINE_LOADS; part++)
            form->motions[k->lines[i].load + part] = part == 0 ? MOTION_LINES : MOTION_PART;
    return add_code(k, all, form);
}

bool form_of(const Kernel *k, Form *form) {
    return k->code_count > 0 && k->lines_count == 0 && form_of_values(k, false, form) && add_outs(k, form) &&
           is_all_used(form);
}

uint64_t form_hash(const Form *form) {
    uint64_t hash = 0;
    for (size_t at = 0; at < sizeof *form; at += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, (const char *)form + at, sizeof word);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash;
}
