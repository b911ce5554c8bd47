// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Entering and leaving regions.

#include "vm/jit/enter.h"

#include <fenv.h>
#include <string.h>

#include "vm/graph/fill.h"
#include "vm/jit/items.h"
#include "vm/jit/parts.h"
#include "vm/sched/engine.h"
#include "vm/value/grid.h"
#include "vm/value/object.h"
#include "vm/value/objects.h"
#include "vm/value/seq.h"

void enter_room_free(Vm *vm, EnterRoom *room) {
    for (int i = 0; i < EXIT_ITERS; i++) clear(vm, &room->iters[i]);
    for (int i = 0; i < EXIT_VIEWS; i++) clear(vm, &room->views[i]);
    for (int i = 0; i < MADE_ARRAYS; i++) clear(vm, &room->made[i]);
    mem_free(&vm->mem, room->scratch, SCRATCH_BYTES);
    parallel_room_free(&vm->mem, &room->parallel);
    mem_free(&vm->mem, room->values, room->value_room * sizeof(Value));
}

void enter_room_visit(const EnterRoom *room, Visitor *visitor) {
    for (int i = 0; i < EXIT_ITERS; i++) visit_value(visitor, room->iters[i]);
    for (int i = 0; i < EXIT_VIEWS; i++) visit_value(visitor, room->views[i]);
    for (int i = 0; i < MADE_ARRAYS; i++) visit_value(visitor, room->made[i]);
}

// --- Types -------------------------------------------------------------------------------------

static bool array_fits(const RegionArray *wanted, Value v) {
    if (v.kind != K_ARRAY) return false;
    Array *array = v.array;
    if (array->dtype != (DType)wanted->dtype || array->ndim != wanted->ndim) return false;
    if (wanted->readonly != array->readonly) return false;
    const int64_t *strides = array_strides(array);
    int64_t size = (int64_t)dtype_size(array->dtype), misplaced = array->offset % size;
    for (int d = 0; d < array->ndim; d++) misplaced |= strides[d] % size;
    return misplaced == 0 && wanted->dense == (strides[array->ndim - 1] == size);
}

static bool grid_fits(GridCode code, Value v) {
    if (v.kind != K_ITER || v.obj->aux != ITER_GRID || v.obj->refs != 1) return false;
    if (grid_rank(v.iter) != code.rank || !grid_begins_row(v.iter)) return false;
    return !code.plain || grid_is_plain(v.iter);
}

static bool value_fits(const Variant *variant, VarType type, Value v) {
    switch ((VarKind)type.kind) {
    case VAR_UNDEF: return v.kind == K_UNDEF;
    case VAR_NONE: return v.kind == K_NONE;
    case VAR_BOOL: return v.kind == K_BOOL;
    case VAR_INT: return v.kind == K_INT;
    case VAR_FLOAT: return v.kind == K_FLOAT;
    case VAR_SCALAR: return v.kind == K_SCALAR && v.aux == type.dtype;
    case VAR_ITER:
        return v.kind == K_ITER && v.obj->aux == ITER_RANGE && v.obj->refs == 1 &&
               (type.which == 0 || v.iter->step == 1);
    case VAR_GRID: return grid_fits(grid_of_code(type.dtype), v);
    case VAR_WALK:
        return v.kind == K_ITER && v.obj->aux == ITER_ARRAY && v.obj->refs == 1 &&
               array_fits(&variant->region.arrays[type.dtype], v.iter->over);
    case VAR_CONST: return v_is(v, variant->constants[type.which]);
    case VAR_ARRAY: return array_fits(&variant->region.arrays[type.which], v);
    case VAR_OBJECT: return v.kind != K_UNDEF;
    case VAR_MADE:
    case VAR_VIEW:
    case VAR_EACH:
    case VAR_SLICE:
    case VAR_SHAPE:
    case VAR_BODY:
    case VAR_TUPLE:
    case VAR_METHOD: break; // cannot occur in variables from outside
    }
    return false;
}

static bool source_fits(const Variant *variant, const Source *source, const Frame *frame) {
    Value v = source_value(source, frame);
    return source->known.kind != K_UNDEF ? v_is(v, source->known)
                                         : value_fits(variant, source->type, v);
}

bool variant_fits(Vm *vm, const LoopPlace *place, const Variant *variant, const Frame *frame) {
    // the code does not detect underflow
    if (vm->float_errors.action[FLOAT_UNDERFLOW] != FLOAT_IGNORE) return false;
    for (uint32_t v = 0; v < place_vars(place); v++)
        if (place_is_live(place, place->head, v) &&
            !value_fits(variant, variant->entry[v], place_value(place, frame->regs, v)))
            return false;
    for (int i = 0; i < variant->source_count; i++)
        if (!source_fits(variant, &variant->sources[i], frame)) return false;
    return true;
}

// --- Entering ----------------------------------------------------------------------------------

static Value array_value(const LoopPlace *place, const Variant *variant, const Frame *frame,
                         int a) {
    uint16_t at = variant->array_vars[a];
    return at & ARRAY_OF_SOURCE ? source_value(&variant->sources[at & ~ARRAY_OF_SOURCE], frame)
                                : place_value(place, frame->regs, at);
}

static Array *array_of(const LoopPlace *place, const Variant *variant, const Frame *frame, int a) {
    Value v = array_value(place, variant, frame, a);
    return v.kind == K_ITER ? v.iter->over.array : v.array;
}

bool arrays_are_here(const LoopPlace *place, const Variant *variant, const Frame *frame) {
    for (int a = 0; a < variant->region.array_count; a++) {
        const Storage *storage = array_of(place, variant, frame, a)->storage;
        if (storage->producer || (storage->buffer.valid && !(storage->buffer.valid & PLACE_HOST))) return false;
    }
    return true;
}

bool arrays_are_little(const LoopPlace *place, const Variant *variant, const Frame *frame, int64_t below) {
    for (int a = 0; a < variant->region.array_count; a++) {
        Array *array = array_of(place, variant, frame, a);
        if (array_size(array) >= below || array->storage->buffer.valid == PLACE_DEVICE) return false;
    }
    return true;
}

bool arrays_are_distributed(Vm *vm, const LoopPlace *place, const Variant *variant, const Frame *frame) {
    for (int a = 0; a < variant->region.array_count; a++)
        if (graph_is_distributed(vm, array_of(place, variant, frame, a)->storage)) return true;
    return false;
}

// Runs the pending nodes that the arrays depend on, and brings the elements to the host. ST_NOTIMPL: an array is empty.
static Status get_arrays(Vm *vm, const LoopPlace *place, const Variant *variant,
                         const Frame *frame) {
    for (int a = 0; a < variant->region.array_count; a++) {
        Array *array = array_of(place, variant, frame, a);
        if (array_size(array) == 0) return ST_NOTIMPL;
        const char *at =
            variant->region.arrays[a].written ? array_write(vm, array) : array_read(vm, array);
        if (!at) return ST_ERROR;
    }
    return ST_OK;
}

// Prepares arrays that may stay on a device or distributed; those on a device get host memory without their elements.
// ST_NOTIMPL: an array is empty.
static Status leave_arrays(AwayRun *away, const Frame *frame) {
    for (int a = 0; a < away->variant->region.array_count; a++) {
        away->arrays[a] = array_of(away->place, away->variant, frame, a);
        if (array_size(away->arrays[a]) == 0) return ST_NOTIMPL;
        if (fill_settle(away->vm, away->arrays[a]->storage) != ST_OK) return ST_ERROR;
        away->storages[a] = away->arrays[a]->storage;
    }
    return away->kind == AWAY_DEVICE ? items_open(away) : parts_open(away);
}

static Status put_arrays(Vm *vm, EnterRoom *room, const LoopPlace *place, const Variant *variant,
                         const Frame *frame, AwayRun *away) {
    Status st = away->kind ? leave_arrays(away, frame) : get_arrays(vm, place, variant, frame);
    for (int a = 0; a < variant->region.array_count && st == ST_OK; a++) {
        Array *array = array_of(place, variant, frame, a);
        const RegionArray *wanted = &variant->region.arrays[a];
        RegionSlot *slot = &room->slots[wanted->slot];
        // read only now: running the nodes of one array may move the memory of another
        const char *at = away->kind ? array->storage->buffer.host + array->offset : array_read(vm, array);
        if (!at) return ST_ERROR;
        slot->address = room->bases[a] = (char *)(uintptr_t)at;
        for (int d = 0; d < wanted->ndim; d++) {
            slot[1 + d].i = array_shape(array)[d];
            slot[1 + wanted->ndim + d].i = array_strides(array)[d];
        }
    }
    return st;
}

// Writes the state of a grid iterator to slots; returns the next free one.
static RegionSlot *put_grid(const Iter *it, RegionSlot *slot) {
    int64_t rows = it->index;
    for (int a = 1; a < grid_rank(it); a++) rows /= grid_axis(it, a).length;
    for (int a = 0; a < grid_rank(it); a++) {
        GridAxis axis = grid_axis(it, a);
        int64_t had = a == 0 ? rows : 0;
        (slot++)->i = axis.start + had * axis.step;
        (slot++)->i = axis.step;
        (slot++)->i = axis.length - had;
    }
    for (int a = 1; a < grid_rank(it); a++) {
        (slot++)->i = grid_axis(it, a).start;
        (slot++)->i = grid_axis(it, a).length;
    }
    return slot;
}

static void put_values(EnterRoom *room, const LoopPlace *place, const Variant *variant,
                       const Frame *frame) {
    RegionSlot *slot = room->slots + variant->first_slot;
    for (uint32_t v = 0; v < place_vars(place); v++) {
        VarType type = variant->entry[v];
        if (var_parts(type) == 0) continue;
        Value value = place_value(place, frame->regs, v);
        if (type.kind == VAR_GRID) {
            slot = put_grid(value.iter, slot);
            continue;
        }
        if (type.kind != VAR_ITER) {
            (slot++)->i = type.kind == VAR_WALK ? value.iter->index : value.i;
            continue;
        }
        (slot++)->i = value.iter->index;
        (slot++)->i = value.iter->step;
        (slot++)->i = value.iter->stop;
    }
    for (int i = 0; i < variant->source_count; i++) {
        const Source *source = &variant->sources[i];
        if (source->known.kind == K_UNDEF && var_parts(source->type) > 0)
            room->slots[source->slot].i = source_value(source, frame).i;
    }
}

static Status make_room(Vm *vm, EnterRoom *room, const Variant *variant) {
    if (!mem_grow(&vm->mem, (void **)&room->values, &room->value_room, variant->exit_var_count,
                  sizeof(Value)))
        return vm_no_memory(vm);
    if (variant->region.nest_count > 0 && !room->scratch)
        room->scratch = mem_alloc(&vm->mem, SCRATCH_BYTES);
    if (variant->region.nest_count > 0 && !room->scratch) return vm_no_memory(vm);
    for (int i = 0; i < variant->view_count; i++)
        if (room->views[i].kind == K_UNDEF &&
            array_spare(vm, REGION_DIMS, &room->views[i]) != ST_OK)
            return ST_ERROR;
    for (int i = 0; i < EXIT_ITERS; i++) {
        if (room->iters[i].kind != K_UNDEF) continue;
        Iter *iter = iter_new(vm, ITER_RANGE, V_NONE);
        if (!iter) return vm_no_memory(vm);
        room->iters[i] = v_obj(iter);
    }
    return ST_OK;
}

// --- Leaving -----------------------------------------------------------------------------------

static Value spare_iter(EnterRoom *room) {
    Value made = V_UNDEF;
    for (int i = 0; i < EXIT_ITERS && made.kind == K_UNDEF; i++) {
        made = room->iters[i];
        room->iters[i] = V_UNDEF;
    }
    return made;
}

static Value iter_of(EnterRoom *room, const RegionSlot *slot) {
    Value made = spare_iter(room);
    made.iter->index = slot[0].i;
    made.iter->step = slot[1].i;
    made.iter->stop = slot[2].i;
    return made;
}

// Makes a view of one of the region's arrays, or of one that it made.
static Value view_at(EnterRoom *room, const LoopPlace *place, const Variant *variant,
                     const Frame *frame, VarType type, const RegionSlot *slot) {
    ViewCode code = view_of_code(type.which);
    Value owner, made = V_UNDEF;
    const char *base;
    int64_t dims[2 * REGION_DIMS];
    if (code.owner < FIRST_MADE) {
        owner = v_obj(array_of(place, variant, frame, code.owner));
        base = room->bases[code.owner];
    } else {
        owner = room->made[code.owner - FIRST_MADE];
        base = room->bases_made[code.owner - FIRST_MADE];
    }
    for (int i = 0; i < EXIT_VIEWS && made.kind == K_UNDEF; i++) {
        made = room->views[i];
        room->views[i] = V_UNDEF;
    }
    for (int d = 0; d < 2 * code.ndim; d++) dims[d] = slot[1 + d].i;
    array_become_view(made.array, owner, slot[0].address - base, code.ndim, dims);
    return made;
}

static Value number_of(VarType type, RegionSlot slot) {
    Scalar number = {.i = slot.i};
    if (type.kind == VAR_BOOL) return v_bool(slot.i);
    if (type.kind == VAR_INT) return v_int(slot.i);
    return type.kind == VAR_FLOAT ? v_float(slot.f) : v_scalar((DType)type.dtype, number);
}

// Returns the grid iterator, owned, advanced to the position that the remaining counts in its slots give.
static Value grid_value(Value grid, const RegionSlot *slot) {
    Iter *it = retain(grid).iter;
    int64_t left = slot[2].i;
    for (int a = 1; a < grid_rank(it); a++)
        left = (left - 1) * grid_axis(it, a).length + slot[3 * a + 2].i;
    it->index += it->stop - left;
    it->stop = left;
    return v_obj(it);
}

// Builds a variable's new value, owned, from its slots.
static Value value_of(Vm *vm, EnterRoom *room, const LoopPlace *place, const Variant *variant,
                      const Frame *frame, VarType type, const RegionSlot *slot) {
    switch ((VarKind)type.kind) {
    case VAR_UNDEF: return V_UNDEF;
    case VAR_NONE: return V_NONE;
    case VAR_ITER: return iter_of(room, slot);
    case VAR_WALK: {
        Value walk = retain(place_value(place, frame->regs, type.which));
        walk.iter->index = slot->i;
        return walk;
    }
    case VAR_GRID: return grid_value(place_value(place, frame->regs, type.which), slot);
    case VAR_CONST: return retain(variant->constants[type.which]);
    case VAR_ARRAY: return retain(array_value(place, variant, frame, type.which));
    case VAR_OBJECT: return retain(place_value(place, frame->regs, type.which));
    case VAR_MADE: return retain(room->made[view_of_code(type.which).owner - FIRST_MADE]);
    case VAR_VIEW: return view_at(room, place, variant, frame, type, slot);
    case VAR_EACH: {
        Value each = spare_iter(room);
        each.obj->aux = ITER_ARRAY;
        replace(vm, &each.iter->over, view_at(room, place, variant, frame, type, slot + 1));
        each.iter->index = slot->i;
        return each;
    }
    default: return number_of(type, *slot);
    }
}

// Pushes frames of calls in progress, outermost first, with undefined registers.
static void push_frames(Vm *vm, const Variant *variant, int32_t innermost) {
    int32_t scopes[SCOPES], count = 0;
    for (int32_t s = innermost; s > 0; s = variant->scopes[s].parent) scopes[count++] = s;
    while (count-- > 0) {
        const Scope *scope = &variant->scopes[scopes[count]];
        Frame *caller = vm->interp->frame;
        caller->pc = caller->code->bc->code + scope->call_pc;
        frame_push_reserved(vm, scope->func, scope->dest);
    }
}

// Returns the register of a variable in the frames of an exit, or the global's slot.
static Value *place_of(const Vm *vm, const LoopPlace *place, const Variant *variant,
                       int32_t innermost, uint32_t var) {
    Frame *frame = vm->interp->frame;
    int32_t s = innermost;
    for (; s > 0 && var < variant->scopes[s].base; s = variant->scopes[s].parent)
        frame = frame->prev;
    if (s == 0 && var >= place->reg_count)
        return &place->module->slots[place->globals[var - place->reg_count]];
    return &frame->regs[var - variant->scopes[s].base];
}

static void take_values(Vm *vm, EnterRoom *room, const LoopPlace *place, const Variant *variant,
                        int32_t number) {
    const Exit *exit = &variant->exits[variant->region.exits[number].like];
    const ExitVar *vars = variant->exit_vars + exit->first;
    const RegionSlot *slot = room->slots;
    for (int32_t i = 0; i < exit->count; i++) {
        room->values[i] = value_of(vm, room, place, variant, vm->interp->frame, vars[i].type, slot);
        slot += var_parts(vars[i].type);
    }
    push_frames(vm, variant, exit->scope);
    for (int32_t i = 0; i < exit->count; i++)
        replace(vm, place_of(vm, place, variant, exit->scope, vars[i].var), room->values[i]);
}

// --- Arrays that code makes --------------------------------------------------------------------

typedef struct Runner {
    Vm *vm;
    EnterRoom *room;
    Variant *variant;
    const RegionCalls *calls;
    AwayRun *away;
} Runner;

// Returns whether an array made earlier can be reused: only the region holds it, and it is large enough. Sets the
// wanted extents if so.
static bool serves(Value *made, int type, int ndim, const int64_t *extents) {
    if (made->kind != K_ARRAY) return false;
    Array *array = made->array;
    int64_t bytes = (int64_t)dtype_size((DType)type);
    for (int d = 0; d < ndim; d++) bytes *= extents[d]; // cannot overflow, since code checked it
    if (array->gc.obj.refs != 1 || array->storage->refs != 1) return false;
    if (array->dtype != (DType)type || array->ndim != ndim ||
        (size_t)bytes > array->storage->buffer.bytes)
        return false;
    int64_t stride = (int64_t)dtype_size((DType)type);
    for (int d = ndim - 1; d >= 0; d--) {
        array_shape(array)[d] = extents[d];
        array_strides(array)[d] = stride;
        stride *= extents[d];
    }
    return true;
}

static char *make_array(void *runner, int number, int type, int ndim, const int64_t *extents) {
    Vm *vm = ((Runner *)runner)->vm;
    EnterRoom *room = ((Runner *)runner)->room;
    Value *made = &room->made[number];
    if (serves(made, type, ndim, extents)) return room->bases_made[number];
    clear(vm, made);
    Status st = array_new(vm, (DType)type, ndim, extents, ROOM_EMPTY, made);
    char *at = st == ST_OK ? array_write(vm, made->array) : NULL;
    if (!at) vm_clear_error(vm); // the interpreter will run into the same error
    if (!at) clear(vm, made);
    return room->bases_made[number] = at;
}

static const volatile size_t *stop_of(const Vm *vm) {
    return (const volatile size_t *)&vm->safe_stop;
}

static int64_t run_parallel(void *runner, int number, RegionRoundsFn rounds, RegionSlot *state,
                            const int64_t *values, int64_t *went) {
    const Runner *r = runner;
    const ParallelRun run = {.mem = &r->vm->mem,
                             .room = &r->room->parallel,
                             .region = &r->variant->region,
                             .loop = &r->variant->region.parallels[number],
                             .tally = &r->variant->tallies[number],
                             .rounds = rounds,
                             .slots = r->room->slots,
                             .stop = stop_of(r->vm),
                             .calls = r->calls,
                             .values = values};
    int64_t made = 0;
    if (r->away->st != ST_OK || r->away->leaves) return 0;
    if (r->away->kind == AWAY_RANKS) return parts_make(r->away, &run, state, went);
    if (r->away->kind == AWAY_DEVICE && state[run.loop->count_param].i > 0) {
        made = items_make(r->away, &run, state);
        *went += made;
    }
    return made || r->away->st != ST_OK ? made : parallel_run(&run, state, went);
}

Status enter(Vm *vm, EnterRoom *room, const LoopPlace *place, Variant *variant, Away kind, int32_t *exit,
             int64_t *rounds) {
    const Frame *frame = vm->interp->frame;
    Status st = make_room(vm, room, variant);
    if (st == ST_OK) st = frames_reserve(vm, variant->frame_bytes, variant->frame_count);
    AwayRun away = {.vm = vm, .place = place, .variant = variant, .kind = kind, .slots = room->slots, .st = ST_OK};
    if (st == ST_OK) st = put_arrays(vm, room, place, variant, frame, &away);
    if (st != ST_OK) return st;
    put_values(room, place, variant, frame);
    RegionCalls calls = *engine_region_calls(vm);
    Runner runner = {vm, room, variant, &calls, &away};
    calls.runner = &runner;
    calls.make = make_array;
    calls.parallel = run_parallel;
    calls.scratch = room->scratch;
    feclearexcept(FE_ALL_EXCEPT);
    *exit = variant->run(room->slots, stop_of(vm), rounds, &calls);
    // Before take_values, since the variables may hold the last references to arrays.
    if (kind == AWAY_DEVICE) items_close(&away);
    take_values(vm, room, place, variant, *exit);
    for (int i = 0; i < MADE_ARRAYS; i++) clear(vm, &room->made[i]);
    return away.st;
}
