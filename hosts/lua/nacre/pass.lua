-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- Passes in Lua: what array work is about to be run, and changes of it. core.lua adds them to the module.
--
--   nd.pass{name = "cube", match = "power(x, 3)", replace = function(m) return m.x * m.x * m.x end}

local type, tostring, error, setmetatable, pairs = type, tostring, error, setmetatable, pairs

return function(nd, raw, value)
  -- --- Nodes --------------------------------------------------------------------------------------
  --
  -- Of the plan at hand, counted from 1 like their operands: node.operation, .dtype, .shape, .operands (how
  -- many), .file, .line.

  local Node = {}
  local function node_of(number)
    local node = raw.node(number)
    node.number = number + 1
    return setmetatable(node, Node)
  end

  local methods = {}
  Node.__index = methods
  function Node.__tostring(node)
    return "node " .. node.number .. ": " .. node.operation .. (node.file and " at line " .. node.line or "")
  end

  -- What it reads as operand number i: an array, or a number as a value of its dtype.
  function methods.operand(node, i) return raw.plan_value(node.number - 1, i - 1) end
  -- The same as a number of Lua; nil for an array.
  function methods.value(node, i) return raw.number(node.number - 1, i - 1) end
  -- What it writes.
  function methods.result(node) return raw.plan_value(node.number - 1, -1) end
  -- The node that wrote the operand; nil for an input of the plan.
  function methods.writer(node, i)
    local number = raw.writer(node.number - 1, i - 1)
    return number and node_of(number)
  end
  -- Its result is computed so instead.
  function methods.replace(node, with) raw.replace(node.number - 1, value(with)) end

  local hints = {apart = true, together = true, stored = true, own = true, plain = true, host = true, whole = true,
                  code = true, tile = true, threads = true}
  -- node:hint{apart = true, tile = 64}, added to its earlier hints.
  function methods.hint(node, hinted)
    for name in pairs(hinted) do
      if not hints[name] then error("nacre: '" .. tostring(name) .. "' is no hint", 2) end
    end
    raw.hint(node.number - 1, hinted)
  end

  -- --- Matches --------------------------------------------------------------------------------------

  -- m.x is what the pattern's name x stands for; m.node the outermost node, m.nodes all, in the pattern's order.
  local Match = {}
  local captures = setmetatable({}, {__mode = "k"})
  function Match.__index(match, name)
    local at = captures[match][name]
    if at then return raw.plan_value(at[1], at[2]) end
    return Match[name]
  end
  function Match.number(match, name)
    local at = captures[match][name]
    return at and raw.number(at[1], at[2])
  end
  function Match.replace(match, with) match.node:replace(with) end
  function Match.hint(match, hinted)
    for _, node in pairs(match.nodes) do node:hint(hinted) end
  end

  local function match_at(number, pattern)
    local found, numbers = raw.match(number, pattern)
    if not found then return nil end
    local match = {nodes = {}}
    for i = 1, #numbers do match.nodes[i] = node_of(numbers[i]) end
    match.node = match.nodes[1]
    captures[match] = found
    return setmetatable(match, Match)
  end

  -- --- Plans ----------------------------------------------------------------------------------------

  local Plan = {}
  Plan.__index = Plan

  local function plan_of(count) return setmetatable({count = count}, Plan) end

  local function numbers(plan, from)
    local number = from - 1
    return function()
      number = number + 1
      if number < plan.count then return number end
    end
  end

  function Plan.node(plan, i)
    if type(i) ~= "number" or i < 1 or i > plan.count then error("nacre: there is no node " .. tostring(i), 2) end
    return node_of(i - 1)
  end
  -- for node in plan:each() do …; plan:each("matmul"): of that operation.
  function Plan.each(plan, operation)
    local next_number = numbers(plan, 0)
    return function()
      for number in next_number do
        local node = node_of(number)
        if not operation or node.operation == operation then return node end
      end
    end
  end
  -- for m in plan:match("multiply(x, x)") do …
  function Plan.match(plan, pattern)
    local next_number = numbers(plan, 0)
    return function()
      for number in next_number do
        local match = match_at(number, pattern)
        if match then return match end
      end
    end
  end

  -- --- Passes -----------------------------------------------------------------------------------------

  -- A pass that is written as a rule: where the pattern is found, what it becomes, or the hints that it gets.
  local function rule(row)
    return function(plan)
      for match in plan:match(row.match) do
        if row.replace then
          local with = row.replace(match)
          if with ~= nil then match:replace(with) end
        end
        if row.hint then match:hint(row.hint) end
      end
    end
  end

  local fields = {name = "string", doc = "string", operations = "table", each_time = "boolean", run = "function",
                  match = "string", replace = "function", hint = "table"}

  -- nd.pass{name = …, run = function(plan) … end}, or with `match` and `replace` or `hint` instead of `run`.
  function nd.pass(row)
    if type(row) ~= "table" then error("nacre: a pass is a table", 2) end
    for name, x in pairs(row) do
      if type(x) ~= fields[name] then
        error("nacre: a pass has no '" .. tostring(name) .. "' that is a " .. type(x), 2)
      end
    end
    local run = row.run or (row.match and (row.replace or row.hint) and rule(row))
    if not row.name or not run or (row.run and row.match) then
      error("nacre: a pass has a name, and either run, or match with replace or hint", 2)
    end
    raw.add_pass(row.name, row.doc, row.operations, row.each_time or false,
                 function(count) run(plan_of(count)) end)
  end
  function nd.remove_pass(name) raw.remove_pass(name) end
  -- Whether one of the engine's passes is used: nd.use_pass("algebra", false).
  function nd.use_pass(name, used) raw.use_pass(name, used) end
  -- What leads to some arrays, now and once: nd.edit(function(plan) … end, a, b). Without arrays: all.
  function nd.edit(f, ...)
    local arrays, count = {...}, select("#", ...)
    raw.edit(function(size) f(plan_of(size)) end, arrays, count)
  end
  -- The op table: {name = "add", kind = "elementwise", operands = 2}, …
  function nd.operations() return raw.operations() end
end
