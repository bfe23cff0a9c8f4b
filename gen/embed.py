#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Makes a C file with the contents of files as arrays, which end with a zero byte that is not counted.

Usage: embed.py OUTPUT NAME=FILE[,FILE...]...
An array contains its files one after the other. Defines for each `const char NAME[]` and `const size_t NAME_size`.
"""
import sys

ROW = 24


def main():
    lines = ['/* Made by gen/embed.py. */', '#include <stddef.h>']
    for pair in sys.argv[2:]:
        name, paths = pair.split('=', 1)
        data = b''
        for path in paths.split(','):
            with open(path, 'rb') as file:
                data += file.read()
        lines += [f'extern const char {name}[];', f'extern const size_t {name}_size;', f'const char {name}[] = {{']
        for at in range(0, len(data), ROW):
            lines.append(''.join(f'{byte if byte < 128 else byte - 256},' for byte in data[at:at + ROW]))
        lines += ['0};', f'const size_t {name}_size = {len(data)};']
    with open(sys.argv[1], 'w', encoding='ascii') as out:
        out.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
