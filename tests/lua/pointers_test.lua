-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- LuaJIT only: elements through typed pointers, in plain loops.

local check = require "check"
local nd = require "nacre"
local ffi = require "ffi"
local same, raises = check.same, check.raises

local a = nd.arange(10, {dtype = "float64"})
local p = a:ptr()
same(ffi.istype("double *", p), true)
for i = 0, 9 do p[i] = p[i] * p[i] end
same(a, "[ 0.  1.  4.  9. 16. 25. 36. 49. 64. 81.]")
local total = 0
for i = 0, 9 do total = total + p[i] end
same(total, 285)
-- What waits to be computed is computed first.
local b = a + 1
p = b:ptr()
same(p[9], 82)
local small = nd.array({1, 2, 3}, {dtype = "int16"})
small:ptr()[1] = -7
same(small, "[ 1 -7  3]")
same(ffi.istype("float *", nd.ones(2, {dtype = "float32"}):ptr()), true)
local fixed = nd.broadcast_to(nd.ones(1), {3})
raises("ValueError", function() return fixed:ptr() end)
same(fixed:const_ptr()[0], 1)
same(nd.array({2 ^ 53}, {dtype = "int64"})[1], 9007199254740992LL)
same(nd.array{9007199254740993LL}[1], 9007199254740993LL)
raises("TypeError", function() return nd.eval("[1]"):ptr() end)

check.done()
