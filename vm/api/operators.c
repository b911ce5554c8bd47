// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operators by their spelling: on built-in values by the table of operators, on instances of a
// script's classes by the functions of module operator.

#include <stdio.h>
#include <string.h>

#include "vm/api/call.h"
#include "vm/value/ops.h"

typedef enum Form {
    FORM_BINARY,
    FORM_IN_PLACE,
    FORM_COMPARE,
    FORM_UNARY,
    FORM_IN,
    FORM_NOT_IN,
    FORM_NOT
} Form;

typedef struct Operator {
    Form form;
    int op; // BinaryOp, CompareOp or UnaryOp
} Operator;

// Finds a unary operator. unary_names has "unary -" instead of "-", for messages.
static bool find_unary(const char *symbol, Operator *out) {
    *out = (Operator){FORM_NOT, 0};
    if (strcmp(symbol, "not") == 0) return true;
    for (int i = 0; i < UNARY_COUNT; i++) {
        const char *shown = unary_names[i].symbol;
        if (strncmp(shown, "unary ", 6) != 0 || strcmp(shown + 6, symbol) != 0) continue;
        *out = (Operator){FORM_UNARY, i};
        return true;
    }
    return false;
}

static bool find_binary(const char *symbol, Operator *out) {
    size_t len = strlen(symbol);
    for (int i = 0; i < COMPARE_COUNT; i++) {
        *out = (Operator){FORM_COMPARE, i};
        if (strcmp(compare_names[i].symbol, symbol) == 0) return true;
    }
    for (int i = 0; i < BINARY_COUNT; i++) {
        size_t own = strlen(binary_names[i].symbol);
        bool in_place = len == own + 1 && symbol[own] == '=' && *binary_names[i].in_place;
        if ((len != own && !in_place) || memcmp(binary_names[i].symbol, symbol, own) != 0) continue;
        *out = (Operator){in_place ? FORM_IN_PLACE : FORM_BINARY, i};
        return *binary_names[i].in_place != '\0'; // divmod() is no operator
    }
    *out = (Operator){strcmp(symbol, "in") == 0 ? FORM_IN : FORM_NOT_IN, 0};
    return out->form == FORM_IN || strcmp(symbol, "not in") == 0;
}

// Calls the function of module operator for a method: add for __add__, and_ for __and__.
static Status by_code(Vm *vm, const char *method, const Value *args, uint32_t count, Value *out) {
    char name[24];
    int len = (int)strlen(method) - 4;
    snprintf(name, sizeof name, "%.*s", len, method + 2);
    if (strcmp(name, "and") == 0 || strcmp(name, "or") == 0) strcat(name, "_");
    return api_call_of(vm, "operator", name, args, count, out);
}

static Status negation(Vm *vm, Value a, Value *out) {
    bool truth;
    Status st = op_truth(vm, a, &truth);
    if (st == ST_DEFER) return api_call_of(vm, "operator", "not_", &a, 1, out);
    if (st == ST_OK) *out = v_bool(!truth);
    return st;
}

static Status membership(Vm *vm, Value item, Value container, bool negate, Value *out) {
    const Value args[2] = {container, item};
    bool there;
    Status st = op_contains(vm, container, item, &there);
    if (st == ST_DEFER) {
        st = api_call_of(vm, "operator", "contains", args, 2, out);
        there = st == ST_OK && out->i;
    }
    if (st == ST_OK) *out = v_bool(there != negate);
    return st;
}

static Status carry_out(Vm *vm, Operator op, const Value *args, Value *out) {
    Value a = args[0], b = args[1];
    Status st;
    switch (op.form) {
    case FORM_BINARY:
    case FORM_IN_PLACE:
        st = op_binary(vm, (BinaryOp)op.op, op.form == FORM_IN_PLACE, a, b, out);
        if (st != ST_DEFER) return st;
        return by_code(vm,
                       op.form == FORM_IN_PLACE ? binary_names[op.op].in_place
                                                : binary_names[op.op].method,
                       args, 2, out);
    case FORM_COMPARE:
        st = op_compare(vm, (CompareOp)op.op, a, b, out);
        return st == ST_DEFER ? by_code(vm, compare_names[op.op].method, args, 2, out) : st;
    case FORM_UNARY:
        st = op_unary(vm, (UnaryOp)op.op, a, out);
        return st == ST_DEFER ? by_code(vm, unary_names[op.op].method, args, 1, out) : st;
    case FORM_NOT: return negation(vm, a, out);
    default: return membership(vm, a, b, op.form == FORM_NOT_IN, out);
    }
}

NacreStatus nacre_operator(NacreVm *handle, const char *symbol, NacreValue *a, NacreValue *b,
                           NacreValue **out) {
    if (!api_is_open(handle) || !symbol || !api_is_held(handle, a) || !out ||
        (b && !api_is_held(handle, b)))
        return NACRE_MISUSE;
    const Value args[2] = {a->value, b ? b->value : V_UNDEF};
    Value result = V_UNDEF;
    Operator op;
    api_begin(handle);
    Status st =
        (b ? find_binary(symbol, &op) : find_unary(symbol, &op))
            ? carry_out(&handle->vm, op, args, &result)
            : vm_raise(&handle->vm, EXC_ValueError, "'%.20s' is no operator with %d operand%s",
                       symbol, b ? 2 : 1, b ? "s" : "");
    return api_end(handle, st, st == ST_OK ? result : V_UNDEF, out);
}
