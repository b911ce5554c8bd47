// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Checks the parts of a code object other than its instructions: counts, names, constants.

#include <string.h>

#include "lang/unit.h"

// ---- text ---------------------------------------------------------------------------------------

// Returns the length of the UTF-8 sequence at `text`, or 0 if it is invalid: overlong, truncated or
// beyond U+10FFFF. Surrogates are allowed.
static size_t character_length(const unsigned char *text, size_t left) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = text[0];
    if (lead < 0x80) return 1;
    size_t len = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || len > left) return 0;
    uint32_t point = lead & (0x7Fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((text[i] & 0xC0) != 0x80) return 0;
        point = point << 6 | (text[i] & 0x3Fu);
    }
    return point < smallest[len] || point > 0x10FFFF ? 0 : len;
}

bool verify_text(const char *text, size_t len) {
    const unsigned char *at = (const unsigned char *)text;
    while (len > 0) {
        size_t step = character_length(at, len);
        if (step == 0) return false;
        at += step;
        len -= step;
    }
    return true;
}

static bool good_name(const char *name) {
    return name && verify_text(name, strlen(name));
}

// ---- constants ----------------------------------------------------------------------------------

static bool good_digits(const BcConst *value) {
    int base = value->base;
    if (base != 2 && base != 8 && base != 10 && base != 16) return false;
    for (uint32_t i = 0; i < value->len; i++) {
        char c = value->text[i];
        int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
        bool letter = (c | 32) >= 'a' && (c | 32) <= 'f';
        if (!(c >= '0' && c <= '9') && !letter) return false;
        if (digit >= base) return false;
    }
    return value->len > 0;
}

const char *verify_constant(const BcConst *value, uint32_t depth) {
    if (depth > UNIT_MAX_NESTING) return "constants nested too deeply";
    switch (value->kind) {
    case BC_NONE:
    case BC_TRUE:
    case BC_FALSE:
    case BC_ELLIPSIS:
    case BC_INT:
    case BC_FLOAT:
    case BC_IMAG:
    case BC_BYTES: return NULL;
    case BC_BIG: return good_digits(value) ? NULL : "bad digits";
    case BC_STR: return verify_text(value->text, value->len) ? NULL : "bad text";
    case BC_CODE: return value->code ? NULL : "no code";
    case BC_TUPLE:
        for (uint32_t i = 0; i < value->len; i++) {
            if (value->items[i].kind == BC_CODE) return "code in a tuple";
            const char *wrong = verify_constant(&value->items[i], depth + 1);
            if (wrong) return wrong;
        }
        return NULL;
    }
    return "bad kind of constant";
}

// ---- counts and names ---------------------------------------------------------------------------

static uint32_t param_count(const BcCode *code) {
    return (uint32_t)code->positional + code->keyword_only + !!(code->flags & BC_VARARGS) +
           !!(code->flags & BC_VARKW);
}

static bool good_flags(const BcCode *code) {
    const uint32_t all = BC_MODULE | BC_CLASS_BODY | BC_GENERATOR | BC_VARARGS | BC_VARKW |
                         BC_LAMBDA | BC_COMPREHENSION | BC_HAS_DOC | BC_LOCALS;
    const uint32_t bodies = BC_MODULE | BC_CLASS_BODY;
    if (code->flags & ~all) return false;
    if ((code->flags & bodies) == bodies) return false;
    if (code->flags & bodies) return !(code->flags & BC_GENERATOR) && param_count(code) == 0;
    return !(code->flags & BC_COMPREHENSION) || (code->positional == 1 && param_count(code) == 1);
}

const char *verify_header(const BcCode *code) {
    if (!good_flags(code)) return "bad flags";
    if (code->positional_only > code->positional) return "bad parameter counts";
    if (param_count(code) > code->local_count) return "more parameters than locals";
    if (code->local_count > code->reg_count || code->reg_count > MAX_REGS) {
        return "bad register counts";
    }
    if (code->const_count > MAX_CONSTS) return "too many constants";
    if (!good_name(code->name) || !good_name(code->qualname)) return "bad name";
    for (uint32_t i = 0; i < code->local_count; i++) {
        if (!good_name(code->local_names[i])) return "bad name of a local";
    }
    for (uint32_t i = 0; i < code->capture_count; i++) {
        if (!good_name(code->captures[i].name)) return "bad name of a free variable";
    }
    if (code->capture_count > MAX_REGS) return "too many free variables";
    bool doc = code->flags & BC_HAS_DOC;
    if (doc && (code->const_count == 0 || code->consts[0].kind != BC_STR)) return "no docstring";
    return NULL;
}
