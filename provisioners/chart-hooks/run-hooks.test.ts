import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { type BareCluster, openBareCluster } from '../../test/support/index.ts';
import { type HookRun, runHooks } from './index.ts';

const user = { fieldManager: 'test' };
const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rukpak-system' } };
const webhooks = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'guards', labels: { 'app.kubernetes.io/part-of': 'longshore' } },
};
const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other', namespace: 'default' } };

let cluster: BareCluster;

beforeAll(async () => {
  cluster = await openBareCluster();
  for (const object of [system, webhooks, other]) await cluster.kube.create(object, user);
});
afterAll(() => cluster[Symbol.asyncDispose]());

const uidOf = async ({ metadata, ...kind }: KubeObject): Promise<string | undefined> => {
  const { name = '', namespace } = metadata;
  return (await cluster.kube.get({ ...kind, name, namespace })).metadata.uid;
};

/** Runs a hook in the place of an object, for a deployment that adopts what exists. */
async function runInPlaceOf(object: KubeObject): Promise<string | undefined> {
  const hook = {
    object: object as unknown as JsonObject,
    events: ['pre-install'],
    weight: 0,
    deletePolicies: ['before-hook-creation'],
  };
  const done = (): Promise<void> => Promise.resolve();
  const phase = { event: 'pre-install', hooks: [hook], step: 0, nowMs: Date.now(), note: done, advance: done };
  const hookRun: HookRun = {
    kube: cluster.kube,
    name: 'shop',
    uid: 'uid-of-shop',
    namespace: 'default',
    run: '1',
    mayAdopt: true,
    systemNamespace: 'rukpak-system',
    signal: new AbortController().signal,
  };
  return await runHooks(phase, hookRun);
}

test.each([system, webhooks])(
  'a hook never takes the place of $kind $metadata.name, whatever the deployment adopts',
  async (object) => {
    const uid = await uidOf(object);
    await expect(runInPlaceOf(object)).rejects.toMatchObject({
      reason: 'HookBlocked',
      message: expect.stringContaining('belongs to Longshore itself: rename the hook in the chart') as string,
    });
    expect(await uidOf(object)).toBe(uid);
  },
);

test('a hook takes the place of another object where the deployment adopts what exists', async () => {
  const uid = await uidOf(other);
  expect(await runInPlaceOf(other)).toBeUndefined();
  expect(await uidOf(other)).not.toBe(uid);
});
