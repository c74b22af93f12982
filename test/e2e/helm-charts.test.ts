import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { helmForTests } from '../clients/helm-program.ts';
import { eventually, startWebServer, type WebServer } from '../support/index.ts';
import { helloWorld, inFolder, packedChart } from './charts.ts';
import { isRealCluster } from './test-cluster.ts';
import { bundleDeployment, conditionOf, startWorld, type World } from './world.ts';

const { path: helmPath, why } = await helmForTests();
const helmClass = 'core-rukpak-io-helm';
const namespace = 'rukpak-system';
const asTest = { fieldManager: 'test' };
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const unfetched = { type: 'HasValidBundle', status: 'False', reason: 'UnpackFailed' };

let world: World;
let web: WebServer;
beforeAll(async () => {
  if (why !== '') return;
  world = await startWorld(['--helm', helmPath]);
  const pages = new Map<string, Buffer | string>([
    ['/hello-world-0.1.0.tgz', packedChart('hello-world', helloWorld())],
    ['/page.txt', 'some text'],
    ['/repository.tar.gz', packedChart('repository-1.0', { 'README.md': 'no chart', 'src/main.go': 'package main' })],
  ]);
  web = await startWebServer((request, response) => {
    const page = pages.get(request.url ?? '');
    if (page === undefined) response.writeHead(404).end();
    else response.end(page);
  }, world.tls);
});
afterAll(async () => {
  await web?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

async function create(name: string, source: JsonObject, config?: JsonObject): Promise<void> {
  const made = bundleDeployment(name, source, { provisionerClassName: helmClass, templateClassName: helmClass });
  const spec = { ...(made['spec'] as JsonObject), ...(config === undefined ? {} : { config }) };
  await world.kube.create({ ...made, spec }, asTest);
}

function httpSource(page: string): JsonObject {
  return { type: 'http', http: { url: `${web.url}${page}` } };
}

async function gitSource(name: string, directory: string): Promise<JsonObject> {
  await world.git.createRepository(`${name}.git`, [{ files: inFolder('charts/hello-world', helloWorld()) }]);
  const git = { repository: `${world.git.url}/${name}.git`, ref: { branch: 'main' }, directory };
  return { type: 'git', git };
}

function deploymentRef(name: string) {
  return { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name };
}

/** Nothing runs Pods on a real control plane without nodes. */
async function whenAvailable(name: string): Promise<KubeObject> {
  return await eventually(async () => {
    const found = await world.kube.get(deploymentRef(name));
    const expected = {
      status: 'True',
      reason: 'MinimumReplicasAvailable',
      message: 'Deployment has minimum availability.',
    };
    if (!isRealCluster) expect(conditionOf(found, 'Available')).toMatchObject(expected);
    return found;
  });
}

async function isRestored(name: string): Promise<void> {
  const { uid } = (await world.kube.get(deploymentRef(name))).metadata;
  await world.kube.delete(deploymentRef(name));
  await eventually(async () => {
    expect((await whenAvailable(name)).metadata.uid).not.toBe(uid);
  });
}

describe.skipIf(why !== '')(`a chart${why}`, () => {
  test('H1, H2, H3 of a web server is installed, becomes available, and is restored', async () => {
    await create('ahoy', httpSource('/hello-world-0.1.0.tgz'));
    await world.deploymentWith('ahoy', installed);
    const found = await whenAvailable('ahoy-hello-world');
    expect(found.metadata.labels).toMatchObject({
      'app.kubernetes.io/managed-by': 'Helm',
      'core.rukpak.io/owner-name': 'ahoy',
    });
    await isRestored('ahoy-hello-world');
  });

  test.each([
    {
      title: 'H4 nothing at an address is reported',
      name: 'absent',
      page: '/absent.tgz',
      text: 'unexpected status "404 Not Found"',
    },
    {
      title: 'H5 a text in place of an archive is reported',
      name: 'text',
      page: '/page.txt',
      text: 'gzip: invalid header',
    },
    {
      title: 'H6 an archive that is no chart is reported',
      name: 'no-chart',
      page: '/repository.tar.gz',
      text: 'Chart.yaml file is missing',
    },
  ])('$title', async ({ name, page, text }) => {
    await create(name, httpSource(page));
    const found = await world.deploymentWith(name, unfetched);
    expect(conditionOf(found, 'HasValidBundle')?.message).toContain(text);
  });

  test('H7, H8, H9 in the only folder of a folder of a git repository is installed and restored', async () => {
    const git = await gitSource('folder', './charts');
    await create('folder', git);
    await world.deploymentWith('folder', installed);
    await whenAvailable('folder-hello-world');
    await isRestored('folder-hello-world');
  });

  test('H10 at the root of a folder of a git repository is installed', async () => {
    await create('root', await gitSource('root', './charts/hello-world'));
    await world.deploymentWith('root', installed);
  });

  test('H11 is rendered with the values of the configuration', async () => {
    await create('named', httpSource('/hello-world-0.1.0.tgz'), { values: 'nameOverride: "fromvalues"\n' });
    await world.deploymentWith('named', installed);
    await whenAvailable('named-fromvalues');
  });
});
