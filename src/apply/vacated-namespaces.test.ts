import { expect, test } from 'vitest';
import { type KubeClient, type KubeObject, KubeRejection, KubeUnavailable } from '../kube/index.ts';
import { leaveNamespaces } from './vacated-namespaces.ts';

const owner = { name: 'combo', uid: 'u' };

/** A ConfigMap that is being deleted, as all of an installation that is removed. */
function leaving(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, deletionTimestamp: '2026-01-01T00:00:00Z' } };
}

/** A cluster with one namespace, made for an installation, whose ConfigMaps and Events come in pages. */
function clusterWith(pages: readonly (readonly KubeObject[])[], deleted: string[]): KubeClient {
  const made = { name: 'left', uid: 'n', annotations: { 'core.rukpak.io/namespace-made-for': 'combo' } };
  const kinds = ['ConfigMap', 'Event'].map((kind) => ({ apiVersion: 'v1', kind }));
  const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' } };
  const client: Partial<KubeClient> = {
    get: () => Promise.resolve({ apiVersion: 'v1', kind: 'Namespace', metadata: made }),
    namespacedKinds: () => Promise.resolve(kinds as never),
    async *listPages({ kind }) {
      for (const items of kind === 'Event' ? [[event], [event]] : pages) {
        yield await Promise.resolve({ resourceVersion: '1', items });
      }
    },
    delete: ({ name }) => {
      deleted.push(name);
      return Promise.resolve(undefined);
    },
  };
  return client as KubeClient;
}

const copy: KubeObject = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'boat.v1', labels: { 'olm.copiedFrom': 'operators' } },
};

test.each([
  { what: 'nothing but what is being deleted', pages: [[leaving('a')]], expected: ['left'] },
  { what: 'the copy of an operator of all namespaces', pages: [[copy]], expected: ['left'] },
  {
    what: 'an object of others behind a page of what is being deleted',
    pages: [[leaving('a')], [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'z' } }]],
    expected: [],
  },
])('a namespace with $what', async ({ pages, expected }) => {
  const deleted: string[] = [];
  const kept: string[] = [];
  await leaveNamespaces(clusterWith(pages, deleted), ['left'], {
    owner,
    othersIn: () => undefined,
    onNamespaceRetained: (why) => void kept.push(why),
    signal: new AbortController().signal,
  });
  expect(deleted).toEqual(expected);
  expect(kept.map((why) => why.includes('too many objects to examine (ConfigMap)'))).toEqual(
    expected.length === 0 ? [true] : [],
  );
});

test.each([
  { what: 'has no permission', status: 403 },
  { what: 'gets the error of a conversion webhook', status: 500 },
  { what: 'gets the error of another API server', status: 504 },
  { what: 'gets no answer from one', status: 0 },
])('a namespace whose contents cannot be listed stays: who lists $what', async ({ status }) => {
  const deleted: string[] = [];
  const kept: string[] = [];
  const failure = { status, reason: 'Refused', message: 'refused', causes: [], isStatus: true };
  const refusing: Partial<KubeClient> = {
    ...clusterWith([[]], deleted),
    async *listPages() {
      await Promise.reject(new KubeUnavailable(failure));
      yield { resourceVersion: '1', items: [] };
    },
  };
  await leaveNamespaces(refusing as KubeClient, ['left'], {
    owner,
    othersIn: () => undefined,
    onNamespaceRetained: (why) => void kept.push(why),
    signal: new AbortController().signal,
  });
  expect(deleted).toEqual([]);
  expect(kept).toEqual([expect.stringContaining('its contents cannot be listed (refused)')]);
});

test('what the controllers may not list the account of the deployment may', async () => {
  const deleted: string[] = [];
  const failure = { status: 403, reason: 'Forbidden', message: 'refused', causes: [], isStatus: true };
  const permitted = clusterWith([[leaving('a')]], deleted);
  const client: Partial<KubeClient> = {
    ...permitted,
    async *listPages() {
      await Promise.reject(new KubeRejection(failure));
      yield { resourceVersion: '1', items: [] };
    },
    actingAs: () => permitted,
  };
  await leaveNamespaces(client as KubeClient, ['left'], {
    owner: { ...owner, account: { namespace: 'tenant', name: 'installer' } },
    othersIn: () => undefined,
    onNamespaceRetained: (why) => expect.unreachable(why),
    signal: new AbortController().signal,
  });
  expect(deleted).toEqual(['left']);
});
