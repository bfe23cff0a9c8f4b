# SPDX-License-Identifier: MIT
"""Shared by the readers of the guides' texts: tables, names, bit patterns, and writing of rows."""
import re

# Letters of other alphabets and ligatures that text recognition wrote in place of Latin ones.
LATIN = str.maketrans({'А': 'A', 'В': 'B', 'Е': 'E', 'Н': 'H', 'І': 'I', 'К': 'K', 'М': 'M', 'О': 'O', 'Р': 'P',
                       'С': 'C', 'Т': 'T', 'Х': 'X', 'Ю': 'IO', 'ﬁ': 'fi', 'ﬂ': 'fl', '\u00a0': ' ', '–': '-',
                       'о': 'o', 'р': 'p', 'с': 'c', 'т': 'm',
                       '₂': '2', 'ь': 'b', '×': 'x'})


def cells(line):
    """Returns the cells of a table row; None: the line is not a table row."""
    if not line.startswith('|'):
        return None
    row = [re.sub(r'<br>|\\', ' ', c).strip() for c in line.translate(LATIN).strip().strip('|').split('|')]
    return None if all(re.fullmatch(r':?-+:?|', c) for c in row) and any('-' in c for c in row) else row


def name(text):
    """Returns a name as printed: one word, in Latin letters, without line breaks, with zeros instead of the letter O in
    numbers."""
    return re.sub(r'(VN|UPI|PART)O(?=_|$)', r'\g<1>0', re.sub(r'\s+', '', text.translate(LATIN)))


def key(text):
    """Returns a key that is equal for two readings of a name if recognition took O for 0, I or l for 1, or _ for a
    blank."""
    text = re.sub(r'[\s_]+', '', text.translate(LATIN)).upper()
    return text.replace('O', '0').replace('I', '1').replace('L', '1')


def digits(pattern):
    """Returns the digits of a pattern such as `bxxx1 xxxx`, without prefix and blanks; '': not a pattern."""
    text = re.sub(r'[\sb]', '', pattern.translate(LATIN).lower().replace('х', 'x'))
    return text if re.fullmatch(r'[01x]+', text) else ''


def number(pattern):
    """Returns a cell's value: a hexadecimal number, or the ones of a pattern, its last digit being bit 0. None:
    neither."""
    match = re.match(r'\s*0x([0-9A-Fa-f]+)', pattern.translate(LATIN))
    if match:
        return int(match.group(1), 16)
    text = digits(pattern)
    return int(text.replace('x', '0'), 2) if text else None


def counters(text):
    """Returns `0-3` or `0,2-3` as a list of numbers joined by commas; '': the guide prints none."""
    result = []
    for low, high in re.findall(r'(\d+)(?:\s*-\s*(\d+))?', text):
        result += range(int(low), int(high or low) + 1)
    return ','.join(str(n) for n in result)


COLUMNS = ('unit', 'event', 'umask', 'code', 'umask_value', 'ext', 'counters', 'table', 'printed')


def write(path, header, rows, about):
    """Writes rows as tab-separated text under a line with the source and one with the columns' names."""
    with open(path, 'w', encoding='utf-8') as out:
        out.write('# ' + about + '\n' + '\t'.join(header) + '\n')
        for row in rows:
            out.write('\t'.join('-' if c in (None, '') else str(c) for c in row) + '\n')
