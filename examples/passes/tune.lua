-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- Passes for power.ncr, which stays as it is: nacre run --pass tune.lua power.ncr

-- (a @ b) @ v becomes a @ (b @ v) where that takes fewer operations.
nacre.pass{name = "products", match = "matmul(matmul(a, b), v)", replace = function(m)
  local rows, inner, columns = m.a.shape[1], m.b.shape[1], m.b.shape[2]
  local width = m.v.ndim > 1 and m.v.shape[2] or 1
  local now = rows * inner * columns + rows * columns * width
  local then_ = inner * columns * width + rows * inner * width
  if then_ < now then return m.a:matmul(m.b:matmul(m.v)) end
end}

-- x ** 3 becomes two products: its kernel needs no power function.
nacre.pass{name = "cubes", match = "power(x, 3)", replace = function(m) return m.x * m.x * m.x end}
