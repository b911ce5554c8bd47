-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- What the tests of the Lua module share.

local check = {failures = 0, count = 0}

local function place()
  local info = debug.getinfo(3, "Sl")
  return info.short_src:match("[^/]*$") .. ":" .. info.currentline
end

-- That the texts of two things are the same; numbers of Lua 5.4 and LuaJIT count as the same text.
function check.same(found, expected)
  check.count = check.count + 1
  if type(found) == "number" and type(expected) == "number" and found == expected then return end
  if tostring(found) == tostring(expected) and type(expected) ~= "number" then return end
  check.failures = check.failures + 1
  print(place() .. ": " .. tostring(found) .. " instead of " .. tostring(expected))
end

function check.is_true(condition)
  check.count = check.count + 1
  if condition then return end
  check.failures = check.failures + 1
  print(place() .. ": not so")
end

-- That a function raises an error of this class, or one whose text has this in it.
function check.raises(what, f, ...)
  check.count = check.count + 1
  local good, problem = pcall(f, ...)
  local class = type(problem) == "table" and problem.class
  if not good and (class == what or tostring(problem):find(what, 1, true)) then return problem end
  check.failures = check.failures + 1
  print(place() .. ": " .. (good and "no error" or tostring(problem)) .. " instead of " .. what)
end

function check.done()
  print(check.count .. " checks, " .. check.failures .. " failures")
  os.exit(check.failures == 0 and check.count > 0, true)
end

return check
