-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- Passes in Lua: nodes, patterns, replacements, hints, errors. Lua 5.4 and LuaJIT alike.

local check = require "check"
local nd = require "nacre"
local same, raises = check.same, check.raises

nd.run "import numpy as np"
nd.run "x = np.linspace(0, 1, 2000)"

-- --- A rule ------------------------------------------------------------------------------------------

local function runs(text) -- kernels that it takes
  local before = nd.stats().kernels
  nd.run(text)
  return nd.stats().kernels - before
end

local times = 0
nd.pass{name = "cube", doc = "x ** 3 without pow", match = "power(x, 3)", replace = function(m)
  times = times + 1
  same(m.node.operation, "power")
  same(m:number("x"), nil)
  return m.x * m.x * m.x
end}
nd.run "y = x ** 3.0 + 1\nclose = bool(abs(y - (x * x * x + 1)).max() == 0)"
check.is_true(nd.globals.close)
same(times, 1)
raises("already", function() nd.pass{name = "cube", run = function() end} end)
nd.remove_pass "cube"
raises("KeyError", function() nd.remove_pass "cube" end)

-- --- Looking -----------------------------------------------------------------------------------------

local seen
nd.pass{name = "look", operations = {"sqrt"}, run = function(plan)
  seen = {}
  for node in plan:each() do seen[#seen + 1] = node.operation end
  local root = plan:each("sqrt")()
  same(root.operation, "sqrt")
  same(root.dtype, "float64")
  same(root.shape[1], 2000)
  same(root.operands, 1)
  local sum = root:writer(1)
  same(sum.operation, "add")
  same(sum:value(2), 2)
  same(sum:value(1), nil)
  same(sum:writer(1), nil)
  same(tostring(sum):match("^node 1: add"), "node 1: add")
  same(root:operand(1).shape[1], 2000)
  same(root:result().dtype.name, "float64")
  same(plan:node(1).operation, "add")
  raises("no node", function() plan:node(plan.count + 1) end)
  local found = 0
  for m in plan:match("sqrt(add(a, b))") do
    found = found + 1
    same(m:number("b"), 2)
    same(#m.nodes, 2)
  end
  same(found, 1)
  raises("no pattern", function() for _ in plan:match("sqrt(") do end end)
  raises("RuntimeError", function() return root:operand(1):sum():item() end)
  raises("read-only", function() root:operand(1)[1] = 3 end)
end}
nd.run "r = float(np.sqrt(x + 2.0).sum())"
check.is_true(#seen >= 2)
nd.run "r = float((x + 2.0).sum())"
nd.remove_pass "look"

-- --- Hints ------------------------------------------------------------------------------------------

local usual = runs "t = (x + 1) * 2 - x\nt[0]"
nd.pass{name = "apart", match = "subtract(_, _)", hint = {apart = true, tile = 64, threads = 1}}
same(runs "t = (x + 1) * 2 - x\nt[0]", usual + 1)
nd.remove_pass "apart"
raises("is no hint", function()
  nd.edit(function(plan) plan:node(1):hint{fast = true} end, nd.globals.x + 1)
end)
raises("power of 2", function()
  nd.edit(function(plan) plan:node(1):hint{tile = 5} end, nd.globals.x + 1)
end)
nd.use_pass("algebra", false)
same(nd.eval "float((x * 1).sum() == x.sum())", 1)
nd.use_pass("algebra", true)
raises("ValueError", function() nd.use_pass("fusion", false) end)

-- --- Once --------------------------------------------------------------------------------------------

local a = nd.linspace(1, 2, 3000)
local b = nd.exp(nd.log(a))
nd.edit(function(plan)
  for m in plan:match "exp(log(x))" do m:replace(m.x) end
end, b)
check.is_true(nd.array_equal(a, b))

-- --- Errors ------------------------------------------------------------------------------------------

nd.pass{name = "fails", run = function() error({class = "LookupError", message = "no thanks"}) end}
local good, problem = pcall(nd.run, "z = (x * 3)[0]")
check.is_true(not good)
same(problem.class, "LookupError")
nd.remove_pass "fails"
nd.pass{name = "fails", run = function() local t = nil; return t.x end}
good, problem = pcall(nd.run, "z = (x * 3)[0]")
check.is_true(not good and problem.class == "RuntimeError" and problem.message:find("index"))
nd.remove_pass "fails"
same(nd.eval "float((x * 3)[0])", 0)
raises("a pass has", function() nd.pass{name = "x"} end)
raises("no 'math'", function() nd.pass{name = "x", math = "power(x, 3)"} end)
raises("a table", function() nd.pass("x") end)
raises("no operation", function() nd.pass{name = "x", operations = {"nothing"}, run = function() end} end)
check.is_true(#nd.operations() > 100)
same(nd.operations()[1].name, "add")

check.done()
