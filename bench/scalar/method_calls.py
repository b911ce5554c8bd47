# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Classes: attributes, method calls, inheritance, operators.

class Shape:
    def __init__(self, size):
        self.size = size
        self.moves = 0

    def area(self):
        return 0

    def grow(self, by):
        self.size += by
        self.moves += 1
        return self


class Square(Shape):
    def area(self):
        return self.size * self.size


class Strip(Shape):
    def area(self):
        return self.size * 3 + super().area()


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


def run(n):
    shapes = [Square(1), Strip(2), Square(3), Strip(4)]
    total = 0
    for i in range(n):
        shape = shapes[i & 3]
        total += shape.grow(i % 5 - 2).area()
    where = Point(0, 0)
    step = Point(1, -2)
    for _ in range(n):
        where = where + step
    return total, where.x, where.y, sum(shape.moves for shape in shapes)


print(run(700000))
