import { expect, test } from 'vitest';
import { printable, printableLine } from './printable.ts';

test('control characters of terminals are escaped, lines and words stay', () => {
  const text = 'café \u001B[31mred\u0007\n\ttab \u009B2J \u202Egnp\u007F 日本';
  expect(printable(text)).toBe('café \\x1b[31mred\\x07\n\ttab \\x9b2J \\u202egnp\\x7f 日本');
  expect(printableLine('a\nb\tc\r')).toBe('a\\x0ab\\x09c\\x0d');
});
