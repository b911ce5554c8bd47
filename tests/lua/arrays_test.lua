-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- Arrays in Lua: making them, operators, indexes, methods, conversions. Lua 5.4 and LuaJIT alike.

local check = require "check"
local nd = require "nacre"
local same, raises = check.same, check.raises

-- --- Making and looking ------------------------------------------------------------------------------

local a = nd.linspace(0, 1, 5)
same(a, "[0.   0.25 0.5  0.75 1.  ]")
same(#a, 5)
same(a.ndim, 1)
same(a.shape[1], 5)
same(a.dtype.name, "float64")
local b = nd.array{{1, 2, 3}, {4, 5, 6}}
same(b:repr(), "array([[1, 2, 3],\n       [4, 5, 6]])")
same(nd.array({{1, 2}, {3, 4}}, {dtype = "float32"}).dtype.name, "float32")
same(nd.array{1, 2.5, true}, "[1.  2.5 1. ]")
same(nd.zeros{2, 3}.shape[2], 3)
same(nd.zeros(nd.tuple{2, 3}).shape[2], 3)
same(nd.zeros(4).shape[1], 4)
same(nd.full({2}, 7, {dtype = nd.int16}), "[7 7]")
same(nd.pi, 3.141592653589793)
same(nd.float32(2.5), 2.5)
same(b:type(), "ndarray")
check.is_true(nd.is_value(a) and not nd.is_value(3) and not nd.is_value{})

-- --- Operators -----------------------------------------------------------------------------------------

local x, y = nd.array{1, 2, 3}, nd.array({4, 5, 6}, {dtype = "float64"})
same(x + y, "[5. 7. 9.]")
same(x - 1, "[0 1 2]")
same(10 - x, "[9 8 7]")
same(x * x, "[1 4 9]")
same(x / 2, "[0.5 1.  1.5]")
same(x % 2, "[1 0 1]")
same(x ^ 2, "[1 4 9]")
same(2 ^ x, "[2 4 8]")
same(-x, "[-1 -2 -3]")
same(x:idiv(2), "[0 1 1]")
same(nd.bnot(x), "[-2 -3 -4]")
same(x:band(1), "[1 0 1]")
same(nd.bor(x, 4), "[5 6 7]")
same(nd.bxor(x, 1), "[0 3 2]")
same(x:shl(1), "[2 4 6]")
same(x:shr(1), "[0 1 1]")
same(x:dot(y), 32)
same(b:matmul(b.T), "[[14 32]\n [32 77]]")
same(x:lt(2), "[ True False False]")
same(nd.ge(x, nd.array{1, 3, 3}), "[ True False  True]")
same(nd.eq(x, 2), "[False  True False]")
same(nd.ne(x, 2), "[ True False  True]")
same(nd.le(x, 2), "[ True  True False]")
same(nd.gt(x, 2), "[False False  True]")
check.is_true(x == x and x ~= y)
raises("nd.lt(a, b)", function() return x < y end)
raises("nd.lt(a, b)", function() return x <= 3 end)
same(nd.array{true, false}:band(true), "[ True False]")
same(nd.complex64(1) * 2, "(2+0j)")
same("sum: " .. nd.array{1} .. "!", "sum: [1]!")
if not jit then
  local load = load
  same(load("local x = ... return (x & 1) + (x | 4) + (x ~ 1) + (x << 1) + (x >> 1) + (x // 2) + ~x")(x),
       x:band(1) + x:bor(4) + x:bxor(1) + x:shl(1) + x:shr(1) + x:idiv(2) + nd.bnot(x))
end

-- --- Indexes ---------------------------------------------------------------------------------------------

same(a[1], 0)
same(a[-1], 1)
same(a[2], 0.25)
same(b[2], "[4 5 6]")
same(b{2, 3}, 6)
same(b{-1, -1}, 6)
same(b{1, {2, -1}}, "[2 3]")
same(b{{}, 2}, "[2 5]")
same(b{{2}, 1}, "[4]")
same(a{{2, 4}}, "[0.25 0.5  0.75]")
same(a{{-2, -1}}, "[0.75 1.  ]")
same(a{{1, -1, 2}}, "[0.  0.5 1. ]")
same(a{{5, 1, -1}}, "[1.   0.75 0.5  0.25 0.  ]")
same(a{{-1, 1, -2}}, "[1.  0.5 0. ]")
same(a{{3, 2}}, "[]")
same(b{nd.newaxis, {}, 1}.shape[1], 1)
same(b{nd.all_axes, 1}, "[1 4]")
same(a["1:-1"], "[0.25 0.5  0.75]")
same(a["::-1"], "[1.   0.75 0.5  0.25 0.  ]")
same(b["1:, ::2"], "[[4 6]]")
same(b["..., 0"], "[1 4]")
same(b["None, 1"].shape[1], 1)
same(b["-1"], "[4 5 6]")
same(b["1, 2"], 6)
same(a[a:gt(0.3)], "[0.5  0.75 1.  ]")
same(a[nd.argsort(-a)], "[1.   0.75 0.5  0.25 0.  ]")
same(a[{1, 3, -1}], "[0.  0.5 1. ]")
same(b[{2}], "[[4 5 6]]")
same(a[{true, false, true, false, false}], "[0.  0.5]")
raises("an index is nil", function() return a[nil] end)
raises("the first element is number 1", function() return a[{0}] end)
raises("IndexError", function() return a[6] end)
raises("IndexError", function() return b{3, 1} end)
raises("the first element is number 1", function() return a[0] end)
raises("whole number", function() return a[1.5] end)
raises("is no index", function() return a["1:x"] end)
raises("is no index", function() return b["1,"] end)
raises("an index is a table", function() return a(1) end)
raises("AttributeError", function() return a.no_such_attribute end)
b[1] = 0
b["1, :2"] = nd.array{7, 8}
same(b, "[[0 0 0]\n [7 8 6]]")
b:set({2, {2, 3}}, -1)
same(b, "[[ 0  0  0]\n [ 7 -1 -1]]")
b[b:lt(0)] = 5
same(b, "[[0 0 0]\n [7 5 5]]")
b[2] = {1, 2, 3}
same(b[2], "[1 2 3]")
raises("ValueError", function() b[1] = nd.zeros(7) end)
local view = b["1"]
view[1] = 100
same(b{2, 1}, 100)
b.shape = nd.tuple{3, 2}
same(b.shape[1], 3)

-- --- Methods and functions -----------------------------------------------------------------------------

local m = nd.arange(6):reshape(2, 3)
same(m:sum(), 15)
same(m:sum{axis = 0}, "[3 5 7]")
same(m:sum(1, {keepdims = true}), "[[ 3]\n [12]]")
same(nd.sum(m, {axis = 1}), "[ 3 12]")
same(nd.concatenate({m, m}, {axis = 1}).shape[2], 6)
same(nd.where(m:gt(2), m, 0), "[[0 0 0]\n [3 4 5]]")
local quotient = nd.divmod(7, 2)
same(quotient[1], 3)
same(quotient[2], 1)
same(nd.linalg.norm(nd.array{3, 4}), 5)
same(nd.random.default_rng(3):integers(0, 100, {size = 3}), "[81  8 17]")
same(nd.add.reduce(nd.arange(4)), 6)
same(nd.einsum("ij,ij->i", m, m), "[ 5 50]")
raises("TypeError", function() return nd.sum(m, {wrong = 1}) end)
raises("AttributeError", function() return nd.no_such_function end)
local problem = raises("ValueError", function() return x + nd.zeros(4) end)
same(problem.message:match("^[^()]*"), "operands could not be broadcast together with shapes ")
check.is_true(problem.traceback:find("ValueError", 1, true))

-- --- To Lua's values -----------------------------------------------------------------------------------

local t = nd.totable(nd.arange(6):reshape(2, 3))
same(t[2][3], 5)
same(#t, 2)
same(a:totable()[2], 0.25)
same(nd.totable(nd.eval "{'a': [1, (2, 3)], 'b': None}").a[2][2], 3)
same(nd.totable(3), 3)
local total = 0
for item in nd.iter(nd.arange(5)) do total = total + item end
same(total, 10)
total = 0
for row in m:iter() do total = total + row:sum() end
same(total, 15)

check.done()
