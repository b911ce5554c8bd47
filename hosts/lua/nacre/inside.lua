-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- Lua inside the command: what a configuration may say, and what files with passes see. Unless it is trusted, Lua
-- has no files, no programs, no modules in C, and nothing but text is loaded.

local own = ... -- functions of inside.c
local set_option, read_file, load_text, known_backend = own.set_option, own.read_file, own.load_text, own.known_backend
local find, gsub = string.find, string.gsub -- as they are before anybody changes them

local folder = "." -- of the file that runs
local nd -- the module, once there is a VM
local settings = {} -- of the configuration
local loaded = {}

-- --- What it may do -------------------------------------------------------------------------------------

local function require_text(name)
  if loaded[name] ~= nil then return loaded[name] end
  if name == "nacre" then error("there are no arrays yet: the configuration is read before the program starts", 2) end
  local text, path = own.embedded(name), name
  if not text then
    if type(name) ~= "string" or not find(name, "^[%w_.]+$") or find(name, "..", 1, true) then error("no module '" .. tostring(name) .. "'", 2) end
    path = folder .. "/" .. gsub(name, "%.", "/") .. ".lua"
    text = read_file(path)
    if not text then error("no module '" .. name .. "': no file '" .. path .. "'", 2) end
  end
  local chunk, problem = load_text(text, "@" .. path)
  if not chunk then error(problem, 2) end
  local result = chunk(name)
  loaded[name] = result == nil and true or result
  return loaded[name]
end

if own.trusted then
  local plain = require
  function require(name)
    if own.embedded(name) or name == "nacre" then return require_text(name) end
    return plain(name)
  end
else
  require, dofile, loadfile = require_text, nil, nil
  os = {clock = os.clock, date = os.date, time = os.time, difftime = os.difftime, getenv = os.getenv}
  function load(text, name, mode, env)
    if type(text) == "function" then
      local parts, next_part = {}, text
      for part in next_part do
        if part == "" then break end
        parts[#parts + 1] = part
      end
      text = table.concat(parts)
    end
    return load_text(text, name or "=(load)", env or _G)
  end
end

local function text_of(path)
  local text = read_file(path)
  if not text then error("cannot read '" .. path .. "'", 0) end
  return text
end

local function run_in(path, env)
  local chunk, problem = load_text(text_of(path), "@" .. path, env)
  if not chunk then error(problem, 0) end
  local before = folder
  folder = path:match("^(.*)/[^/]*$") or "."
  chunk(path)
  folder = before
end

-- --- Configuration --------------------------------------------------------------------------------------
--
-- A configuration assigns to names: these.

local function number_text(x)
  return math.type(x) == "integer" and tostring(x) or string.format("%.17g", x)
end

-- The first backend that there is of several.
local function backend_text(x)
  if type(x) == "string" then return x end
  for _, name in ipairs(x) do
    if type(name) ~= "string" then error("backend: names are texts", 0) end
    if known_backend(name) then return table.concat(x, ",") end
  end
  error("backend: there is none of " .. table.concat(x, ", "), 0)
end

local function set(name, value)
  if not set_option(name, value) then error("'" .. value .. "' is no " .. name, 0) end
end

local options = { -- by name: types of values, and the option's text
  backend = {"string table", backend_text},
  threads = {"number", number_text},
  depth = {"number", number_text},
  device_least = {"number", number_text},
  no_fuse = {"boolean", function(x) return x and "1" or "0" end},
  reproducible = {"boolean", function(x) return x and "1" or "0" end},
  tier = {"string", tostring},
  strict = {"boolean string", function(x) return x == true and "error" or x or "off" end},
  memory_limit = {"string number", function(x) return type(x) == "number" and number_text(x) or x end},
  time_limit = {"number", number_text},
  recursion_limit = {"number", number_text},
  cache = {"string", tostring},
  stats = {"string", tostring},
  explain = {"boolean string", tostring},
  ranks = {"number", number_text},
  transport = {"string", tostring},
  check_ranks = {"boolean", function(x) return x and "1" or "0" end},
  split_least = {"string number", function(x) return type(x) == "number" and number_text(x) or x end},
}
local others = {passes = "table", use = "table", operations = "table"}

local function check_type(name, x, types)
  if not types:find(type(x), 1, true) then
    error("'" .. name .. "' is a " .. types:gsub(" ", " or a ") .. ", not a " .. type(x), 0)
  end
end

local function is_setting(name) return options[name] or others[name] end

local function apply(name, x)
  if others[name] then
    check_type(name, x, others[name])
    settings[name] = x
    return
  end
  check_type(name, x, options[name][1])
  set(name:gsub("_", "-"), options[name][2](x))
end

local function configure(path)
  local given = {}
  local env = setmetatable({}, {
    __index = function(_, name)
      if given[name] ~= nil then return given[name] end
      return _G[name]
    end,
    __newindex = function(_, name, x)
      if not is_setting(name) then
        error("there is no setting '" .. tostring(name) .. "' (what is not a setting is local)", 2)
      end
      given[name] = x
    end,
  })
  run_in(path, env)
  settings.folder = path:match("^(.*)/[^/]*$") or "."
  local names = {}
  for name in pairs(given) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local good, problem = pcall(apply, name, given[name])
    if not good then error(path .. ": " .. tostring(problem), 0) end
  end
end

-- --- Passes ---------------------------------------------------------------------------------------------

local function run(path) run_in(path, _G) end

-- operations = {matmul = "cpu", sort = {"opencl", "cpu"}}: those whose first backend that there is is the host's
-- run there, whatever the program's backend.
local function place(operations)
  local on_host, names = {}, {}
  for operation, backends in pairs(operations) do
    if type(backends) == "string" then backends = {backends} end
    check_type("operations." .. tostring(operation), backends, "table")
    for _, name in ipairs(backends) do
      if name == "cpu" then
        on_host[operation] = true
        names[#names + 1] = operation
      end
      if known_backend(name) then break end
    end
  end
  if #names == 0 then return end
  table.sort(names)
  nd.pass{name = "operations", doc = "where the configuration wants operations to run", operations = names,
          run = function(plan)
            for node in plan:each() do
              if on_host[node.operation] then node:hint{host = true} end
            end
          end}
end

local function attach(start)
  nd = require_text("nacre.core")(start)
  loaded.nacre, nacre = nd, nd
  for name, used in pairs(settings.use or {}) do nd.use_pass(name, used) end
  if settings.operations then place(settings.operations) end
  for _, path in ipairs(settings.passes or {}) do
    if type(path) ~= "string" then error("passes: names of files are texts", 0) end
    run(path:find("^/") and path or settings.folder .. "/" .. path)
  end
end

-- Passes and operations change one VM's plans, and the ranks of a program have to plan alike.
local function check_ranks()
  for _, name in ipairs({"use", "operations", "passes"}) do
    if settings[name] then error("the configuration's " .. name .. " are for a program on one rank", 0) end
  end
end

return {configure = configure, check_ranks = check_ranks, attach = attach, run = run}
