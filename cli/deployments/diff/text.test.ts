import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/index.ts';
import { colouredDiff } from '../../output/index.ts';
import { shownChange } from './text.ts';

const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'a', name: 'b' };

function configMap(data: Readonly<Record<string, string>>, metadata: object = {}): KubeObject {
  return { ...ref, metadata: { name: 'b', namespace: 'a', ...metadata }, data } as unknown as KubeObject;
}

test('what the server sets by itself, and the order of members, is no change', () => {
  const before = configMap({ x: '1', y: '2' }, { resourceVersion: '1', managedFields: [{}], generation: 1 });
  const after = { ...configMap({ y: '2', x: '1' }, { resourceVersion: '2', uid: 'u' }), status: { seen: true } };
  expect(shownChange({ ref, before, after })).toBeUndefined();
});

test.each([
  {
    name: 'create',
    before: undefined,
    after: configMap({ x: '1' }),
    text: '--- /dev/null\n+++ desired: ConfigMap a/b\n@@ -0,0',
  },
  {
    name: 'delete',
    before: configMap({ x: '1' }),
    after: undefined,
    text: '--- installed: ConfigMap a/b\n+++ /dev/null\n@@',
  },
  { name: 'update', before: configMap({ x: '1' }), after: configMap({ x: '2' }), text: "-  x: '1'\n+  x: '2'\n" },
])('$name is shown as a unified diff', ({ name, before, after, text }) => {
  const shown = shownChange({ ref, before, after });
  expect(shown?.action).toBe(name);
  expect(shown?.diff).toContain(text);
});

test('no value of a Secret is shown, not even that which kubectl keeps in an annotation', () => {
  const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
  const secret = (word: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', annotations: { [lastApplied]: `{"stringData":{"a":"${word}"}}`, other: 'shown' } },
    data: { a: word, same: 'hidden-same' },
    stringData: { b: word },
  });
  const secretRef = { apiVersion: 'v1', kind: 'Secret', name: 's' };
  const [from, to] = [secret('hidden-one'), secret('hidden-two')];
  const update = shownChange({ ref: secretRef, before: from, after: to })?.diff ?? '';
  expect(update).toMatch(/- {2}a: '?\*\*\* \(before\)'?\n\+ {2}a: '?\*\*\* \(after\)'?/);
  const all = [
    update,
    ...[{ before: from }, { after: to }].map((pair) => {
      return shownChange({ ref: secretRef, before: undefined, after: undefined, ...pair })?.diff ?? '';
    }),
  ].join();
  expect(all).toContain('other: shown');
  expect(all).not.toContain('hidden');
});

test('texts that have nothing in common are not compared line by line', () => {
  const lines = (letter: string): string => Array.from({ length: 20_000 }, (_, i) => `${letter}${i}`).join('\n');
  const change = { ref, before: configMap({ x: lines('a') }), after: configMap({ x: lines('b') }) };
  expect(shownChange(change)?.diff).toBe(
    '--- installed: ConfigMap a/b\n+++ desired: ConfigMap a/b\ntoo much has changed to be shown\n',
  );
});

test('nothing is coloured where no terminal is', () => {
  expect(colouredDiff('+a\n-b\n', new PassThrough() as unknown as NodeJS.WriteStream)).toBe('+a\n-b\n');
});
