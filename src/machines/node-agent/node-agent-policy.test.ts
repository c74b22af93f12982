import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { openMachineCluster } from '../../../test/support/machine-cluster.ts';
import { createPoolNode } from '../../../test/support/pool-cluster.ts';
import { nodeUpdateAnnotations as keys } from '../../api/index.ts';
import { type JsonObject, parseYamlDocuments } from '../../base/index.ts';
import { isKubeError, type KubeObject, serviceAccountUser } from '../../kube/index.ts';

const user = { fieldManager: 'test' };
const account = serviceAccountUser({ namespace: 'longshore-node-agents', name: 'node-agent' });
let cluster: BareCluster;

const refusedText = 'the agent of a node may only update the Node of its pod, found UPDATE of other';

beforeAll(async () => {
  cluster = await openMachineCluster();
  for (const file of ['node-agents.yaml', 'node-agent-permissions.yaml']) {
    const path = `deploy/machines/${file}`;
    for (const object of parseYamlDocuments(path, await readFile(path, 'utf8'))) {
      await cluster.kube.apply(object as unknown as KubeObject, user);
    }
  }
  for (const name of ['own', 'other']) await createPoolNode(cluster.kube, name, { current: 'a' });
  // A policy takes effect some time after it was created.
  await eventually(async () =>
    expect(await refusalOf('other', annotations({ [keys.state]: 'Done' }))).toContain(refusedText),
  );
});

afterAll(() => cluster[Symbol.asyncDispose]());

const annotations = (values: Record<string, string | null>): JsonObject => ({ metadata: { annotations: values } });

/** What the agent of the node `own` is answered; empty where the change is made. */
async function refusalOf(name: string, patch: JsonObject, nodeName: string | undefined = 'own'): Promise<string> {
  const extra = nodeName === undefined ? {} : { 'authentication.kubernetes.io/node-name': [nodeName] };
  try {
    const agent = cluster.kube.actingAs({ ...account, extra });
    await agent.patch({ apiVersion: 'v1', kind: 'Node', name }, patch, { fieldManager: 'longshore-node-agent' });
    return '';
  } catch (thrown) {
    return isKubeError(thrown) ? thrown.failure.message : String(thrown);
  }
}

test('an agent writes the annotations of its protocol to its own Node', async () => {
  const own = {
    [keys.currentConfig]: 'b',
    [keys.desiredDrain]: 'drain-b',
    [keys.state]: 'Working',
    [keys.reason]: 'x',
  };
  expect(await refusalOf('own', annotations({ ...own, [keys.postConfigAction]: 'Rebooting' }))).toBe('');
  expect(await refusalOf('own', annotations({ [keys.reason]: null }))).toBe('');
});

test('an agent changes no other Node, also with a token that names no node', async () => {
  expect(await refusalOf('other', annotations({ [keys.state]: 'Done' }))).toContain(refusedText);
  const ref = { apiVersion: 'v1', kind: 'Node', name: 'own' };
  const patch = cluster.kube.actingAs(account).patch(ref, annotations({ [keys.state]: 'Done' }), user);
  await expect(patch).rejects.toThrow('the agent of a node may only update the Node of its pod');
});

test.each([
  [
    'an annotation of the controllers',
    annotations({ [keys.lastAppliedDrain]: 'drain-b' }),
    /only change its own annotations/,
  ],
  ['labels', { metadata: { labels: { 'node-role.kubernetes.io/master': '' } } }, /neither labels/],
  ['finalizers', { metadata: { finalizers: ['example.org/held'] } }, /neither labels/],
  ['the spec', { spec: { unschedulable: true } }, /neither labels/],
])('an agent does not change %s of its own Node', async (_what, patch, text) => {
  expect(await refusalOf('own', patch as JsonObject)).toMatch(text);
});
