-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- LuaJIT: a plain loop over the memory of an array, then array work on what it has written.

local nd = require "nacre"

local width, height, most = 120, 80, 60
local counts = nd.zeros(nd.tuple{height, width}, {dtype = "int32"})
local p = counts:ptr() -- int32_t *

for row = 0, height - 1 do
  for column = 0, width - 1 do
    local cr, ci = -2.2 + 3.2 * column / width, -1.2 + 2.4 * row / height
    local x, y, n = 0, 0, 0
    while n < most and x * x + y * y < 4 do
      x, y, n = x * x - y * y + cr, 2 * x * y + ci, n + 1
    end
    p[row * width + column] = n
  end
end

print("inside:", (counts:eq(most)):sum(), "mean:", ("%.3f"):format(counts:mean()))
for row = 1, height, 8 do
  local line = {}
  for column = 1, width, 2 do
    local n = counts{row, column}
    line[#line + 1] = n == most and "#" or n > 8 and ":" or n > 3 and "." or " "
  end
  print((table.concat(line):gsub("%s+$", "")))
end
