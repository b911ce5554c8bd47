// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Types in which values are computed, and conversions from and to the types in memory, by the FORM column of
// dtypes.def.

#ifndef NACRE_BACKENDS_CPU_LOOPS_FORMS_H
#define NACRE_BACKENDS_CPU_LOOPS_FORMS_H

#include "vm/graph/half.h"

#define COMPUTED_PLAIN(CTYPE) CTYPE
#define COMPUTED_HALF(CTYPE) float
#define GET_PLAIN(v) (v)
#define GET_HALF(v) half_to_float(v)
#define PUT_PLAIN(CTYPE, v) ((CTYPE)(v))
#define PUT_HALF(CTYPE, v) half_from_float(v)
#define COMPUTED_COMPLEX(CTYPE) CTYPE
#define GET_COMPLEX(v) (v)
#define PUT_COMPLEX(CTYPE, v) ((CTYPE)(v))
// Type of a complex number's parts, or of the number itself.
#define REAL_PLAIN(CTYPE) CTYPE
#define REAL_HALF(CTYPE) CTYPE
#define REAL_COMPLEX(CTYPE) __typeof__(__real__(CTYPE)0)

#endif
