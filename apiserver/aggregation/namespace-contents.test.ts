import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, objectAt, objectsAt } from '../../src/base/index.ts';
import { eventually } from '../../test/support/eventually.ts';
import {
  type ExtensionOptions,
  type ExtensionServer,
  startExtensionServer,
} from '../../test/support/extension-server.ts';
import { type ApiServer, startApiServer } from '../index.ts';

let server: ApiServer;
let groups = 0;

beforeAll(async () => {
  server = await startApiServer({ simulation: false });
});
afterAll(() => server.stop());

const deletable = ['create', 'delete', 'get', 'list', 'watch'];

function conditionOf(object: unknown, type: string): JsonObject | undefined {
  const status = isJsonObject(object) ? objectAt(object, 'status') : undefined;
  return objectsAt(status, 'conditions').find((condition) => condition.type === type);
}

interface Extended extends AsyncDisposable {
  readonly extension: ExtensionServer;
  readonly group: string;
  readonly reference: { readonly apiVersion: string; readonly kind: string; readonly name: string };
}

/** An available extension server of widgets. */
async function extend(options: Partial<ExtensionOptions>): Promise<Extended> {
  groups += 1;
  const group = `c${groups}.example.com`;
  const service = `contents-${groups}`;
  const extension = await startExtensionServer({ group, dnsNames: [`${service}.default.svc`], ...options });
  const { port, caBundle } = extension;
  const metadata = { name: service };
  const external = { type: 'ExternalName', externalName: 'localhost' };
  await server.client.create({ apiVersion: 'v1', kind: 'Service', metadata, spec: external });
  const reference = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: `v1.${group}` };
  const { name, ...type } = reference;
  const spec = { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15, caBundle };
  await server.client.create({
    ...type,
    metadata: { name },
    spec: { ...spec, service: { namespace: 'default', name: service, port } },
  });
  await server.client.until(reference, (found) => conditionOf(found, 'Available')?.['reason'] === 'Passed');
  // Discovery is read after the condition is written.
  await eventually(() => expect(extension.last('/openapi/v2')).toBeDefined());
  return {
    extension,
    group,
    reference,
    [Symbol.asyncDispose]: async () => {
      await server.client.delete(reference).catch(() => undefined);
      await extension[Symbol.asyncDispose]();
    },
  };
}

async function createNamespace(name: string): Promise<void> {
  await server.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

const namespaceNamed = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', name });
const untilDeleted = async (name: string): Promise<void> => {
  await server.client.until(namespaceNamed(name), (found) => found === undefined);
};

test.each([
  ['one by one', deletable],
  ['all at once', [...deletable, 'deletecollection']],
])('the objects of extension servers are deleted with their namespace, %s', async (_, verbs) => {
  await using extended = await extend({ verbs });
  const { extension } = extended;
  const name = `emptied-${groups}`;
  await createNamespace(name);
  for (const widget of ['a', 'b', 'c']) extension.addWidget(name, widget);
  extension.addWidget('default', 'a');
  await server.client.delete(namespaceNamed(name));
  await untilDeleted(name);
  expect(extension.widgetKeys).toEqual(['default/a']);
  const deletions = extension.requests.filter(({ method }) => method === 'DELETE');
  expect(deletions).toHaveLength(verbs.includes('deletecollection') ? 1 : 3);
  expect(deletions[0]?.headers).toMatchObject({
    'x-remote-user': 'system:serviceaccount:kube-system:namespace-controller',
  });
});

test('a namespace stays while an extension server does not answer, which its conditions report, and no longer', async () => {
  await using extended = await extend({ verbs: deletable });
  const { extension, group, reference } = extended;
  extension.override = (_request, response) => {
    response.writeHead(503).end();
    return true;
  };
  await server.client.patch(reference, { metadata: { annotations: { look: 'again' } } });
  await server.client.until(reference, (found) => conditionOf(found, 'Available')?.['status'] === 'False');
  const name = `waiting-${groups}`;
  await createNamespace(name);
  await server.client.delete(namespaceNamed(name));
  const type = 'NamespaceDeletionDiscoveryFailure';
  const waiting = await server.client.until(namespaceNamed(name), (found) => {
    return conditionOf(found, type)?.['status'] === 'True';
  });
  expect(conditionOf(waiting, type)).toMatchObject({
    reason: 'DiscoveryFailed',
    message: `Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ${group}/v1: stale GroupVersion discovery: ${group}/v1`,
  });
  await server.client.delete(reference);
  await untilDeleted(name);
});

test('an extension server that retains its objects is named, and what it answers does not fill the status', async () => {
  await using extended = await extend({ verbs: deletable });
  const { extension, group } = extended;
  const item = {
    metadata: { name: 'a/../b', finalizers: Array.from({ length: 9_000 }, (_, at) => `example.com/${at}`) },
  };
  extension.override = (request, response) => {
    const isOurs = (request.url ?? '').includes('/widgets');
    if (isOurs && request.method === 'GET') response.writeHead(200).end(JSON.stringify({ items: [item] }));
    else if (isOurs) response.writeHead(409).end('{}');
    return isOurs;
  };
  const name = `retained-${groups}`;
  await createNamespace(name);
  await server.client.delete(namespaceNamed(name));
  const retained = await server.client.until(namespaceNamed(name), (found) => {
    return conditionOf(found, 'NamespaceContentRemaining')?.['status'] === 'True';
  });
  expect(conditionOf(retained, 'NamespaceContentRemaining')?.['message']).toBe(
    `Some resources are remaining: widgets.${group} has 1 resource instances`,
  );
  expect(JSON.stringify(retained).length).toBeLessThan(20_000);
  expect(extension.requests.find(({ method }) => method === 'DELETE')?.url).toContain('/widgets/a%2F..%2Fb?');
  extension.override = () => false;
  await untilDeleted(name);
});
