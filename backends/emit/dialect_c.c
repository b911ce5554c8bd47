// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The C dialect, for the compiler found at run time.

#include "backends/emit/emit.h"
#include "emit_prelude.h"

#define TYPE_PLAIN(ID, ctype) [DT_##ID] = #ctype,
#define TYPE_HALF(ID, ctype)
#define TYPE_COMPLEX(ID, ctype)
#define TYPE(A, ID, name, ctype, FORM, ...) TYPE_2(FORM, ID, ctype)
#define TYPE_2(FORM, ID, ctype)             TYPE_##FORM(ID, ctype)

// Same helpers as backends/cpu/loops/loops_template.h uses for the interpreter's loops.
const Dialect dialect_c = {
    .prelude =
        NACRE_OPS_MATH "#include <float.h>\n"
                       "#include <stddef.h>\n"
                       "#include <tgmath.h>\n"
                       "#define W(x) ((uint64_t)(x))\n"
                       "#define T_MIN ((int64_t)(UINT64_MAX << (8 * sizeof(T) - 1)))\n"
                       "#define IS_HALF 0\n"
                       "#define F_MAX (sizeof(T) == 4 ? (T)FLT_MAX : (T)DBL_MAX)\n"
                       "#ifdef __clang__\n"
                       "#pragma STDC FENV_ACCESS ON\n"
                       "#define INDEPENDENT _Pragma(\"clang loop vectorize(assume_safety)\")\n"
                       "#else\n"
                       "#define INDEPENDENT _Pragma(\"GCC ivdep\")\n"
                       "#endif\n",
    .global = "",
    .types = {NACRE_DTYPES(TYPE, )},
    .open = "    INDEPENDENT for (size_t i = 0; i < n; i++) {\n",
    .close = "    }\n",
    // Reads float flags after the computation. The compiler does not know that arithmetic sets
    // them, so it must neither move the read nor merge two reads, as it may with its own intrinsic.
    .region_prelude =
        "typedef union { int64_t i; double f; char *address; } Slot;\n"
        "typedef struct Calls Calls;\n"
        "typedef int32_t Rounds(const Slot *, const volatile size_t *, int64_t *, const Calls *, const Slot *, Slot *);\n"
        "struct Calls {\n"
                      "    void *context;\n"
                      "    int threads;\n"
                      "    _Bool reproducible;\n"
                      "    void (*share)(void *, void (*)(void *, int, int), void *, int);\n"
                      "    void (*dot)(void *, int, const char *, int64_t, const char *, int64_t, int64_t, char *, int);\n"
                      "    void (*function)(void *, int, int, const void *, const void *, void *, int64_t);\n"
                      "    void (*product)(void *, int, char *, const int64_t *, const char *, const int64_t *,\n"
                      "                    const char *, const int64_t *, int);\n"
                      "    void (*reduce)(void *, int, int, const char *, int64_t, int64_t, char *);\n"
                      "    void *runner;\n"
                      "    char *(*make)(void *, int, int, int, const int64_t *);\n"
                      "    int64_t (*parallel)(void *, int, Rounds *, Slot *, const int64_t *, int64_t *);\n"
                      "    char *scratch;\n"
        "    _Bool (*room)(void *, int64_t);\n"
                      "    int64_t few_bytes;\n"
                      "};\n"
                      "#define UNLIKELY(x) __builtin_expect(!!(x), 0)\n"
        "#define IS_LESS(x, y) __builtin_isless(x, y)\n"
                      "#define IS_LESS_EQUAL(x, y) __builtin_islessequal(x, y)\n"
                      "#define IS_GREATER(x, y) __builtin_isgreater(x, y)\n"
                      "#define IS_GREATER_EQUAL(x, y) __builtin_isgreaterequal(x, y)\n"
                      // Tests whether the byte ranges of two accesses overlap.
        "static inline int meets(int64_t a, const int64_t *a_steps, int64_t a_size, int64_t b,\n"
        "                        const int64_t *b_steps, int64_t b_size, const int64_t *count, int dims) {\n"
        "    int64_t a_end = a + a_size, b_end = b + b_size;\n"
        "    for (int k = 0; k < dims; k++) {\n"
        "        const int64_t x = (count[k] - 1) * a_steps[k], y = (count[k] - 1) * b_steps[k];\n"
        "        if (count[k] == 0) return 0;\n"
        "        *(x < 0 ? &a : &a_end) += x;\n"
        "        *(y < 0 ? &b : &b_end) += y;\n"
        "    }\n"
        "    return a < b_end && b < a_end;\n"
        "}\n"
        "static inline double bits(uint64_t u) {\n"
        "    double f;\n"
        "    __builtin_memcpy(&f, &u, sizeof f);\n"
        "    return f;\n"
        "}\n"
        "#define FITS(how, x, y) ({ int64_t r; !__builtin_##how##_overflow(x, y, &r); })\n"
        "#define KEEP(T, address, stride, count, place) \\\n"
        "    do { \\\n"
        "        if ((stride) == sizeof(T)) \\\n"
        "            __builtin_memcpy(place, (const char *)(address), (count) * sizeof(T)); \\\n"
        "        else \\\n"
        "            for (int64_t i = 0; i < (count); i++) \\\n"
        "                ((T *)(place))[i] = *(const T *)((address) + i * (stride)); \\\n"
        "    } while (0)\n"
        "#define PUT_BACK(T, address, stride, count, place) \\\n"
        "    for (int64_t i = 0; i < (count); i++) \\\n"
        "        *(T *)((address) + i * (stride)) = ((const T *)(place))[i]\n"
        "#if defined(__x86_64__)\n"
        "#define COMPUTED(x) __asm__ volatile(\"\" : : \"x\"(x))\n"
        "#define COMPUTED_INT(x) __asm__ volatile(\"\" : : \"r\"(x))\n"
        "#define FORGET(x) __asm__ volatile(\"\" : \"+x\"(x))\n"
        "#define FORGET_INT(x) __asm__ volatile(\"\" : \"+r\"(x))\n"
        "#define STORED __asm__ volatile(\"\" : : : \"memory\")\n"
        "static inline uint32_t control(void) {\n"
        "    uint32_t word;\n"
        "    __asm__ volatile(\"stmxcsr %0\" : \"=m\"(word));\n"
        "    return word;\n"
        "}\n"
        "static inline void calm(void) {\n"
        "    uint32_t word = control() & ~0x3fu;\n"
        "    __asm__ volatile(\"ldmxcsr %0\" : : \"m\"(word));\n"
        "}\n"
        "#define CALM calm()\n"
        "#define RAISED (control() & 0x0d)\n"
        "#else\n"
        "#include <fenv.h>\n"
        "#define COMPUTED(x) do { volatile double computed = (x); (void)computed; } while (0)\n"
        "#define COMPUTED_INT(x) do { volatile int64_t computed = (x); (void)computed; } while (0)\n"
        "#define FORGET(x) do { volatile double same = (x); (x) = same; } while (0)\n"
        "#define FORGET_INT(x) do { volatile int64_t same = (x); (x) = same; } while (0)\n"
        "#define STORED __asm__ volatile(\"\" : : : \"memory\")\n"
        "#define CALM feclearexcept(FE_ALL_EXCEPT)\n"
                      "#define RAISED fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID)\n"
        "#endif\n",
};
