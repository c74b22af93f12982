import { expect, test } from 'vitest';
import { cutText, serverText } from './server-text.ts';

test('a text of a server is shown as one printable line of bounded length', () => {
  expect(serverText(' no such\nrepository\u001b[2J \n')).toBe('no such\\x0arepository\\x1b[2J');
  expect(serverText(Buffer.from('denied'))).toBe('denied');
  expect(serverText('x'.repeat(32_768))).toBe(`${'x'.repeat(1000)}…`);
  expect(serverText('\0'.repeat(32_768), 20)).toBe(`${'\\x00'.repeat(5)}…`);
});

test('a cut leaves no half of a character', () => {
  expect(cutText('ab😀', 3)).toBe('ab\uFFFD…');
  expect(cutText('ab😀', 4)).toBe('ab😀');
});
