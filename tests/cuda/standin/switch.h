// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Switching stacks, without the system calls that swapcontext makes: on x86-64 and aarch64.

#ifndef NACRE_TESTS_CUDA_STANDIN_SWITCH_H
#define NACRE_TESTS_CUDA_STANDIN_SWITCH_H

#include <stdint.h>
#include <string.h>

// Keeps the registers that a callee has to keep on this stack, whose top goes to *from, and goes on where `to` was left.
void standin_switch(void **from, void *to);

#if defined(__x86_64__)
__asm__(".text\n.globl standin_switch\n.hidden standin_switch\n.type standin_switch,@function\n"
        "standin_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
        ".size standin_switch,.-standin_switch\n");
enum { SAVED_WORDS = 6, SAVED_RETURN = 6 };
#elif defined(__aarch64__)
__asm__(".text\n.globl standin_switch\n.hidden standin_switch\n.type standin_switch,%function\n"
        "standin_switch:\n"
        "sub sp, sp, #160\nstp x19, x20, [sp]\nstp x21, x22, [sp, #16]\nstp x23, x24, [sp, #32]\n"
        "stp x25, x26, [sp, #48]\nstp x27, x28, [sp, #64]\nstp x29, x30, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\nstp d14, d15, [sp, #144]\n"
        "mov x9, sp\nstr x9, [x0]\nmov sp, x1\n"
        "ldp x19, x20, [sp]\nldp x21, x22, [sp, #16]\nldp x23, x24, [sp, #32]\n"
        "ldp x25, x26, [sp, #48]\nldp x27, x28, [sp, #64]\nldp x29, x30, [sp, #80]\n"
        "ldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\nldp d14, d15, [sp, #144]\n"
        "add sp, sp, #160\nret\n");
enum { SAVED_WORDS = 20, SAVED_RETURN = 11 };
#else
#error "the stand-in needs a way to switch stacks"
#endif

// What to switch to so that `entry`, which never returns, begins on a stack that ends at `top`.
static inline void *switch_begin(char *top, void (*entry)(void)) {
    uintptr_t *sp = (uintptr_t *)((uintptr_t)top & ~(uintptr_t)15) - SAVED_WORDS - 2; // aligned as behind a call
    memset(sp, 0, (SAVED_WORDS + 2) * sizeof *sp);
    sp[SAVED_RETURN] = (uintptr_t)entry;
    return sp;
}

#endif
