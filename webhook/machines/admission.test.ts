import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineResource } from '../../src/api/index.ts';
import { type JsonObject, silentLogger, systemClock } from '../../src/base/index.ts';
import { isKubeError } from '../../src/kube/index.ts';
import { type BareCluster, eventually } from '../../test/support/index.ts';
import { machineObject, openMachineCluster } from '../../test/support/machine-cluster.ts';
import { temporaryNamespace } from '../../test/support/olm-cluster.ts';
import type { FactsReader } from '../review/facts.ts';
import { registerWebhooks } from '../server/registration.ts';
import { startWebhookServer, type WebhookServer } from '../server/server.ts';

const user = { fieldManager: 'test' };
const ref = { ...machineResource, namespace: 'machines', name: 'a' };
const systemNamespace = 'rukpak-system';

let cluster: BareCluster;
let server: WebhookServer;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  cluster = stack.use(await openMachineCluster());
  const options = { facts: {} as FactsReader, systemNamespace, log: silentLogger(), host: '127.0.0.1', port: 0 };
  server = await startWebhookServer({ ...options, clock: systemClock });
  stack.defer(() => server[Symbol.asyncDispose]());
  stack.use(await temporaryNamespace(cluster.kube, 'machines'));
  await registerWebhooks(cluster.kube, {
    address: { origin: `https://127.0.0.1:${server.port}` },
    caBundlePem: server.caBundlePem(),
    systemNamespace,
    hasMachines: true,
  });
});

afterAll(() => stack.disposeAsync());

const hook = (name: string, owner = 'backup-controller'): JsonObject => ({ name, owner });

async function refusalOf(patch: JsonObject): Promise<string> {
  try {
    await cluster.kube.patch(ref, patch, user);
    return '';
  } catch (thrown) {
    return isKubeError(thrown) ? thrown.failure.message : String(thrown);
  }
}

const setHooks = (lifecycleHooks: JsonObject): Promise<string> => refusalOf({ spec: { lifecycleHooks } });

test('ML-29, ML-32: the webhook guards the hooks of machines that are being deleted, and nothing else waits for it', async () => {
  const preDrain = [hook('One'), hook('Two')];
  const machine = machineObject('a', { spec: { lifecycleHooks: { preDrain } } });
  machine.metadata.finalizers = ['example.org/held'];
  await cluster.kube.create(machine, user);
  expect(await setHooks({ preDrain: [...preDrain, hook('Three')] })).toBe('');
  await cluster.kube.delete(ref);
  let tries = 0;
  // A webhook takes effect some time after it was registered.
  await eventually(async () => {
    tries += 1;
    expect(await setHooks({ preDrain: [...preDrain, hook(`New${tries}`)] })).toMatch(
      /^admission webhook "vmachines\.machine\.openshift\.io" denied the request: spec\.lifecycleHooks\.preDrain: Forbidden: .*\{Name:New\d+ Owner:backup-controller\}\]$/,
    );
  });
  expect(await setHooks({ preDrain: [hook('One', 'other')] })).toContain('{Name:One Owner:other}');
  expect(await setHooks({ preDrain: [hook('Two'), hook('One')] })).toBe('');
  await server[Symbol.asyncDispose]();
  expect(await setHooks({ preDrain: [hook('One')] })).toContain('failed calling webhook');
  expect(await refusalOf({ metadata: { labels: { more: 'yes' } } })).toBe('');
  expect(await refusalOf({ metadata: { finalizers: null } })).toBe('');
});
