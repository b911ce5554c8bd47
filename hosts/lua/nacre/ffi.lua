-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- What core.lua needs, for LuaJIT: the functions of nacre/raw.so, by LuaJIT's FFI over nacre.h. FFI is
-- trusted code: it can read and write any memory of the process.

local ffi = require "ffi"
require "nacre.cdef"
local C

-- Traces must not contain calls that may call back into Lua.
jit.off(true, true)

-- The library beside these files, as they are built and as they are installed, or wherever the system has it.
do
  local folder = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
  local places = {os.getenv("NACRE_LIBRARY") or "", folder .. "/../../libnacre.so.0",
                  folder .. "/../../../../lib/libnacre.so.0",
                  folder .. "/../../../../lib/" .. jit.arch:gsub("x64", "x86_64") .. "-linux-gnu/libnacre.so.0",
                  "libnacre.so.0"}
  local problem
  for _, place in ipairs(places) do
    if place ~= "" then
      local good, library = pcall(ffi.load, place)
      if good then
        C = library
        break
      end
      problem = problem or library
    end
  end
  if not C then error("nacre: no libnacre.so.0 (set NACRE_LIBRARY to its path): " .. tostring(problem)) end
end

ffi.cdef "typedef struct nacre_box { NacreValue *value_; } nacre_box;"
local box_type = ffi.typeof("nacre_box")
local value_array = ffi.typeof("NacreValue *[?]")
local out_type = ffi.typeof("NacreValue *[1]")
local int64_t, uint64_t = ffi.typeof("int64_t"), ffi.typeof("uint64_t")
local EXACT = 2 ^ 53 -- whole numbers below are exact in a double

return function(options)
  options = options or {}
  local raw = {values = {}, errors = {}, methods = {}}

  -- --- The VM -------------------------------------------------------------------------------------

  local callbacks = {} -- kept for as long as the VM lives
  local function callback(name, f)
    local made = ffi.cast(name, f)
    callbacks[#callbacks + 1] = made
    return made
  end

  local o = ffi.new("NacreOptions")
  o.struct_size = ffi.sizeof("NacreOptions")
  o.write = callback("NacreWriteFn", function(_, stream, bytes, len)
    local file = stream == 2 and io.stderr or io.stdout
    local good = len == 0 and file:flush() or file:write(ffi.string(bytes, len))
    return good and 0 or -1
  end)
  local line
  o.read_line = callback("NacreReadFn", function(_, bytes)
    line = io.stdin:read("*L")
    if not line then return 0 end
    bytes[0] = line
    return #line
  end)
  -- As in vm.c.
  local vm
  local function defer_registers(defer)
    for level = 2, 33 do
      if not debug.getinfo(level, "l") then return end
      for n = 1, 250 do
        local name, value = debug.getlocal(level, n)
        if not name then break end
        if (name == "(*temporary)") == defer and ffi.istype(box_type, value) then C.nacre_defer(vm, value.value_, defer) end
      end
    end
  end
  o.reclaim = callback("NacreReclaimFn", function(_, bytes)
    bytes = tonumber(bytes)
    if collectgarbage("count") * 512 < bytes / 25 then collectgarbage() end
    if bytes < 2 ^ 20 then return end
    defer_registers(true)
    defer_registers(false)
  end)
  local tier, backend, strict = options.tier or "auto", options.backend, options.strict
  o.tier, o.backend, o.strict = tier, backend, strict
  o.threads = options.threads or 0
  o.memory_limit = options.memory_limit or 0
  o.recursion_limit = options.recursion_limit or 0
  o.reproducible = options.reproducible or 0
  o.sandbox = options.sandbox or 0
  o.time_limit = options.time_limit or 0
  vm = C.nacre_new(o)
  if vm == nil then error("nacre: no VM with these options (backend, tier, memory)") end
  local closed = false
  raw.keeper = ffi.gc(ffi.new("char[1]"), function()
    closed = true
    C.nacre_free(vm)
  end)

  -- --- Errors -------------------------------------------------------------------------------------

  local function check(status)
    if status == 0 then return end
    if status == C.NACRE_MISUSE then
      error("nacre: a value that was let go of, or a call that is not allowed here", 0)
    end
    local exit = status == C.NACRE_EXIT
    local text = ffi.string(C.nacre_error_text(vm), C.nacre_error_size(vm))
    error(setmetatable({
      class = exit and "SystemExit" or ffi.string(C.nacre_error_class(vm)),
      message = ffi.string(C.nacre_error_message(vm)), traceback = text,
      line = not exit and C.nacre_error_line(vm) or nil, code = exit and C.nacre_exit_code(vm) or nil,
    }, raw.errors), 0)
  end

  local function made(pointer)
    if pointer == nil then check(C.nacre_error_class(vm)[0] ~= 0 and C.NACRE_ERROR or C.NACRE_MISUSE) end
    return pointer
  end

  -- --- Boxes --------------------------------------------------------------------------------------

  local function let_go(box)
    if not closed then C.nacre_release(vm, box.value_) end
  end
  local function box(pointer)
    return ffi.gc(box_type(pointer), let_go)
  end
  local function is_box(x) return ffi.istype(box_type, x) end

  local function make(x)
    local t = type(x)
    if t == "nil" then return C.nacre_none(vm) end
    if t == "boolean" then return C.nacre_bool(vm, x) end
    if t == "string" then return C.nacre_text(vm, x, #x) end
    if t == "number" then
      if x % 1 == 0 and x > -EXACT and x < EXACT then return C.nacre_int(vm, x) end
      return C.nacre_float(vm, x)
    end
    if ffi.istype(int64_t, x) then return C.nacre_int(vm, x) end
    if ffi.istype(uint64_t, x) then return C.nacre_uint(vm, x) end
    error("nacre: a " .. t .. " is no value of an array program", 0)
  end

  -- A box, and what is in it.
  local function to_value(x)
    if is_box(x) then return x, x.value_ end
    local made_box = box(made(make(x)))
    return made_box, made_box.value_
  end

  local function to_values(items, count)
    local pointers, kept = value_array(count + 1), {}
    for i = 1, count do kept[i], pointers[i - 1] = to_value(items[i]) end
    return pointers, kept
  end

  local function value_of(x)
    if not is_box(x) then error("nacre: a value of nacre expected, not a " .. type(x), 0) end
    return x.value_
  end

  -- --- From the engine ----------------------------------------------------------------------------

  local integer, real, truth = ffi.new("int64_t[1]"), ffi.new("double[1]"), ffi.new("int[1]")
  local text, data, size = ffi.new("const char *[1]"), ffi.new("const void *[1]"), ffi.new("size_t[1]")
  local info = ffi.new("NacreArray")
  info.struct_size = ffi.sizeof("NacreArray")

  local function whole(number)
    local plain = tonumber(number)
    if plain > -EXACT and plain < EXACT then return plain end
    return number
  end

  local number_kinds = {[C.NACRE_KIND_BOOL] = "b", [C.NACRE_KIND_INT] = "i", [C.NACRE_KIND_FLOAT] = "f"}

  local from -- forward

  local function tuple_from(pointer)
    local keeper = box(pointer)
    check(C.nacre_length(vm, pointer, integer))
    local result, out = {}, out_type()
    for i = 0, tonumber(integer[0]) - 1 do -- read once: items use the same cell
      check(C.nacre_at(vm, keeper.value_, i, out))
      result[i + 1] = from(out[0])
    end
    return result
  end

  -- What Lua has itself as Lua's, a tuple as a table, all else in a box. Takes the hold over.
  function from(pointer)
    if pointer == nil then return nil end
    local kind = tonumber(C.nacre_kind(vm, pointer))
    local letter, result, found = number_kinds[kind], nil, false
    if kind == C.NACRE_KIND_TUPLE then return tuple_from(pointer) end
    if kind == C.NACRE_KIND_SCALAR and C.nacre_array_info(vm, pointer, info) == 0 then
      letter = string.char(info.kind)
      if letter == "u" then letter = "i" end
    end
    if kind == C.NACRE_KIND_NONE then found = true
    elseif letter == "b" then found, result = C.nacre_as_truth(vm, pointer, truth) == 0, truth[0] ~= 0
    elseif letter == "i" then found, result = C.nacre_as_int(vm, pointer, integer) == 0, whole(integer[0])
    elseif letter == "f" then found, result = C.nacre_as_float(vm, pointer, real) == 0, real[0]
    elseif kind == C.NACRE_KIND_TEXT then
      found = C.nacre_as_text(vm, pointer, text, size) == 0
      result = found and ffi.string(text[0], size[0])
    elseif kind == C.NACRE_KIND_BYTES then
      found = C.nacre_as_bytes(vm, pointer, data, size) == 0
      result = found and ffi.string(data[0], size[0])
    end
    if not found then return box(pointer) end
    C.nacre_release(vm, pointer)
    return result
  end

  local function answer(status, out)
    check(status)
    return from(out[0])
  end

  -- --- The functions of raw.c ---------------------------------------------------------------------

  function raw.box(x)
    return (to_value(x))
  end
  local function sequence(make_it)
    return function(items, count)
      local pointers, kept = to_values(items, count)
      local result = box(made(make_it(vm, count, pointers)))
      kept = nil -- held until here
      return result
    end
  end
  raw.tuple, raw.list = sequence(C.nacre_tuple), sequence(C.nacre_list)
  function raw.dict(keys, items, count)
    local key_pointers, kept_keys = to_values(keys, count)
    local pointers, kept = to_values(items, count)
    local result = box(made(C.nacre_dict(vm, count, key_pointers, pointers)))
    kept, kept_keys = nil, nil
    return result
  end
  function raw.slice(start, stop, step)
    local parts, kept = {}, {}
    for i, part in pairs({start, stop, step}) do kept[i], parts[i] = to_value(part) end
    local result = box(made(C.nacre_slice(vm, parts[1], parts[2], parts[3])))
    kept = nil
    return result
  end
  function raw.ellipsis() return box(made(C.nacre_ellipsis(vm))) end

  local kind_names = {"none", "bool", "int", "float", "complex", "scalar", "text", "bytes", "tuple", "list",
                      "dict", "set", "array", "callable", "module", "other"}
  function raw.kind(x)
    if not is_box(x) then return nil end
    return kind_names[tonumber(C.nacre_kind(vm, x.value_)) + 1]
  end
  function raw.type(x) return ffi.string(C.nacre_type_name(vm, value_of(x))) end
  function raw.same(a, b) return is_box(a) and is_box(b) and C.nacre_same(a.value_, b.value_) ~= 0 end

  local function text_by(function_of)
    return function(x)
      local keeper, pointer = to_value(x)
      local out = out_type()
      local result = answer(function_of(vm, pointer, out), out)
      keeper = nil
      return result
    end
  end
  raw.str, raw.repr = text_by(C.nacre_str), text_by(C.nacre_repr)
  function raw.length(x)
    check(C.nacre_length(vm, value_of(x), integer))
    return tonumber(integer[0])
  end
  function raw.info(x)
    check(C.nacre_array_info(vm, value_of(x), info))
    local shape, strides = {}, {}
    for i = 0, info.ndim - 1 do
      shape[i + 1], strides[i + 1] = tonumber(info.shape[i]), tonumber(info.strides[i])
    end
    return ffi.string(info.dtype), shape, strides, tonumber(info.itemsize)
  end

  function raw.item(x, key)
    local keeper, pointer = to_value(key)
    local out = out_type()
    local result = answer(C.nacre_item(vm, value_of(x), pointer, out), out)
    keeper = nil
    return result
  end
  function raw.set_item(x, key, item)
    local key_box, key_pointer = to_value(key)
    local item_box, item_pointer = to_value(item)
    check(C.nacre_set_item(vm, value_of(x), key_pointer, item_pointer))
    key_box, item_box = nil, nil
  end
  function raw.attribute(x, name)
    local out = out_type()
    return answer(C.nacre_attribute(vm, value_of(x), name, out), out)
  end
  function raw.set_attribute(x, name, item)
    local keeper, pointer = to_value(item)
    check(C.nacre_set_attribute(vm, value_of(x), name, pointer))
    keeper = nil
  end
  function raw.operator(symbol, a, b)
    local box_a, pointer_a = to_value(a)
    local box_b, pointer_b = to_value(b)
    local out = out_type()
    local result = answer(C.nacre_operator(vm, symbol, pointer_a, pointer_b, out), out)
    box_a, box_b = nil, nil
    return result
  end
  function raw.unary(symbol, a)
    local keeper, pointer = to_value(a)
    local out = out_type()
    local result = answer(C.nacre_operator(vm, symbol, pointer, nil, out), out)
    keeper = nil
    return result
  end
  function raw.iterate(x)
    local out = out_type()
    check(C.nacre_iterate(vm, value_of(x), out))
    return box(out[0])
  end
  function raw.next(x)
    local out = out_type()
    check(C.nacre_next(vm, value_of(x), out))
    return out[0] ~= nil, from(out[0])
  end
  function raw.call(f, args, count, names)
    local pointers, kept = to_values(args, count)
    local out, status = out_type(), nil
    if names then
      local texts = ffi.new("const char *[?]", #names + 1)
      for i, name in ipairs(names) do texts[i - 1] = name end
      status = C.nacre_call_with(vm, value_of(f), count - #names, pointers, #names, texts, out)
    else
      status = C.nacre_call(vm, value_of(f), count, pointers, out)
    end
    kept = nil
    return answer(status, out)
  end

  function raw.import(name)
    local out = out_type()
    return answer(C.nacre_import(vm, name, out), out)
  end
  function raw.global(name)
    local out = out_type()
    return answer(C.nacre_global(vm, name, out), out)
  end
  function raw.set_global(name, item)
    local keeper, pointer = to_value(item)
    check(C.nacre_set_global(vm, name, pointer))
    keeper = nil
  end
  function raw.run(program, name) check(C.nacre_run(vm, program, #program, name, C.NACRE_FILE)) end
  function raw.run_file(path) check(C.nacre_run_file(vm, path)) end
  function raw.evaluate(expression, name)
    local out = out_type()
    return answer(C.nacre_evaluate(vm, expression, #expression, name, out), out)
  end
  function raw.compute(arrays, count)
    local pointers, kept = to_values(arrays, count)
    check(C.nacre_compute(vm, count, pointers))
    kept = nil
  end
  function raw.stats()
    local stats = ffi.new("NacreStats")
    stats.struct_size = ffi.sizeof("NacreStats")
    check(C.nacre_stats(vm, stats))
    local result = {held = tonumber(C.nacre_held(vm))}
    for _, name in ipairs {"kernels", "nodes_recorded", "nodes_executed", "nodes_eliminated", "nodes_pending",
                           "library_calls", "memory_in_use", "memory_peak", "direct_operations", "threads",
                           "bytes_host_to_device", "bytes_device_to_host"} do
      result[name] = tonumber(stats[name])
    end
    return result
  end
  function raw.version() return ffi.string(C.nacre_version()) end

  -- --- Functions of Lua for scripts ------------------------------------------------------------------
  --
  -- One callback for all of them, as LuaJIT has room for a few hundred: the context is a number.

  local functions, numbered = {}, 0

  -- Without a signature it takes any number of arguments, which come as a tuple.
  local function arguments(f, args, count)
    if not f.spreads then
      local given = {}
      for i = 1, count do given[i] = from(made(C.nacre_hold(vm, args[i - 1]))) end
      return given, count
    end
    local length = ffi.new("int64_t[1]")
    check(C.nacre_length(vm, args[0], length))
    return tuple_from(made(C.nacre_hold(vm, args[0]))), tonumber(length[0])
  end

  local function run(f, args, count, result)
    local given, total = arguments(f, args, count)
    local keeper, pointer = to_value(f.call(unpack(given, 1, total)))
    result[0] = C.nacre_hold(vm, pointer)
    keeper = nil
  end

  local function fail(problem)
    if type(problem) == "table" and problem.class and problem.message then
      return C.nacre_raise(vm, problem.class, problem.message)
    end
    return C.nacre_raise(vm, "RuntimeError", tostring(problem))
  end

  local call_lua = callback("NacreFn", function(ctx, _, count, args, result)
    local f = functions[tonumber(ffi.cast("intptr_t", ctx))]
    local good, problem = pcall(run, f, args, tonumber(count), result)
    return good and 0 or fail(problem)
  end)
  local drop = callback("NacreDropFn", function(ctx) functions[tonumber(ffi.cast("intptr_t", ctx))] = nil end)

  function raw.func(name, signature, f)
    local out = out_type()
    numbered = numbered + 1
    functions[numbered] = {call = f, spreads = signature == nil}
    local row = ffi.new("NacreFunction", {struct_size = ffi.sizeof("NacreFunction"), name = name,
                                          signature = signature, fn = call_lua, drop = drop})
    row.ctx = ffi.cast("void *", ffi.cast("intptr_t", numbered))
    check(C.nacre_function(vm, row, out))
    return box(out[0])
  end

  -- --- Plans and passes (plan.c) -----------------------------------------------------------------------

  local node, match = ffi.new("NacreNode"), ffi.new("NacreMatch")
  node.struct_size, match.struct_size = ffi.sizeof("NacreNode"), ffi.sizeof("NacreMatch")

  function raw.node(number)
    check(C.nacre_plan_node(vm, number, node))
    local shape = {}
    for d = 0, node.result.ndim - 1 do shape[d + 1] = tonumber(node.result.shape[d]) end
    return {operation = ffi.string(node.operation), file = node.file ~= nil and ffi.string(node.file) or nil,
            dtype = ffi.string(node.result.dtype), line = node.line, operands = node.operand_count, shape = shape}
  end
  function raw.number(number, i)
    check(C.nacre_plan_node(vm, number, node))
    if i < 0 or i >= node.operand_count or node.operands[i].is_scalar == 0 then return nil end
    local operand = node.operands[i]
    local dtype = ffi.string(operand.view.dtype)
    if dtype:find("^float") then return operand.real end
    if dtype:find("^complex") then return nil end
    return whole(operand.integer)
  end
  function raw.plan_value(number, operand)
    local out = out_type()
    check(C.nacre_plan_value(vm, number, operand, out))
    return box(out[0])
  end
  function raw.writer(number, operand)
    local writer = C.nacre_plan_writer(vm, number, operand)
    return writer >= 0 and writer or nil
  end
  function raw.replace(number, with)
    local keeper, pointer = to_value(with)
    check(C.nacre_plan_replace(vm, number, pointer))
    keeper = nil
  end
  function raw.match(number, pattern)
    local found = ffi.new("int[1]")
    check(C.nacre_plan_match(vm, number, pattern, match, found))
    if found[0] == 0 then return nil end
    local captures, numbers = {}, {}
    for i = 0, match.capture_count - 1 do
      local capture = match.captures[i]
      captures[ffi.string(capture.name)] = {capture.node, capture.operand}
    end
    for i = 0, match.node_count - 1 do numbers[i + 1] = match.nodes[i] end
    return captures, numbers
  end
  function raw.hint(number, hinted)
    local hint = ffi.new("NacreHint")
    hint.struct_size = ffi.sizeof("NacreHint")
    for name, x in pairs(hinted) do hint[name] = type(x) == "number" and x or x and 1 or 0 end
    check(C.nacre_plan_hint(vm, number, hint))
  end
  function raw.operations()
    local operation, rows = ffi.new("NacreOperation"), {}
    operation.struct_size = ffi.sizeof("NacreOperation")
    while C.nacre_operation(#rows, operation) ~= 0 do
      rows[#rows + 1] = {name = ffi.string(operation.name), kind = ffi.string(operation.kind),
                         operands = operation.operand_count}
    end
    return rows
  end

  local edit_lua = callback("NacreEditFn", function(ctx, _, plan)
    local f = functions[tonumber(ffi.cast("intptr_t", ctx))]
    local good, problem = pcall(f.call, plan.node_count)
    return good and 0 or fail(problem)
  end)
  local function context(f)
    numbered = numbered + 1
    functions[numbered] = {call = f}
    return ffi.cast("void *", ffi.cast("intptr_t", numbered))
  end

  function raw.add_pass(name, doc, operations, each_time, f)
    local texts
    if operations then
      texts = ffi.new("const char *[?]", #operations + 1)
      for i, operation in ipairs(operations) do texts[i - 1] = operation end
    end
    local row = ffi.new("NacrePass", {struct_size = ffi.sizeof("NacrePass"), name = name, doc = doc,
                                      operations = texts, each_time = each_time and 1 or 0, run = edit_lua,
                                      drop = drop})
    row.ctx = context(f)
    check(C.nacre_add_pass(vm, row))
    texts = nil
  end
  function raw.remove_pass(name) check(C.nacre_remove_pass(vm, name)) end
  function raw.use_pass(name, used) check(C.nacre_use_pass(vm, name, used and 1 or 0)) end
  function raw.edit(f, arrays, count)
    local pointers, kept = to_values(arrays, count)
    local number = context(f)
    local status = C.nacre_edit(vm, count, pointers, edit_lua, number)
    functions[tonumber(ffi.cast("intptr_t", number))] = nil
    kept = nil
    check(status)
  end

  -- --- Memory ------------------------------------------------------------------------------------------

  local ctypes = {bool = "bool", int8 = "int8_t", int16 = "int16_t", int32 = "int32_t", int64 = "int64_t",
                  uint8 = "uint8_t", uint16 = "uint16_t", uint32 = "uint32_t", uint64 = "uint64_t",
                  float16 = "uint16_t", float32 = "float", float64 = "double", complex64 = "complex float",
                  complex128 = "complex double"}

  -- A pointer to the first element, typed, for reading and writing. It is good until the next operation in
  -- this VM, and keeps nothing alive: hold on to the array.
  function raw.methods.ptr(self)
    local at = ffi.new("void *[1]")
    check(C.nacre_write(vm, value_of(self), at))
    check(C.nacre_array_info(vm, value_of(self), info))
    return ffi.cast(ctypes[ffi.string(info.dtype)] .. " *", at[0])
  end

  -- The same for arrays that may only be read.
  function raw.methods.const_ptr(self)
    check(C.nacre_read(vm, value_of(self), data))
    check(C.nacre_array_info(vm, value_of(self), info))
    return ffi.cast("const " .. ctypes[ffi.string(info.dtype)] .. " *", data[0])
  end

  function raw.seal()
    ffi.metatype(box_type, raw.values)
  end

  return raw
end
