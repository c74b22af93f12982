import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packRelease } from '../../provisioners/unpacker/index.ts';
import { type JsonObject, objectAt, textAt } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { helmForTests } from '../clients/helm-program.ts';
import { eventually, startWebServer, type WebServer } from '../support/index.ts';
import { helloWorld, inFolder, packedChart, randomPassword } from './charts.ts';
import { runProgram, writeFolder } from './program.ts';
import { isRealCluster } from './test-cluster.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

const { path: helmPath, why } = await helmForTests();
const helmClass = 'core-rukpak-io-helm';
const namespace = 'rukpak-system';
const asTest = { fieldManager: 'test' };
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const unfetched = { type: 'HasValidBundle', status: 'False', reason: 'UnpackFailed' };

const strictSchema = '{"properties": {"nameOverride": {"type": "string", "pattern": "^[a-z]*$"}}}';
const repositoryIndex = `apiVersion: v1
entries:
  hello-world: [{version: 0.1.0, urls: [hello-world-0.1.0.tgz]}, {version: 0.2.0, urls: [gone.tgz]}]
`;

let world: World;
let web: WebServer;
beforeAll(async () => {
  if (why !== '') return;
  world = await startWorld(['--helm', helmPath]);
  const pages = new Map<string, Buffer | string>([
    ['/hello-world-0.1.0.tgz', packedChart('hello-world', helloWorld())],
    ['/strict-0.1.0.tgz', packedChart('hello-world', helloWorld({ 'values.schema.json': strictSchema }))],
    ['/page.txt', 'some text'],
    ['/stable/index.yaml', repositoryIndex],
    ['/stable/hello-world-0.1.0.tgz', packedChart('hello-world', helloWorld())],
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

async function gitSource(name: string, directory: string, { git: server }: World = world): Promise<JsonObject> {
  await server.createRepository(`${name}.git`, [{ files: inFolder('charts/hello-world', helloWorld()) }]);
  const git = { repository: `${server.url}/${name}.git`, ref: { branch: 'main' }, directory };
  return { type: 'git', git };
}

/** What `helm push` makes of a packed chart. */
function chartArtifact(name: string, packed: Buffer): JsonObject {
  const { registry } = world;
  const blob = (bytes: Buffer, mediaType: string): JsonObject => {
    return { mediaType, digest: registry.putBlob(bytes), size: bytes.length };
  };
  registry.putManifest(`charts/${name}:0.1.0`, {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: blob(Buffer.from('{"name":"hello-world"}'), 'application/vnd.cncf.helm.config.v1+json'),
    layers: [blob(packed, 'application/vnd.cncf.helm.chart.content.v1.tar+gzip')],
  });
  return { type: 'image', image: { ref: `${registry.host}/charts/${name}:0.1.0`, pullSecret: 'registrysecret' } };
}

async function configure(name: string, config: JsonObject): Promise<void> {
  const ref = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name };
  await world.kube.patch(ref, { spec: { config } }, asTest);
}

async function passwordOf(name: string): Promise<string> {
  return textAt(
    objectAt((await world.get('Secret', `${name}-password`, namespace)) as unknown as JsonObject, 'data'),
    'password',
  );
}

async function storedRenditions(name: string): Promise<readonly (string | undefined)[]> {
  const { uid = '' } = (await world.get('BundleDeployment', name)).metadata;
  const labelSelector = `core.rukpak.io/rendition-of=${uid}`;
  const { items } = await world.kube.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector });
  return items.map(({ metadata }) => metadata.name);
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
    expect(statusOf(await world.deploymentWith('ahoy', installed))).toMatchObject({ activeVersion: '0.1.0' });
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

  test('in a registry, as helm push writes it, is installed, and its tag pinned', async () => {
    const source = chartArtifact('oci', packedChart('hello-world', helloWorld()));
    await create('oci', source);
    await world.deploymentWith('oci', installed);
    const [owned] = await world.ownedBundles('oci');
    expect(JSON.stringify(statusOf(owned as KubeObject)['resolvedSource'])).toMatch(/@sha256:[0-9a-f]{64}/);
  });

  test('of a chart repository is installed in the version of its range, and pinned by its digest', async () => {
    await create('indexed', httpSource('/stable#chart=hello-world&version=~0.1.0'));
    await world.deploymentWith('indexed', installed);
    const [owned] = await world.ownedBundles('indexed');
    const resolved = JSON.stringify(statusOf(owned as KubeObject)['resolvedSource']);
    expect(resolved).toMatch(/\/stable\/hello-world-0\.1\.0\.tgz#sha256=[0-9a-f]{64}/);
  });

  test('packed in a ConfigMap is installed', async () => {
    const binaryData = { 'chart.tgz': packedChart('hello-world', helloWorld()).toString('base64') };
    const metadata = { name: 'packed-chart', namespace };
    await world.kube.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, immutable: true, binaryData }, asTest);
    await create('mapped', { type: 'configMaps', configMaps: [{ configMap: { name: 'packed-chart' } }] });
    await world.deploymentWith('mapped', installed);
  });

  test('of a chart repository whose archives another server has is installed, without its credentials', async () => {
    const seen: (string | undefined)[] = [];
    await using archives = await startWebServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end(packedChart('hello-world', helloWorld()));
    }, world.tls);
    const entries = `entries:\n  hello-world: [{version: 0.1.0, urls: ["${archives.url}/hello-world-0.1.0.tgz"]}]\n`;
    const basic = `Basic ${Buffer.from('reader:word').toString('base64')}`;
    await using index = await startWebServer((request, response) => {
      if (request.headers.authorization === basic) response.end(`apiVersion: v1\n${entries}`);
      else response.writeHead(401).end();
    }, world.tls);
    const data = {
      username: Buffer.from('reader').toString('base64'),
      password: Buffer.from('word').toString('base64'),
    };
    const annotations = { 'core.rukpak.io/hosts': new URL(index.url).host };
    const metadata = { name: 'chart-reader', namespace, annotations };
    await world.kube.create({ apiVersion: 'v1', kind: 'Secret', metadata, data }, asTest);
    const auth = { secret: { name: 'chart-reader' } };
    await create('private', { type: 'http', http: { url: `${index.url}/#chart=hello-world`, auth } });
    await world.deploymentWith('private', installed);
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });

  test('in a registry is no bundle of plain manifests, and the deployment reports what it takes', async () => {
    const source = chartArtifact('misplaced', packedChart('hello-world', helloWorld()));
    await world.kube.create(bundleDeployment('misplaced', source), asTest);
    const found = await world.deploymentWith('misplaced', unfetched);
    expect(conditionOf(found, 'HasValidBundle')?.message).toContain(
      'charts have the provisioner class core-rukpak-io-helm',
    );
  });

  test('Q27 with random values is rendered once for its values, stored, and has the same password with others', async () => {
    await create('random', chartArtifact('random', packedChart('random', randomPassword())));
    await world.deploymentWith('random', installed);
    const first = await passwordOf('random');
    await world.kube.delete({ apiVersion: 'v1', kind: 'Secret', namespace, name: 'random-password' });
    expect(await eventually(() => passwordOf('random'))).toBe(first);
    const stored = await storedRenditions('random');
    expect(stored).toHaveLength(1);
    await configure('random', { values: { user: 'root' } });
    await eventually(async () => {
      const data = objectAt((await world.get('Secret', 'random-password', namespace)) as unknown as JsonObject, 'data');
      expect(textAt(data, 'user')).toBe(Buffer.from('root').toString('base64'));
      expect(await storedRenditions('random')).toEqual(expect.arrayContaining([...stored]));
      expect(await storedRenditions('random')).toHaveLength(2);
    });
    expect(await passwordOf('random')).toBe(first);
  });

  test('returns to the certificate of a version that is rolled back to, of which the last three are stored', async () => {
    const certificate = `apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-certificate}
stringData:
  round: {{ .Values.round | quote }}
  tls.crt: {{ (genSelfSignedCert "a.example.com" nil nil 365).Cert | quote }}
`;
    const files = helloWorld({ 'templates/certificate.yaml': certificate });
    await create('certified', chartArtifact('certified', packedChart('certified', files)));
    await world.deploymentWith('certified', installed);
    const seen: string[] = [];
    await configure('certified', { values: { round: 0 } });
    for (const round of [0, 1, 0, 2, 3, 4, 5]) {
      await configure('certified', { values: { round } });
      const data = await eventually(async () => {
        const secret = (await world.get('Secret', 'certified-certificate', namespace)) as unknown as JsonObject;
        expect(textAt(objectAt(secret, 'data'), 'round')).toBe(Buffer.from(`${round}`).toString('base64'));
        return objectAt(secret, 'data');
      });
      seen.push(textAt(data, 'tls.crt'));
      // Renditions are noted when the installation has come to its end.
      await world.deploymentWith('certified', installed);
    }
    expect(seen[1]).not.toBe(seen[0]);
    expect(seen[2]).toBe(seen[0]);
    expect(new Set(seen).size).toBe(6);
    await eventually(async () => expect(await storedRenditions('certified')).toHaveLength(4));
  });

  test('finds its own Secrets by lookup, and no others', async () => {
    const files = helloWorld({
      'templates/secret.yaml': `{{- $found := (lookup "v1" "Secret" .Release.Namespace (printf "%s-password" .Release.Name)).data }}
{{- if and .Release.IsUpgrade (not $found) }}{{ fail "set the password" }}{{ end }}
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-password}
data:
  password: {{ dig "password" (randAlphaNum 20 | b64enc) ($found | default dict) }}
  user: {{ .Values.user | default "admin" | b64enc }}
  others: {{ lookup "v1" "Secret" .Release.Namespace "registrysecret" | toJson | b64enc }}
`,
    });
    await create('found-again', chartArtifact('found-again', packedChart('random', files)));
    await world.deploymentWith('found-again', installed);
    const first = await passwordOf('found-again');
    await configure('found-again', { values: { user: 'root' } });
    const secret = async (): Promise<KubeObject> => await world.get('Secret', 'found-again-password', namespace);
    const encoded = (text: string): string => Buffer.from(text).toString('base64');
    await eventually(async () => {
      expect((await secret())['data']).toEqual({ password: first, user: encoded('root'), others: encoded('{}') });
    });
  });

  test('takes values from ConfigMaps and Secrets, and follows their changes', async () => {
    const more = { kind: 'ConfigMap', name: 'more-values' };
    const secret = { kind: 'Secret', name: 'secret-values', valuesKey: 'name', targetPath: 'nameOverride' };
    const config = { valuesFrom: [more, secret], values: { image: { tag: 'v2' } } };
    await create('referring', httpSource('/hello-world-0.1.0.tgz'), config);
    const invalid = { type: 'HasValidBundle', status: 'False', reason: 'BundleLoadFailed' };
    const waiting = await world.deploymentWith('referring', invalid);
    expect(conditionOf(waiting, 'HasValidBundle')?.message).toBe(
      'spec.config.valuesFrom: ConfigMap "more-values" in namespace "rukpak-system" not found: create it, or set optional to true',
    );
    const data = { name: Buffer.from('secret-name').toString('base64') };
    const metadata = { name: 'secret-values', namespace };
    await world.kube.create({ apiVersion: 'v1', kind: 'Secret', metadata, data }, asTest);
    const values = { 'values.yaml': 'replicaCount: 2\nimage: {tag: v1}\n' };
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'more-values', namespace } };
    await world.kube.create({ ...configMap, data: values }, asTest);
    await world.deploymentWith('referring', installed);
    expect(await world.kube.get(deploymentRef('referring-secret-name'))).toMatchObject({
      spec: { replicas: 2, template: { spec: { containers: [{ image: 'nginx:v2' }] } } },
    });
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'more-values' };
    await world.kube.patch(ref, { data: { 'values.yaml': 'replicaCount: 3\n' } }, asTest);
    await eventually(async () => {
      const found = await world.kube.get(deploymentRef('referring-secret-name'));
      expect(found).toMatchObject({ spec: { replicas: 3 } });
    });
  });

  test('that cannot be rendered is reported with the place of the value, and leaves what is installed', async () => {
    const schema = JSON.stringify({ properties: { replicaCount: { type: 'integer' } } });
    const files = helloWorld({ 'values.schema.json': schema });
    await create('strict', chartArtifact('strict', packedChart('strict', files)));
    await world.deploymentWith('strict', installed);
    await configure('strict', { values: '# how many\nreplicaCount: "two"\n' });
    const invalid = { type: 'HasValidBundle', status: 'False', reason: 'BundleLoadFailed' };
    const found = await world.deploymentWith('strict', invalid);
    expect(conditionOf(found, 'HasValidBundle')?.message).toContain(
      "at '/replicaCount': got string, want integer (spec.config.values:2:1)",
    );
    expect(conditionOf(found, 'Installed')?.status).toBe('True');
    expect(await world.kube.get(deploymentRef('strict-hello-world'))).toMatchObject({ spec: { replicas: 1 } });
  });

  test('without the program helm is reported with what to do', async () => {
    await using without = await startWorld(['--helm', '/nonexistent/helm']);
    const source = await gitSource('ahoy', './charts', without);
    const made = bundleDeployment('ahoy', source, { provisionerClassName: helmClass, templateClassName: helmClass });
    await without.kube.create(made, asTest);
    const found = await without.deploymentWith('ahoy', { ...unfetched, reason: 'BundleLoadFailed' });
    expect(conditionOf(found, 'HasValidBundle')?.message).toContain('set --helm to that of Helm 3 or 4');
  });

  test('takes no values from Secrets of Longshore, or that its account may not read', async () => {
    const own = {
      valuesFrom: [{ kind: 'Secret', name: 'rukpak-ca', valuesKey: 'ca.crt', targetPath: 'nameOverride' }],
    };
    await create('curious', httpSource('/hello-world-0.1.0.tgz'), own);
    const invalid = { type: 'HasValidBundle', status: 'False', reason: 'BundleLoadFailed' };
    const refused = await world.deploymentWith('curious', invalid);
    expect(conditionOf(refused, 'HasValidBundle')?.message).toContain('belongs to Longshore itself');
    const metadata = { name: 'weak', namespace: 'default' };
    await world.kube.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }, asTest);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'foreign-values', namespace } };
    await world.kube.create(secret, asTest);
    const foreign = {
      serviceAccount: { namespace: 'default', name: 'weak' },
      valuesFrom: [{ kind: 'Secret', name: 'foreign-values' }],
    };
    await create('foreign', httpSource('/hello-world-0.1.0.tgz'), foreign);
    const found = await world.deploymentWith('foreign', invalid);
    expect(conditionOf(found, 'HasValidBundle')?.message).toContain(
      'Secret "foreign-values" in namespace "rukpak-system" may not be read by the deployment\'s service account',
    );
  });

  test('shows no value of a Secret where its schema or the API server refuses it', async () => {
    const password = 'Word_of_the_Database';
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'word', namespace },
      stringData: { password },
    };
    await world.kube.create(secret as unknown as KubeObject, asTest);
    const config = {
      valuesFrom: [{ kind: 'Secret', name: 'word', valuesKey: 'password', targetPath: 'nameOverride' }],
    };
    await create('worded', httpSource('/strict-0.1.0.tgz'), config);
    await create('unnamed', httpSource('/hello-world-0.1.0.tgz'), config);
    const worded = await world.deploymentWith('worded', { ...unfetched, reason: 'BundleLoadFailed' });
    expect(conditionOf(worded, 'HasValidBundle')?.message).toContain("'[hidden]' does not match pattern");
    const unnamed = await world.deploymentWith('unnamed', { ...installed, status: 'False', reason: 'InstallFailed' });
    expect(conditionOf(unnamed, 'Installed')?.message).toContain('Deployment "unnamed-[hidden]"');
    const events = await world.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
    expect(JSON.stringify([worded, unnamed, events.items])).not.toContain(password);
  });

  test('with values of another form is refused by admission', async () => {
    const source = httpSource('/hello-world-0.1.0.tgz');
    const refused = async (config: JsonObject): Promise<string> =>
      String(await errorOf(create('refused', source, config)));
    expect(await refused({ values: ['a'] })).toContain('spec.config.values: expected a mapping');
    expect(await refused({ values: 'a: [' })).toContain('read chart values: spec.config.values: line');
    const path = { kind: 'Secret', name: 'a', targetPath: 'a=/etc/passwd,b' };
    expect(await refused({ valuesFrom: [path] })).toContain('valuesFrom[0].targetPath: expected the path of a value');
  });

  test('whose release helm has installed is adopted without a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-release-'));
    try {
      await writeFolder(join(folder, 'hello-world'), helloWorld());
      const chart = join(folder, 'hello-world');
      const args = ['install', 'moved', chart, '-n', 'shop', '--create-namespace', '--set', 'replicaCount=2'];
      const printed = await runProgram(helmPath, [...args, '--kubeconfig', world.platform.kubeconfigPath]);
      expect({ code: printed.code, stderr: printed.stderr }).toMatchObject({ code: 0 });
      const shop = { ...deploymentRef('moved-hello-world'), namespace: 'shop' };
      const before = await world.kube.get(shop);
      await create('moved', httpSource('/hello-world-0.1.0.tgz'), {
        installNamespace: 'shop',
        values: { replicaCount: 2 },
      });
      await world.deploymentWith('moved', installed);
      const after = await world.kube.get(shop);
      expect([after.metadata.uid, after.metadata.generation]).toEqual([
        before.metadata.uid,
        before.metadata.generation,
      ]);
      expect(after.metadata.labels).toMatchObject({ 'core.rukpak.io/owner-name': 'moved' });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('whose release helm has installed has the same random password when it is adopted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-random-'));
    try {
      await writeFolder(join(folder, 'chart'), randomPassword());
      const args = ['install', 'found', join(folder, 'chart'), '-n', namespace];
      const printed = await runProgram(helmPath, [...args, '--kubeconfig', world.platform.kubeconfigPath]);
      expect({ code: printed.code, stderr: printed.stderr }).toMatchObject({ code: 0 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    const before = await passwordOf('found');
    await create('found', chartArtifact('found', packedChart('random', randomPassword())), {
      values: { user: 'root' },
    });
    await world.deploymentWith('found', installed);
    expect(await passwordOf('found')).toBe(before);
  });

  test('takes no password of another namespace from a release that users have written', async () => {
    await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'vault' } }, asTest);
    const password = (data: string): string =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: forged, namespace: vault}\ndata: {password: ${data}}\n`;
    const chosen = Buffer.from('chosen-by-a-tenant').toString('base64');
    const release = await packRelease({ name: 'forged', version: 1, info: {}, manifest: password(chosen) });
    const labels = { owner: 'helm', name: 'forged', status: 'deployed', version: '1' };
    const metadata = { name: 'sh.helm.release.v1.forged.v1', namespace, labels };
    const secret = { apiVersion: 'v1', kind: 'Secret', type: 'helm.sh/release.v1', metadata, data: { release } };
    await world.kube.create(secret, asTest);
    const files = helloWorld({ 'templates/secret.yaml': password('{{ randAlphaNum 20 | b64enc }}') });
    await create('forged', chartArtifact('forged', packedChart('random', files)));
    await world.deploymentWith('forged', installed);
    const { data } = await world.get('Secret', 'forged', 'vault');
    expect(Object.keys(data as JsonObject)).toEqual(['password']);
    expect(data).not.toEqual({ password: chosen });
  });

  test('is a release for helm where that is asked for, with its history, and goes with the deployment', async () => {
    const shown = async (...args: readonly string[]): Promise<JsonObject | readonly JsonObject[]> => {
      const place = ['-n', 'shown', '-o', 'json', '--kubeconfig', world.platform.kubeconfigPath];
      const printed = await runProgram(helmPath, [...args, ...place]);
      expect({ args, code: printed.code, stderr: printed.stderr }).toMatchObject({ code: 0 });
      return JSON.parse(printed.stdout) as JsonObject;
    };
    const config = (values: JsonObject): JsonObject => ({ installNamespace: 'shown', helmRelease: true, values });
    await create('shown', httpSource('/hello-world-0.1.0.tgz'), config({ replicaCount: 1 }));
    await world.deploymentWith('shown', installed);
    const row = {
      name: 'shown',
      namespace: 'shown',
      status: 'deployed',
      chart: 'hello-world-0.1.0',
      app_version: '1.16.0',
    };
    await eventually(async () =>
      expect(await shown('list')).toEqual([expect.objectContaining({ ...row, revision: '1' })]),
    );
    await configure('shown', config({ replicaCount: 2, image: { tag: 'v2' } }));
    await eventually(async () => {
      expect(await shown('history', 'shown')).toEqual([
        expect.objectContaining({ revision: 1, status: 'superseded', description: 'Install complete' }),
        expect.objectContaining({ revision: 2, status: 'deployed', description: 'Upgrade complete' }),
      ]);
    });
    expect(await shown('get', 'values', 'shown')).toEqual({ replicaCount: 2, image: { tag: 'v2' } });
    const status = (await shown('status', 'shown')) as JsonObject;
    expect(textAt(status, 'manifest')).toContain('replicas: 2');
    const all = await shown('get', 'values', 'shown', '--all');
    expect(all).toMatchObject({ nameOverride: '', image: { repository: 'nginx', tag: 'v2' } });
    await world.kube.delete({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'shown' });
    await eventually(async () => {
      const labelSelector = 'owner=helm';
      const secrets = await world.kube.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'shown', labelSelector });
      expect(secrets.items).toEqual([]);
    });
  });

  test('leaves a definition of crds/ that exists to whom it belongs, with its release too', async () => {
    const definition = (description: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cups.shipped.example.com}
spec:
  group: shipped.example.com
  scope: Namespaced
  names: {kind: Cup, plural: cups}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, description: ${description}}}}]
`;
    const cup = 'apiVersion: shipped.example.com/v1\nkind: Cup\nmetadata: {name: one}\n';
    const files = helloWorld({ 'crds/cups.yaml': definition('theirs'), 'templates/cup.yaml': cup });
    const folder = await mkdtemp(join(tmpdir(), 'longshore-crds-'));
    try {
      await writeFolder(join(folder, 'hello-world'), files);
      const args = ['install', 'cupboard', join(folder, 'hello-world'), '-n', namespace];
      const printed = await runProgram(helmPath, [...args, '--kubeconfig', world.platform.kubeconfigPath]);
      expect({ code: printed.code, stderr: printed.stderr }).toMatchObject({ code: 0 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    const ref = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'cups.shipped.example.com',
    };
    const before = (await world.kube.get(ref)).metadata;
    const next = { ...files, 'crds/cups.yaml': definition('ours') };
    await create('cupboard', chartArtifact('cupboard', packedChart('hello-world', next)));
    await world.deploymentWith('cupboard', installed);
    const after = (await world.kube.get(ref)).metadata;
    expect([after.uid, after.generation, after.labels]).toEqual([before.uid, before.generation, before.labels]);
    await world.kube.delete({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'cupboard' });
    await eventually(async () => {
      const { items } = await world.kube.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace });
      expect(items.map(({ metadata }) => metadata.name)).not.toContain('cupboard-hello-world');
    });
    expect((await world.kube.get(ref)).metadata.uid).toBe(before.uid);
  });

  test('of another release is not adopted', async () => {
    const metadata = {
      name: 'strange-hello-world',
      namespace: 'default',
      labels: { 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { 'meta.helm.sh/release-name': 'strange', 'meta.helm.sh/release-namespace': 'elsewhere' },
    };
    const spec = { ports: [{ port: 80 }] };
    await world.kube.create({ apiVersion: 'v1', kind: 'Service', metadata, spec } as unknown as KubeObject, asTest);
    await create('strange', httpSource('/hello-world-0.1.0.tgz'), { installNamespace: 'default' });
    const found = await world.deploymentWith('strange', {
      type: 'Installed',
      status: 'False',
      reason: 'InstallFailed',
    });
    expect(conditionOf(found, 'Installed')?.message).toContain('invalid ownership metadata');
  });
});
