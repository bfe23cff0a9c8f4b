#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Makes the list of topics that `pmon search` knows: manual pages, their options and sections, sections of documents, and
example scenarios, each with its first sentence.

Usage: topics.py OUTPUT FILE...
"""
import os
import re
import sys

LONGEST = 160


def first_sentence(text):
    text = re.sub(r'\s+', ' ', re.sub(r'<!--.*?-->', '', text)).strip()
    text = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', text).replace('`', '').replace('**', '')
    end = re.search(r'\.(\s|$)|:$', text)
    text = text[:end.start()] if end else text
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(' ', 1)[0] + ' ...'


def plain_roff(line):
    line = re.sub(r'\\f[A-Z]|\\fR|\\&', '', line).replace('\\-', '-').replace('\\(', '')
    if line.startswith('.'):
        line = re.sub(r'^\.[A-Z]+\s*', '', line)
        line = re.sub(r'"([^"]*)"', r'\1', line)
    return re.sub(r'\s+', ' ', line).replace(' ,', ',').strip()


def manual(path, lines):
    """Yields a page with the text of its NAME section, and each tagged paragraph with its first sentence."""
    page = re.sub(r'\.([1-8])$', r'(\1)', os.path.basename(path))
    section, tag, text, name = '', None, [], ''
    for line in lines + ['.SH']:
        if line.startswith(('.SH', '.TP', '.SS')):
            if section == 'NAME' and not name:
                name = ' '.join(text)
                yield 'manual', page, first_sentence(name.split(' - ', 1)[-1])
            elif tag and text and not tag.isdigit():
                yield 'manual', '%s: %s' % (page, tag), first_sentence(' '.join(text))
            if line.startswith('.SH'):
                section = plain_roff(line)
            tag, text = (None if line.startswith('.TP') else ''), []
        elif not line.startswith('.\\"'):
            if tag is None:
                tag = plain_roff(line)
            else:
                text.append(plain_roff(line))


def document(path, lines):
    """Yields each section of a document with its first sentence."""
    heading, text, code = None, [], False
    name = 'docs/' + os.path.basename(path)
    for line in lines + ['# ']:
        if line.startswith('```'):
            code = not code
        elif line.startswith('#') and not code:
            if heading and text:
                yield 'document', name + ', ' + heading, first_sentence(' '.join(text))
            heading, text = re.sub(r'`', '', line.lstrip('#').strip()), []
        elif not code and not line.startswith('|'):
            text.append(line)


def scenario(path, lines):
    words = []
    for line in lines:
        if not line.startswith('#'):
            break
        if 'SPDX' not in line:
            words.append(line[1:].strip())
    if words:
        yield 'scenario', 'examples/scenarios/' + os.path.basename(path), first_sentence(' '.join(words))


def literal(text):
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'


def main():
    rows = []
    for path in sys.argv[2:]:
        with open(path, encoding='utf-8') as file:
            lines = file.read().splitlines()
        kind = manual if re.search(r'\.[1-8]$', path) else document if path.endswith('.md') else scenario
        rows += kind(path, lines)
    with open(sys.argv[1], 'w', encoding='utf-8') as out:
        out.write('/* Made by gen/topics.py. */\n#include "cli/facts/topics.h"\n\nconst struct topic topics[] = {\n')
        for row in rows:
            out.write('  {%s},\n' % ', '.join(literal(text) for text in row))
        out.write('};\nconst size_t n_topics = sizeof topics / sizeof *topics;\n')


if __name__ == '__main__':
    main()
