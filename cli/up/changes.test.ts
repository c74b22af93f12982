import { expect, test } from 'vitest';
import { type KubeObject as ServedObject, startApiServer } from '../../apiserver/index.ts';
import { type JsonObject, silentLogger, systemClock } from '../../src/base/index.ts';
import { createKubeClient, type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { eventually } from '../../test/support/index.ts';
import { readCrds } from '../client/crds.ts';
import { followChanges } from './changes.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const ref = { apiVersion, kind: 'Bundle', name: 'combo' };
const bundle = {
  apiVersion,
  kind: 'Bundle',
  metadata: { name: 'combo' },
  spec: {
    provisionerClassName: 'core-rukpak-io-plain',
    source: { type: 'image', image: { ref: 'registry.example.com/combo:v1' } },
  },
} as unknown as KubeObject;

function statusWith(phase: string, message: string): JsonObject {
  const condition = { type: 'Unpacked', status: 'False', reason: phase, message };
  return { status: { phase, conditions: [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }] } };
}

test('what is on its way is progress, what lasts is a line', async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startApiServer({ crds: (await readCrds()) as unknown as ServedObject[] }));
  const access = await loadClusterAccess({ text: server.kubeconfig });
  const kube = createKubeClient({ access, clock: systemClock });
  stack.defer(() => kube.close());
  const leaving = new AbortController();
  stack.defer(() => leaving.abort());
  const heard: string[] = [];
  followChanges(
    { kube, clock: systemClock, log: silentLogger(), signal: leaving.signal },
    { line: (text) => heard.push(`line ${text}`), progress: (text) => heard.push(`progress ${text}`) },
  );
  const hear = (text: string): Promise<void> => eventually(() => expect(heard.at(-1)).toBe(text));
  const options = { fieldManager: 'test', subresource: 'status' } as const;

  await kube.create(bundle, { fieldManager: 'test' });
  await kube.patch(ref, statusWith('Unpacking', 'fetching layer 1'), options);
  await hear('progress bundle/combo: Unpacking: fetching layer 1');
  await kube.patch(ref, statusWith('Unpacking', 'fetching layer 2'), options);
  await hear('progress bundle/combo: Unpacking: fetching layer 2');
  await kube.patch(ref, statusWith('Failing', 'the registry never answered'), options);
  await hear('line bundle/combo: Failing: the registry never answered');
  await kube.patch(ref, statusWith('Failing', 'no such file: \u001b[2J\nx'), options);
  await hear(String.raw`line bundle/combo: Failing: no such file: \x1b[2J\x0ax`);
  await kube.patch(ref, statusWith('Unpacked', 'successfully unpacked'), options);
  await hear('line bundle/combo: Unpacked');
  await kube.delete(ref);
  await hear('line bundle/combo: deleted');
});
