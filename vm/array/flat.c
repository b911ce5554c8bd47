// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kind flatiter: a.flat, an array's elements in C order, by index or by iteration.

#include <inttypes.h>
#include <string.h>

#include "vm/array/walk.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

Status array_flat(Vm *vm, Value array, Value *out) {
    Flat *flat = obj_new(vm, K_FLATITER, sizeof *flat);
    if (!flat) return vm_no_memory(vm);
    flat->array = retain(array);
    *out = v_obj(flat);
    return ST_OK;
}

static Flat *flat_of(Value self) {
    return (Flat *)self.obj;
}

static void flat_visit(Obj *obj, Visitor *visitor) {
    if (obj->aux == FLAT_WALK) walk_visit(obj, visitor);
    else visit_value(visitor, ((Flat *)obj)->array);
}

static void flat_drop(Vm *vm, Obj *obj) {
    if (obj->aux == FLAT_WALK) walk_drop(vm, obj);
    else clear(vm, &((Flat *)obj)->array);
}

static size_t flat_size(const Obj *obj) {
    return obj->aux == FLAT_WALK ? sizeof(ArrayWalk) : sizeof(Flat);
}

// --- Elements ----------------------------------------------------------------------------------

static Status flat_next(Vm *vm, Value self, Value *out) {
    Flat *flat = flat_of(self);
    if (flat->index >= array_size(flat->array.array)) return ST_STOP;
    return array_element_at(vm, flat->array.array, flat->index++, out);
}

static Status flat_iter(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self);
    return ST_OK;
}

static Status flat_len(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = array_size(flat_of(self)->array.array);
    return ST_OK;
}

// --- Keys --------------------------------------------------------------------------------------

typedef enum FlatKey { KEY_INT, KEY_MANY } FlatKey;

static Status bad_key(Vm *vm) {
    return vm_raise(vm, EXC_IndexError, "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays "
                    "are valid indices");
}

static Status too_many(Vm *vm, int count) {
    return vm_raise(vm, EXC_IndexError, "too many indices for flat iterator: flat iterator is 1-dimensional, but %d "
                    "were indexed", count);
}

static Status outside(Vm *vm, int64_t i, int64_t size) {
    return vm_raise(vm, EXC_IndexError, "index %" PRId64 " is out of bounds for size %" PRId64, i, size);
}

static Status no_truths(Vm *vm) {
    return vm_raise(vm, EXC_IndexError, "boolean indices for iterators are not supported because of previous behavior "
                    "that was confusing (valid boolean indices are expected to work in the future)");
}

static Status only_element(Vm *vm, Value array, Scalar *out) {
    const char *at = array_read(vm, array.array);
    if (at) *out = dtype_load(array.array->dtype, at);
    return at ? ST_OK : ST_ERROR;
}

// A bool as the only index: all of a single element, or nothing.
static Status truth_key(Vm *vm, bool truth, FlatKey *sort, Value *made) {
    const int64_t none = 0;
    *sort = truth ? KEY_INT : KEY_MANY;
    *made = v_int(0);
    Status st = vm_warn(vm, EXC_DeprecationWarning, "Indexing flat iterators with a 0-dimensional boolean index is "
                        "deprecated and may be removed in a future version. (Deprecated NumPy 2.4)");
    return st == ST_OK && !truth ? array_new(vm, DT_INT64, 1, &none, ROOM_PLACED, made) : st;
}

static Status check_places(Vm *vm, Array *places, int64_t size) {
    const char *at = array_fetch(vm, places, "indexes of a flat iterator are checked there");
    if (!at && array_size(places)) return ST_ERROR;
    for (int64_t n = array_size(places), i; n > 0; n--, at += sizeof i) {
        memcpy(&i, at, sizeof i);
        if (i < -size || i >= size) return outside(vm, i, size);
    }
    return ST_OK;
}

// Converts a key to an index array, in *made.
static Status array_key(Vm *vm, Value self, Value key, Value *made) {
    int64_t size = array_size(flat_of(self)->array.array);
    Value given;
    bool empty = key.kind == K_LIST && key.list->len == 0, is_array = key.kind == K_ARRAY;
    Status st = array_from(vm, key, empty ? DT_INT64 : DT_NONE, &given);
    if (st != ST_OK) return st;
    DType type = given.array->dtype;
    if (type == DT_BOOL && !is_array) st = no_truths(vm);
    else if (type == DT_BOOL && given.array->ndim > 1) st = too_many(vm, given.array->ndim);
    else if (type == DT_BOOL && array_size(given.array) != size)
        st = vm_raise(vm, EXC_IndexError, "boolean index did not match indexed flat iterator along axis 0; size of axis "
                      "is %" PRId64 " but size of corresponding boolean axis is %" PRId64, size,
                      array_size(given.array));
    else if (type != DT_BOOL && !dtype_is_integer(type) && is_array)
        st = vm_raise(vm, EXC_IndexError, "arrays used as indices must be of integer (or boolean) type");
    else if (type != DT_BOOL && !dtype_is_integer(type))
        st = vm_warn(vm, EXC_DeprecationWarning, "Invalid non-array indices for iterator objects are deprecated and "
                     "will be removed in a future version. (Deprecated NumPy 2.4)");
    if (st == ST_OK && type == DT_BOOL) {
        *made = given;
        return ST_OK;
    }
    Value typed = V_UNDEF;
    if (st == ST_OK) st = array_from(vm, given, DT_INT64, &typed);
    if (st == ST_OK) st = array_contiguous(vm, typed, made);
    release(vm, typed);
    release(vm, given);
    if (st == ST_OK) st = check_places(vm, made->array, size);
    return st;
}

// Classifies a key. Unless undefined, `made` (owned) replaces it.
static Status key_sort(Vm *vm, Value self, Value key, FlatKey *sort, Value *made) {
    *made = V_UNDEF;
    *sort = KEY_MANY;
    if (key.kind == K_TUPLE && key.tuple->len == 1) {
        key = key.tuple->items[0];
        if (key.kind == K_SLICE || key.kind == K_ELLIPSIS) *made = retain(key);
    } else if (key.kind == K_TUPLE && key.tuple->len) {
        for (size_t i = 0; i < key.tuple->len; i++) {
            uint32_t kind = key.tuple->items[i].kind;
            if (kind == K_NONE || kind == K_STR || kind == K_BYTES || kind == K_ELLIPSIS) return bad_key(vm);
        }
        return too_many(vm, (int)key.tuple->len);
    } else if (key.kind == K_TUPLE) {
        *made = (Value){.kind = K_ELLIPSIS};
        return ST_OK;
    }
    if (key.kind == K_ELLIPSIS || key.kind == K_SLICE) return ST_OK;
    if (key.kind == K_BOOL) return truth_key(vm, key.i, sort, made);
    if (key.kind == K_SCALAR && scalar_dtype(key) == DT_BOOL) return no_truths(vm);
    if (key.kind == K_ARRAY && key.array->ndim == 0 && key.array->dtype == DT_BOOL) {
        Scalar s;
        Status st = only_element(vm, key, &s);
        return st == ST_OK ? truth_key(vm, s.i, sort, made) : st;
    }
    bool integer = key.kind == K_INT || key.kind == K_BIGINT ||
                   (key.kind == K_SCALAR && dtype_is_integer((DType)key.aux)) ||
                   (key.kind == K_ARRAY && key.array->ndim == 0 && dtype_is_integer(key.array->dtype));
    if (integer) {
        *sort = KEY_INT;
        *made = retain(key);
        return ST_OK;
    }
    bool single = key.kind == K_FLOAT || key.kind == K_COMPLEX || is_numpy_scalar(key);
    if (!single && key.kind != K_LIST && key.kind != K_ARRAY) return bad_key(vm);
    Status st = array_key(vm, self, key, made);
    if (st != ST_OK || made->array->ndim > 0) return st;
    Scalar s;
    st = only_element(vm, *made, &s);
    *sort = KEY_INT;
    replace(vm, made, v_int(s.i));
    return st;
}

static Status key_number(Vm *vm, Value self, Value key, int64_t *out) {
    int64_t size = array_size(flat_of(self)->array.array), i;
    Status st = array_long(vm, key, &i);
    if (st != ST_OK) return st;
    if (i < -size || i >= size) return outside(vm, i, size);
    *out = i < 0 ? i + size : i;
    return ST_OK;
}

// Reads several elements from the flat array; the result is a copy.
static Status get_many(Vm *vm, Value array, Value key, Value *out) {
    Value flat, part;
    Status st = array_ravel(vm, array, false, &flat);
    if (st != ST_OK) return st;
    st = array_getitem(vm, flat, key, &part);
    release(vm, flat);
    if (st != ST_OK || part.array->base.kind == K_UNDEF) {
        if (st == ST_OK) *out = part;
        return st;
    }
    st = array_copy(vm, part, part.array->dtype, out);
    release(vm, part);
    return st;
}

static Status flat_getitem(Vm *vm, Value self, Value key, Value *out) {
    FlatKey sort;
    Value made, array = flat_of(self)->array;
    int64_t i;
    flat_of(self)->index = 0; // restarts, as NumPy's does
    Status st = key_sort(vm, self, key, &sort, &made);
    if (st == ST_OK && sort == KEY_INT) {
        st = key_number(vm, self, made, &i);
        if (st == ST_OK) st = array_element_at(vm, array.array, i, out);
    } else if (st == ST_OK) {
        st = get_many(vm, array, made.kind == K_UNDEF ? key : made, out);
    }
    release(vm, made);
    return st;
}

// --- Assignment --------------------------------------------------------------------------------

// A flat array of `count` values, repeating them as needed.
static Status repeated(Vm *vm, Value values, int64_t count, Value *out) {
    Value flat, made = V_UNDEF;
    Status st = array_ravel(vm, values, false, &flat);
    if (st != ST_OK) return st;
    st = array_new(vm, values.array->dtype, 1, &count, ROOM_PLACED, &made);
    int64_t len = array_size(flat.array);
    View to, from;
    array_view(flat.array, &from);
    if (st == ST_OK) array_view(made.array, &to);
    if (st == ST_OK && len == 1) st = array_assign(vm, &to, flat);
    for (int64_t done = 0; st == ST_OK && len > 1 && done < count; done += len) {
        View part = to;
        Value some;
        part.offset += done * to.strides[0];
        part.shape[0] = from.shape[0] = count - done < len ? count - done : len;
        st = array_of_view(vm, &from, flat, &some);
        if (st != ST_OK) break;
        st = array_assign(vm, &part, some);
        release(vm, some);
    }
    release(vm, flat);
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

static Status selected_count(Vm *vm, Value flat, Value key, int64_t *out) {
    Value part;
    Status st = array_getitem(vm, flat, key, &part);
    if (st != ST_OK) return st;
    *out = array_size(part.array);
    release(vm, part);
    return st;
}

// flat[key] = values for a one-dimensional `flat`.
static Status assign_flat(Vm *vm, Value flat, Value key, Value values) {
    int64_t count;
    Value source, same;
    Status st = selected_count(vm, flat, key, &count);
    if (st != ST_OK || count == 0 || array_size(values.array) == 0) return st;
    st = repeated(vm, values, count, &source);
    if (st != ST_OK) return st;
    bool shaped = key.kind == K_ARRAY && key.array->ndim > 1;
    if (shaped) {
        st = array_reshape(vm, source, array_shape(key.array), key.array->ndim, &same);
        if (st == ST_OK) replace(vm, &source, same);
    }
    if (st == ST_OK) st = array_setitem(vm, flat, key, source);
    release(vm, source);
    return st;
}

// A non-contiguous array is changed in a copy, which is then written back.
static Status set_many(Vm *vm, Value array, Value key, Value values) {
    Value flat, shaped;
    View to;
    Status st = array_ravel(vm, array, false, &flat);
    if (st != ST_OK) return st;
    st = assign_flat(vm, flat, key, values);
    if (st == ST_OK && flat.array->storage != array.array->storage) {
        array_view(array.array, &to);
        st = array_reshape(vm, flat, to.shape, to.ndim, &shaped);
        if (st == ST_OK) {
            st = array_assign(vm, &to, shaped);
            release(vm, shaped);
        }
    }
    release(vm, flat);
    return st;
}

static Status set_element(Vm *vm, Array *array, int64_t i, Value value) {
    Scalar s;
    if (value.kind == K_FLOAT && array->dtype == DT_FLOAT64) s.f = value.f;
    else if (element_from(vm, value, array->dtype, &s) != ST_OK)
        return vm_raise(vm, EXC_ValueError, "Error setting single item of array.");
    return array_put_element(vm, array, array_offset_of(array, i), s);
}

Status array_set_flat(Vm *vm, Value array, Value key, Value value) {
    Value values;
    Status st = array_check_writeable(vm, array.array, "array");
    if (st == ST_OK) st = array_from(vm, value, array.array->dtype, &values);
    if (st != ST_OK) return st;
    st = set_many(vm, array, key, values);
    release(vm, values);
    return st;
}

static Status flat_setitem(Vm *vm, Value self, Value key, Value value) {
    FlatKey sort;
    Value made, array = flat_of(self)->array;
    int64_t i;
    flat_of(self)->index = 0; // restarts, as NumPy's does
    Status st = array_check_writeable(vm, array.array, "underlying array");
    if (st != ST_OK) return st;
    if (key.kind == K_TUPLE && key.tuple->len == 0)
        return vm_raise(vm, EXC_IndexError, "Assigning to a flat iterator with a 0-D index is not supported");
    st = key_sort(vm, self, key, &sort, &made);
    if (st == ST_OK && sort == KEY_INT) {
        st = key_number(vm, self, made, &i);
        if (st == ST_OK) st = set_element(vm, array.array, i, value);
    } else if (st == ST_OK) {
        st = array_set_flat(vm, array, made.kind == K_UNDEF ? key : made, value);
    }
    release(vm, made);
    return st;
}

// --- Methods, attributes ------------------------------------------------------------------------

static Status flat_contains(Vm *vm, Value self, Value item, bool *out) {
    return op_contains(vm, flat_of(self)->array, item, out);
}

// Compares as the flat array.
static Status flat_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    Value flat;
    if (a.kind != K_FLATITER) return ST_NOTIMPL;
    Status st = array_ravel(vm, flat_of(a)->array, false, &flat);
    if (st != ST_OK) return st;
    st = array_compare(vm, op, flat, b, out);
    release(vm, flat);
    return st;
}

Status array_of_flat(Vm *vm, Value flat, Value *out) {
    return array_ravel(vm, flat_of(flat)->array, true, out);
}

static Status m_copy(Vm *vm, const Value *args, Value *out) {
    return array_of_flat(vm, args[0], out);
}

static Status get_base(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(flat_of(self)->array);
    return ST_OK;
}

static Status get_index(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(flat_of(self)->index);
    return ST_OK;
}

static Status get_coords(Vm *vm, Value self, Value *out) {
    Value items[NDIM_MAX];
    Array *array = flat_of(self)->array.array;
    int64_t i = flat_of(self)->index;
    for (int d = array->ndim - 1; d >= 0; d--) {
        int64_t extent = array_shape(array)[d];
        items[d] = v_int(d > 0 && extent > 0 ? i % extent : i);
        if (extent > 0) i /= extent;
    }
    return tuple_of(vm, items, (size_t)array->ndim, out);
}

static const NativeDef methods[] = {
    {"copy", "self, /", m_copy, NULL, PURE},
    {"__array__", "self, /", m_copy, NULL, PURE},
    {0},
};

static const AttrDef attrs[] = {
    {"base", get_base, NULL}, {"index", get_index, NULL}, {"coords", get_coords, NULL}, {0},
};

const TypeSlots kind_FLATITER = {
    .visit = flat_visit,
    .drop = flat_drop,
    .size = flat_size,
    .compare = flat_compare,
    .len = flat_len,
    .getitem = flat_getitem,
    .setitem = flat_setitem,
    .contains = flat_contains,
    .iter = flat_iter,
    .next = flat_next,
    .methods = methods,
    .attrs = attrs,
    .doc = "All elements of an array in C order: they can be walked through, and read and written by number.",
};
