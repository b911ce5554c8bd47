-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- The module, made of what a provider can do with values (nacre.raw for Lua 5.4, nacre.ffi for LuaJIT):
-- operators, indexes, methods, conversions. Values are boxes whose metatable is filled in here.

local select, type, tostring, rawget, rawset = select, type, tostring, rawget, rawset
local error, getmetatable, setmetatable, pairs, ipairs = error, getmetatable, setmetatable, pairs, ipairs

-- Options of the VM: what NACRE_OPTIONS in the global environment says when the module is first required.
return function(start)
  local raw = start(rawget(_G, "NACRE_OPTIONS"))
  local nd, values = {}, raw.values
  local kind = raw.kind

  -- --- From Lua's values ------------------------------------------------------------------------

  -- A table that stands for something else than a list: {tag = …}.
  local marks = setmetatable({}, {__mode = "k"})

  -- Functions of Lua that stand for a value.
  local originals = setmetatable({}, {__mode = "k"})

  local value -- forward

  local function sequence(table, make)
    local items, count = {}, #table
    for i = 1, count do items[i] = value(table[i]) end
    return make(items, count)
  end

  local function dict(table)
    local keys, items, count = {}, {}, 0
    for k, v in pairs(table) do
      count = count + 1
      keys[count], items[count] = value(k), value(v)
    end
    return raw.dict(keys, items, count)
  end

  -- What the provider takes: its boxes, and Lua's scalars as they are.
  function value(x)
    local t = type(x)
    if t == "table" then
      if marks[x] then return sequence(x, raw.tuple) end
      return sequence(x, raw.list)
    elseif t == "function" then
      return originals[x] or raw.func("lua_function", nil, x)
    end
    return x
  end

  -- A table with names only, at the end of a call, has keyword arguments.
  local function is_keywords(x)
    if type(x) ~= "table" or marks[x] or next(x) == nil then return false end
    for k in pairs(x) do
      if type(k) ~= "string" then return false end
    end
    return true
  end

  local function call(f, ...)
    local count, args, names = select("#", ...), {...}, nil
    if count > 0 and is_keywords(args[count]) then
      local keywords = args[count]
      args[count] = nil
      count, names = count - 1, {}
      for name in pairs(keywords) do names[#names + 1] = name end
      table.sort(names)
      for i = 1, count do args[i] = value(args[i]) end
      for i, name in ipairs(names) do args[count + i] = value(keywords[name]) end
      return raw.call(f, args, count + #names, names)
    end
    for i = 1, count do
      local t = type(args[i])
      if t == "table" or t == "function" then args[i] = value(args[i]) end
    end
    return raw.call(f, args, count)
  end

  -- --- Indexes ------------------------------------------------------------------------------------
  --
  -- Numbers count from 1, as everywhere in Lua, and from -1 at the end; ranges include both ends, as in
  -- string.sub. Text is an index as Nacre writes it, counted from 0. Arrays of places are what functions
  -- such as argsort give, and count from 0 too.

  local function place(i, what)
    if i ~= i or i % 1 ~= 0 then
      error("nacre: " .. what .. " has to be a whole number, not " .. tostring(i), 0)
    elseif i == 0 then
      error("nacre: " .. what .. " 0: the first element is number 1", 0)
    end
    return i > 0 and i - 1 or i
  end

  -- {} everything, {i, j} from i to j, {i, j, step}.
  local function range(r)
    local first, last, step = r[1], r[2], r[3] or 1
    if first == nil and last == nil and r[3] == nil then return raw.slice() end
    local from, to
    if first ~= nil then from = place(first, "the begin of a range") end
    if last ~= nil then
      to = place(last, "the end of a range")
      -- Behind it: the element after -1 is none.
      if step > 0 then
        to = to + 1
        if last < 0 and to == 0 then to = nil end
      else
        to = to - 1
        if last > 0 and to < 0 then to = nil end
      end
    end
    return raw.slice(from, to, step)
  end

  local function axis_index(x)
    local t = type(x)
    if t == "number" then return place(x, "an index") end
    if t == "table" and not marks[x] then return range(x) end
    return value(x)
  end

  -- "1:-1, ::2": an index in Nacre's own words; kept, as loops use the same ones.
  local texts = setmetatable({}, {__mode = "v"})

  local function bound(text, whole)
    if text == "" then return nil end
    local number = text:find("^[+-]?%d+$") and tonumber(text)
    if not number then error("nacre: '" .. whole .. "' is no index: '" .. text .. "'", 0) end
    return number
  end

  local function axis_of_text(part, whole)
    if part == "..." then return raw.ellipsis() end
    if part == "None" or part == "newaxis" then return raw.box(nil) end
    local first, rest = part:match("^([^:]*):(.*)$")
    if not first then return raw.box(bound(part ~= "" and part or "?", whole)) end
    local last, step = rest:match("^([^:]*):?(.*)$")
    return raw.slice(bound(first, whole), bound(last, whole), bound(step, whole))
  end

  local function text_index(text)
    local index = texts[text]
    if index then return index end
    local items, count = {}, 0
    for part in (text:gsub("%s", "") .. ","):gmatch("([^,]*),") do
      count = count + 1
      items[count] = axis_of_text(part, text)
    end
    index = count == 1 and items[1] or raw.tuple(items, count)
    texts[text] = index
    return index
  end

  local function is_name(text)
    return text:find("^[%a_][%w_]*$") ~= nil
  end

  -- a[{1, 3}]: places, of which there may be tables in tables; truths are a mask.
  local function places(t)
    local items, count = {}, #t
    for i = 1, count do
      local x = t[i]
      if type(x) == "number" then items[i] = place(x, "an index")
      elseif type(x) == "table" then items[i] = places(x)
      else items[i] = value(x) end
    end
    return raw.list(items, count)
  end

  -- What stands in brackets and is neither a name nor a number.
  local function key_index(key)
    if key == nil then error("nacre: an index is nil", 0) end
    if type(key) == "table" and not marks[key] then return places(key) end
    return value(key)
  end

  -- a{1, {2, -1}, {}}: one for each axis.
  local function index_of(t)
    local items, count = {}, #t
    for i = 1, count do items[i] = axis_index(t[i]) end
    if count == 1 then return items[1] end
    return raw.tuple(items, count)
  end

  -- --- Attributes and methods ---------------------------------------------------------------------

  local methods = {} -- by name: functions of self

  local function method(name)
    local f = methods[name]
    if f == nil then
      f = function(self, ...) return call(raw.attribute(self, name), ...) end
      methods[name] = f
    end
    return f
  end

  local own = {} -- methods that Lua adds
  local of_arrays = {} -- to arrays alone

  function values.__index(self, key)
    local t = type(key)
    if t == "string" then
      local what = kind(self)
      if not is_name(key) then return raw.item(self, what == "dict" and key or text_index(key)) end
      if own[key] then return own[key] end
      if what == "array" and (of_arrays[key] or methods[key]) then return of_arrays[key] or methods[key] end
      if what == "dict" and raw.operator("in", key, self) then return raw.item(self, key) end
      local found = raw.attribute(self, key)
      -- a:sum(), but nd.linalg.norm(a) and nd.add.reduce(a)
      if kind(found) ~= "callable" or what == "module" or what == "callable" then return found end
      return method(key)
    elseif t == "number" then
      return raw.item(self, kind(self) == "dict" and key or place(key, "an index"))
    end
    return raw.item(self, key_index(key))
  end

  function values.__newindex(self, key, item)
    local t = type(key)
    if t == "string" and kind(self) ~= "dict" then
      if is_name(key) then return raw.set_attribute(self, key, value(item)) end
      return raw.set_item(self, text_index(key), value(item))
    elseif t == "number" and kind(self) ~= "dict" then
      return raw.set_item(self, place(key, "an index"), value(item))
    end
    return raw.set_item(self, kind(self) == "dict" and value(key) or key_index(key), value(item))
  end

  function values.__call(self, ...)
    if kind(self) == "callable" then return call(self, ...) end
    local index = ...
    if type(index) ~= "table" or select("#", ...) ~= 1 then
      error("nacre: an index is a table, as in a{1, {2, -1}}", 2)
    end
    return raw.item(self, index_of(index))
  end

  -- --- Operators ------------------------------------------------------------------------------------

  local symbols = {
    __add = "+", __sub = "-", __mul = "*", __div = "/", __mod = "%", __pow = "**", __idiv = "//",
    __band = "&", __bor = "|", __bxor = "^", __shl = "<<", __shr = ">>",
  }
  for event, symbol in pairs(symbols) do
    values[event] = function(a, b) return raw.operator(symbol, value(a), value(b)) end
  end
  function values.__unm(a) return raw.unary("-", a) end
  function values.__bnot(a) return raw.unary("~", a) end
  function values.__len(a) return raw.length(a) end
  function values.__tostring(a) return raw.str(a) end
  function values.__concat(a, b) return tostring(a) .. tostring(b) end
  function values.__eq(a, b) return raw.same(a, b) end

  local function no_order()
    error("nacre: comparisons are true or false in Lua; for arrays write nd.lt(a, b) or a:lt(b)", 2)
  end
  values.__lt, values.__le = no_order, no_order

  local comparisons = {eq = "==", ne = "!=", lt = "<", le = "<=", gt = ">", ge = ">="}
  for name, symbol in pairs(comparisons) do
    local compare = function(a, b) return raw.operator(symbol, value(a), value(b)) end
    nd[name], own[name] = compare, compare
  end
  -- What LuaJIT's grammar has no operators for.
  local more = {band = "&", bor = "|", bxor = "^", shl = "<<", shr = ">>", idiv = "//", matmul = "@"}
  for name, symbol in pairs(more) do
    own[name] = function(a, b) return raw.operator(symbol, value(a), value(b)) end
    nd[name] = own[name]
  end
  function own.bnot(a) return raw.unary("~", a) end
  nd.bnot = own.bnot

  -- a:set({1, {2, 3}}, x) is a{1, {2, 3}} = x, which Lua cannot say.
  function own.set(self, index, item)
    if type(index) == "table" then index = index_of(index) else index = axis_index(index) end
    raw.set_item(self, index, value(item))
    return self
  end

  -- a:to("cuda") is a copy with its elements there, a:device() where those of an array are.
  local function of_nacre(name) return raw.attribute(raw.import("nacre"), name) end
  function of_arrays.to(self, name) return call(of_nacre("to"), self, name) end
  function of_arrays.device(self) return call(of_nacre("device_of"), self) end

  -- --- To Lua's values --------------------------------------------------------------------------------

  -- Arrays and lists as tables, all the way down; anything else as it is.
  local function to_table(x)
    local k = kind(x)
    if k == "array" then return to_table(raw.call(raw.attribute(x, "tolist"), {}, 0)) end
    if k == "dict" then
      local result = {}
      for key, item in nd.iter(raw.call(raw.attribute(x, "items"), {}, 0), true) do
        result[key] = to_table(item)
      end
      return result
    end
    if k ~= "list" and k ~= "set" then return x end
    local result, count = {}, 0
    for item in nd.iter(x) do
      count = count + 1
      result[count] = to_table(item)
    end
    return result
  end
  nd.totable, own.totable = to_table, to_table

  -- for x in nd.iter(list) do …; with `spread`, for a, b in nd.iter(pairs, true) do …
  function nd.iter(x, spread)
    local iterator = raw.iterate(x)
    return function()
      local there, item = raw.next(iterator)
      if not there then return nil end
      if spread then return item[1], item[2] end
      return item
    end
  end
  function own.iter(self) return nd.iter(self) end
  function own.repr(self) return raw.repr(self) end
  function own.type(self) return raw.type(self) end

  -- --- Programs -----------------------------------------------------------------------------------------

  local function expect(what, x)
    if type(x) ~= what then error("nacre: a " .. what .. " expected, not a " .. type(x), 3) end
  end

  local runs = 0
  local function source_name()
    runs = runs + 1
    return "<lua " .. runs .. ">"
  end

  -- The value of an expression of Nacre.
  function nd.eval(text)
    expect("string", text)
    return raw.evaluate(text:match("^%s*(.-)%s*$"), source_name())
  end
  -- Runs statements in the main module.
  function nd.run(text)
    expect("string", text)
    raw.run(text, source_name())
  end
  function nd.run_file(path)
    expect("string", path)
    raw.run_file(path)
  end
  -- nd.func [[def f(a, b): …]]: what is defined last, as a function of Lua. All of it may be indented.
  function nd.func(text)
    expect("string", text)
    text = "\n" .. text
    local margin = text:match("\n([ \t]*)%S") or ""
    if margin ~= "" then text = text:gsub("\n" .. margin, "\n") end
    local name
    for found in text:gmatch("\ndef%s+([%a_][%w_]*)") do name = found end
    if not name then error("nacre: nd.func wants the text of a function: def name(…): …", 2) end
    raw.run(text, source_name())
    local box = raw.global(name)
    local f = function(...) return call(box, ...) end
    originals[f] = box
    return f
  end
  -- Variables of the main module.
  nd.globals = setmetatable({}, {
    __index = function(_, name) return raw.global(name) end,
    __newindex = function(_, name, item) raw.set_global(name, value(item)) end,
  })
  -- A module by its dotted name.
  function nd.import(name)
    expect("string", name)
    return raw.import(name)
  end
  -- A function of Lua for scripts: nd.callback("name", "x, n=1", function(x, n) … end)
  function nd.callback(name, signature, f)
    expect("string", name)
    expect("function", f)
    return raw.func(name, signature, f)
  end
  function nd.compute(...)
    local arrays, count = {...}, select("#", ...)
    raw.compute(arrays, count)
    return ...
  end
  function nd.stats() return raw.stats() end
  require("nacre.pass")(nd, raw, value)
  nd.version = raw.version()

  -- --- Tables that stand for something else ----------------------------------------------------------------

  -- A tuple, where a list would mean something else.
  function nd.tuple(items)
    marks[items] = "tuple"
    return items
  end
  function nd.dict(items) return dict(items) end
  function nd.list(items) return sequence(items, raw.list) end
  nd.all_axes = raw.ellipsis() -- the `...` of an index
  nd.None = raw.box(nil)
  nd.newaxis = nd.None

  -- --- The module: all names of numpy ------------------------------------------------------------------------

  local numpy = raw.import("numpy")

  local errors = raw.errors
  function errors.__tostring(e)
    return e.class .. (e.message ~= "" and ": " .. e.message or "")
  end
  errors.__index = errors

  function nd.is_value(x) return kind(x) ~= nil end
  -- What only this provider has (LuaJIT: pointers).
  for name, f in pairs(raw.methods or {}) do own[name] = f end
  if raw.seal then raw.seal() end

  setmetatable(nd, {
    __index = function(_, name)
      if type(name) ~= "string" then return nil end
      local found = raw.attribute(numpy, name)
      rawset(nd, name, found)
      return found
    end,
  })
  return nd
end
