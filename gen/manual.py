#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Makes the manual pages of section 3 from the public headers, so that a header and its page cannot differ. A header's
first comment is the page's description; each declaration is shown as it stands, with the comment before it (one comment
serves all declarations up to the next blank line). A function without a comment is an error.

Usage: manual.py --names HEADER...             prints `PAGE FUNCTION` for each exported function
       manual.py --page HEADER PMON_H OUTPUT   writes one page
"""
import re
import sys


class Block:
    """Declarations that share a comment."""

    def __init__(self, comment, code):
        self.comment = comment
        self.code = code


def comment_text(lines):
    """Returns the text inside a comment's markers, without its common indentation."""
    text = '\n'.join(lines)
    text = re.sub(r'^\s*/\*', '  ', text)
    text = re.sub(r'\*/\s*$', '', text)
    lines = [re.sub(r'^ \* ?', '  ', line).rstrip() for line in text.split('\n')]
    first = lines[0].strip()
    rest = lines[1:]
    margins = [len(line) - len(line.lstrip()) for line in rest if line.strip()]
    margin = min(margins) if margins else 0
    body = [line[margin:] for line in rest]
    return ([first] if first else []) + body


def read_header(path):
    """Returns the header's description and its blocks, in order."""
    with open(path, encoding='utf-8') as file:
        lines = file.read().split('\n')
    description, blocks, comment, code, depth = [], [], [], [], 0
    guarded = False
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if depth == 0 and line.lstrip().startswith('/*') and 'SPDX-License-Identifier' not in line and not code:
            lines_of_comment = [line]
            while '*/' not in lines_of_comment[-1]:
                lines_of_comment.append(lines[at])
                at += 1
            if not guarded:
                description = comment_text(lines_of_comment)
                continue
            comment = comment_text(lines_of_comment)
            if at < len(lines) and not lines[at].strip():       # a general comment on the declarations below
                blocks.append(Block(comment, []))
                comment = []
            continue
        if re.match(r'#\s*(ifndef|endif|include)', line) or re.match(r'#define PMON_\w+_H$', line) or \
                line in ('PMON_BEGIN_DECLS', 'PMON_END_DECLS'):
            guarded = True
            continue
        if 'SPDX-License-Identifier' in line or (not line.strip() and depth == 0):
            if code:
                blocks.append(Block(comment, code))
            comment, code = ([], []) if code else (comment, code)
            continue
        if depth == 0 and line.lstrip().startswith('/*') and code:     # no blank line before the next declaration
            blocks.append(Block(comment, code))
            comment, code = [], []
            at -= 1
            continue
        code.append(line)
        bare = re.sub(r'/\*.*?\*/', '', line)
        depth += bare.count('{') - bare.count('}')
    if code:
        blocks.append(Block(comment, code))
    if not description and blocks:
        description = next((b.comment for b in blocks if b.comment), [])
    return description, blocks


def functions(block):
    """Returns the exported functions that a block declares."""
    text = ' '.join(block.code)
    return re.findall(r'PMON_API [^;{(]*?\b(pmon_\w+)\(', text)


def prototype(code):
    text = '\n'.join(code).replace('PMON_API ', '')
    margin = len('PMON_API ')
    return [re.sub('^ {%d}(?= )' % margin, '', line) for line in text.split('\n')]


def roff(text):
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return '\\&' + text if text[:1] in ('.', "'") else text


def brief(description):
    text = ' '.join(description).split('  ')[0]
    sentence = re.split(r'\.(?: |$)', text)[0]
    head, colon, rest = sentence.partition(': ')
    if colon:
        sentence = rest if len(head.split()) <= 2 else head
    return sentence[:1].lower() + sentence[1:]


def text_lines(lines):
    """Formats running text; indented lines stay as they are, as examples."""
    out, verbatim = [], False
    for line in lines:
        indented = line.startswith('  ') and not re.match(r'  \S', line) or line.startswith('  ') and line.strip()
        if indented and not verbatim:
            out += ['.PP', '.nf']
            verbatim = True
        elif verbatim and line.strip() and not indented:
            out += ['.fi', '.PP']
            verbatim = False
        if not line.strip():
            if not verbatim:
                out.append('.PP')
            continue
        out.append(roff(line if verbatim else line.strip()))
    if verbatim:
        out.append('.fi')
    return out


def without_empty_paragraphs(lines):
    """Removes paragraph macros that begin no paragraph: after a heading, and before another macro that begins one."""
    out = []
    for line in lines:
        while out and out[-1] == '.PP' and line.startswith(('.PP', '.SH', '.RE')):
            out.pop()
        if line != '.PP' or not out or not out[-1].startswith(('.SH', '.RS')):
            out.append(line)
    return out


def page_name(header):
    stem = re.sub(r'.*/|\.h$', '', header)
    return 'libpmon' if stem == 'pmon' else 'pmon_' + stem


def page(header, others):
    name = page_name(header)
    description, blocks = read_header(header)
    stem = re.sub(r'.*/', '', header)
    out = ['.\\" SPDX-License-Identifier: MIT', '.\\" Made from <pmon/%s>.' % stem,
           '.TH %s 3 "" pmon "Library Functions"' % name.upper(), '.SH NAME',
           '%s \\- %s' % (name, roff(brief(description))), '.SH SYNOPSIS', '.nf',
           '.B #include <pmon/%s>' % stem, '.PP', 'Link with \\fI\\-lpmon\\fR (pkg\\-config pmon).', '.fi',
           '.SH DESCRIPTION'] + text_lines(description)
    types = [b for b in blocks if b.code and not functions(b)]
    calls = [b for b in blocks if functions(b)]
    general = [b for b in blocks if not b.code and b.comment != description]
    for block in general:
        out += ['.PP'] + text_lines(block.comment)
    if types:
        out.append('.SH TYPES')
        for block in types:
            if block.comment != description:
                out += ['.PP'] + text_lines(block.comment)
            out += ['.PP', '.nf'] + [roff(line) for line in block.code] + ['.fi']
    if calls:
        out.append('.SH FUNCTIONS')
        for block in calls:
            if not block.comment:
                sys.exit('%s: no comment says what %s does' % (header, ', '.join(functions(block))))
            out += ['.PP', '.nf', '.ft B'] + [roff(line) for line in prototype(block.code)] + ['.ft R', '.fi', '.RS']
            out += text_lines(block.comment) + ['.RE']
    out += ['.SH SEE ALSO', ',\n'.join('.BR %s (3)' % other for other in others if other != name)
            .replace(',\n', ' ,\n') + ' ,', '.BR pmon (1)']
    return '\n'.join(without_empty_paragraphs(out)) + '\n'


def pages_in(library_header):
    """Returns the pages of all headers that pmon/pmon.h includes."""
    with open(library_header, encoding='utf-8') as file:
        stems = re.findall(r'#include <pmon/(\w+)\.h>', file.read())
    return ['libpmon'] + ['pmon_' + stem for stem in stems if stem != 'api']


def main(arguments):
    if arguments[:1] == ['--names']:
        for header in arguments[1:]:
            for block in read_header(header)[1]:
                for function in functions(block):
                    print(page_name(header), function)
    elif arguments[:1] == ['--page'] and len(arguments) == 4:
        with open(arguments[3], 'w', encoding='utf-8') as file:
            file.write(page(arguments[1], pages_in(arguments[2])))
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(sys.argv[1:])
