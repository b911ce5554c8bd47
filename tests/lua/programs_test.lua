-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- Programs of Nacre in Lua, functions of either in the other, errors between them, and what is computed when.

local check = require "check"
local nd = require "nacre"
local same, raises = check.same, check.raises

-- --- Expressions, statements, functions ------------------------------------------------------------------

same(nd.eval "1 + 1", 2)
same(nd.eval [[ [1, 'two', (3, 4)] ]], "[1, 'two', (3, 4)]")
same(nd.eval "None", nil)
same(nd.eval "'text'", "text")
same(nd.eval "b'\\x00\\x01'", "\0\1")
same(nd.eval("(1, 'a')")[2], "a")
same(nd.eval "1 << 70", "1180591620717411303424")
local f = nd.func [[def f(x, y=2): return x * y + 1]]
same(f(3), 7)
same(f(nd.arange(3)), "[1 3 5]")
same(f(3, {y = 10}), 31)
same(type(f), "function")
same(nd.eval("lambda g: g(4)")(f), 9) -- the function itself, not one of Lua's around it
same(nd.vectorize(f)(nd.array{1, 2}), "[3 5]")
local g = nd.func [[
    import numpy as np

    def helper(n):
        return np.arange(n)

    def g(n):
        """Squares."""
        return helper(n) ** 2
]]
same(g(4), "[0 1 4 9]")
nd.run "counter = 5\nclass Point:\n    def __init__(self, x): self.x = x\n    def twice(self, k=2): return self.x * k\n"
same(nd.globals.counter, 5)
nd.globals.counter = nd.globals.counter + 1
same(nd.eval "counter", 6)
local p = nd.globals.Point(21)
same(p.x, 21)
same(p:twice(), 42)
same(p:twice{k = 3}, 63)
p.x = 4
same(p:twice(), 8)
local d = nd.eval "{'a': 1, 3: 'c'}"
same(d.a, 1)
same(#d, 2)
same(d[3], "c")
d["new key"] = nd.array{1}
same(d["new key"][1], 1)
same(#nd.totable(d:keys()), 3)
raises("AttributeError", function() return d.b end)
same(nd.import("math").sqrt(16), 4)
raises("NameError", function() return nd.globals.no_such_name end)
raises("SyntaxError", function() nd.run "x = = 1" end)
raises("ModuleNotFoundError", function() nd.import "no_such_module" end)
raises("nd.func wants", function() nd.func "x = 1" end)
raises("a string expected", function() nd.run() end)
raises("a string expected", function() nd.eval(5) end)
raises("a function expected", function() nd.callback("f", "x", 5) end)
raises("SyntaxError", function() nd.callback("f", "a b", print) end)
raises("ValueError", function() nd.callback("f f", nil, print) end)
local problem = raises("ZeroDivisionError", function() nd.run "x = 1\nx / 0" end)
same(problem.line, 2)
same(tostring(problem), "ZeroDivisionError: division by zero")
raises("SystemExit", function() nd.run "import sys; sys.exit(3)" end)

-- --- Functions of Lua in scripts ---------------------------------------------------------------------------

nd.globals.scale = nd.callback("scale", "x, k=3", function(x, k) return x * k end)
same(nd.eval("scale(7), scale(7, k=2)")[1], 21)
same(nd.eval "scale(7, k=2)", 14)
nd.globals.count = function(...) return select("#", ...) end
same(nd.eval "count(1, 'a', None)", 3)
same(nd.eval "count()", 0)
nd.globals.pick = function(x) return x["1:"] end
nd.globals.np = nd.import("numpy")
same(nd.eval "pick(np.arange(3))", "[1 2]")
nd.globals.fail = function() error("oh no") end
nd.run "try:\n    fail()\nexcept RuntimeError as e:\n    caught = str(e)\n"
check.is_true(nd.globals.caught:find("oh no", 1, true))
nd.globals.odd = function() return nd.zeros(2) + nd.zeros(3) end
nd.run "try:\n    odd()\nexcept ValueError as e:\n    caught = type(e).__name__\n"
same(nd.globals.caught, "ValueError")
same(nd.eval "sorted([3, 1, 2], key=lambda v: scale(v, k=-1))", "[3, 2, 1]")
local function down(n)
  if n == 0 then return 0 end
  return nd.eval("down(" .. n - 1 .. ")") + 1
end
nd.globals.down = down
same(down(20), 20)
local co = coroutine.wrap(function()
  for i = 1, 3 do coroutine.yield(nd.eval("scale(" .. i .. ")")) end
end)
same(co() + co() + co(), 18)
raises("is no value", function() return nd.sum(co and coroutine.create(down)) end)

-- --- What is computed when ------------------------------------------------------------------------------------

-- An expression is one kernel, whatever Lua still holds of it.
local x = nd.linspace(0, 1, 200000)
nd.compute(x)
collectgarbage()
local before = nd.stats()
local y = (x * 2 + x - x / 3) * x + 1
check.is_true(nd.stats().kernels == before.kernels and nd.stats().nodes_pending > 4)
nd.compute(y)
local after = nd.stats()
same(after.kernels - before.kernels, 1)
check.is_true(after.memory_in_use - before.memory_in_use < 2.5 * 8 * 200000)

-- What is left in a register is not stored, but there if it is wanted all the same.
local function forked()
  local result = (x * 2 + x) * x - x / 4
  local first = result[1]
  return result, nd.stats().nodes_pending + first
end
before = nd.stats().memory_in_use
local result, pending = forked()
same(pending, 1)
check.is_true(nd.stats().memory_in_use - before < 1.1 * 8 * 200000)
local pair = {x / 4, forked()}
same(pair[1][200000], 0.25)
same(pair[2][200000], 2.75)
result, pair = nil, nil
local a, b = x + 1, x * 3
before = nd.stats()
nd.compute(a, b)
same(nd.stats().kernels - before.kernels, 1)
same(nd.sum(a - x), 200000)

-- Arrays that Lua has lost do not pile up.
collectgarbage()
local peak = nd.stats().memory_in_use
for i = 1, 300 do x = x + 1 end
check.is_true(x[1] == 300)
check.is_true(nd.stats().memory_in_use < peak + 10 * 8 * 200000)

check.done()
