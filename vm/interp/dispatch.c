// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The dispatch loop. Each instruction does its common cases in place (fast.h) and leaves the rest to
// steps.c, slow.c, operators.c and call.c. Between instructions everything is in frames; `ip` and `frame` are only
// copies.

#include <math.h>

#include "vm/interp/cache.h"
#include "vm/interp/fast.h"
#include "vm/interp/steps.h"
#include "vm/jit/jit.h"
#include "vm/sched/engine.h"
#include "vm/value/deque.h"
#include "vm/value/dict.h"
#include "vm/value/int.h"
#include "vm/value/num.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/stepper.h"
#include "vm/value/str.h"

// Runs the safe point of a back-edge: collects cycles if that is due, polls for interrupts, and runs pending array work
// if that is due.
static Status safe_point(Vm *vm) {
    if (gc_wanted(vm)) gc_collect(vm);
    Status st = vm_poll(vm);
    if (st == ST_OK) st = engine_safe_point(vm);
    safe_point_arm(vm);
    return st;
}

// --- The loop ------------------------------------------------------------------------------------

#define R(n) (regs[n])
#define X(n) (*((n) & CONST_BIT ? &consts[(n) & ~CONST_BIT] : &regs[n]))
#define NEXT(words)                 \
    do {                            \
        ip += (words);              \
        goto *table[ip->op];          \
    } while (0)
#define CASE(name) L_##name:
// Stores a fast path's result in register a and ends the instruction.
#define FAST(words, v)                                 \
    do {                                               \
        store(vm, &R(ip->a), v);                       \
        if (ip->flags & LAST_USES) kill(vm, regs, *ip); \
        NEXT(words);                                   \
    } while (0)
// As FAST, where a conditional jump on the result may follow (FLAG_ALT): AND_JUMP runs it in the same step.
#define FAST_TEST(words, v)                            \
    do {                                               \
        Value fast_ = (v);                             \
        store(vm, &R(ip->a), fast_);                   \
        if (ip->flags) {                               \
            kill(vm, regs, *ip);                       \
            bool plain_ = fast_.kind == K_BOOL || fast_.kind == K_INT; \
            if (ip->flags & FLAG_ALT && plain_) AND_JUMP(words, R(ip->a).i != 0); \
        }                                              \
        NEXT(words);                                   \
    } while (0)
// Loads the loop's variables (regs, consts, ip …) from frame `next`, which runs `function`.
#define TAKE_UP(next, function, from)                  \
    do {                                               \
        frame = (next);                                \
        regs = frame->regs;                            \
        consts = (function)->code->consts;             \
        entry = (function)->code->entry;               \
        module = (function)->module;                   \
        ip = (from);                                   \
    } while (0)
// Continues the running frame at its saved pc.
#define RELOAD()                                       \
    do {                                               \
        TAKE_UP(interp->frame, frame->func, frame->pc); \
        NEXT(0);                                       \
    } while (0)
// Ends an instruction after a slow path: stores `out` in register a, or handles a status other than ST_OK.
#define ANSWER(words)                                  \
    do {                                               \
        if (likely(st == ST_OK)) {                     \
            store(vm, &R(ip->a), v_load(&out));        \
            if (ip->flags & LAST_USES) kill(vm, regs, *ip); \
            NEXT(words);                               \
        }                                              \
        goto not_ok;                                   \
    } while (0)
// Ends an instruction that has no result.
#define DONE(words)                                    \
    do {                                               \
        if (likely(st == ST_OK)) {                     \
            if (ip->flags & LAST_USES) kill(vm, regs, *ip); \
            NEXT(words);                               \
        }                                              \
        goto not_ok;                                   \
    } while (0)
#define SET_IMMEDIATE(slot, v)                         \
    do {                                               \
        Value *slot_ = &(slot);                        \
        if (unlikely(is_heap(*slot_))) store(vm, slot_, v); \
        else v_store(slot_, v);                           \
    } while (0)

// Stores the result of an operator whose operands are immediate values, and ends the instruction.
#define IMMEDIATE_ANSWER(v)          \
    do {                             \
        SET_IMMEDIATE(R(ip->a), v);  \
        NEXT(1);                     \
    } while (0)
#define SMALL_INT ((int64_t)(int16_t)ip->c)

#define ARITHMETIC(name, checked, op)                                                          \
    CASE(name) {                                                                               \
        const Value *a = &X(ip->b), *b = &X(ip->c);                                            \
        int64_t r;                                                                             \
        if (likely(a->kind == K_INT && b->kind == K_INT)) {                                    \
            if (likely(!checked(a->i, b->i, &r))) IMMEDIATE_ANSWER(v_int(r));                  \
        } else if (a->kind == K_FLOAT && b->kind == K_FLOAT) {                                 \
            IMMEDIATE_ANSWER(v_float(a->f op b->f));                                           \
        } else if (a->kind == K_FLOAT && b->kind == K_INT) {                                   \
            IMMEDIATE_ANSWER(v_float(a->f op (double)b->i));                                   \
        } else if (a->kind == K_INT && b->kind == K_FLOAT) {                                   \
            IMMEDIATE_ANSWER(v_float((double)a->i op b->f));                                   \
        }                                                                                      \
        goto binary_slow;                                                                      \
    }                                                                                          \
    CASE(name##_INT) {                                                                         \
        const Value *a = &R(ip->b);                                                            \
        int64_t r;                                                                             \
        if (likely(a->kind == K_INT)) {                                                        \
            if (likely(!checked(a->i, SMALL_INT, &r))) IMMEDIATE_ANSWER(v_int(r));             \
        } else if (a->kind == K_FLOAT) {                                                       \
            IMMEDIATE_ANSWER(v_float(a->f op (double)SMALL_INT));                              \
        }                                                                                      \
        goto binary_int_slow;                                                                  \
    }

// Operators of two ints x and y, computed in place if the condition holds.
#define OF_INTS(name, condition, answer)                                                       \
    CASE(name) {                                                                               \
        const Value *a = &X(ip->b), *b = &X(ip->c);                                            \
        if (likely(a->kind == K_INT && b->kind == K_INT)) {                                    \
            const int64_t x = a->i, y = b->i;                                                  \
            if (likely(condition)) IMMEDIATE_ANSWER(v_int(answer));                            \
        }                                                                                      \
        goto binary_slow;                                                                      \
    }                                                                                          \
    CASE(name##_INT) {                                                                         \
        const Value *a = &R(ip->b);                                                            \
        if (likely(a->kind == K_INT)) {                                                        \
            const int64_t x = a->i, y = SMALL_INT;                                             \
            if (likely(condition)) IMMEDIATE_ANSWER(v_int(answer));                            \
        }                                                                                      \
        goto binary_int_slow;                                                                  \
    }

// Runs the conditional jump on the result that follows (FLAG_ALT) in the same step. Falls through if
// it is a jump back whose safe point is due, for the jump's own instruction to handle.
#define AND_JUMP(words, truth)                                                                 \
    do {                                                                                       \
        const Instr *jump_ = ip + (words);                                                     \
        if ((truth) != (jump_->op == OP_JUMP_IF)) NEXT((words) + 1);                           \
        const Instr *target_ = entry + instr_wide(*jump_);                                     \
        if (likely(target_ > jump_ || !safe_point_due(vm))) {                                  \
            ip = target_;                                                                      \
            NEXT(0);                                                                           \
        }                                                                                      \
    } while (0)

#define COMPARED(truth)                      \
    do {                                     \
        SET_IMMEDIATE(R(ip->a), v_bool(truth)); \
        if (likely(ip->flags & FLAG_ALT)) AND_JUMP(1, truth); \
        NEXT(1);                             \
    } while (0)

#define COMPARISON(name)                                                                       \
    CASE(name) {                                                                               \
        const Value *a = &X(ip->b), *b = &X(ip->c);                                            \
        int truth;                                                                             \
        if (likely(a->kind == K_INT && b->kind == K_INT))                                      \
            truth = compare_ints(OP_##name, a->i, b->i);                                       \
        else if (a->kind == K_FLOAT && b->kind == K_FLOAT)                                     \
            truth = compare_floats(OP_##name, a->f, b->f);                                     \
        else goto compare_slow;                                                                \
        COMPARED(truth);                                                                       \
    }                                                                                          \
    CASE(name##_INT) {                                                                         \
        const Value *a = &R(ip->b);                                                            \
        int truth;                                                                             \
        if (likely(a->kind == K_INT)) truth = compare_ints(OP_##name, a->i, SMALL_INT);        \
        else if (a->kind == K_FLOAT) truth = compare_floats(OP_##name, a->f, (double)SMALL_INT); \
        else goto compare_int_slow;                                                            \
        COMPARED(truth);                                                                       \
    }

// Returns the status of a run whose RET_EXIT frame has left: ST_OK if with a result, ST_ERROR if with an exception, as
// a generator does at its end.
static Status run_ended(const Vm *vm) {
    return vm->error.kind == K_UNDEF ? ST_OK : ST_ERROR;
}

Status interp_run(Vm *vm) {
    static const void *const labels[OP_COUNT] = {
#define OP(name, words, a, b, c) [OP_##name] = &&L_##name,
#include "lang/opcodes.def"
#undef OP
    };
    static const void *const watched[OP_COUNT] = {
#define OP(name, words, a, b, c) [OP_##name] = &&L_watch,
#include "lang/opcodes.def"
#undef OP
    };
    Interp *interp = vm->interp;
    const void *const *table = interp->op_counts || interp->stress ? watched : labels;
    Frame *frame;
    Value *regs, *consts;
    Module *module;
    const Instr *ip, *entry;
    Status st;
    Value out = V_UNDEF;
    RELOAD();

L_watch:
    if (interp->op_counts) interp->op_counts[ip->op]++;
    if (interp->stress && frame->code->bc->marks[ip - frame->code->bc->code]) {
        frame->pc = ip;
        if (interp_verify(vm) != ST_OK) goto error;
    }
    goto *labels[ip->op];

    CASE(NOP) {
        NEXT(1);
    }
    CASE(MOVE) {
        if (ip->flags & FLAG_LAST_B) {
            Value v = v_load(&R(ip->b));
            R(ip->b).kind = K_UNDEF;
            store(vm, &R(ip->a), v);
        } else {
            store(vm, &R(ip->a), retain(v_load(&X(ip->b))));
        }
        NEXT(1);
    }
    CASE(CHECK) {
        if (likely(R(ip->a).kind != K_UNDEF)) NEXT(1);
        frame->pc = ip;
        slow_unbound_local(vm, frame, ip->a);
        goto error;
    }
    CASE(UNDEFINE) {
        clear(vm, &R(ip->a));
        if (unlikely(interp->abandoned)) {
            frame->pc = ip + 1;
            goto abandoned;
        }
        NEXT(1);
    }
    CASE(GLOBAL_GET) {
        uint32_t slot = instr_wide(*ip);
        const Value *found = &module->slots[slot];
        if (found->kind == K_UNDEF) found = &module->builtin[slot];
        if (unlikely(found->kind == K_UNDEF)) {
            frame->pc = ip;
            st = slow_global(vm, module, slot, &out);
            ANSWER(1);
        }
        store(vm, &R(ip->a), retain(v_load(found)));
        NEXT(1);
    }
    CASE(GLOBAL_SET) {
        Value v;
        if (ip->flags & FLAG_LAST_A) {
            v = R(ip->a);
            R(ip->a) = V_UNDEF;
        } else {
            v = retain(X(ip->a));
        }
        store(vm, &module->slots[instr_wide(*ip)], v);
        NEXT(1);
    }
    CASE(GLOBAL_DEL) {
        Value *slot = &module->slots[instr_wide(*ip)];
        if (slot->kind == K_UNDEF) {
            frame->pc = ip;
            slow_unbound_global(vm, module, instr_wide(*ip));
            goto error;
        }
        clear(vm, slot);
        if (unlikely(interp->abandoned)) {
            frame->pc = ip + 1;
            goto abandoned;
        }
        NEXT(1);
    }
    CASE(CELL_NEW) {
        frame->pc = ip;
        Value v = R(ip->a);
        R(ip->a) = V_UNDEF;
        st = cell_new(vm, v, &R(ip->a));
        DONE(1);
    }
    CASE(CELL_GET) {
        Value cell = R(ip->b);
        frame->pc = ip;
        if (unlikely(cell.kind != K_CELL)) goto no_cell;
        if (unlikely(cell.cell->value.kind == K_UNDEF)) {
            slow_unbound_local(vm, frame, ip->b);
            goto error;
        }
        store(vm, &R(ip->a), retain(v_load(&cell.cell->value)));
        NEXT(1);
    }
    CASE(CELL_SET) {
        Value cell = R(ip->a);
        frame->pc = ip;
        if (unlikely(cell.kind != K_CELL)) goto no_cell;
        store(vm, &cell.cell->value, retain(X(ip->b)));
        kill(vm, regs, *ip);
        NEXT(1);
    }
    CASE(CELL_DEL) {
        Value cell = R(ip->a);
        frame->pc = ip;
        if (unlikely(cell.kind != K_CELL)) goto no_cell;
        if (cell.cell->value.kind == K_UNDEF) {
            slow_unbound_local(vm, frame, ip->a);
            goto error;
        }
        clear(vm, &cell.cell->value);
        NEXT(1);
    }
    CASE(FREE_GET) {
        Value v = v_load(&frame->func->cells[ip->b]->value);
        if (unlikely(v.kind == K_UNDEF)) {
            frame->pc = ip;
            slow_unbound_free(vm, frame, ip->b);
            goto error;
        }
        store(vm, &R(ip->a), retain(v));
        NEXT(1);
    }
    CASE(FREE_SET) {
        store(vm, &frame->func->cells[ip->a]->value, retain(X(ip->b)));
        if (ip->flags & FLAG_LAST_B) clear(vm, &R(ip->b));
        NEXT(1);
    }
    CASE(FREE_DEL) {
        Cell *cell = frame->func->cells[ip->a];
        if (cell->value.kind == K_UNDEF) {
            frame->pc = ip;
            slow_unbound_free(vm, frame, ip->a);
            goto error;
        }
        clear(vm, &cell->value);
        NEXT(1);
    }
    CASE(NAME_GET) {
        frame->pc = ip;
        st = slow_name_get(vm, frame, ip, &out);
        ANSWER(2);
    }
    CASE(NAME_SET) {
        frame->pc = ip;
        if (unlikely(frame->space.kind != K_DICT)) goto no_cell;
        st = unlikely(dict_get_str(frame->space.dict, consts[ip->a].str).kind != K_UNDEF)
                 ? step_name_again(vm, frame, consts[ip->a].str, X(ip->b))
                 : dict_set_str(vm, frame->space.dict, consts[ip->a].str, X(ip->b));
        if (st == ST_OK && ip->flags & FLAG_LAST_B) clear(vm, &R(ip->b));
        if (st == ST_OK) NEXT(1);
        goto not_ok;
    }
    CASE(NAME_DEL) {
        frame->pc = ip;
        st = step_name_delete(vm, frame, consts[ip->a].str);
        if (st == ST_OK) NEXT(1);
        goto not_ok;
    }

    ARITHMETIC(ADD, __builtin_add_overflow, +)
    ARITHMETIC(SUB, __builtin_sub_overflow, -)
    ARITHMETIC(MUL, __builtin_mul_overflow, *)
    CASE(DIV) {
        const Value *a = &X(ip->b), *b = &X(ip->c);
        if (a->kind == K_FLOAT && b->kind == K_FLOAT && b->f != 0.0)
            IMMEDIATE_ANSWER(v_float(a->f / b->f));
        if (a->kind == K_FLOAT && b->kind == K_INT && b->i != 0)
            IMMEDIATE_ANSWER(v_float(a->f / (double)b->i));
        goto binary_slow;
    }
    CASE(DIV_INT) {
        const Value *a = &R(ip->b);
        if (a->kind == K_FLOAT && ip->c != 0) IMMEDIATE_ANSWER(v_float(a->f / (double)SMALL_INT));
        goto binary_int_slow;
    }
    OF_INTS(FLOORDIV, y > 0, floor_quotient(x, y))
    OF_INTS(MOD, y > 0, floor_remainder(x, y))
    CASE(POW)
    CASE(MATMUL)
    goto binary_slow;
    CASE(POW_INT)
    CASE(MATMUL_INT)
    goto binary_int_slow;
    OF_INTS(LSHIFT, (uint64_t)y < 63 && shifted_left(x, y) >> y == x, shifted_left(x, y))
    OF_INTS(RSHIFT, (uint64_t)y < 64, x >> y)
    OF_INTS(AND, true, x & y)
    OF_INTS(OR, true, x | y)
    OF_INTS(XOR, true, x ^ y)

binary_int_slow:
    frame->pc = ip;
    st = step_binary(vm, *ip, R(ip->b), v_int(SMALL_INT), &out);
    ANSWER(1);

binary_slow: {
    Value *a = &X(ip->b), *b = &X(ip->c);
    frame->pc = ip;
    if (ip->op == OP_ADD && step_append_text(vm, frame, ip, a, b, &st)) {
        if (st == ST_OK) NEXT(1);
        goto not_ok;
    }
    st = step_binary(vm, *ip, *a, *b, &out);
    ANSWER(1);
}

    COMPARISON(LT)
    COMPARISON(LE)
    COMPARISON(EQ)
    COMPARISON(NE)
    COMPARISON(GT)
    COMPARISON(GE)

compare_int_slow:
    frame->pc = ip;
    st = step_compare(vm, *ip, R(ip->b), v_int(SMALL_INT), &out);
    ANSWER(1);

compare_slow:
    frame->pc = ip;
    st = step_compare(vm, *ip, X(ip->b), X(ip->c), &out);
    ANSWER(1);

    CASE(IS)
    CASE(IS_NOT) {
        bool truth = v_is(X(ip->b), X(ip->c)) == (ip->op == OP_IS);
        FAST_TEST(1, v_bool(truth));
    }
    CASE(IN)
    CASE(NOT_IN) {
        frame->pc = ip;
        if (X(ip->c).kind == K_DICT) {
            st = dict_get(vm, X(ip->c).dict, X(ip->b), &out);
            if (likely(st == ST_OK || st == ST_STOP)) {
                bool truth = (st == ST_OK) == (ip->op == OP_IN);
                FAST_TEST(1, v_bool(truth));
            }
            if (st == ST_ERROR) goto error;
        }
        st = slow_contains(vm, X(ip->b), X(ip->c), ip->op == OP_NOT_IN, ip->a, &out);
        ANSWER(1);
    }
    CASE(NEG) {
        Value *a = &X(ip->b);
        if (a->kind == K_FLOAT) {
            SET_IMMEDIATE(R(ip->a), v_float(-a->f));
            NEXT(1);
        }
        if (a->kind == K_INT && a->i != INT64_MIN) {
            SET_IMMEDIATE(R(ip->a), v_int(-a->i));
            NEXT(1);
        }
        frame->pc = ip;
        st = step_unary(vm, UN_NEG, *a, ip->a, &out);
        ANSWER(1);
    }
    CASE(POS) {
        frame->pc = ip;
        st = step_unary(vm, UN_POS, X(ip->b), ip->a, &out);
        ANSWER(1);
    }
    CASE(INVERT) {
        frame->pc = ip;
        st = step_unary(vm, UN_INVERT, X(ip->b), ip->a, &out);
        ANSWER(1);
    }
    CASE(NOT) {
        bool truth = false;
        frame->pc = ip;
        st = slow_truth(vm, X(ip->b), RET_NOT, ip->a, &truth);
        out = v_bool(!truth);
        ANSWER(1);
    }

    CASE(JUMP) {
        const Instr *target = entry + instr_wide(*ip);
        if (target <= ip && unlikely(safe_point_due(vm))) {
            frame->pc = ip;
            if (safe_point(vm) != ST_OK) goto error;
            if (unlikely(interp->abandoned)) {
                frame->pc = target;
                goto abandoned;
            }
        }
        ip = target;
        NEXT(0);
    }
    CASE(JUMP_IF)
    CASE(JUMP_IFNOT) {
        bool truth;
        Value v = R(ip->a);
        if (likely(v.kind == K_BOOL || v.kind == K_INT)) {
            truth = v.i != 0;
        } else if (v.kind == K_NONE) {
            truth = false;
        } else {
            frame->pc = ip;
            st = slow_truth(vm, v, RET_JUMP, 0, &truth);
            if (unlikely(st != ST_OK)) goto not_ok;
            if (ip->flags & FLAG_LAST_A) clear(vm, &R(ip->a));
        }
        if (truth != (ip->op == OP_JUMP_IF)) NEXT(1);
        const Instr *target = entry + instr_wide(*ip);
        if (target <= ip && unlikely(safe_point_due(vm))) {
            frame->pc = ip;
            if (safe_point(vm) != ST_OK) goto error;
            if (unlikely(interp->abandoned)) {
                frame->pc = target;
                goto abandoned;
            }
        }
        ip = target;
        NEXT(0);
    }
    CASE(ITER) {
        frame->pc = ip;
        st = slow_iter(vm, X(ip->b), ip->a, &out);
        ANSWER(1);
    }
    CASE(LOOP) {
        if (unlikely(--interp->rounds == 0) && jit_sample(vm, ip) != ST_OK) {
            frame->pc = ip;
            goto error;
        }
        NEXT(1);
    }
    CASE(LOOP_ARMED)
    CASE(FOR_ARMED) {
        frame->pc = ip;
        if (unlikely(safe_point_due(vm))) { // machine code would exit at once for the safe point
            if (safe_point(vm) != ST_OK) goto error;
            if (unlikely(interp->abandoned)) goto abandoned;
        }
        st = jit_enter(vm, ip);
        if (st == ST_OK) RELOAD();
        if (st == ST_ERROR) goto error;
        if (frame->pc->op == OP_LOOP_ARMED || frame->pc->op == OP_LOOP) NEXT(1);
        goto L_FOR;
    }
    CASE(FOR) {
        Value it = R(ip->a);
        if (unlikely(--interp->rounds == 0) && jit_sample(vm, ip) != ST_OK) {
            frame->pc = ip;
            goto error;
        }
        if (unlikely(safe_point_due(vm))) {
            frame->pc = ip;
            if (safe_point(vm) != ST_OK) goto error;
            if (unlikely(interp->abandoned)) goto abandoned;
        }
        if (likely(it.kind == K_ITER)) {
            Iter *iter = it.iter;
            if (iter->gc.obj.aux == ITER_RANGE && iter->stop > 0) {
                SET_IMMEDIATE(R(ip->b), v_int(iter->index));
                iter->index = (int64_t)((uint64_t)iter->index + (uint64_t)iter->step);
                iter->stop--;
                ip = entry + instr_wide(ip[1]);
                NEXT(0);
            }
            if (iter->gc.obj.aux == ITER_LIST && iter->over.kind == K_LIST &&
                (size_t)iter->index < iter->over.list->len) {
                store(vm, &R(ip->b), retain(v_load(&iter->over.list->items[iter->index++])));
                ip = entry + instr_wide(ip[1]);
                NEXT(0);
            }
            if (iter->gc.obj.aux == ITER_DEQUE && iter->over.kind == K_DEQUE) {
                const Deque *deque = deque_of(iter->over);
                if (deque->edits == iter->version && (size_t)iter->index < deque->len) {
                    store(vm, &R(ip->b), retain(v_load(&deque->items[deque->head + (size_t)iter->index++])));
                    ip = entry + instr_wide(ip[1]);
                    NEXT(0);
                }
            }
        }
        frame->pc = ip;
        if (it.kind == K_GEN && gen_enter(vm, it.gen, RET_NEXT, ip->b, V_NONE)) RELOAD();
        const Instr *body = entry + instr_wide(ip[1]);
        st = ST_NOTIMPL;
        if (it.kind == K_STEPPER) {
            st = stepper_plain(vm, (Stepper *)it.obj, &out);
            if (likely(st == ST_OK)) {
                store(vm, &R(ip->b), v_load(&out));
                ip = body;
                NEXT(0);
            }
            if (st == ST_NOTIMPL) st = stepping_go_on(vm, (Stepper *)it.obj, RET_NEXT, ip->b, &out);
        }
        if (it.kind == K_ITER && body->op == OP_UNPACK && body->b == ip->b &&
            body->flags & FLAG_LAST_B) {
            st = iter_take_apart(vm, it.iter, body->c, &R(body->a));
            if (likely(st == ST_OK)) {
                ip = body;
                NEXT(1);
            }
        }
        if (st == ST_NOTIMPL)
            st = it.kind == K_ITER ? kind_ITER.next(vm, it, &out) : slow_next(vm, it, ip->b, &out);
        if (likely(st == ST_OK)) {
            store(vm, &R(ip->b), v_load(&out));
            ip = body;
            NEXT(0);
        }
        // StopIteration ends the loop here if no frame was pushed: a finished generator raises it, or a native
        // __next__.
        if (st == ST_ERROR && it.kind != K_ITER && interp->frame == frame &&
            vm_error_is(vm, EXC_StopIteration)) {
            vm_clear_error(vm);
            st = ST_STOP;
        }
        if (st != ST_STOP) goto not_ok;
        clear(vm, &R(ip->a));
        NEXT(2);
    }
    CASE(RETURN) {
        Value *from = &X(ip->a), v = v_load(from);
        if (ip->a & CONST_BIT) v = retain(v);
        else from->kind = K_UNDEF;
        if (unlikely(frame->ret != RET_STORE || frame->gen)) {
            if (frame->ret == RET_LOOP_STEP && !frame->gen) {
                frame->pc = ip;
                st = stepping_return(vm, frame, v);
                goto resume;
            }
            if (frame->ret == RET_NEXT && !frame->gen) {
                uint32_t dest = frame->dest;
                Frame *caller = frame->prev;
                frame_leave(vm, interp, frame);
                TAKE_UP(caller, caller->func, caller->pc);
                store(vm, &R(dest), v);
                ip = entry + instr_wide(ip[1]);
                NEXT(0);
            }
            if (frame->ret == RET_BINARY && v.kind != K_NOTIMPLEMENTED && frame->phase < PHASE_INVERT) {
                uint32_t dest = frame->dest;
                Frame *caller = frame->prev;
                frame_leave(vm, interp, frame);
                TAKE_UP(caller, caller->func, caller->pc);
                store(vm, &R(dest), v);
                if (ip->flags & LAST_USES) kill(vm, regs, *ip);
                NEXT(1);
            }
            if (frame->ret != RET_INIT || v.kind != K_NONE || frame->phase != RET_STORE) {
                frame->pc = ip;
                st = frame_return(vm, v);
                goto resume;
            }
            v = v_load(&frame->extra); // the new instance
            frame->extra = V_UNDEF;
        }
        uint32_t dest = frame->dest;
        Frame *caller = frame->prev;
        frame_leave(vm, interp, frame);
        TAKE_UP(caller, caller->func, caller->pc);
        store(vm, &R(dest), v);
        NEXT(likely(ip->op == OP_CALL || ip->op == OP_CALLM) ? 1 : bc_op_info[ip->op].words);
    }
    CASE(YIELD) {
        frame->pc = ip;
        Value v;
        if (ip->flags & FLAG_LAST_B) {
            v = v_load(&R(ip->b));
            R(ip->b).kind = K_UNDEF;
        } else {
            v = retain(v_load(&X(ip->b)));
        }
        if (likely(frame->ret == RET_NEXT || frame->ret == RET_STORE)) {
            Gen *gen = frame->gen;
            bool looping = frame->ret == RET_NEXT;
            uint16_t dest = frame->dest;
            Frame *caller = frame->prev;
            frame_unlink(interp, frame);
            gen->gc.obj.aux = GEN_SUSPENDED;
            TAKE_UP(caller, caller->func, caller->pc);
            store(vm, &R(dest), v);
            if (looping) ip = entry + instr_wide(ip[1]);
            else ip += bc_op_info[ip->op].words;
            release_obj(vm, gen);
            NEXT(0);
        }
        st = frame->ret == RET_LOOP_NEXT ? stepping_yield(vm, frame, v) : gen_yield(vm, frame, v);
        goto resume;
    }
    CASE(YIELD_FROM) {
        frame->pc = ip;
        st = step_yield_from(vm, frame, *ip);
        goto resume;
    }

    CASE(GETATTR) {
        Value v = v_load(&R(ip->b));
        const Instr *cache = ip + 1;
        if (likely(v.kind == K_INSTANCE && cache->flags == CACHE_SLOT && v.inst->shape &&
                   v.inst->shape->id == instr_wide(*cache))) {
            FAST_TEST(3, retain(v_load(&v.inst->slots[cache->a])));
        }
        if (v.kind == K_INSTANCE && cache->flags == CACHE_SLOT && v.inst->shape &&
            v.inst->shape->id == instr_wide(cache[1])) {
            FAST_TEST(3, retain(v_load(&v.inst->slots[cache[1].a])));
        }
        if (v.kind == K_INSTANCE && cache->flags == CACHE_CLASS && v.inst->shape &&
            v.inst->shape->id == instr_wide(*cache)) {
            FAST_TEST(3, retain(v_obj(v.inst->cls)));
        }
        if (v.kind == K_MODULE && cache->flags == CACHE_MODULE &&
            cache_pointer(cache) == v.module) {
            Value found = v.module->slots[instr_wide(*cache)];
            if (likely(found.kind != K_UNDEF)) {
                out = retain(found);
                st = ST_OK;
                ANSWER(3);
            }
        }
        frame->pc = ip;
        st = cached_getattr(vm, v, consts[ip->c].str, (Instr *)cache, &out);
        st = call_finish(vm, st, RET_STORE, ip->a, &out);
        ANSWER(3);
    }
    CASE(SETATTR) {
        Value v = R(ip->a);
        const Instr *cache = ip + 1;
        if (likely(v.kind == K_INSTANCE && v.inst->shape &&
                   v.inst->shape->id == instr_wide(*cache))) {
            Instance *inst = v.inst;
            if (cache->flags == CACHE_SLOT) {
                store(vm, &inst->slots[cache->a], retain(v_load(&X(ip->c))));
                kill(vm, regs, *ip);
                NEXT(3);
            }
            if (cache->flags == CACHE_ADD && cache->a < inst->cap) {
                v_store(&inst->slots[cache->a], retain(v_load(&X(ip->c))));
                inst->shape = cache_pointer(cache);
                kill(vm, regs, *ip);
                NEXT(3);
            }
        }
        frame->pc = ip;
        st = step_setattr(vm, v, consts[ip->b].str, X(ip->c), (Instr *)cache);
        DONE(3);
    }
    CASE(DELATTR) {
        frame->pc = ip;
        st = step_delattr(vm, R(ip->a), consts[ip->b].str);
        DONE(1);
    }
    CASE(GETMETHOD) {
        Value v = v_load(&R(ip->b)), self = V_UNDEF, func;
        const Instr *cache = ip + 1;
        if (likely(v.kind == K_INSTANCE && cache->flags == CACHE_METHOD && v.inst->shape &&
                   v.inst->shape->id == instr_wide(*cache))) {
            func = retain(v_obj(cache_pointer(cache)));
            self = retain(v);
        } else if (cache->flags == CACHE_KIND && v.kind == instr_wide(*cache)) {
            func = retain(v_obj(cache_pointer(cache)));
            self = retain(v);
        } else if (v.kind == K_MODULE && cache->flags == CACHE_MODULE &&
                   cache_pointer(cache) == v.module &&
                   v.module->slots[instr_wide(*cache)].kind != K_UNDEF) {
            func = retain(v.module->slots[instr_wide(*cache)]);
        } else {
            frame->pc = ip;
            st = cached_getmethod(vm, v, consts[ip->c].str, (Instr *)cache, &out, &self);
            if (unlikely(st != ST_OK)) {
                clear(vm, &R(ip->a + 1));
                st = call_finish(vm, st, RET_STORE, ip->a, &out);
                if (st != ST_OK) goto not_ok;
                self = V_UNDEF;
            }
            func = out;
        }
        if (ip->flags & FLAG_LAST_B) clear(vm, &R(ip->b));
        store(vm, &R(ip->a), func);
        store(vm, &R(ip->a + 1), self);
        NEXT(3);
    }
    CASE(GETITEM) {
        Value *v = &X(ip->b), *key = &X(ip->c);
        if (likely(v->kind == K_LIST && key->kind == K_INT)) {
            List *list = v->list;
            int64_t n = key->i < 0 ? key->i + (int64_t)list->len : key->i;
            if (likely((uint64_t)n < list->len)) FAST_TEST(1, retain(v_load(&list->items[n])));
        } else if (v->kind == K_DICT) {
            frame->pc = ip;
            st = dict_get(vm, v->dict, *key, &out);
            if (likely(st == ST_OK)) FAST_TEST(1, retain(v_load(&out)));
        } else if (v->kind == K_TUPLE && key->kind == K_INT && key->i >= 0 &&
                   key->i < (int64_t)v->tuple->len) {
            FAST_TEST(1, retain(v_load(&v->tuple->items[key->i])));
        }
        frame->pc = ip;
        st = slow_getitem(vm, *v, *key, ip->a, &out);
        ANSWER(1);
    }
    CASE(SETITEM) {
        Value v = R(ip->a), *key = &X(ip->b);
        if (v.kind == K_LIST && key->kind == K_INT) {
            List *list = v.list;
            int64_t n = key->i < 0 ? key->i + (int64_t)list->len : key->i;
            if (likely(n >= 0 && n < (int64_t)list->len)) {
                store(vm, &list->items[n], retain(v_load(&X(ip->c))));
                if (ip->flags & LAST_USES) kill(vm, regs, *ip);
                NEXT(1);
            }
        }
        frame->pc = ip;
        st = v.kind == K_DICT ? dict_set(vm, v.dict, *key, X(ip->c)) : ST_DEFER;
        if (st == ST_DEFER) st = slow_setitem(vm, v, *key, X(ip->c));
        DONE(1);
    }
    CASE(DELITEM) {
        frame->pc = ip;
        st = slow_delitem(vm, R(ip->a), X(ip->b));
        DONE(1);
    }
    CASE(GETITEMS) {
        Value key;
        frame->pc = ip;
        st = step_getitems(vm, R(ip->b), &R(ip->c), instr_wide(ip[1]), &out);
        if (st == ST_OK) ANSWER(2);
        if (st == ST_NOTIMPL) st = tuple_steal(vm, &R(ip->c), instr_wide(ip[1]), &key);
        if (st == ST_OK) {
            st = slow_getitem(vm, R(ip->b), key, ip->a, &out);
            release(vm, key);
        }
        ANSWER(2);
    }
    CASE(SETITEMS) {
        Value key;
        frame->pc = ip;
        st = step_setitems(vm, R(ip->a), &R(ip->b), instr_wide(ip[1]), X(ip->c));
        if (st == ST_OK) DONE(2);
        if (st == ST_NOTIMPL) st = tuple_steal(vm, &R(ip->b), instr_wide(ip[1]), &key);
        if (st == ST_OK) {
            st = slow_setitem(vm, R(ip->a), key, X(ip->c));
            release(vm, key);
        }
        DONE(2);
    }
    CASE(SLICE) {
        const Instr *get = ip + 1;
        if (get->op == OP_GETITEM && get->c == ip->a && get->flags & FLAG_LAST_C &&
            !(get->b & CONST_BIT) && step_slices_at_once(R(get->b), &R(ip->b))) {
            frame->pc = get;
            st = step_sliced(vm, R(get->b), &R(ip->b), &out);
            if (unlikely(st != ST_OK)) goto error;
            uint32_t flags = get->flags, from = get->b;
            store(vm, &R(get->a), v_load(&out));
            if (flags & FLAG_LAST_B) clear(vm, &R(from));
            NEXT(2);
        }
        frame->pc = ip;
        st = slice_new(vm, R(ip->b), R(ip->b + 1), R(ip->b + 2), &out);
        for (int n = 0; n < 3; n++) clear(vm, &R(ip->b + n));
        ANSWER(1);
    }

    CASE(TUPLE) {
        frame->pc = ip;
        const Instr *next = ip + 1;
        if ((next->op >= OP_LT && next->op <= OP_GE) || next->op == OP_TUPLE)
            next = step_compare_rows(vm, frame, ip, &st, &out);
        else next = NULL;
        if (!next) goto build;
        ip = next;
        if (unlikely(st != ST_OK)) goto not_ok;
        FAST_TEST(1, out);
    }
    CASE(LIST) {
        frame->pc = ip;
    build:
        st = step_build(vm, *ip, &R(ip->b), &out);
        ANSWER(1);
    }
    CASE(CONCAT) {
        frame->pc = ip;
        for (uint32_t n = 0; n < ip->c; n++)
            if (unlikely(R(ip->b + n).kind != K_STR)) goto no_cell;
        st = step_build(vm, *ip, &R(ip->b), &out);
        ANSWER(1);
    }
    CASE(SET) {
        frame->pc = ip;
        st = step_build_set(vm, *ip, &R(ip->b), &out);
        ANSWER(1);
    }
    CASE(DICT) {
        frame->pc = ip;
        st = step_build_dict(vm, *ip, &R(ip->b), &out);
        ANSWER(1);
    }
    CASE(APPEND) {
        frame->pc = ip;
        if (unlikely(R(ip->a).kind != K_LIST)) goto no_cell;
        List *list = R(ip->a).list;
        if (likely(list->len < list->cap)) {
            Value *slot = &list->items[list->len++];
            if (ip->flags & FLAG_LAST_B) {
                v_store(slot, v_load(&R(ip->b)));
                R(ip->b).kind = K_UNDEF;
            } else {
                v_store(slot, retain(v_load(&X(ip->b))));
            }
            if (unlikely(ip->flags & FLAG_LAST_A)) clear(vm, &R(ip->a));
            NEXT(1);
        }
        st = list_append(vm, list, retain(X(ip->b)));
        DONE(1);
    }
    CASE(SET_ADD) {
        frame->pc = ip;
        if (unlikely(R(ip->a).kind != K_SET)) goto no_cell;
        st = step_add_key(vm, R(ip->a), X(ip->b), V_UNDEF);
        DONE(1);
    }
    CASE(DICT_SET) {
        frame->pc = ip;
        if (unlikely(R(ip->a).kind != K_DICT)) goto no_cell;
        st = step_add_key(vm, R(ip->a), X(ip->b), X(ip->c));
        DONE(1);
    }
    CASE(EXTEND)
    CASE(SET_UPDATE)
    CASE(DICT_UPDATE) {
        frame->pc = ip;
        Kind want = ip->op == OP_EXTEND ? K_LIST : ip->op == OP_SET_UPDATE ? K_SET : K_DICT;
        if (unlikely(R(ip->a).kind != want)) goto no_cell;
        st = slow_extend(vm, R(ip->a), X(ip->b),
                         ip->flags & FLAG_ALT && ip->a ? R(ip->a - 1) : V_UNDEF);
        DONE(1);
    }
    CASE(LIST_TUPLE) {
        frame->pc = ip;
        if (unlikely(R(ip->b).kind != K_LIST)) goto no_cell;
        st = list_to_tuple(vm, R(ip->b).list, &out);
        ANSWER(1);
    }
    CASE(DICT_MERGE) {
        frame->pc = ip;
        if (unlikely(R(ip->a).kind != K_DICT)) goto no_cell;
        st = slow_merge(vm, R(ip->a), X(ip->b), R(ip->c));
        DONE(1);
    }
    CASE(UNPACK) {
        Value v = v_load(&X(ip->b));
        frame->pc = ip;
        if (likely(v.kind == K_TUPLE && v.tuple->len == ip->c)) {
            // Holds a reference, since writing a register may release the tuple itself.
            uint32_t count = ip->c, from = ip->a;
            bool last = ip->flags & FLAG_LAST_B && (ip->b < from || ip->b >= from + count);
            if (last) R(ip->b).kind = K_UNDEF;
            else v.obj->refs++;
            for (uint32_t n = 0; n < count; n++)
                store(vm, &R(from + n), retain(v_load(&v.tuple->items[n])));
            release(vm, v);
            NEXT(1);
        }
        st = slow_unpack(vm, X(ip->b), ip->c, false, 0, ip->a, &R(ip->a));
        if (ip->flags & FLAG_LAST_B && (ip->b < ip->a || ip->b >= ip->a + ip->c) && st != ST_ERROR)
            clear(vm, &R(ip->b));
        if (st == ST_OK) NEXT(1);
        goto not_ok_killed;
    }
    CASE(UNPACK_STAR) {
        uint32_t before = ip->c & 0xff, after = ip->c >> 8;
        frame->pc = ip;
        st = slow_unpack(vm, X(ip->b), before, true, after, ip->a, &R(ip->a));
        if (ip->flags & FLAG_LAST_B && (ip->b < ip->a || ip->b > ip->a + before + after) && st != ST_ERROR)
            clear(vm, &R(ip->b));
        if (st == ST_OK) NEXT(1);
        goto not_ok_killed;
    }
    CASE(CONVERT) {
        frame->pc = ip;
        st = slow_convert(vm, X(ip->b), ip->c, ip->a, &out);
        ANSWER(1);
    }
    CASE(FORMAT) {
        frame->pc = ip;
        if (unlikely(X(ip->c).kind != K_STR)) goto no_cell;
        st = slow_format(vm, X(ip->b), X(ip->c), ip->a, &out);
        ANSWER(1);
    }

    CASE(CALL) {
        Value *base = &R(ip->b);
        frame->pc = ip;
        if (unlikely(interp->abandoned)) goto abandoned;
        if (likely(is_simple_call(*base, ip->c))) {
            Func *func = base->func;
            Frame *callee = push_simple(vm, interp, base, base + 1, ip->c, ip->a);
            if (unlikely(!callee)) goto error;
            TAKE_UP(callee, func, func->code->entry);
            NEXT(0);
        }
        if (is_simple_native(base, ip->c, base + 1)) {
            st = call_simple_native(vm, base, base + 1, ip->c, ip->a, &out);
            ANSWER(1);
        }
        if (base->kind == K_CLASS && base->cls->instance_kind == K_RANGE && iterates(ip)) {
            st = range_loop(vm, base + 1, ip->c, &out);
            if (likely(st == ST_OK)) {
                clear(vm, base);
                store(vm, &R(ip[1].a), v_load(&out));
                NEXT(2);
            }
            if (st == ST_ERROR) goto error;
        }
        if (is_simple_class(*base, ip->c)) {
            if (unlikely(!push_init(vm, base, base + 1, ip->c, ip->a))) goto error;
            RELOAD();
        }
        Value callee = *base;
        *base = V_UNDEF;
        st = call_value(vm, callee, base + 1, ip->c, NULL, RET_STORE, ip->a, &out);
        release(vm, callee);
        ANSWER(1);
    }
    CASE(CALLM) {
        Value *base = &R(ip->b), *args = base + 2;
        uint32_t count = ip->c;
        frame->pc = ip;
        if (unlikely(interp->abandoned)) goto abandoned;
        // A bound method that is an attribute of a module or an instance is called as if it were a method of it.
        if (base[1].kind == K_UNDEF && base->kind == K_BOUND) take_apart_bound(vm, base);
        if (base[1].kind != K_UNDEF) {
            args--;
            count++;
        }
        if (likely(is_simple_call(*base, count))) {
            Func *func = base->func;
            Frame *callee = push_simple(vm, interp, base, args, count, ip->a);
            if (unlikely(!callee)) goto error;
            TAKE_UP(callee, func, func->code->entry);
            NEXT(0);
        }
        if (is_simple_native(base, count, args)) {
            st = call_simple_native(vm, base, args, count, ip->a, &out);
            ANSWER(1);
        }
        Value callee = *base;
        *base = V_UNDEF;
        st = call_value(vm, callee, args, count, NULL, RET_STORE, ip->a, &out);
        release(vm, callee);
        ANSWER(1);
    }
    CASE(CALLKW) {
        Value *base = &R(ip->b);
        uint32_t count = ip->c;
        Value *args = base + 1;
        frame->pc = ip;
        if (unlikely(interp->abandoned)) goto abandoned;
        if (ip->flags & FLAG_ALT) {
            if (base[1].kind != K_UNDEF) count++;
            else args++;
        }
        Value callee = *base;
        *base = V_UNDEF;
        st = call_value(vm, callee, args, count, consts[instr_wide(ip[1])].tuple, RET_STORE, ip->a,
                        &out);
        release(vm, callee);
        ANSWER(2);
    }
    CASE(CALLX) {
        Value *base = &R(ip->b);
        frame->pc = ip;
        if (unlikely(interp->abandoned)) goto abandoned;
        if (unlikely(base[1].kind != K_LIST && base[1].kind != K_TUPLE)) goto no_cell;
        Value callee = base[0], args = base[1], kwargs = base[2];
        base[0] = base[1] = base[2] = V_UNDEF;
        st = call_spread(vm, callee, args, kwargs, RET_STORE, ip->a, &out);
        release(vm, callee);
        release(vm, args);
        release(vm, kwargs);
        ANSWER(1);
    }
    CASE(FUNC) {
        frame->pc = ip;
        st = slow_make_func(vm, frame, ip, &out);
        ANSWER(1);
    }
    CASE(CLASS) {
        frame->pc = ip;
        if (unlikely(R(ip->b).kind != K_FUNC || R(ip->b + 1).kind != K_TUPLE)) goto no_cell;
        st = slow_make_class(vm, frame, ip, &out);
        ANSWER(1);
    }
    CASE(SUPER) {
        frame->pc = ip;
        const Instr *get = ip + 1;
        Value func, self;
        bool unused = get->flags & FLAG_LAST_B || get->a == get->b; // no other instruction reads the super object
        if (get->op == OP_GETMETHOD && get->b == ip->a && unused &&
            super_method(vm, frame, ip, consts[get->c].str, &func, &self)) {
            uint32_t to = get->a;
            retain(func);
            retain(self);
            store(vm, &R(to), func);
            store(vm, &R(to + 1), self);
            if (ip->flags & LAST_USES) kill(vm, regs, *ip);
            NEXT(4);
        }
        st = slow_super(vm, frame, ip, &out);
        ANSWER(1);
    }

    CASE(RAISE) {
        frame->pc = ip;
        Value cause = ip->flags & FLAG_ALT ? X(ip->b) : V_UNDEF;
        st = step_raise(vm, X(ip->a), cause, ip->flags & FLAG_ALT, &out);
        goto not_ok;
    }
    CASE(RAISE_AGAIN) {
        frame->pc = ip;
        bool fresh = handled_now(vm).kind == K_UNDEF;
        step_raise_again(vm);
        if (fresh) goto error;
        goto error_again;
    }
    CASE(RERAISE) {
        frame->pc = ip;
        if (unlikely(!exc_of(R(ip->a)))) goto no_cell;
        store(vm, &vm->error, R(ip->a));
        R(ip->a) = V_UNDEF;
        goto error_again;
    }
    CASE(EXC_ENTER) {
        step_exc_enter(vm, frame, ip->a);
        NEXT(1);
    }
    CASE(EXC_LEAVE) {
        step_exc_leave(vm, frame, ip->a);
        NEXT(1);
    }
    CASE(EXC_MATCH) {
        frame->pc = ip;
        if (unlikely(!exc_of(R(ip->b)))) goto no_cell;
        st = slow_except_match(vm, R(ip->b), X(ip->c), ip->a, &out);
        ANSWER(1);
    }
    CASE(EXC_TRIPLE) {
        frame->pc = ip;
        if (unlikely(!exc_of(R(ip->b)))) goto no_cell;
        step_exc_triple(vm, frame, *ip);
        NEXT(1);
    }
    CASE(WITH_PREP) {
        frame->pc = ip;
        st = step_with_prep(vm, frame, *ip);
        if (st == ST_OK) {
            if (ip->flags & FLAG_LAST_B && (ip->b < ip->a || ip->b > ip->a + 3)) clear(vm, &R(ip->b));
            NEXT(1);
        }
        goto not_ok;
    }
    CASE(ASSERT_FAIL) {
        frame->pc = ip;
        step_assert_fail(vm, ip->flags & FLAG_ALT, ip->flags & FLAG_ALT ? X(ip->a) : V_UNDEF);
        goto error;
    }

    CASE(IMPORT) {
        frame->pc = ip;
        st = import_module(vm, consts[ip->b].str, ip->c, ip->flags & FLAG_ALT, ip->a, &out);
        ANSWER(1);
    }
    CASE(IMPORT_FROM) {
        frame->pc = ip;
        st = import_from(vm, R(ip->b), consts[ip->c].str, ip->a, &out);
        ANSWER(1);
    }
    CASE(IMPORT_STAR) {
        frame->pc = ip;
        st = import_star(vm, R(ip->a), module, &out);
        DONE(1);
    }
    CASE(ANNOTATE) {
        frame->pc = ip;
        st = slow_annotate(vm, frame, consts[ip->a].str, X(ip->b));
        if (st == ST_OK && ip->flags & FLAG_LAST_B) clear(vm, &R(ip->b));
        if (st == ST_OK) NEXT(1);
        goto not_ok;
    }
    CASE(DISPLAY) {
        frame->pc = ip;
        st = step_display(vm, X(ip->a));
        DONE(1);
    }
    CASE(EXT)

no_cell: // only damaged bytecode gets here
    frame->pc = ip;
    vm_raise(vm, EXC_SystemError, "bad operand of instruction %s", bc_op_info[ip->op].name);
    goto error;

    // A slow path pushed a frame or failed. In the first case, operands that are dead are released now; RET_BINARY
    // needs them for the next method.
not_ok:
    if (st == ST_TAIL && interp->frame->ret != RET_BINARY) kill(vm, regs, *ip);
not_ok_killed:
    if (st == ST_TAIL) RELOAD();
    if (st == ST_STOP || st == ST_DEFER || st == ST_NOTIMPL) goto no_cell;
    goto error;

    // Closes abandoned generators first; execution continues at frame->pc.
abandoned:
    st = gen_close_abandoned(vm);
    if (st == ST_ERROR) goto error;
    RELOAD();

    // Continues after a value has been delivered to a frame, with its status in st.
resume:
    if (st == ST_OK || st == ST_TAIL) RELOAD();
    if (st == ST_STOP) return run_ended(vm);

error:
    st = unwind(vm, false);
    goto unwound;
error_again:
    st = unwind(vm, true);
unwound:
    if (st == ST_OK) RELOAD();
    return st == ST_STOP ? run_ended(vm) : ST_ERROR;
}
