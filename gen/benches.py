#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Makes the C file with the checks of drivers and the known violations of each platform (cli/bench/built_in.h).

Usage: benches.py OUTPUT PLATFORM=CHECKS,BASELINE...
"""
import json
import sys


def literal(path):
    with open(path, encoding='ascii') as file:
        return '\n'.join(f'        {json.dumps(line)}' for line in file) or '        ""'


def main():
    lines = ['/* Made by gen/benches.py. */', '#include "cli/bench/built_in.h"', '#include <stddef.h>',
             'const struct bench_built_in bench_built_in[] = {']
    for pair in sys.argv[2:]:
        name, files = pair.split('=', 1)
        checks, baseline = files.split(',')
        lines += [f'    {{"{name}",', literal(checks) + ',', literal(baseline) + '},']
    lines += ['    {NULL, NULL, NULL}};']
    with open(sys.argv[1], 'w', encoding='ascii') as out:
        out.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
