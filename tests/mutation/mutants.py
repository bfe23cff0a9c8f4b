# SPDX-License-Identifier: MIT
"""Finds the tokens of C files that can be changed, and the changes. Imported by mutate.py."""
import random
import re

TOKEN = re.compile(r'''
    (?P<skip>\s+|/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<char>'(?:\\.|[^'\\\n])*')
  | (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*(?![\w.]))
  | (?P<real>\d[\w.]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^<>=!~?:;,.(){}\[\]])
''', re.X | re.S | re.M)

OPERATORS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '+': '-', '-': '+', '+=': '-=',
             '-=': '+=', '&&': '||', '||': '&&', '&': '|', '|': '&', '&=': '|=', '|=': '&=', '<<': '>>', '>>': '<<',
             '<<=': '>>=', '>>=': '<<='}
KEYWORDS = {'if', 'while', 'for', 'switch', 'return', 'sizeof', 'do', 'else', 'case', 'default', 'goto', 'break',
            'continue', 'static', 'const', 'struct', 'enum', 'union', 'unsigned', 'typedef', 'extern', 'inline'}
LARGEST_INDEX = 8  # a larger number alone in brackets is a buffer's size


class Token:
    def __init__(self, kind, text, start):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)


def tokens_of(text):
    return [Token(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(text) if m.lastgroup != 'skip']


def enum_neighbours(texts):
    """Maps each enumerator of the given files to an adjacent one of the same enum."""
    neighbours = {}
    for text in texts:
        for body in re.findall(r'\benum\s*\w*\s*\{([^{}]*)\}', re.sub(r'/\*.*?\*/', '', text, flags=re.S)):
            names = [e.split('=')[0].strip() for e in body.split(',')]
            names = [n for n in names if re.fullmatch(r'[A-Z][A-Z0-9_]*', n)]
            for here, there in zip(names, names[1:] + names[-2:-1]):
                neighbours[here] = there
    return neighbours


def closing(tokens, i):
    """Returns the index of the bracket that closes the one at index i."""
    depth = 0
    for k in range(i, len(tokens)):
        depth += (tokens[k].text in '([{') - (tokens[k].text in ')]}')
        if not depth:
            return k
    return len(tokens) - 1


def is_operand(token):
    return token.kind in ('number', 'real', 'string', 'char') or token.text in (')', ']') or (
        token.kind == 'name' and token.text not in KEYWORDS)


def number_changes(t, before, after):
    digits = t.text.rstrip('uUlL')
    suffix, value = t.text[len(digits):], int(digits, 16 if digits[:2].lower() == '0x' else 8 if digits[0] == '0' and
                                              len(digits) > 1 else 10)
    if before == '[' and after == ']' and value > LARGEST_INDEX:
        return []
    changed = {0: 1, 1: 0}.get(value, value + 1)
    return [('constant', t.start, t.end, (hex(changed) if digits[:2].lower() == '0x' else str(changed)) + suffix)]


def table_elements(tokens, open_at, close_at):
    """Returns the elements of an initialiser or enum as (first, last) token indices."""
    elements, depth, first = [], 0, open_at + 1
    for k in range(open_at + 1, close_at + 1):
        if k == close_at or (tokens[k].text == ',' and not depth):
            if k > first:
                elements.append((first, k - 1))
            first = k + 1
        else:
            depth += (tokens[k].text in '([{') - (tokens[k].text in ')]}')
    return elements


def exchanges(text, tokens):
    """Yields the swaps of two adjacent values of a table, or of two adjacent enumerators."""
    for i, t in enumerate(tokens):
        before = tokens[i - 1] if i else None
        is_enum = t.text == '{' and i > 1 and (before.text == 'enum' or tokens[i - 2].text == 'enum')
        if t.text != '{' or not (is_enum or (before and before.text in ('=', ',', '{', ']'))):
            continue
        values = []
        for first, last in table_elements(tokens, i, closing(tokens, i)):
            single = tokens[last].kind in ('string', 'number', 'name') and (
                first == last or (tokens[last - 1].text == '=' and not is_enum))
            values.append(tokens[last] if single else None)
        for a, b in zip(values, values[1:]):
            if a and b and a.text != b.text:
                yield ('exchange', a.start, b.end, b.text + text[a.end:b.start] + a.text)


def statement_changes(text, tokens, i):
    t, out = tokens[i], []
    if t.text in ('if', 'while') and i + 1 < len(tokens) and tokens[i + 1].text == '(':
        end = closing(tokens, i + 1)
        if t.text == 'if' or tokens[min(end + 1, len(tokens) - 1)].text != ';':
            inside = text[tokens[i + 1].end:tokens[end].start]
            out.append(('condition', tokens[i + 1].start, tokens[end].end, '(!(' + inside + '))'))
    before = tokens[i - 1].text if i else ';'
    if t.kind == 'name' and t.text not in KEYWORDS and i + 1 < len(tokens) and tokens[i + 1].text == '(' and \
            before in (';', '{', '}', ')', 'else', ':'):
        end = closing(tokens, i + 1)
        if end + 1 < len(tokens) and tokens[end + 1].text == ';' and not (before == ')' and is_call_of(tokens, i - 1)):
            out.append(('call', t.start, tokens[end].end, '(void)0'))
    if t.text == 'return' and i + 2 < len(tokens) and tokens[i + 1].text != ';':
        end = next((k for k in range(i, len(tokens)) if tokens[k].text == ';'), i)
        value = text[tokens[i + 1].start:tokens[end - 1].end]
        changed = {'true': 'false', 'false': 'true', '0': '1', 'PMON_OK': '-1'}.get(value, '0')
        if value != 'NULL':
            out.append(('return', tokens[i + 1].start, tokens[end - 1].end, changed))
    return out


def is_call_of(tokens, i):
    """Returns whether the parenthesis that ends at index i belongs to a call or an attribute, not to if, while or
    for."""
    depth = 0
    for k in range(i, -1, -1):
        depth += (tokens[k].text == ')') - (tokens[k].text == '(')
        if not depth:
            return k == 0 or tokens[k - 1].text not in ('if', 'while', 'for', 'switch')
    return True


def changes_of(text, neighbours):
    """Returns all changes of a file as (kind, start, end, replacement)."""
    tokens = tokens_of(text)
    depth, found = 0, []
    for i, t in enumerate(tokens):
        depth += (t.text == '{') - (t.text == '}')
        before, after = tokens[i - 1] if i else None, tokens[i + 1] if i + 1 < len(tokens) else None
        if t.kind == 'op' and t.text in OPERATORS and before and depth:
            if t.text not in ('+', '-', '&') or is_operand(before):
                found.append(('operator', t.start, t.end, OPERATORS[t.text]))
        elif t.kind == 'number' and depth and before and after:
            found += number_changes(t, before.text, after.text)
        elif t.kind == 'name' and t.text in neighbours and depth and after and after.text not in ('=', ','):
            found.append(('enumerator', t.start, t.end, neighbours[t.text]))
        if depth and t.kind == 'name':
            found += statement_changes(text, tokens, i)
    return found + list(exchanges(text, tokens))


def line_of(text, start):
    return text.count('\n', 0, start) + 1


class Mutant:
    def __init__(self, path, text, change):
        self.path, (self.kind, start, end, replacement) = path, change
        self.line = line_of(text, start)
        self.text = text[:start] + replacement + text[end:]
        first = text.rfind('\n', 0, start) + 1
        last, shift = text.find('\n', end), len(replacement) - (end - start)
        self.original = ' '.join(text[first:last].split())
        self.mutant = ' '.join(self.text[first:last + shift].split())

    def key(self):
        return self.path, self.original, self.mutant


def candidates(path, text, neighbours, seed):
    """Yields the file's mutants in the seed's order: first a kind, then a place, so that no kind dominates."""
    chance = random.Random('%s:%s' % (seed, path))
    by_kind = {}
    for change in changes_of(text, neighbours):
        by_kind.setdefault(change[0], []).append(change)
    for kind in sorted(by_kind):
        chance.shuffle(by_kind[kind])
    while by_kind:
        kind = chance.choice(sorted(by_kind))
        yield Mutant(path, text, by_kind[kind].pop())
        if not by_kind[kind]:
            del by_kind[kind]


def allocation(sizes, count, seed):
    """Returns the number of mutants for each file: systematic sampling, proportional to the size."""
    total, at = sum(sizes.values()), random.Random(seed).random()
    result, position = {}, 0.0
    for path in sorted(sizes):
        before, position = position, position + sizes[path] * count / total
        result[path] = int(position + at) - int(before + at)
    return {p: n for p, n in result.items() if n}
