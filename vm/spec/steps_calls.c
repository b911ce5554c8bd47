// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Names of modules, and calls of built-in functions, in regions.

#include <string.h>

#include "vm/array/ufunc.h"
#include "vm/spec/steps.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/objects.h"
#include "vm/value/str.h"

// --- Attributes --------------------------------------------------------------------------------

static bool guard_slot(Infer *f, Module *module, size_t slot) {
    Variant *v = f->variant;
    for (int i = 0; i < v->guard_count; i++)
        if (v->guards[i].module == module && v->guards[i].slot == slot) return true;
    if (v->guard_count == MODULE_GUARDS) return false;
    module->gc.obj.refs++;
    v->guards[v->guard_count++] = (ModuleGuard){module, slot, retain(module->slots[slot])};
    return true;
}

bool step_attribute(Infer *f, Var of, Str *name, Var *out) {
    if (of.type.kind == VAR_ARRAY && strcmp(name->data, "shape") == 0) {
        *out = (Var){{.kind = VAR_SHAPE, .which = of.type.which}, {NO_VALUE, NO_VALUE, NO_VALUE}};
        return true;
    }
    if (of.type.kind != VAR_CONST) return false;
    Value object = f->variant->constants[of.type.which];
    if (object.kind != K_MODULE) return false;
    Value found = dict_get_str(object.module->slots_of, name);
    if (found.kind != K_INT) return false;
    Value value = object.module->slots[found.i];
    if (value.kind == K_FLOAT || value.kind == K_INT) {
        bool is_float = value.kind == K_FLOAT;
        int32_t number = infer_number(f, is_float ? DT_FLOAT64 : DT_INT64, (Scalar){.i = value.i});
        *out = var_of(is_float ? VAR_FLOAT : VAR_INT, number);
        return guard_slot(f, object.module, (size_t)found.i);
    }
    int number = is_constant_object(value) ? infer_constant(f, value) : -1;
    if (number < 0 || !guard_slot(f, object.module, (size_t)found.i)) return false;
    *out = (Var){{.kind = VAR_CONST, .which = (uint16_t)number}, {NO_VALUE, NO_VALUE, NO_VALUE}};
    return true;
}

// --- Calls -------------------------------------------------------------------------------------

// The operands' common type; DT_NONE: there is an int of Python's among them, or no number at all.
static DType common_float(const Var *args, int count) {
    DType type = DT_NONE;
    for (int i = 0; i < count; i++) {
        DType each = number_type(args[i]);
        if (!is_number_var(args[i]) || dtype_kind(each) != DK_FLOAT) return DT_NONE;
        if (args[i].type.kind == VAR_SCALAR)
            type = type == DT_NONE ? each : dtype_promote(type, each);
    }
    return type == DT_NONE ? DT_FLOAT64 : type;
}

// Elementwise functions that are expressions: others are called in vectors, whose numbers may be
// others.
static bool call_ufunc(Infer *f, OpId op, const Var *args, int count, Var *out) {
    DType type = common_float(args, count), loop, result;
    bool plain =
        op_info[op].op_class == CLASS_ELEMENTWISE && op_info[op].arity == count && count <= 2;
    if (!plain || type != DT_FLOAT64 || op_has_vector(op) || op_info[op].may_raise) return false;
    if (!op_types(op, type, &loop, &result) || loop != type || !op_has_loop(op, loop)) return false;
    if (result != DT_FLOAT64 && result != DT_BOOL) return false;
    int32_t number =
        infer_apply(f, op, loop, result, args[0].parts[0], count > 1 ? args[1].parts[0] : NO_VALUE);
    if (op_info[op].effects == EFFECT_FPE) infer_tells(f, number);
    *out = var_of(VAR_SCALAR, number);
    out->type.dtype = (uint8_t)result;
    return true;
}

// A function of a built-in module, written in C or in the language.
static bool is_function(Value callee, const char *module, const char *name) {
    if (callee.kind == K_NATIVE) {
        const Native *native = callee.native;
        return native->owner.kind == K_MODULE &&
               strcmp(native->owner.module->name->data, module) == 0 &&
               strcmp(native->def->name, name) == 0;
    }
    // Functions of modules that are written in the language live in parts of them: numpy._axes.
    if (callee.kind != K_FUNC || callee.func->module->file) return false;
    size_t length = strlen(module);
    const char *home = callee.func->module->name->data;
    return strncmp(home, module, length) == 0 && (home[length] == '.' || !home[length]) &&
           strcmp(callee.func->qualname->data, name) == 0;
}

static bool any_row(const Infer *f, const Var *args, int count) {
    bool row = false;
    for (int i = 0; i < count; i++) row |= is_row(f, args[i]);
    return row;
}

bool step_call(Infer *f, Value callee, const Var *args, int count, Var *out) {
    if (callee.kind == K_UFUNC && count >= 1) {
        OpId op = (OpId)callee.ufunc->op;
        if (any_row(f, args, count))
            return op_info[op].arity == count && step_rows(f, op, args, count, out);
        return call_ufunc(f, op, args, count, out);
    }
    if (count == 1 && args[0].type.kind == VAR_ARRAY && is_function(callee, "builtins", "len")) {
        RegionInstr extent =
            INSTR(.op = RG_EXTENT, .type = DT_INT64, .array = (uint8_t)args[0].type.which);
        *out = var_of(VAR_INT, infer_emit(f, extent));
        return true;
    }
    if (count == 2 && is_function(callee, "numpy", "dot"))
        return step_dot(f, args[0], args[1], true, out);
    return count == 1 && is_function(callee, "numpy", "flip") && step_flip(f, args[0], out);
}
