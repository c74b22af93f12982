import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import type { Rendered } from '../format.ts';
import { retainRandomValues } from './retained-values.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function secret(data: Readonly<Record<string, string>>, name = 'db'): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data };
}

function rendered(...objects: readonly JsonObject[]): Rendered {
  return { objects, hooks: [], isUnsteady: true };
}

const [installed, next, again] = ['a9Xk2mQ7pLw4', 'Zt5vB8nR1sYc', 'G3hJ6dF0uEoK'];

test('a password of a Secret stays what it was, in every form of it', () => {
  const version = (password: string, tag: string): Rendered => {
    const env = [{ name: 'URL', value: `postgres://admin:${password}@db/${tag}` }];
    const config = {
      kind: 'Secret',
      metadata: { name: 'config' },
      data: { file: base64(`x\ny`) },
      stringData: { a: password },
    };
    return rendered(secret({ password: base64(password), tag: base64(tag) }), { kind: 'Deployment', env }, config);
  };
  const result = retainRandomValues(version(next, 'v2'), version(again, 'v2'), version(installed, 'v1').objects);
  expect(result).toEqual(version(installed, 'v2'));
});

test('a value that is the same in both renderings is that of the new version, whatever was installed', () => {
  const version = (password: string): Rendered => rendered(secret({ password: base64(password) }));
  expect(retainRandomValues(version('chosen'), version('chosen'), version(installed).objects)).toEqual(
    version('chosen'),
  );
});

test.each([
  { name: 'certificates', text: (random: string) => `-----BEGIN CERTIFICATE-----\n${random}` },
  { name: 'hashes', text: (random: string) => `$2a$10$${random}` },
  { name: 'documents with a random part', text: (random: string) => `user: admin\npassword: ${random}\nport: 5432\n` },
])('$name are those of the new version', ({ text }) => {
  const version = (random: string): Rendered => rendered(secret({ value: base64(text(random)) }));
  expect(retainRandomValues(version(next), version(again), version(installed).objects)).toEqual(version(next));
});

test('a Secret that was not installed has what was rendered for it', () => {
  const version = (random: string): Rendered => rendered(secret({ password: base64(random) }, 'new'));
  const before = [secret({ password: base64(installed) }, 'old')];
  expect(retainRandomValues(version(next), version(again), before)).toEqual(version(next));
});

test('an identifier of a ConfigMap stays, and so does that in a hook', () => {
  const version = (id: string): Rendered => ({
    objects: [{ kind: 'ConfigMap', metadata: { name: 'a' }, data: { id } }],
    hooks: [{ object: { kind: 'Job', args: [`--id=${id}`] }, events: ['pre-upgrade'], weight: 0, deletePolicies: [] }],
    isUnsteady: true,
  });
  expect(retainRandomValues(version(next), version(again), version(installed).objects)).toEqual(version(installed));
});
