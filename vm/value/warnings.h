// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Which warnings are given, and to whom (vm_warn in vm.h gives one).

#ifndef NACRE_VM_VALUE_WARNINGS_H
#define NACRE_VM_VALUE_WARNINGS_H

#include "vm/value/objects.h"

// Action of a filter: the warning is given once for each line, once for each file, once, every time, not at all, or
// raised.
typedef enum WarnAction {
    WARN_DEFAULT, WARN_MODULE, WARN_ONCE, WARN_ALWAYS, WARN_IGNORE, WARN_ERROR
} WarnAction;

// Sets the filters, a tuple of (action, category, text, anywhere); the first that matches a warning counts. It matches
// if the message begins with the text or, with `anywhere`, contains it, in upper or lower case. TypeError if `rules`
// is something else.
Status warnings_rules(Vm *vm, Value rules);

bool warnings_are_raised(const Vm *vm); // whether any filter's action is WARN_ERROR

// Gives a warning of a category, which may be a class of the program's, about the line of the function `level`
// calls further out; calls of library modules do not count.
Status vm_warn_class(Vm *vm, Class *category, const char *message, int level);

void warnings_free(Vm *vm);

#endif
