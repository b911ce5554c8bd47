// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Makes and frees the value layer of a VM: names, shared objects, classes of kinds.

#include "vm/value/vm.h"

#include <string.h>

#include "vm/value/asking.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/func.h"
#include "vm/value/object.h"
#include "vm/value/seq.h"
#include "vm/value/shape.h"
#include "vm/value/stepper.h"
#include "vm/value/str.h"
#include "vm/value/warnings.h"
#include "vm/value/weak.h"

enum { FIRST_GC_THRESHOLD = 10000, FIRST_GC_BYTES = 1 << 28 };

static const char *const name_texts[NAME_COUNT] = {
#define NAME(id, text) text,
#include "vm/value/names.def"
#undef NAME
#define BINARY(name, symbol, method, reflected, in_place) method, reflected, in_place,
#define COMPARE(name, symbol, method, reflected)          method,
#define UNARY(name, symbol, method)                       method,
#include "vm/value/ops.def"
};

static bool init_texts(Vm *vm) {
    vm->empty_str = str_intern(vm, "", 0);
    if (!vm->empty_str) return false;
    for (int i = 0; i < 128; i++) {
        char letter = (char)i;
        vm->letters[i] = str_intern(vm, &letter, 1);
        if (!vm->letters[i]) return false;
    }
    for (int i = 0; i < NAME_COUNT; i++) {
        vm->names[i] = str_intern(vm, name_texts[i], strlen(name_texts[i]));
        if (!vm->names[i]) return false;
    }
    return true;
}

static Class *base_of_kind(Vm *vm, Kind kind) {
    if (kind == K_INSTANCE) return NULL;
    return kind == K_BOOL ? vm->classes[K_INT] : vm->object_class;
}

static bool init_class(Vm *vm, Kind kind) {
    if (vm->classes[kind]) return true;
    vm->classes[kind] = class_builtin(vm, kind_names[kind], base_of_kind(vm, kind), kind);
    return vm->classes[kind] != NULL;
}

static bool init_classes(Vm *vm) {
    if (!init_class(vm, K_INSTANCE)) return false;
    vm->object_class = retain(v_obj(vm->classes[K_INSTANCE])).cls;
    if (!init_class(vm, K_INT)) return false;
    vm->classes[K_BIGINT] = retain(v_obj(vm->classes[K_INT])).cls;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (!init_class(vm, (Kind)kind)) return false;
    vm->static_class = class_builtin(vm, "staticmethod", vm->object_class, K_DESCR);
    vm->classmethod_class = class_builtin(vm, "classmethod", vm->object_class, K_DESCR);
    if (!vm->static_class || !vm->classmethod_class) return false;
    dict_clear(vm, vm->static_class->dict); // getter, setter, deleter are property's
    dict_clear(vm, vm->classmethod_class->dict);
    Class *wrappers[2] = {vm->static_class, vm->classmethod_class};
    for (int i = 0; i < 2; i++)
        if (natives_into_dict(vm, wrappers[i]->dict, descr_binding, v_obj(wrappers[i])) != ST_OK)
            return false;
    if (native_new(vm, &attr_asking, V_UNDEF, &vm->asking) != ST_OK) return false;
    for (int i = 0; i < 3; i++) {
        vm->view_classes[i] = class_builtin(vm, dict_view_names[i], vm->object_class, K_DICTVIEW);
        if (!vm->view_classes[i]) return false;
    }
    dict_del_str(vm, vm->view_classes[VIEW_VALUES]->dict, vm_name(vm, NAME_isdisjoint));
    return true;
}

// The row of the first exception has `object` for its base; all others name an earlier row.
static bool init_exceptions(Vm *vm) {
    enum { EXC_object = -1 };
    static const int bases[EXC_COUNT] = {
#define EXC(name, base) EXC_##base,
#include "vm/value/exceptions.def"
#undef EXC
    };
    static const char *const names[EXC_COUNT] = {
#define EXC(name, base) #name,
#include "vm/value/exceptions.def"
#undef EXC
    };
    for (int i = 0; i < EXC_COUNT; i++) {
        Class *base = bases[i] == EXC_object ? vm->object_class : vm->exceptions[bases[i]];
        Class *both[2] = {base, vm->exceptions[EXC_IndexError]};
        vm->exceptions[i] = class_exception(vm, names[i], both, i == EXC_AxisError ? 2 : 1, i);
        if (!vm->exceptions[i]) return false;
    }
    return exc_new(vm, vm->exceptions[EXC_MemoryError], v_obj(vm->empty_tuple), &vm->no_memory) ==
           ST_OK;
}

bool vm_value_init(Vm *vm) {
    vm->gc_list.prev = vm->gc_list.next = &vm->gc_list;
    vm->gc_threshold = FIRST_GC_THRESHOLD;
    vm->gc_made_most = FIRST_GC_BYTES;
    vm->print = (PrintOptions)PRINT_OPTIONS_DEFAULT;
    vm->float_errors = (FloatErrors)FLOAT_ERRORS_DEFAULT;
    if (!init_texts(vm)) return false;
    vm->empty_tuple = tuple_new(vm, 0);
    vm->builtins = dict_new(vm);
    vm->modules = dict_new(vm);
    if (!vm->empty_tuple || !vm->builtins || !vm->modules) return false;
    return init_classes(vm) && init_exceptions(vm);
}

static void release_classes(Vm *vm) {
    for (int i = 0; i < KIND_COUNT; i++) release_obj(vm, vm->classes[i]);
    for (int i = 0; i < EXC_COUNT; i++) release_obj(vm, vm->exceptions[i]);
    release_obj(vm, vm->object_class);
    clear(vm, &vm->asking);
    release_obj(vm, vm->static_class);
    release_obj(vm, vm->classmethod_class);
    memset(vm->classes, 0, sizeof vm->classes);
    memset(vm->exceptions, 0, sizeof vm->exceptions);
    for (int i = 0; i < STEPPER_CLASSES; i++) {
        release_obj(vm, vm->stepper_classes[i]);
        vm->stepper_classes[i] = NULL;
    }
    for (int i = 0; i < 3; i++) {
        release_obj(vm, vm->view_classes[i]);
        vm->view_classes[i] = NULL;
    }
    for (int i = 0; i < SCALAR_CLASSES; i++) {
        release_obj(vm, vm->scalar_classes[i]);
        vm->scalar_classes[i] = NULL;
    }
    vm->object_class = vm->static_class = vm->classmethod_class = NULL;
}

static void release_texts(Vm *vm) {
    for (int i = 0; i < NAME_COUNT; i++) release_obj(vm, vm->names[i]);
    for (int i = 0; i < 128; i++) release_obj(vm, vm->letters[i]);
    release_obj(vm, vm->empty_str);
    memset(vm->names, 0, sizeof vm->names);
    memset(vm->letters, 0, sizeof vm->letters);
    vm->empty_str = NULL;
    if (vm->interned)
        mem_free(&vm->mem, vm->interned, ((size_t)vm->interned_mask + 1) * sizeof *vm->interned);
    vm->interned = NULL;
    vm->interned_mask = vm->interned_count = 0;
}

void vm_value_free(Vm *vm) {
    if (!vm->gc_list.next) return; // vm_value_init was never called
    vm_clear_error(vm);
    vm_clear_tail(vm);
    ask_forget(vm);
    clear(vm, &vm->no_memory);
    release_obj(vm, vm->modules);
    release_obj(vm, vm->builtins);
    warnings_free(vm);
    vm->modules = vm->builtins = NULL;
    release_obj(vm, vm->print.nan);
    release_obj(vm, vm->print.inf);
    vm->print = (PrintOptions)PRINT_OPTIONS_DEFAULT;
    signatures_free(vm);
    release_classes(vm);
    gc_collect(vm);
    weak_free(vm);
    release_obj(vm, vm->empty_tuple);
    vm->empty_tuple = NULL;
    release_texts(vm);
}

void vm_value_visit(Vm *vm, Visitor *visitor) {
    visit_value(visitor, vm->error);
    visit_value(visitor, vm->no_memory);
    visit_value(visitor, vm->asked);
    visit_value(visitor, vm->tail.callee);
    for (int i = 0; i < TAIL_ARGS; i++) visit_value(visitor, vm->tail.args[i]);
    visit_value(visitor, vm->tail.more);
    visit_value(visitor, vm->tail.kwargs);
    visit_obj(visitor, vm->empty_tuple);
    for (int i = 0; i < KIND_COUNT; i++) visit_obj(visitor, vm->classes[i]);
    for (int i = 0; i < EXC_COUNT; i++) visit_obj(visitor, vm->exceptions[i]);
    visit_obj(visitor, vm->object_class);
    visit_value(visitor, vm->asking);
    visit_obj(visitor, vm->static_class);
    visit_obj(visitor, vm->classmethod_class);
    for (int i = 0; i < 3; i++) visit_obj(visitor, vm->view_classes[i]);
    for (int i = 0; i < STEPPER_CLASSES; i++) visit_obj(visitor, vm->stepper_classes[i]);
    for (int i = 0; i < SCALAR_CLASSES; i++) visit_obj(visitor, vm->scalar_classes[i]);
    visit_obj(visitor, vm->builtins);
    visit_obj(visitor, vm->warned);
    visit_obj(visitor, vm->warning_rules);
    visit_obj(visitor, vm->warnings_heard);
    visit_obj(visitor, vm->modules);
    weak_visit(vm, visitor);
    for (size_t i = 0; i < vm->signature_cap; i++)
        if (vm->signatures[i]) visit_value(visitor, vm->signatures[i]->owner);
}

static const char *descr_name(const Descr *descr) {
    return descr->role == DESCR_PROPERTY       ? "property"
           : descr->role == DESCR_STATICMETHOD ? "staticmethod"
                                               : "classmethod";
}

static const char *iter_name(const Iter *it) {
    switch ((IterRole)it->gc.obj.aux) {
    case ITER_RANGE: return "range_iterator";
    case ITER_BIG_RANGE: return "longrange_iterator";
    case ITER_LIST: return "list_iterator";
    case ITER_LIST_REVERSED: return "list_reverseiterator";
    case ITER_TUPLE: return "tuple_iterator";
    case ITER_STR:
        return it->over.kind == K_STR && str_is_ascii(it->over.str) ? "str_ascii_iterator"
                                                                    : "str_iterator";
    case ITER_BYTES: return "bytes_iterator";
    case ITER_DICT_KEYS: return "dict_keyiterator";
    case ITER_DICT_VALUES: return "dict_valueiterator";
    case ITER_DICT_ITEMS: return "dict_itemiterator";
    case ITER_DICT_REVERSED: return "dict_reversekeyiterator";
    case ITER_SET: return "set_iterator";
    case ITER_ENUMERATE: return "enumerate";
    case ITER_ZIP: return "zip";
    case ITER_GETITEM_REVERSED:
    case ITER_TUPLE_REVERSED: return "reversed";
    case ITER_GRID: return "map";
    case ITER_DEQUE: return "_collections._deque_iterator";
    case ITER_DEQUE_REVERSED: return "_collections._deque_reverse_iterator";
    case ITER_ARRAY:
    case ITER_FILE: break;
    }
    return "iterator";
}

const char *argument_type_name(Vm *vm, Value v) {
    return v.kind == K_NONE ? "None" : type_name(vm, v);
}

const char *type_name(Vm *vm, Value v) {
    switch (v.kind) {
    case K_INSTANCE: return v.inst->cls->name->data;
    case K_CLASS: return class_of(vm, v)->name->data;
    case K_DESCR: return descr_name((const Descr *)v.obj);
    case K_ITER: return iter_name(v.iter);
    case K_STEPPER: return stepper_name((StepRole)v.obj->aux);
    case K_DICTVIEW: return dict_view_names[v.obj->aux];
    case K_NATIVE:
        return v.native->owner.kind == K_CLASS ? "method_descriptor" : kind_names[K_NATIVE];
    case K_SCALAR:
    case K_COMPLEX_SCALAR: return class_of(vm, v)->qualname->data;
    case K_ARRAY: return "numpy.ndarray";
    case K_FLAGS: return "numpy._core.multiarray.flagsobj";
    case K_FLATITER: return "numpy.flatiter";
    case K_DEQUE: return "collections.deque";
    case K_PATTERN: return "re.Pattern";
    case K_MATCH: return "re.Match";
    case K_BOUND: return kind_names[v.bound->func.kind == K_NATIVE ? K_NATIVE : K_BOUND];
    default: return vm->classes[v.kind] ? vm->classes[v.kind]->name->data : kind_names[v.kind];
    }
}

// Returns the class of a native iterator: that of zip, enumerate … has the class that the program calls, as the
// stepper for the same role has.
static Class *iter_class(Vm *vm, const Iter *it) {
    Class *cls = NULL;
    switch ((IterRole)it->gc.obj.aux) {
    case ITER_ENUMERATE: cls = vm->stepper_classes[STEPPER_ENUMERATE]; break;
    case ITER_ZIP: cls = vm->stepper_classes[STEPPER_ZIP]; break;
    case ITER_GETITEM_REVERSED:
    case ITER_TUPLE_REVERSED: cls = vm->stepper_classes[STEPPER_REVERSED]; break;
    case ITER_GRID: cls = vm->stepper_classes[STEPPER_MAP]; break;
    default: break;
    }
    return cls ? cls : vm->classes[K_ITER];
}

Class *class_of(Vm *vm, Value v) {
    if (v.kind == K_INSTANCE) return v.inst->cls;
    if (v.kind == K_CLASS && v.cls->meta) return v.cls->meta;
    if (v.kind == K_DESCR && v.descr->role == DESCR_STATICMETHOD) return vm->static_class;
    if (v.kind == K_DESCR && v.descr->role == DESCR_CLASSMETHOD) return vm->classmethod_class;
    if (v.kind == K_DICTVIEW) return vm->view_classes[v.obj->aux];
    if (v.kind == K_STEPPER) return vm->stepper_classes[v.obj->aux];
    if (v.kind == K_ITER) return iter_class(vm, v.iter);
    if (is_numpy_scalar(v) && vm->scalar_classes[numpy_dtype(v)])
        return vm->scalar_classes[numpy_dtype(v)];
    if (v.kind == K_BOUND && v.bound->func.kind == K_NATIVE) return vm->classes[K_NATIVE];
    return vm->classes[v.kind];
}
