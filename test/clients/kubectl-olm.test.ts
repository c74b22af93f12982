import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { startTestRegistry } from '../support/catalog-registry.ts';
import { eventually } from '../support/index.ts';
import { olmCrd, startOlmCatalogs } from '../support/olm-catalogs.ts';
import { chosenKubectls, KubectlHome } from './kubectl.ts';

const kubectls = await chosenKubectls();
const stack = new AsyncDisposableStack();
const plurals = [
  'catalogsources',
  'clusterserviceversions',
  'installplans',
  'olmconfigs',
  'operatorconditions',
  'operatorgroups',
  'operators',
  'subscriptions',
];
let server: ApiServer;

beforeAll(async () => {
  server = stack.adopt(await startApiServer({ simulation: false, crds: plurals.map(olmCrd) }), (one) => one.stop());
  const { kube } = stack.use(await startOlmCatalogs(server.kubeconfig));
  await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } }, { fieldManager: 'test' });
  const registry = stack.use(await startTestRegistry());
  const source = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: 'acme', namespace: 'olm' },
    spec: {
      sourceType: 'grpc',
      address: `127.0.0.1:${registry.port}`,
      displayName: 'Acme Operators',
      publisher: 'Acme',
    },
  };
  await kube.create(source as unknown as KubeObject, { fieldManager: 'test' });
});

afterAll(() => stack.disposeAsync());

if (kubectls.length === 0) test.skip('no kubectl is on this machine', () => {});

describe.each(kubectls)('kubectl $version', { tags: 'long' }, (kubectl) => {
  test('lists, describes and explains the packages of catalogs', async () => {
    await using home = await KubectlHome.open(kubectl, { kubeconfig: server.kubeconfig, namespace: 'default' });
    await home.ok('wait --for=condition=Available --timeout=60s apiservice/v1.packages.operators.coreos.com');
    const listed = await eventually(async () => {
      const text = await home.ok('get packagemanifests');
      expect(text).toContain('Acme Operators');
      return text;
    });
    const lines = listed.trim().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
      ['NAME', 'CATALOG'],
      ['p', 'Acme Operators'],
      ['q', 'Acme Operators'],
    ]);
    expect(lines[0]).toMatch(/AGE$/);
    expect(await home.ok('get packagemanifest p -o jsonpath={.status.defaultChannel}')).toBe('stable');
    const csv = '-o jsonpath={.status.channels[0].currentCSV}';
    expect(await home.ok(`get packagemanifests.packages.operators.coreos.com p ${csv}`)).toBe('p.v1.2.0');
    expect(await home.ok('get packagemanifests -l catalog=acme -o name')).toBe(
      'packagemanifest.packages.operators.coreos.com/p\npackagemanifest.packages.operators.coreos.com/q\n',
    );
    expect((await home.run('get packagemanifests -l catalog=other')).stderr).toContain('No resources found');
    expect(await home.ok('get packagemanifests -A')).toMatch(/^NAMESPACE +NAME +CATALOG +AGE\nolm +p /);
    expect(await home.ok('describe packagemanifest p')).toContain('Current CSV:');
    expect(await home.ok('explain packagemanifest.status.channels.currentCSV')).toContain('newest version');
    const missing = await home.run('get packagemanifest never');
    expect([missing.code, missing.stderr]).toEqual([
      1,
      'Error from server (NotFound): packagemanifests.packages.operators.coreos.com "never" not found\n',
    ]);
    expect((await home.run('delete packagemanifest p')).code).toBe(1);
  });

  test('knows the kinds of OLM by their short names, columns and fields', async () => {
    await using home = await KubectlHome.open(kubectl, { kubeconfig: server.kubeconfig, namespace: 'olm' });
    expect(await home.ok('get catsrc')).toMatch(
      /^NAME +DISPLAY +TYPE +PUBLISHER +AGE\nacme +Acme Operators +grpc +Acme +\d+/,
    );
    const kinds = await home.ok('api-resources --api-group=operators.coreos.com --no-headers --cached=false');
    const shortNames = kinds
      .trim()
      .split('\n')
      .map((line) => line.split(/ +/))
      .map(([name, names = '']) => `${name} ${names.includes('/') ? '' : names}`.trim());
    expect(shortNames.toSorted()).toEqual([
      'catalogsources catsrc',
      'clusterserviceversions csv,csvs',
      'installplans ip',
      'olmconfigs',
      'operatorconditions condition',
      'operatorgroups og,org',
      'operators',
      'subscriptions sub,subs',
    ]);
    for (const name of ['csv', 'ip', 'sub', 'og', 'condition', 'operators', 'olmconfigs']) {
      expect((await home.run(`get ${name}`)).stderr).toContain('No resources found');
    }
    expect(await home.ok('explain catsrc.spec.updateStrategy.registryPoll.interval')).toContain('Time between two');
    expect(await home.ok('explain sub.spec.installPlanApproval')).toMatch(/installPlanApproval/);
    expect(await home.ok('explain csv.spec.install.strategy')).toMatch(/strategy/);
    expect(await home.ok('get catsrc acme -o jsonpath={.status.connectionState.lastObservedState}')).toBe('READY');
  });
});
