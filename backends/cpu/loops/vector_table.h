// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Tables and coefficients of the vector functions, written by tools/gen_vector_math.py.

#ifndef NACRE_BACKENDS_CPU_LOOPS_VECTOR_TABLE_H
#define NACRE_BACKENDS_CPU_LOOPS_VECTOR_TABLE_H

// 2**(j/16) to 52 bits, less j/16 in its bits; what is left, beside them.
static const double power_less[16] = {
    0x1p+0, 0x1.fb5586cf98910p-1, 0x1.f72b83c7d517ap-1, 0x1.f387a6e756238p-1,
    0x1.f06fe0a31b716p-1, 0x1.edea64c123422p-1, 0x1.ebfdad5362a28p-1, 0x1.eab07dd48542ap-1,
    0x1.ea09e667f3bccp-1, 0x1.ea11473eb0186p-1, 0x1.eace5422aa0dcp-1, 0x1.ec49182a3f090p-1,
    0x1.ee89f995ad3aep-1, 0x1.f199bdd85529cp-1, 0x1.f5818dcfba488p-1, 0x1.fa4afa2a490dap-1,
};
static const double power_rest[16] = {
    0, -0x1.2d75c73e2d323p-53, 0x1.9515362523fb6p-53, 0x1.68efde3a8a894p-54,
    -0x1.6154245eea8bfp-53, 0x1.59f48a72a4c6dp-55, -0x1.5dacb6abb4ae4p-53, -0x1.ede4705b9af04p-54,
    0x1.98d4d0da05571p-54, 0x1.244ac461e9f86p-53, -0x1.aa41dc973def4p-54, 0x1.1affc2b91ce27p-56,
    -0x1.800c04afdd467p-54, 0x1.36eae30af0cb3p-56, -0x1.dbc8f0f6b610bp-54, -0x1.ff7128fd391f0p-55,
};
#define LN2_16_HIGH 0x1.62e42fefa39efp-5
#define LN2_16_LOW 0x1.abc9e3b39803fp-60
#define LN2_16_INVERSE 0x1.71547652b82fep+4
// exp(r) = 1 + r + r*r * terms(r); error 2**-56.2.
static const double exp_terms[5] = {
    0x1.0000000000005p-1, 0x1.555555548ebd0p-3, 0x1.555555545d7d8p-5, 0x1.11123b47a1aeep-7,
    0x1.6c185ef8ac911p-10,
};
// exp(r) = 1 + r + r*r * terms(r); error 2**-60.0.
static const double expm1_terms[6] = {
    0x1.0000000000003p-1, 0x1.5555555555559p-3, 0x1.55555554aca2dp-5, 0x1.111111108f256p-7,
    0x1.6c181fee4d8cdp-10, 0x1.a01b896066f2fp-13,
};
// 2**r = 1 + r * terms(r); error 2**-57.0.
static const double exp2_terms[6] = {
    0x1.62e42fefa39fdp-1, 0x1.ebfbdff82c59dp-3, 0x1.c6b08d6e88a00p-5, 0x1.3b2ab6fa96fdcp-7,
    0x1.5d89bf1f7783dp-10, 0x1.430a99ff36103p-13,
};

// Near 1/c.
static const double log_inverse[16] = {
    0x1.6400000000000p+0, 0x1.5400000000000p+0, 0x1.4800000000000p+0, 0x1.3c00000000000p+0,
    0x1.3000000000000p+0, 0x1.2400000000000p+0, 0x1.1c00000000000p+0, 0x1.1000000000000p+0,
    0x1.0800000000000p+0, 0x1p+0, 0x1.e000000000000p-1, 0x1.c800000000000p-1,
    0x1.b000000000000p-1, 0x1.9800000000000p-1, 0x1.8800000000000p-1, 0x1.7400000000000p-1,
};
// The logarithm of its inverse, and what 42 bits leave of that.
static const double log_value[16] = {
    -0x1.51aad872e0000p-2, -0x1.22941fbcf8000p-2, -0x1.fb9186d5e4000p-3, -0x1.af3c94e80c000p-3,
    -0x1.5ff3070a7a000p-3, -0x1.0d77e7cd08000p-3, -0x1.a926d3a4ac000p-4, -0x1.f0a30c0118000p-5,
    -0x1.f829b0e780000p-6, 0, 0x1.08598b59e4000p-4, 0x1.da72763844000p-4,
    0x1.5bf406b544000p-3, 0x1.d1037f2656000p-3, 0x1.1178e8227e000p-2, 0x1.4718dc271c000p-2,
};
static const double log_value_low[16] = {
    0x1.f4bd8db0a7cc1p-44, 0x1.a6976f5eb0963p-44, 0x1.d572aab993c87p-47, 0x1.a4e633fcd9066p-52,
    0x1.8586f183bebf2p-44, -0x1.cb2cd2ee2f482p-44, -0x1.563650bd22a9cp-44, 0x1.d599e83368e91p-45,
    -0x1.980267c7e09e4p-45, 0, -0x1.7e5dd7009902cp-46, 0x1.a89401fa71733p-46,
    -0x1.27023eb68981cp-46, -0x1.84a7e75b6f6e4p-47, 0x1.1ef78ce2d07f2p-44, 0x1.06c18fb4c14c5p-44,
};
// log(1 + r) = r + r*r * terms(r); error 2**-61.4.
static const double log_terms[9] = {
    -0x1p-1, 0x1.55555555554acp-2, -0x1.ffffffffffb0bp-3, 0x1.9999999c71c16p-3,
    -0x1.5555555b1afd3p-3, 0x1.24922ab6b7b1ap-3, -0x1.ffffa957d7e38p-4, 0x1.c81cf7fa551fap-4,
    -0x1.9ab658a8bf5d4p-4,
};
// The logarithm of its inverse, and what 42 bits leave of that.
static const double log2_value[16] = {
    -0x1.e726aa1e75000p-2, -0x1.a33760a7f6000p-2, -0x1.6e221cd9d1000p-2, -0x1.37124cea4d000p-2,
    -0x1.fbc16b9026000p-3, -0x1.84c2bd02f0000p-3, -0x1.32ae9e278a000p-3, -0x1.663f6fac90000p-4,
    -0x1.6bad3758f0000p-5, 0, 0x1.7d60496cfc000p-4, 0x1.563dc29ffa000p-3,
    0x1.f5fd8a9064000p-3, 0x1.4f6fbb2cec000p-2, 0x1.8a8980abfc000p-2, 0x1.d7e6c0abc3000p-2,
};
static const double log2_value_low[16] = {
    -0x1.3483146784bd2p-44, -0x1.4275f1035e5e8p-48, 0x1.90d43956fa5d8p-45, 0x1.0993376649b50p-45,
    -0x1.0144751b3314fp-44, -0x1.d97ee9124773bp-46, -0x1.c343ea3e580ebp-44, -0x1.3167ccc538261p-44,
    0x1.3c6764fc87b4ap-48, 0, -0x1.2ce6312ebb81dp-46, 0x1.964190e41bca7p-44,
    -0x1.cb6f70109b0f1p-47, 0x1.661e393a16b95p-44, -0x1.66cccab240e90p-45, 0x1.5e30f52d6ae75p-44,
};
// log2(1 + r) = scale * r + r*r * terms(r); error 2**-60.9.
static const double log2_terms[9] = {
    -0x1.71547652b82fep-1, 0x1.ec709dc3a0309p-2, -0x1.71547652b7f6bp-2, 0x1.2776c5110700bp-2,
    -0x1.ec709dcbf40e5p-3, 0x1.a61736c14bbd0p-3, -0x1.715437d03baa0p-3, 0x1.49041ee0f74acp-3,
    -0x1.28442bba8afd2p-3,
};
// The logarithm of its inverse, and what 42 bits leave of that.
static const double log10_value[16] = {
    -0x1.254b4d35e8000p-3, -0x1.f8c9683468000p-4, -0x1.b8de4d3ab4000p-4, -0x1.769140a254000p-4,
    -0x1.31b3055c48000p-4, -0x1.d41d5164f8000p-5, -0x1.71483427d0000p-5, -0x1.af5f92b010000p-6,
    -0x1.b5e908eb20000p-7, 0, 0x1.cb38fccd90000p-6, 0x1.9c197abf00000p-5,
    0x1.2e3a740b78000p-4, 0x1.93e7de0fc4000p-4, 0x1.db11ed766c000p-4, 0x1.1c1ce9955c000p-3,
};
static const double log10_value_low[16] = {
    0x1.61f143538008cp-46, -0x1.9084e03494e7dp-48, 0x1.340511b402e0ap-47, 0x1.9036b130dc2b9p-44,
    0x1.dcffc97be8c9cp-45, -0x1.659d00c475908p-44, -0x1.54c670f088030p-44, 0x1.9f05921f59258p-46,
    0x1.90dfe0d1601cap-44, 0, -0x1.00925a535ae72p-44, 0x1.badcf3d6e4566p-46,
    0x1.d288560689912p-53, -0x1.80743406505e6p-48, -0x1.40bcd23c3e44cp-44, 0x1.8b891b6d05a73p-48,
};
// log10(1 + r) = scale * r + r*r * terms(r); error 2**-62.6.
static const double log10_terms[9] = {
    -0x1.bcb7b1526e50ep-3, 0x1.287a7636f42ccp-3, -0x1.bcb7b1526e0c0p-4, 0x1.63c627779d854p-4,
    -0x1.287a763bf7afap-4, 0x1.fc3f7138b3a2ap-5, -0x1.bcb7660d846acp-5, 0x1.8c2cc35d2a6efp-5,
    -0x1.64bd7b4d2f9bep-5,
};
#define LN2_HIGH 0x1.62e42fefa3800p-1
#define LN2_LOW 0x1.ef35793c76730p-45
#define LOG10_2_HIGH 0x1.34413509f8000p-2
#define LOG10_2_LOW -0x1.80433b83b532ap-44
#define LOG2_E_HIGH 0x1.71547652b82fep+0
#define LOG2_E_LOW 0x1.777d0ffda0d24p-56
#define LOG10_E_HIGH 0x1.bcb7b1526e50ep-2
#define LOG10_E_LOW 0x1.95355baaafad3p-57

// log2(c), of 40 bits, and the rest.
static const double center_high[16] = {
    -0x1.e7df5fe538000p-2, -0x1.a8ff971810000p-2, -0x1.6cb0f6865c000p-2, -0x1.32bfee3710000p-2,
    -0x1.f5fd8a9060000p-3, -0x1.8a8980abf8000p-3, -0x1.22dadc2ab0000p-3, -0x1.7d60496d00000p-4,
    -0x1.77394c9da0000p-5, 0, 0x1.663f6fac90000p-4, 0x1.5c01a39fc0000p-3,
    0x1.fbc16b9028000p-3, 0x1.49a784bcd0000p-2, 0x1.91bba891f0000p-2, 0x1.d6753e0330000p-2,
};
static const double center_low[16] = {
    -0x1.5669df6a2b592p-43, -0x1.4bc302ffa76fbp-43, -0x1.1d406db502403p-43, 0x1.1979a5db68722p-42,
    -0x1.f1a4847f7b278p-42, -0x1.e9933354dbf17p-42, -0x1.a4b69691d7994p-42, 0x1.12ce6312ebb82p-42,
    0x1.4e55443478fe0p-42, 0, 0x1.3167ccc538261p-44, -0x1.4bc302ffa76fbp-42,
    -0x1.7f5dc57266758p-43, 0x1.b8afe492bf6ffp-42, 0x1.708b4b2b5056cp-42, -0x1.5f101c141e670p-42,
};
#define TWO_LOG2_E_HIGH 0x1.71547652b82fep+1
#define TWO_LOG2_E_LOW 0x1.777d0ffda0d24p-55
// log2((1 + s) / (1 - s)) = 2/log(2) * s + s**3 * terms(s*s); error 2**-70.7.
static const double pow_terms[4] = {
    0x1.ec709dc3a03fdp-1, 0x1.2776c50eff7a8p-1, 0x1.a617607f2ead8p-2, 0x1.48741702f1026p-2,
};

#endif
