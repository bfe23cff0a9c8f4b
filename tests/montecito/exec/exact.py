#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The executor's floating point against exact fractions: each result of `ia64_operations COUNT` is computed without any
rounding, and then rounded once, to the precision and range that the line says. Usage: exact.py PROGRAM COUNT"""
import subprocess
import sys
from fractions import Fraction

BIAS, SPECIAL = 0xFFFF, 0x1FFFF
OVERFLOW, UNDERFLOW, INEXACT = 8, 16, 32
NEAREST, DOWN, UP, ZERO = range(4)


def power(exponent):
    return Fraction(2) ** exponent


def value(sign, exponent, significand):
    return (-1) ** sign * significand * power(exponent - BIAS - 63)


def exponent_of(x):
    """The exponent e of |x| with 2**e <= |x| < 2**(e + 1)."""
    e = abs(x.numerator).bit_length() - x.denominator.bit_length()
    return e - 1 if abs(x) < power(e) else e


def integer_of(x, rounding):
    """The magnitude of x as an integer."""
    whole, rest = divmod(abs(x.numerator), x.denominator)
    half = 2 * rest - x.denominator
    if rounding == NEAREST:
        up = half > 0 or (half == 0 and whole & 1)
    else:
        up = rest and rounding == (DOWN if x < 0 else UP)
    return whole + bool(up), rest != 0


def rounded(x, precision, lowest, highest, rounding):
    """Sign, exponent, significand and flags of x, which is not zero."""
    sign = int(x < 0)
    exponent = exponent_of(x)
    whole, inexact = integer_of(x / power(exponent - precision + 1), rounding)
    if whole >> precision:
        whole >>= 1
        exponent += 1
    if exponent > highest:
        if rounding == NEAREST or rounding == (DOWN if sign else UP):
            return sign, SPECIAL, 1 << 63, OVERFLOW | INEXACT
        return sign, highest + BIAS, ((1 << precision) - 1) << (64 - precision), OVERFLOW | INEXACT
    if exponent < lowest:
        whole, inexact = integer_of(x / power(lowest - precision + 1), rounding)
        flags = UNDERFLOW | INEXACT if inexact else 0
        return sign, lowest + BIAS if whole else 0, whole << (64 - precision), flags
    return sign, exponent + BIAS, whole << (64 - precision), INEXACT if inexact else 0


def check(line):
    name, *words = line.split()
    precision, lowest, highest, rounding = map(int, words[:4])
    numbers = [(int(s), int(e, 16), int(m, 16)) for s, e, m in (w.split(":") for w in words[4:-1])]
    operands = [value(*n) for n in numbers[:-1]]
    if name == "fma":
        exact = operands[0] * operands[1] + operands[2]
    else:
        exact = operands[0] / operands[1]
    if exact:
        wanted = rounded(exact, precision, lowest, highest, rounding)
    else:
        wanted = (int(rounding == DOWN), 0, 0, 0)  # of a difference
    return wanted == (*numbers[-1], int(words[-1])), wanted


def main():
    program, count = sys.argv[1:]
    passed = failed = 0
    for line in subprocess.run([program, count], capture_output=True, text=True, check=True).stdout.splitlines():
        right, wanted = check(line)
        passed += right
        failed += not right
        if not right and failed < 6:
            print(f"FAILED: {line}: expected {wanted[0]}:{wanted[1]:x}:{wanted[2]:x} {wanted[3]}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or passed < 2 * int(count)


sys.exit(main())
