// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kind flagsobj: the .flags of an array, as attributes and by name.

#include "vm/array/array.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

typedef struct FlagsObj {
    GcObj gc;
    Value array; // owned
} FlagsObj;

Status array_flags(Vm *vm, Value array, Value *out) {
    FlagsObj *flags = obj_new(vm, K_FLAGS, sizeof *flags);
    if (!flags) return vm_no_memory(vm);
    flags->array = retain(array);
    *out = v_obj(flags);
    return ST_OK;
}

static void flags_visit(Obj *obj, Visitor *visitor) {
    visit_value(visitor, ((FlagsObj *)obj)->array);
}

static void flags_drop(Vm *vm, Obj *obj) {
    clear(vm, &((FlagsObj *)obj)->array);
}

static size_t flags_size(const Obj *obj) {
    (void)obj;
    return sizeof(FlagsObj);
}

// --- What they say -----------------------------------------------------------------------------

enum { HAS_C = 1, HAS_F = 2, HAS_OWN = 4, HAS_WRITE = 8, HAS_ALIGNED = 16 };

static unsigned bits_of(Value self) {
    Array *array = ((FlagsObj *)self.obj)->array.array;
    return (array_is_in_order(array, ORDER_C) ? HAS_C : 0) |
           (array_is_in_order(array, ORDER_F) ? HAS_F : 0) |
           (array->base.kind == K_UNDEF ? HAS_OWN : 0) | (array->readonly ? 0 : HAS_WRITE) |
           HAS_ALIGNED;
}

static bool all_of(unsigned bits, unsigned wanted) {
    return (bits & wanted) == wanted;
}

// X(attribute name, key, short key, value as an expression of the bits `b`)
#define FLAGS(X)                                                                                \
    X(c_contiguous, "C_CONTIGUOUS", "C", all_of(b, HAS_C))                                      \
    X(contiguous, "CONTIGUOUS", "", all_of(b, HAS_C))                                           \
    X(f_contiguous, "F_CONTIGUOUS", "F", all_of(b, HAS_F))                                      \
    X(fortran, "FORTRAN", "", all_of(b, HAS_F))                                                 \
    X(owndata, "OWNDATA", "O", all_of(b, HAS_OWN))                                              \
    X(writeable, "WRITEABLE", "W", all_of(b, HAS_WRITE))                                        \
    X(aligned, "ALIGNED", "A", all_of(b, HAS_ALIGNED))                                          \
    X(writebackifcopy, "WRITEBACKIFCOPY", "X", false)                                           \
    X(fnc, "FNC", "", all_of(b, HAS_F) && !all_of(b, HAS_C))                                    \
    X(forc, "FORC", "", (b & (HAS_F | HAS_C)) != 0)                                             \
    X(behaved, "BEHAVED", "B", all_of(b, HAS_ALIGNED | HAS_WRITE))                              \
    X(carray, "CARRAY", "CA", all_of(b, HAS_ALIGNED | HAS_WRITE | HAS_C))                       \
    /* any of these bits, not all, as in NumPy */                                               \
    X(farray, "FARRAY", "FA", (b & (HAS_ALIGNED | HAS_WRITE | HAS_F)) && !(b & HAS_C))

#define X(attribute, key, letter, expression)                            \
    static Status get_##attribute(Vm *vm, Value self, Value *out) {      \
        unsigned b = bits_of(self);                                      \
        (void)vm;                                                        \
        (void)b;                                                         \
        *out = v_bool(expression);                                       \
        return ST_OK;                                                    \
    }
FLAGS(X)
#undef X

static Status get_num(Vm *vm, Value self, Value *out) {
    enum { NUM_C = 1, NUM_F = 2, NUM_OWN = 4, NUM_ALIGNED = 0x100, NUM_WRITE = 0x400 };
    unsigned b = bits_of(self);
    (void)vm;
    *out = v_int((b & HAS_C ? NUM_C : 0) | (b & HAS_F ? NUM_F : 0) | (b & HAS_OWN ? NUM_OWN : 0) |
                 (b & HAS_ALIGNED ? NUM_ALIGNED : 0) | (b & HAS_WRITE ? NUM_WRITE : 0));
    return ST_OK;
}

static Status flags_getitem(Vm *vm, Value self, Value key, Value *out) {
    static const struct {
        const char *key, *letter;
        Status (*get)(Vm *, Value, Value *);
    } names[] = {
#define X(attribute, key, letter, expression) {key, letter, get_##attribute},
        FLAGS(X)
#undef X
    };
    for (size_t i = 0; key.kind == K_STR && i < sizeof names / sizeof *names; i++)
        if (str_is(key.str, names[i].key) || (names[i].letter[0] && str_is(key.str, names[i].letter)))
            return names[i].get(vm, self, out);
    return vm_raise(vm, EXC_KeyError, "Unknown flag");
}

static Status set_writeable(Vm *vm, Value self, Value value) {
    bool writeable;
    Status st = op_truth(vm, value, &writeable);
    return st == ST_OK ? array_set_writeable(vm, ((FlagsObj *)self.obj)->array, writeable) : st;
}

static Status flags_setitem(Vm *vm, Value self, Value key, Value value) {
    if (key.kind == K_STR && (str_is(key.str, "WRITEABLE") || str_is(key.str, "W")))
        return set_writeable(vm, self, value);
    return vm_raise(vm, EXC_KeyError, "Unknown flag");
}

static Status flags_repr(Vm *vm, Value self, Buf *out, int depth) {
    unsigned b = bits_of(self);
    static const struct {
        const char *name;
        unsigned bit;
    } shown[] = {{"C_CONTIGUOUS", HAS_C}, {"F_CONTIGUOUS", HAS_F}, {"OWNDATA", HAS_OWN},
                 {"WRITEABLE", HAS_WRITE}, {"ALIGNED", HAS_ALIGNED}, {"WRITEBACKIFCOPY", 0}};
    (void)vm;
    (void)depth;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        buf_printf(out, "  %s : %s\n", shown[i].name, b & shown[i].bit ? "True" : "False");
    return ST_OK;
}

static Status flags_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    (void)vm;
    if ((op != CMP_EQ && op != CMP_NE) || b.kind != K_FLAGS) return ST_NOTIMPL;
    *out = v_bool((bits_of(a) == bits_of(b)) == (op == CMP_EQ));
    return ST_OK;
}

// If two names are equal, the first is used.
static const AttrDef attrs[] = {
    {"writeable", get_writeable, set_writeable},
#define X(attribute, key, letter, expression) {#attribute, get_##attribute, NULL},
    FLAGS(X)
#undef X
    {"num", get_num, NULL},
    {0},
};

const TypeSlots kind_FLAGS = {
    .visit = flags_visit,
    .drop = flags_drop,
    .size = flags_size,
    .compare = flags_compare,
    .getitem = flags_getitem,
    .setitem = flags_setitem,
    .repr = flags_repr,
    .attrs = attrs,
};
