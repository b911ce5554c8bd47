// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Names of modules, and calls of built-in functions, in regions.

#include <string.h>

#include "vm/array/ufunc.h"
#include "vm/jit/steps.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/objects.h"
#include "vm/value/str.h"

// --- Attributes --------------------------------------------------------------------------------

static bool type_object(Infer *f, DType type, Var *out) {
    Value object = V_UNDEF;
    if (dtype_out(f->vm, type, &object) != ST_OK) {
        vm_clear_error(f->vm);
        return false;
    }
    *out = infer_object(f, object);
    release(f->vm, object);
    return true;
}

static bool array_attribute(Infer *f, Var of, const char *name, Var *out) {
    int ndim = array_ndim(f, of);
    Var view = of;
    if (strcmp(name, "dtype") == 0) return type_object(f, array_type(f, of), out);
    if (of.type.kind == VAR_BODY) return false;
    if (strcmp(name, "T") == 0) return step_transpose(f, of, out);
    if (strcmp(name, "ndim") == 0) {
        *out = var_of(VAR_INT, infer_int(f, ndim));
        return true;
    }
    if (strcmp(name, "size") == 0) {
        view_of(f, of, &view);
        int32_t size = var_extent(&view, 0);
        for (int d = 1; d < ndim; d++) size = of_ints(f, AOP_MULTIPLY, size, var_extent(&view, d));
        *out = var_of(VAR_INT, size);
        return true;
    }
    if (strcmp(name, "shape") != 0 || !view_of(f, of, &view)) return false;
    *out = (Var){{.kind = VAR_SHAPE, .which = (uint16_t)ndim}, NO_PARTS};
    for (int d = 0; d < ndim; d++) out->parts[d] = var_extent(&view, d);
    return true;
}

bool step_attribute(Infer *f, Var of, Str *name, Var *out) {
    if (is_array(of)) return array_attribute(f, of, name->data, out);
    if (of.type.kind != VAR_CONST) return false;
    Value object = f->variant->constants[of.type.which];
    if (object.kind != K_MODULE) return false;
    Value found = dict_get_str(object.module->slots_of, name);
    if (found.kind != K_INT) return false;
    Source source = {
        .kind = SOURCE_SLOT, .holder = &object.module->gc.obj, .at = (uint32_t)found.i};
    // numbers in built-in modules are assumed constant
    *out = infer_source(f, source, !object.module->file);
    return out->type.kind != VAR_UNDEF;
}

// --- Calls -------------------------------------------------------------------------------------

// Returns the operands' common type; Python numbers alone are float64 or int64. DT_NONE: not supported.
static DType common_number(Infer *f, const Var *args, int count) {
    bool strong = false, is_float = false;
    for (int i = 0; i < count; i++) {
        if (!is_number_var(args[i])) return DT_NONE;
        strong |= args[i].type.kind == VAR_SCALAR;
        is_float |= args[i].type.kind == VAR_FLOAT;
    }
    if (strong) return operands_type(f, args, count);
    return is_float ? DT_FLOAT64 : DT_INT64;
}

static int32_t emit_function(Infer *f, OpId op, DType type, const int32_t *operands, int count) {
    RegionInstr instr = INSTR(.op = RG_FUNCTION, .elementwise = (uint8_t)op, .from = (uint8_t)type,
                              .type = (uint8_t)type);
    for (int i = 0; i < count; i++) instr.args[i] = operands[i];
    infer_quiet(f); // the call may clear the flags
    return infer_emit(f, instr);
}

static bool call_ufunc(Infer *f, OpId op, const Var *args, int count, Var *out) {
    DType type = common_number(f, args, count), loop, result;
    int32_t operands[2] = {NO_VALUE, NO_VALUE};
    bool plain =
        op_info[op].op_class == CLASS_ELEMENTWISE && op_info[op].arity == count && count <= 2;
    if (!plain || type == DT_NONE || op_info[op].may_raise || !op_types(op, type, &loop, &result))
        return false;
    bool is_float = dtype_kind(loop) == DK_FLOAT;
    if (!op_has_loop(op, loop) || loop == DT_FLOAT16 || result == DT_FLOAT16) return false;
    if (!is_float && op_info[op].effects == EFFECT_FPE) return false;
    for (int i = 0; i < count; i++) {
        operands[i] = infer_cast(f, number_type(args[i]), loop, args[i].parts[0]);
        if (loop == DT_FLOAT32 && number_type(args[i]) == DT_FLOAT64) infer_tells(f, operands[i]);
    }
    int32_t number = is_float && op_has_vector(op)
                         ? emit_function(f, op, loop, operands, count)
                         : infer_apply(f, op, loop, result, operands[0], operands[1]);
    if (op_info[op].effects == EFFECT_FPE) infer_tells(f, number);
    *out = var_of(VAR_SCALAR, number);
    out->type.dtype = (uint8_t)result;
    return true;
}

// --- Built-in functions of numbers -------------------------------------------------------------

static bool call_library(Infer *f, const char *name, Var arg, Var *out) {
#define NAME(name) #name,
    static const char *const names[] = {NACRE_REGION_FUNCTIONS(NAME)};
#undef NAME
    int known = sizeof names / sizeof *names, number = 0;
    while (number < known && strcmp(names[number], name) != 0) number++;
    if (number == known || !is_number_var(arg) || number_type(arg) == DT_FLOAT32) return false;
    RegionInstr instr = INSTR(.op = RG_LIBRARY, .elementwise = (uint8_t)number, .type = DT_FLOAT64,
                              .dim = f->ahead != NULL);
    instr.exit = infer_exit(f);
    instr.args[0] = infer_cast(f, number_type(arg), DT_FLOAT64, arg.parts[0]);
    *out = var_of(VAR_FLOAT, infer_emit(f, instr));
    return true;
}

static bool call_abs(Infer *f, Var v, Var *out) {
    if (!is_number_var(v)) return false;
    DType type = number_type(v);
    *out = v;
    if (dtype_kind(type) == DK_INT) {
        int32_t least = infer_number(f, type, (Scalar){.i = dtype_min(type)});
        if (f->ahead && v.type.kind == VAR_SCALAR) least = NO_VALUE; // NumPy integers wrap
        if (least != NO_VALUE)
            infer_leave_for(f, infer_apply(f, AOP_EQUAL, type, DT_BOOL, v.parts[0], least),
                            LEFT_OVERFLOW, NO_VALUE, NO_VALUE);
    }
    out->parts[0] = infer_apply(f, AOP_ABSOLUTE, type, type, v.parts[0], NO_VALUE);
    return true;
}

bool step_int_of(Infer *f, Var v, Var *out) {
    DType type = number_type(v);
    int32_t x = infer_cast(f, type, DT_FLOAT64, v.parts[0]);
    int32_t top = infer_number(f, DT_FLOAT64, (Scalar){.f = 0x1p63});
    int32_t bottom = infer_number(f, DT_FLOAT64, (Scalar){.f = -0x1p63});
    int32_t below = infer_apply(f, AOP_LESS, DT_FLOAT64, DT_BOOL, x, top);
    int32_t above = infer_apply(f, AOP_GREATER_EQUAL, DT_FLOAT64, DT_BOOL, x, bottom);
    int32_t inside = infer_apply(f, AOP_BITWISE_AND, DT_BOOL, DT_BOOL, below, above);
    infer_leave_for(f, infer_apply(f, AOP_LOGICAL_NOT, DT_BOOL, DT_BOOL, inside, NO_VALUE),
                    LEFT_INT, x, NO_VALUE);
    *out = var_of(VAR_INT, infer_cast(f, DT_FLOAT64, DT_INT64, x));
    return true;
}

static bool call_number_class(Infer *f, Kind kind, Var v, Var *out) {
    if (!is_number_var(v)) return false;
    DType type = number_type(v);
    if (kind == K_FLOAT) {
        *out = var_of(VAR_FLOAT, infer_cast(f, type, DT_FLOAT64, v.parts[0]));
        return true;
    }
    if (kind != K_INT || type == DT_UINT64) return false;
    if (dtype_kind(type) == DK_FLOAT) return step_int_of(f, v, out);
    *out = var_of(VAR_INT, infer_cast(f, type, DT_INT64, v.parts[0]));
    return true;
}

// Returns the type of a NumPy scalar class; DT_NONE: not supported.
static DType scalar_class_type(const Infer *f, const Class *cls) {
    for (int t = 0; t < DT_COUNT; t++)
        if (f->vm->scalar_classes[t] == cls)
            return t == DT_FLOAT16 || dtype_kind((DType)t) == DK_COMPLEX ? DT_NONE : (DType)t;
    return DT_NONE;
}

// Translates np.float32(v) and similar; to an integer type only if the number cannot overflow.
static bool call_scalar_class(Infer *f, DType type, Var v, Var *out) {
    bool is_float = dtype_kind(type) == DK_FLOAT;
    if (!is_number_var(v)) return false;
    if (!is_float && !(v.type.kind == VAR_INT && int_fits(f, v, type)) && number_type(v) != type)
        return false;
    int32_t wide = is_float ? infer_cast(f, number_type(v), DT_FLOAT64, v.parts[0]) : v.parts[0];
    int32_t number = infer_cast(f, is_float ? DT_FLOAT64 : number_type(v), type, wide);
    if (type == DT_FLOAT32 && number_type(v) != DT_FLOAT32) infer_tells(f, number);
    *out = var_of(VAR_SCALAR, number);
    out->type.dtype = (uint8_t)type;
    return true;
}

// Returns whether the callee is this function of a built-in module, written in C or in the language.
static bool is_function(Value callee, const char *module, const char *name) {
    if (callee.kind == K_NATIVE) {
        const Native *native = callee.native;
        const char *owner = native->owner.kind == K_MODULE  ? native->owner.module->name->data
                            : native->owner.kind == K_UNDEF ? "builtins"
                                                            : "";
        return strcmp(owner, module) == 0 && strcmp(native->def->name, name) == 0;
    }
    // modules written in the language consist of parts such as numpy._axes
    if (callee.kind != K_FUNC || callee.func->module->file) return false;
    size_t length = strlen(module);
    const char *home = callee.func->module->name->data;
    return strncmp(home, module, length) == 0 && (home[length] == '.' || !home[length]) &&
           strcmp(callee.func->qualname->data, name) == 0;
}

// Returns the op that rounds a float to the int that a function returns: round(x), math.floor(x), …
static OpId rounding_of(Value callee) {
    static const struct {
        const char *module, *name;
        OpId op;
    } known[] = {{"builtins", "round", AOP_RINT},
                 {"math", "floor", AOP_FLOOR},
                 {"math", "ceil", AOP_CEIL},
                 {"math", "trunc", AOP_TRUNC}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_function(callee, known[i].module, known[i].name)) return known[i].op;
    return AOP_NONE;
}

static bool call_rounding(Infer *f, OpId op, Var v, Var *out) {
    *out = v;
    if (v.type.kind == VAR_INT) return true;
    if (!is_number_var(v) || dtype_kind(number_type(v)) != DK_FLOAT) return false;
    int32_t x = infer_cast(f, number_type(v), DT_FLOAT64, v.parts[0]);
    return step_int_of(
        f, var_of(VAR_FLOAT, infer_apply(f, op, DT_FLOAT64, DT_FLOAT64, x, NO_VALUE)), out);
}

static OpId beyond_of(Value callee) {
    if (is_function(callee, "builtins", "min")) return AOP_LESS;
    return is_function(callee, "builtins", "max") ? AOP_GREATER : AOP_NONE;
}

// Emits min or max of numbers of one type. `beyond` is LESS or GREATER; of equal numbers the first is taken.
static bool call_extreme(Infer *f, OpId beyond, const Var *args, int count, Var *out) {
    if (!is_number_var(args[0])) return false;
    for (int i = 1; i < count; i++)
        if (args[i].type.kind != args[0].type.kind || args[i].type.dtype != args[0].type.dtype)
            return false;
    DType type = number_type(args[0]);
    *out = args[0];
    for (int i = 1; i < count; i++) {
        int32_t is_beyond = infer_apply(f, beyond, type, DT_BOOL, args[i].parts[0], out->parts[0]);
        out->parts[0] =
            infer_emit(f, region_choice(type, is_beyond, args[i].parts[0], out->parts[0]));
    }
    return true;
}

bool step_extreme(Infer *f, const Instr *at) {
    if (at->op != OP_CALL || at->c != 2 || f->regs[at->b].type.kind != VAR_CONST) return false;
    OpId beyond = beyond_of(f->variant->constants[f->regs[at->b].type.which]);
    Var first = f->regs[at->b + 1u], second = f->regs[at->b + 2u], is_beyond;
    bool same = first.type.kind == second.type.kind && first.type.dtype == second.type.dtype;
    if (beyond == AOP_NONE || same || infer_holds_pieces(f, (Spot){f->scope, f->next}) ||
        !infer_settle(f, f->next) || !step_comparison(f, beyond, second, first, &is_beyond))
        return false;
    infer_quiet(f);
    for (uint32_t r = at->b; r <= at->b + 2u; r++) infer_set(f, r, (Var){0});
    infer_set(f, at->a, second);
    RegionEdge yes = infer_edge(f, f->next);
    infer_set(f, at->a, first);
    infer_branch_along(f, is_beyond.parts[0], yes, infer_edge(f, f->next));
    return true;
}

const char *numpy_name(Value callee) {
    const char *name = callee.kind == K_NATIVE ? callee.native->def->name
                       : callee.kind == K_FUNC ? callee.func->qualname->data
                                               : NULL;
    return name && is_function(callee, "numpy", name) ? name : NULL;
}

static bool any_array(const Var *args, int count) {
    bool array = false;
    for (int i = 0; i < count; i++) array |= is_array(args[i]);
    return array;
}

static bool call_builtin(Infer *f, Value callee, const Var *args, int count, Var *out) {
    if (count == 1 && is_function(callee, "builtins", "abs")) return call_abs(f, args[0], out);
    OpId beyond = beyond_of(callee);
    if (beyond != AOP_NONE && count >= 2) return call_extreme(f, beyond, args, count, out);
    OpId rounding = count == 1 ? rounding_of(callee) : AOP_NONE;
    if (rounding != AOP_NONE) return call_rounding(f, rounding, args[0], out);
    Var view;
    if (count != 1 || !view_of(f, args[0], &view) || !is_function(callee, "builtins", "len"))
        return false;
    *out = var_of(VAR_INT, var_extent(&view, 0));
    return true;
}

// Calls numpy functions of arrays.
static bool call_numpy(Infer *f, const char *name, const Var *args, int count, Var *out) {
    if (count == 2 && strcmp(name, "dot") == 0) return step_product(f, args[0], args[1], true, out);
    if (count == 2 && strcmp(name, "matmul") == 0)
        return step_product(f, args[0], args[1], false, out);
    if (count == 2 && strcmp(name, "outer") == 0) return step_outer(f, AOP_MULTIPLY, args, out);
    if (count == 3 && strcmp(name, "clip") == 0) return step_elementwise(f, AOP_CLIP, args, 3, out);
    if (count == 3 && strcmp(name, "where") == 0) return step_where(f, args, out);
    if (count != 1) return false;
    if (strcmp(name, "flip") == 0) return step_flip(f, args[0], out);
    if (strcmp(name, "transpose") == 0) return step_transpose(f, args[0], out);
    if (strcmp(name, "copy") == 0) return step_method(f, name, args[0], NULL, 0, out);
    return step_reduction_named(f, name, args[0], out) || step_like(f, name, args[0], out);
}

bool step_call(Infer *f, Value callee, const Var *args, int count, Var *out) {
    if (count < 1) return false;
    // impure natives need the interpreter
    if (callee.kind == K_NATIVE && callee.native->def->purity != PURE) return false;
    if (callee.kind == K_UFUNC) {
        OpId op = (OpId)callee.ufunc->op;
        if (callee.ufunc->second != OP_NO_SECOND) return false;
        if (any_array(args, count))
            return op_info[op].arity == count && step_elementwise(f, op, args, count, out);
        return call_ufunc(f, op, args, count, out);
    }
    DType scalar = callee.kind == K_CLASS ? scalar_class_type(f, callee.cls) : DT_NONE;
    if (scalar != DT_NONE) return count == 1 && call_scalar_class(f, scalar, args[0], out);
    if (callee.kind == K_CLASS)
        return count == 1 && call_number_class(f, callee.cls->instance_kind, args[0], out);
    const char *name = numpy_name(callee);
    if (name && count <= 2 && !any_array(args, count))
        return step_filled(f, name, args[0], count > 1 ? args[1] : (Var){0}, out);
    if (name) return call_numpy(f, name, args, count, out);
    if (call_builtin(f, callee, args, count, out)) return true;
    return count == 1 && callee.kind == K_NATIVE &&
           is_function(callee, "math", callee.native->def->name) &&
           call_library(f, callee.native->def->name, args[0], out);
}

bool step_call_named(Infer *f, Value callee, const Var *args, const char *name, Var *out) {
    if (strcmp(name, "dtype") == 0) return step_call(f, callee, args, 2, out);
    const char *function = numpy_name(callee);
    return function && strcmp(function, "sum") == 0 && strcmp(name, "axis") == 0 &&
           step_sum_along(f, args[0], args[1], out);
}
