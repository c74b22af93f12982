import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { type ExtensionServer, startExtensionServer } from '../support/extension-server.ts';
import { eventually } from '../support/index.ts';
import { chosenKubectls, KubectlHome } from './kubectl.ts';

const kubectls = await chosenKubectls();
/** One that has aggregated discovery and OpenAPI 3, and one that has neither. */
const groups = { current: 'current.example.com', older: 'older.example.com' };
let server: ApiServer;
const extensions: ExtensionServer[] = [];

async function extend(service: string, group: string): Promise<void> {
  const isCurrent = group === groups.current;
  const extension = await startExtensionServer({ group, isCurrent, dnsNames: [`${service}.default.svc`] });
  extensions.push(extension);
  const spec = { type: 'ExternalName', externalName: 'localhost' };
  await server.client.create({ apiVersion: 'v1', kind: 'Service', metadata: { name: service }, spec });
  await server.client.create({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace: 'default', name: service, port: extension.port },
      caBundle: extension.caBundle,
    },
  });
}

beforeAll(async () => {
  server = await startApiServer();
  for (const [service, group] of Object.entries(groups)) await extend(service, group);
});

afterAll(async () => {
  for (const extension of extensions) await extension[Symbol.asyncDispose]();
  await server.stop();
});

if (kubectls.length === 0) test.skip('no kubectl is on this machine', () => {});

describe.each(kubectls)('kubectl $version', (kubectl) => {
  test.each(Object.values(groups))('works with the kinds of an extension server of %s', async (group) => {
    const namespace = 'default';
    await using home = await KubectlHome.open(kubectl, { kubeconfig: server.kubeconfig, namespace });
    await home.ok(`wait --for=condition=Available --timeout=60s apiservice/v1.${group}`);
    expect(await home.ok('get apiservices')).toMatch(new RegExp(`v1\\.${group} +default/\\w+ +True`));
    await eventually(async () => {
      const found = await home.ok(`api-resources --api-group=${group} --no-headers --cached=false`);
      expect(found.trim().split(/\s+/)).toEqual(['widgets', 'wd', `${group}/v1`, 'true', 'Widget']);
    });
    const name = `w${kubectl.minor}`;
    const body = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, size: 3 };
    const file = await home.file('widget.json', body);
    expect(await home.ok(`create --validate=true -f ${file}`)).toBe(`widget.${group}/${name} created\n`);
    expect(await home.ok(`get widgets.${group} ${name} -o jsonpath={.size}`)).toBe('3');
    expect(await home.ok(`get widgets.v1.${group}`)).toContain(name);
    const raw = await home.ok(`get --raw /apis/${group}/v1/namespaces/${namespace}/widgets/${name}`);
    expect(JSON.parse(raw)).toMatchObject({ kind: 'Widget', size: 3 });
    const explained = await home.ok(`explain widgets.size --api-version=${group}/v1`);
    expect(explained).toContain('Size in centimetres.');
    expect(explained).toMatch(/KIND: +Widget/);
  });
});
