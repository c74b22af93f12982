import { expect, test } from 'vitest';
import { TerminalError } from '../src/base/index.ts';
import { conceal } from './concealed-values.ts';

const origin = 'Secret "database" in namespace "team"';
const password = 'long "word" of the database';

function concealed(message: string, secrets: Parameters<typeof conceal>[1]): string {
  const error = new TerminalError('RenderFailed', message);
  conceal(error, secrets);
  return error.message;
}

test.each([
  { form: 'as it is', text: `bad value ${password}`, expected: 'bad value [hidden]' },
  { form: 'quoted', text: `bad value ${JSON.stringify(password)}`, expected: 'bad value "[hidden]"' },
  { form: 'encoded', text: `bad value ${Buffer.from(password).toString('base64')}`, expected: 'bad value [hidden]' },
])('a value of a Secret $form is taken out of a message', ({ text, expected }) => {
  expect(concealed(text, [{ origin, text: password, targetPath: 'database.password' }])).toBe(expected);
  const document = `database: {user: me, passwords: [${JSON.stringify(password)}]}\n`;
  expect(concealed(text, [{ origin, text: document }])).toBe(expected);
});

test('lines, numbers, and texts that are no document are values; keys and short values are not', () => {
  const text = 'key: |\n  first line of a key\n  second line\npin: 12345678\nreplicaCount: 2\n';
  const message = 'replicaCount 2: "second line" of 12345678';
  expect(concealed(message, [{ origin, text }])).toBe('replicaCount 2: "[hidden]" of [hidden]');
  expect(concealed('found a: b: [ here', [{ origin, text: 'a: b: [' }])).toBe('found [hidden] here');
  expect(concealed('found password', [{ origin, text: 'a: former\na: password\n' }])).toBe('found [hidden]');
  expect(concealed(message, [])).toBe(message);
});

test('of more values than can be hidden the message is left out', () => {
  const text = `${Array.from({ length: 3_000 }, (_, index) => `a${index}: value-${index}`).join('\n')}\n`;
  expect(concealed('bad value-7', [{ origin, text }])).toContain('too many to be hidden');
  expect(concealed('bad', [{ origin, text: 'x'.repeat(200_000), targetPath: 'a' }])).toContain('too many to be hidden');
});

test('a message that is too long to look for many values in it is left out', () => {
  const text = Array.from({ length: 1_500 }, (_, index) => `- value-${index + 1_000}\n`).join('');
  const message = `bad ${'x'.repeat(2_000)} value-1007`;
  expect(concealed(message, [{ origin, text }])).toBe(`bad ${'x'.repeat(2_000)} [hidden]`);
  expect(concealed(message.padEnd(1_400_000), [{ origin, text }])).toContain('too many to be hidden');
});
