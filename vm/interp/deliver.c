// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Delivers a frame's result to its caller.

#include "vm/interp/call_state.h"
#include "vm/interp/interp.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

static void advance(Frame *frame) {
    frame->pc += bc_op_info[frame->pc->op].words;
}

static Status store(Vm *vm, Frame *frame, uint16_t dest, Value value) {
    replace(vm, &frame->regs[dest], value);
    advance(frame);
    return ST_OK;
}

Status answer_truth(Vm *vm, Value value, int phase, bool *truth) {
    Status st = ST_OK;
    if (value.kind == K_BOOL || (phase == ANSWER_LEN && value.kind == K_INT))
        *truth = value.i != 0;
    else if (phase == ANSWER_BOOL)
        st = vm_raise(vm, EXC_TypeError, "__bool__ should return bool, returned %s",
                      type_name(vm, value));
    else
        st = vm_raise(vm, EXC_TypeError, "'%s' object cannot be interpreted as an integer",
                      type_name(vm, value));
    if (st == ST_OK && value.i < 0)
        st = vm_raise(vm, EXC_ValueError, "__len__() should return >= 0");
    release(vm, value);
    return st;
}

static Status jump(Vm *vm, Frame *frame, int phase, Value value) {
    bool truth = false;
    if (answer_truth(vm, value, phase, &truth) != ST_OK) return ST_ERROR;
    const Instr *instr = frame->pc;
    if (truth == (instr->op == OP_JUMP_IF)) frame->pc = frame->code->bc->code + instr_wide(*instr);
    else advance(frame);
    return ST_OK;
}

// __contains__ (phase ANSWER_ANY) may answer anything.
static Status truth(Vm *vm, Frame *frame, uint16_t dest, int phase, Value value, bool negate) {
    bool answer = false;
    if (phase != ANSWER_ANY) {
        if (answer_truth(vm, value, phase, &answer) != ST_OK) return ST_ERROR;
        return store(vm, frame, dest, v_bool(answer != negate));
    }
    Status st = op_truth(vm, value, &answer);
    if (st == ST_DEFER) {
        st = ST_OK;
        answer = true;
    }
    release(vm, value);
    return st == ST_OK ? store(vm, frame, dest, v_bool(answer != negate)) : st;
}

static Status loop_item(Vm *vm, Frame *frame, uint16_t dest, Value value) {
    replace(vm, &frame->regs[dest], value);
    frame->pc = frame->code->entry + instr_wide(frame->pc[1]);
    return ST_OK;
}

static Status loop_end(Vm *vm, Frame *frame, Value value) {
    release(vm, value);
    clear(vm, &frame->regs[frame->pc->a]);
    advance(frame);
    return ST_OK;
}

static void kill_operands(Vm *vm, Frame *frame) {
    const Instr *instr = frame->pc;
    if (instr->flags & FLAG_LAST_B) clear(vm, &frame->regs[instr->b]);
    if (instr->flags & FLAG_LAST_C) clear(vm, &frame->regs[instr->c]);
}

static Status binary(Vm *vm, Frame *frame, uint16_t dest, int phase, Value value) {
    Status st = user_binary_again(vm, frame, phase, dest, &value);
    if (st != ST_OK) return st;
    kill_operands(vm, frame);
    return store(vm, frame, dest, value);
}

static Status made_instance(Vm *vm, int ret, uint16_t dest, Value answer, Value instance) {
    if (answer.kind != K_NONE) {
        Status st = vm_raise(vm, EXC_TypeError, "__init__() should return None, not '%s'",
                             type_name(vm, answer));
        release(vm, answer);
        release(vm, instance);
        return st;
    }
    return deliver(vm, (RetKind)ret, dest, 0, instance, V_UNDEF, false);
}

static Status unpack(Vm *vm, Frame *frame, uint16_t dest, Value value) {
    Tuple *tuple = value.tuple;
    for (size_t i = 0; i < tuple->len; i++)
        replace(vm, &frame->regs[dest + i], retain(tuple->items[i]));
    release(vm, value);
    advance(frame);
    return ST_OK;
}

// A sub-generator yielded: so does the generator that delegates to it.
static Status pass_on(Vm *vm, Frame *frame, Value value, bool finished) {
    const Instr *instr = frame->pc;
    if (!finished) return gen_yield(vm, frame, value);
    clear(vm, &frame->regs[instr->b]);
    return store(vm, frame, instr->a, value);
}

static Status stop_with(Vm *vm, Value value) {
    vm_raise_stop(vm, value);
    release(vm, value);
    return ST_ERROR;
}

static Status imported(Vm *vm, Frame *frame, uint16_t dest, Value value, Value module) {
    release(vm, value);
    module.module->importing = false;
    return store(vm, frame, dest, module);
}

static Status cached(Vm *vm, RetKind ret, uint16_t dest, Value value, Value of) {
    Value out;
    Status st = cached_result(vm, of, value, ret, dest, &out);
    release(vm, of);
    return st == ST_OK ? deliver(vm, ret, dest, 0, out, V_UNDEF, false) : st;
}

Status deliver(Vm *vm, RetKind ret, uint16_t dest, int phase, Value value, Value extra,
               bool finished) {
    Frame *frame = vm->interp->frame;
    switch (ret) {
    case RET_STORE:
        return finished ? stop_with(vm, value) : store(vm, frame, dest, value);
    case RET_DISCARD:
        release(vm, value);
        advance(frame);
        return ST_OK;
    case RET_INIT:
        return made_instance(vm, phase, dest, value, extra);
    case RET_JUMP:
        return jump(vm, frame, phase, value);
    case RET_TRUTH:
    case RET_NOT:
        return truth(vm, frame, dest, phase, value, ret == RET_NOT);
    case RET_ITER:
        return check_iterator(vm, &value) == ST_OK ? store(vm, frame, dest, value) : ST_ERROR;
    case RET_NEXT:
        return finished ? loop_end(vm, frame, value)
                        : loop_item(vm, frame, dest, value);
    case RET_BINARY:
        return binary(vm, frame, dest, phase, value);
    case RET_YIELD_FROM:
        return pass_on(vm, frame, value, finished);
    case RET_CLOSE:
        release(vm, value);
        if (!finished) return vm_raise(vm, EXC_RuntimeError, "generator ignored GeneratorExit");
        return store(vm, frame, dest, V_NONE);
    case RET_ABANDONED:
        release(vm, value);
        return ST_OK;
    case RET_CLASS:
        return ST_ERROR; // class bodies end in frame_return
    case RET_UNPACK:
        return unpack(vm, frame, dest, value);
    case RET_STEP:
    case RET_STEP_NEXT:
        return stepping_deliver(vm, ret, value, finished);
    case RET_LOOP_STEP:
    case RET_LOOP_NEXT:
        return stepping_loop(vm, ret, dest, phase, value, extra, finished);
    case RET_CACHED:
        return cached(vm, (RetKind)phase, dest, value, extra);
    case RET_IMPORT:
        return imported(vm, frame, dest, value, extra);
    case RET_EXIT:
        // A generator's end is the host's StopIteration: no frame of this run is left to handle it.
        if (finished) stop_with(vm, value);
        else replace(vm, &vm->interp->result, value);
        return ST_STOP;
    }
    return ST_ERROR;
}

// A generator's own return: its frame goes, its caller learns the value.
static Status generator_return(Vm *vm, Frame *frame, Value value) {
    Gen *gen = frame->gen;
    RetKind ret = (RetKind)frame->ret;
    uint16_t dest = frame->dest;
    int phase = frame_phase(frame);
    Value extra = frame->extra;
    frame->extra = V_UNDEF;
    frame_pop(vm);
    gen->frame = NULL;
    gen->gc.obj.aux = GEN_CLOSED;
    frame_free(vm, frame);
    release_obj(vm, gen);
    return deliver(vm, ret, dest, phase, value, extra, true);
}

static Status class_return(Vm *vm, Frame *frame, Value value) {
    Value plan = frame->extra, space = frame->space, made = V_UNDEF;
    uint16_t dest = frame->dest;
    frame->extra = frame->space = V_UNDEF;
    frame_pop(vm);
    release(vm, value);
    Status st = class_body_done(vm, plan.tuple, space.dict, dest, &made);
    release(vm, plan);
    release(vm, space);
    return st == ST_OK ? deliver(vm, RET_STORE, dest, 0, made, V_UNDEF, false) : st;
}

Status frame_return(Vm *vm, Value value) {
    Frame *frame = vm->interp->frame;
    if (frame->gen) return generator_return(vm, frame, value);
    RetKind ret = (RetKind)frame->ret;
    if (ret == RET_CLASS) return class_return(vm, frame, value);
    uint16_t dest = frame->dest;
    int phase = frame_phase(frame);
    Value extra = frame->extra;
    frame->extra = V_UNDEF;
    frame_pop(vm);
    return deliver(vm, ret, dest, phase, value, extra, false);
}

Status gen_yield(Vm *vm, Frame *frame, Value value) {
    Gen *gen = frame->gen;
    RetKind ret = (RetKind)frame->ret;
    uint16_t dest = frame->dest;
    int phase = frame_phase(frame);
    Value extra = frame->extra;
    frame->extra = V_UNDEF;
    frame_pop(vm);
    gen->gc.obj.aux = GEN_SUSPENDED;
    if (ret == RET_ABANDONED) {
        vm_raise(vm, EXC_RuntimeError, "generator ignored GeneratorExit");
        exc_ignored(vm, v_obj(gen));
    }
    Status st = deliver(vm, ret, dest, phase, value, extra, false);
    release_obj(vm, gen);
    return st;
}
