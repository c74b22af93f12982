import { expect, test } from 'vitest';
import type { KubeObject } from '../../kube/index.ts';
import { readPullSecrets } from './pull-secrets.ts';

const { signal } = new AbortController();

/** A cluster in which each Secret exists, with so many characters. */
function clusterOf(characters: number, asked: string[]): Parameters<typeof readPullSecrets>[0] {
  return {
    get: ({ name }) => {
      asked.push(name);
      const data = { '.dockerconfigjson': 'e'.repeat(characters) };
      const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data };
      return Promise.resolve(object as unknown as KubeObject);
    },
  };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `s${n}`);

test('Secrets are not read when a CatalogSource names very many of them', async () => {
  const asked: string[] = [];
  const read = readPullSecrets(clusterOf(10, asked), { namespace: 'a', names: names(101) }, signal);
  await expect(read).rejects.toThrow('spec.secrets: names 101 Secrets, the limit is 100');
  expect(asked).toEqual([]);
});

test('Secrets of a CatalogSource that are large together are not all in memory', async () => {
  const asked: string[] = [];
  const read = readPullSecrets(clusterOf(1_000_000, asked), { namespace: 'a', names: names(100) }, signal);
  await expect(read).rejects.toThrow('spec.secrets: the Secrets have more than 16777216 characters together');
  expect(asked.length).toBe(17);
});

test('each of the Secrets that a CatalogSource names is read once', async () => {
  const asked: string[] = [];
  const read = readPullSecrets(clusterOf(10, asked), { namespace: 'a', names: [...names(100), 's0'] }, signal);
  expect((await read).secrets.length).toBe(100);
  expect(asked.length).toBe(100);
});
