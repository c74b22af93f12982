import { expect, test, vi } from 'vitest';
import { namedApis, traitsOf } from './templates.ts';

function chartOf(text: string, path = 'templates/a.yaml'): Parameters<typeof traitsOf>[0] {
  return [{ path: '', files: [{ path, content: Buffer.from(text) }] }];
}

test.each([
  { name: 'actions', text: '{{}}'.repeat(200_001) },
  { name: 'characters in actions', text: `{{${'x'.repeat(17 * 1024 * 1024)}}}` },
])('more $name than any chart has are refused before they are looked through', ({ text }) => {
  const refusal = 'expected at most 200000 actions of at most 16777216 characters together';
  expect(() => traitsOf(chartOf(text))).toThrow(refusal);
  expect(() => traitsOf(chartOf(text, 'values.yaml'))).toThrow(refusal);
  expect(traitsOf(chartOf(text, 'README.md')).actions).toBe('');
});

test('only groups that templates name count, or all where it takes long to find them', () => {
  const traits = traitsOf(chartOf('{{ .Capabilities.APIVersions.Has "a.example.com/v1" }} b.example.com'));
  expect(traits).toMatchObject({ asksForCapabilities: true, isUnsteady: false });
  expect(namedApis(traits, ['a.example.com/v1', 'b.example.com/v1', 'v1'])).toEqual(['a.example.com/v1', 'v1']);
  const long = { ...traits, actions: 'x'.repeat(16 * 1024 * 1024) };
  const apis = Array.from({ length: 100 }, (_, index) => `g${index}.example.com/v1`);
  const includes = vi.spyOn(String.prototype, 'includes');
  expect(namedApis(long, apis)).toEqual(apis);
  const { contexts } = includes.mock;
  includes.mockRestore();
  expect(contexts.map(String)).not.toContain(long.actions);
});
