import { expect, test } from 'vitest';
import { patchLine, shellWord } from './shell.ts';

test('a word that a shell would read is quoted, whatever it has', () => {
  expect(shellWord('registry.example.com/combo:v1')).toBe('registry.example.com/combo:v1');
  expect(shellWord('')).toBe("''");
  expect(shellWord('$(id) `id` ; id')).toBe("'$(id) `id` ; id'");
  expect(shellWord("x'; id; '")).toBe(`'x'\\''; id; '\\'''`);
});

test('a patch is one word of its line', () => {
  const patch = { spec: { version: "1'" } };
  const line = patchLine({ kind: 'Subscription', namespace: 'tides', name: 'gauge' }, patch);
  expect(line).toBe(`kubectl patch subscription gauge -n tides --type merge -p '{"spec":{"version":"1'\\''"}}'`);
});
