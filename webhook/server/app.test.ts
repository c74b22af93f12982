import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { parseBundle } from '../../src/api/index.ts';
import { isJsonObject, type JsonObject, silentLogger, TransientError } from '../../src/base/index.ts';
import type { FactsReader } from '../review/facts.ts';
import { buildWebhook } from './app.ts';

const bundlePath = '/validate-core-rukpak-io-v1alpha1-bundle';
const deploymentPath = '/validate-core-rukpak-io-v1alpha1-bundledeployment';
const configMapPath = '/validate-core-v1-configmap';
const hash = 'a'.repeat(40);
const digest = `sha256:${'b'.repeat(64)}`;

function bundle(source: JsonObject, name = 'a'): JsonObject {
  return {
    apiVersion: 'core.rukpak.io/v1alpha1',
    kind: 'Bundle',
    metadata: { name },
    spec: { provisionerClassName: 'core-rukpak-io-plain', source },
  };
}

function deployment(source: JsonObject, extra: JsonObject = {}): JsonObject {
  const { spec } = bundle(source);
  return {
    apiVersion: 'core.rukpak.io/v1alpha1',
    kind: 'BundleDeployment',
    metadata: { name: 'a', ...extra },
    spec: { provisionerClassName: 'core-rukpak-io-plain', template: { spec } },
  };
}

function facts(configMaps: JsonObject[] = [], bundles: JsonObject[] = []): FactsReader {
  return {
    readConfigMap: (name) =>
      Promise.resolve(configMaps.find(({ metadata }) => isJsonObject(metadata) && metadata.name === name)),
    readObjects: () => Readable.from([]),
    hasDependencies: () => Promise.resolve(false),
    listBundles: () => Readable.from([bundles.map(parseBundle)]),
    listDeployments: () => Readable.from([]),
    listPlatformOperators: () => Promise.resolve([]),
    offersFor: () => [],
    mayDo: () => Promise.resolve(true),
    isAbsent: () => Promise.resolve(false),
    servesApi: () => Promise.resolve(false),
  };
}

interface Answer {
  readonly statusCode: number;
  readonly response: JsonObject;
}

async function ask(path: string, request: JsonObject, reader: FactsReader = facts()): Promise<Answer> {
  await using app = buildWebhook({ facts: reader, systemNamespace: 'rukpak-system', log: silentLogger() });
  const payload = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'u1', ...request } };
  const reply = await app.inject({ method: 'POST', url: path, payload });
  const body = reply.json<{ response?: JsonObject }>();
  return { statusCode: reply.statusCode, response: body.response ?? {} };
}

const create = (object: JsonObject): JsonObject => ({ operation: 'CREATE', object, oldObject: null });
const update = (oldObject: JsonObject, object: JsonObject): JsonObject => ({ operation: 'UPDATE', object, oldObject });
const original = (text: string): JsonObject => ({ code: 403, reason: text, message: '' });
const added = (text: string): JsonObject => ({ code: 422, reason: 'Invalid', message: text });
const git = (member: JsonObject): JsonObject => ({
  type: 'git',
  git: { repository: 'r', ref: { commit: hash }, ...member },
});
const directoryText =
  'bundle.spec.source.git.directory begins with "../": directory must define path within the repository';

test('a valid Bundle passes: the response has its uid and nothing else', async () => {
  const { response } = await ask(bundlePath, create(bundle({ type: 'image', image: { ref: `q.io/a@${digest}` } })));
  expect(response).toEqual({ uid: 'u1', allowed: true });
});

test.each<[string, JsonObject, JsonObject]>([
  [
    'type image without image',
    { type: 'image', git: {}, image: undefined },
    original('bundle.spec.source.image must be set for source type "image"'),
  ],
  [
    'type git without git',
    { type: 'git', image: { ref: 'a' } },
    original('bundle.spec.source.git must be set for source type "git"'),
  ],
  [
    'type configMaps without entries',
    { type: 'configMaps', configMaps: [] },
    original('bundle.spec.source.configmaps must be set for source type "configmaps"'),
  ],
  [
    'type upload without upload',
    { type: 'upload', http: { url: 'u' } },
    added('bundle.spec.source.upload must be set for source type "upload"'),
  ],
  [
    'type http without http',
    { type: 'http', upload: {} },
    added('bundle.spec.source.http must be set for source type "http"'),
  ],
  [
    'an unknown type',
    { type: 'local', upload: {} },
    added('bundle.spec.source.type "local" is not supported: must be one of image, git, configMaps, upload, http'),
  ],
  ['a type that every object inherits', { type: 'constructor', upload: {} }, { code: 422 }],
  ['a directory above the root', git({ directory: '../x' }), original(directoryText)],
  ['the directory ..', git({ directory: '..' }), original(directoryText)],
  ['a directory that climbs later', git({ directory: 'a/../../b' }), original(directoryText)],
  ['an absolute directory', git({ directory: '/etc' }), original(directoryText)],
  ['a directory with backslashes', git({ directory: 'a\\..\\..\\b' }), original(directoryText)],
  [
    'a short commit',
    git({ ref: { commit: 'abc123' } }),
    added('bundle.spec.source.git.ref.commit "abc123" must be a full commit hash'),
  ],
  [
    'an image reference that is none',
    { type: 'image', image: { ref: 'Not A Ref@' } },
    added(
      'bundle.spec.source.image.ref "Not A Ref@" is not a valid image reference: the digest must begin with sha256: or sha512:',
    ),
  ],
  [
    'a path above the root',
    { type: 'configMaps', configMaps: [{ configMap: { name: 'x' }, path: '..' }] },
    original('bundle.spec.source.configmaps[0].path is invalid: ".." is outside bundle root'),
  ],
  [
    'two denials of two rules',
    git({ directory: '/a', ref: { commit: '1' } }),
    added(`${directoryText}; bundle.spec.source.git.ref.commit "1" must be a full commit hash`),
  ],
])('a Bundle is refused: %s', async (_case, source, status) => {
  const payload = JSON.parse(JSON.stringify(source)) as JsonObject;
  if (payload.type === 'image' && payload.image === undefined) payload.git = { repository: 'r', ref: { tag: 't' } };
  const { statusCode, response } = await ask(bundlePath, create(bundle(payload)));
  expect(statusCode).toBe(200);
  expect(response).toMatchObject({ uid: 'u1', allowed: false, status });
});

test('ConfigMaps that a Bundle names must be immutable where they exist; several problems are listed once each', async () => {
  const reader = facts([{ metadata: { name: 'soft' } }, { metadata: { name: 'hard' }, immutable: true }]);
  const entries = ['soft', 'hard', 'absent'].map((name) => ({ configMap: { name }, path: 'manifests' }));
  const one = await ask(bundlePath, create(bundle({ type: 'configMaps', configMaps: entries })), reader);
  const first = 'bundle.spec.source.configmaps[0].configmap.name is invalid: configmap "soft" is not immutable';
  expect(one.response.status).toEqual(original(first));
  const more = [...entries, { configMap: { name: 'hard' }, path: '/x' }];
  const two = await ask(bundlePath, create(bundle({ type: 'configMaps', configMaps: more })), reader);
  const second = 'bundle.spec.source.configmaps[3].path is invalid: "/x" is outside bundle root';
  expect(two.response.status).toEqual(original(`[${first}, ${second}]`));
});

test('the spec of a Bundle cannot change; labels, finalizers and status can', async () => {
  const before = bundle(git({ ref: { tag: 'v1' } }));
  const changed = await ask(bundlePath, update(before, bundle(git({ ref: { tag: 'v2' } }))));
  expect(changed.response).toMatchObject({ allowed: false, status: original('bundle.spec is immutable') });
  const labelled = {
    ...before,
    metadata: { name: 'a', labels: { a: 'b' }, finalizers: [] },
    status: { phase: 'Failing' },
  };
  expect((await ask(bundlePath, update(before, labelled))).response).toEqual({ uid: 'u1', allowed: true });
});

test('absent and empty are the same in a spec, except for the member that selects the source', async () => {
  const before = bundle(git({ auth: {} }));
  const same = await ask(bundlePath, update(before, bundle(git({ directory: '' }))));
  expect(same.response.allowed).toBe(true);
  const upload = bundle({ type: 'upload', upload: {} });
  expect((await ask(bundlePath, update(upload, bundle({ type: 'upload' })))).response.allowed).toBe(false);
});

test.each<[string, JsonObject]>([
  ['image.ref', { type: 'image', image: { ref: 'a:1' } }],
  ['git.ref.branch', git({ ref: { branch: 'main' } })],
  ['git.ref.tag', git({ ref: { tag: 'v1' } })],
])('%s that may move gets a warning', async (field, source) => {
  const { response } = await ask(bundlePath, create(bundle(source)));
  expect(response).toEqual({
    uid: 'u1',
    allowed: true,
    warnings: [`bundle.spec.source.${field} may move: pin a digest (commit) to be sure of the content`],
  });
});

test('a Secret for a git or web server gets a warning that names the host, for admission cannot read the Secret', async () => {
  const auth = { secret: { name: 'login' } };
  const source = git({ ref: { commit: hash }, repository: 'https://git.example.com:8443/a.git', auth });
  const { response } = await ask(bundlePath, create(bundle(source)));
  expect(response.warnings).toEqual([
    'secret "login" is used only if it names git.example.com:8443, in its annotation core.rukpak.io/hosts or as a key of its docker configuration',
  ]);
  const unverified = git({ ...(source['git'] as JsonObject), auth: { ...auth, insecureSkipVerify: true } });
  expect((await ask(bundlePath, create(bundle(unverified)))).response.warnings).toContain(
    'insecureSkipVerify: secret "login" is sent only if its annotation core.rukpak.io/allow-unverified-tls is "true"',
  );
  const overSsh = git({ ref: { commit: hash }, repository: 'git@git.example.com:a.git', auth });
  expect((await ask(bundlePath, create(bundle(overSsh)))).response.warnings).toBeUndefined();
});

test.each<[JsonObject, string]>([
  [{ type: 'image' }, '"spec.source" must validate one and only one schema (oneOf). Found none valid'],
  [
    { type: 'image', image: { ref: 'a' }, upload: {} },
    '"spec.source" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ],
  [
    git({ ref: { commit: hash, tag: 'b' } }),
    '"spec.source.git.ref" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ],
  [git({ ref: {} }), '"spec.source.git.ref" must validate one and only one schema (oneOf). Found none valid'],
])('a template that is not a valid Bundle is denied', async (source, text) => {
  const { response } = await ask(deploymentPath, create(deployment(source)));
  expect(response.allowed).toBe(false);
  expect(JSON.stringify(response.status)).toContain(JSON.stringify(text).slice(1, -1));
});

test('a BundleDeployment with an unchanged template is not validated again, so that it can always be deleted', async () => {
  const bad = deployment({ type: 'nonsense' });
  const done = deployment({ type: 'nonsense' }, { finalizers: [] });
  expect((await ask(deploymentPath, update(bad, done))).response.allowed).toBe(true);
  const deleted = { operation: 'DELETE', object: null, oldObject: bad };
  expect((await ask(deploymentPath, deleted)).response.allowed).toBe(true);
});

test.each(['Not_A_Name', '', '-a', 'a'.repeat(64), 3, {}])(
  'the install namespace %j is denied, with warnings for unknown fields',
  async (bad) => {
    const source = { type: 'image', image: { ref: `a@${digest}` } };
    const withConfig = (config: JsonObject): JsonObject => {
      const made = deployment(source);
      return { ...made, spec: { ...(made.spec as JsonObject), config } };
    };
    const { response } = await ask(deploymentPath, create(withConfig({ installNamespace: bad })));
    expect(response.allowed).toBe(false);
    expect(JSON.stringify(response.status)).toContain('spec.config.installNamespace: expected the name of a namespace');
    const same = update(withConfig({ installNamespace: bad }), withConfig({ installNamespace: bad }));
    expect((await ask(deploymentPath, same)).response.allowed).toBe(true);
    const good = withConfig({ installNamespace: 'a-1', watchNamespace: 3, values: 'a: b' });
    const passed = (await ask(deploymentPath, create(good))).response;
    expect(passed.allowed).toBe(true);
    const known = 'plain bundles support only installNamespace and serviceAccount';
    expect(passed.warnings).toEqual([
      `spec.config.watchNamespace has no effect: ${known}`,
      `spec.config.values has no effect: ${known}`,
    ]);
  },
);

const user = (name: string): JsonObject =>
  bundle({ type: 'configMaps', configMaps: [{ configMap: { name: 'cm' } }] }, name);

test('a ConfigMap that Bundles reference is created immutable and stays until they are deleted', async () => {
  const reader = facts([], [user('b2'), user('b1'), bundle({ type: 'upload', upload: {} }, 'b0')]);
  const change = (operation: string, configMap: JsonObject, namespace = 'rukpak-system'): Promise<Answer> =>
    ask(
      configMapPath,
      { operation, name: 'cm', namespace, [operation === 'CREATE' ? 'object' : 'oldObject']: configMap },
      reader,
    );
  expect((await change('CREATE', { metadata: { name: 'cm' } })).response.status).toEqual(
    original(
      'configmap "cm" is referenced in .spec.source.configMaps[].configMap.name by bundles [b1 b2]; ' +
        'referenced configmaps must have .immutable == true',
    ),
  );
  expect((await change('CREATE', { metadata: { name: 'cm' }, immutable: true })).response.allowed).toBe(true);
  expect((await change('DELETE', { metadata: { name: 'cm' } })).response.status).toEqual(
    original('configmap "cm" is in-use by bundle "b1"'),
  );
  expect((await change('DELETE', { metadata: { name: 'cm' } }, 'other')).response.allowed).toBe(true);
});

test.each<[string, string, number]>([
  ['no JSON', '{', 400],
  ['nothing', '', 400],
  ['another kind', JSON.stringify({ apiVersion: 'v1', kind: 'Pod', request: {} }), 400],
  ['v1beta1', JSON.stringify({ apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview', request: {} }), 400],
  ['no uid', JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: {} }), 400],
  ['a forbidden key', '{"__proto__":{"a":1}}', 400],
  ['10,000 levels', '['.repeat(10_000) + ']'.repeat(10_000), 400],
  ['very many values', `[${'{},'.repeat(300_000)}0]`, 400],
  ['more than 7 MiB', JSON.stringify('x'.repeat(7 * 1024 * 1024)), 413],
])('a body with %s is refused', async (_case, payload, code) => {
  await using app = buildWebhook({ facts: facts(), systemNamespace: 'rukpak-system', log: silentLogger() });
  const headers = { 'content-type': 'application/json' };
  const reply = await app.inject({ method: 'POST', url: bundlePath, payload, headers });
  expect(reply.statusCode).toBe(code);
  expect(reply.json()).toHaveProperty('error');
});

test('another path is 404, an object of another form is refused with 400, and unreadable facts are 500', async () => {
  expect((await ask('/other', create({}))).statusCode).toBe(404);
  const { statusCode, response } = await ask(bundlePath, create({ kind: 'Pod' }));
  expect([statusCode, response.allowed]).toEqual([200, false]);
  expect(response.status).toMatchObject({ code: 400 });
  const broken: FactsReader = {
    readConfigMap: () => Promise.reject(new Error('secret detail')),
    readObjects: () => Readable.from([]),
    hasDependencies: () => Promise.resolve(false),
    listBundles: () => Readable.from([]),
    listDeployments: () => Readable.from([]),
    listPlatformOperators: () => Promise.resolve([]),
    offersFor: () => [],
    mayDo: () => Promise.resolve(true),
    isAbsent: () => Promise.resolve(false),
    servesApi: () => Promise.resolve(false),
  };
  const source = { type: 'configMaps', configMaps: [{ configMap: { name: 'x' } }] };
  expect((await ask(bundlePath, create(bundle(source)), broken)).statusCode).toBe(500);
});

test('a failed review is logged with its object; the response has advice and no details', async () => {
  const lines: object[] = [];
  const log = { ...silentLogger(), error: (fields: object) => lines.push(fields) };
  const failed = async (thrown: Error): Promise<string> => {
    const reader = { ...facts(), readConfigMap: () => Promise.reject(thrown) };
    await using app = buildWebhook({ facts: reader, systemNamespace: 'rukpak-system', log: log as never });
    const object = bundle({ type: 'configMaps', configMaps: [{ configMap: { name: 'x' }, path: 'a' }] });
    const request = { uid: 'u1', name: 'a', ...create(object) };
    const payload = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
    const reply = await app.inject({ method: 'POST', url: bundlePath, payload });
    expect(reply.statusCode).toBe(500);
    return reply.json<{ error: string }>().error;
  };
  const review = { webhook: 'vbundles.core.rukpak.io', operation: 'CREATE', namespace: '', name: 'a' };
  expect(await failed(new TransientError('ServerUnavailable', 'dial 10.0.0.1'))).toMatch(/try again; see the log of/);
  expect(lines.pop()).toEqual({ ...review, reason: 'ServerUnavailable', message: 'dial 10.0.0.1' });
  const defect = new Error('detail');
  expect(await failed(defect)).toMatch(/^internal error; see the log of/);
  expect(lines.pop()).toEqual({ ...review, err: defect });
});

const annotated = (annotations: Record<string, string>): JsonObject => ({
  ...bundle({ type: 'upload', upload: {} }),
  metadata: { name: 'a', annotations },
});

test('annotations of a Bundle and of a template are validated alike, with warnings for unknown ones', async () => {
  const annotations = {
    'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
    'operators.operatorframework.io.bundle.hue.v1': 'red',
    'core.rukpak.io/dependencies': '[{"type":"olm.foo","value":{}}]',
    'core.rukpak.io/package-version': 'new',
  };
  const text = [
    'Expecting annotation "operators.operatorframework.io.bundle.mediatype.v1" to have value "plain+v0" instead of "registry+v1"',
    'annotation "core.rukpak.io/package-version": Invalid character(s) found in major number "new"',
    `annotation "core.rukpak.io/dependencies": dependencies[0]: couldn't parse dependency of type olm.foo: expected one of olm.package, olm.gvk, olm.constraint`,
  ].join('; ');
  const template = { metadata: { annotations }, spec: bundle({ type: 'upload', upload: {} }).spec };
  const ofTemplate = { ...deployment({}), spec: { provisionerClassName: 'core-rukpak-io-plain', template } };
  for (const answer of [
    await ask(bundlePath, create(annotated(annotations))),
    await ask(bundlePath, update(annotated({}), annotated(annotations))),
    await ask(deploymentPath, create(ofTemplate as JsonObject)),
  ]) {
    expect(answer.response).toMatchObject({
      allowed: false,
      status: added(text),
      warnings: ['unknown bundle annotation "operators.operatorframework.io.bundle.hue.v1"'],
    });
  }
  const unchanged = await ask(bundlePath, update(annotated(annotations), annotated(annotations)));
  expect(unchanged.response).toEqual({ uid: 'u1', allowed: true });
});

test('metadata in ConfigMaps is validated when the Bundle is created', async () => {
  const data = { 'dependencies.yaml': 'dependencies: [{type: olm.package, value: {packageName: a, version: ""}}]' };
  const reader = facts([{ metadata: { name: 'm' }, immutable: true, data }]);
  const source = (path: string): JsonObject => ({
    type: 'configMaps',
    configMaps: [{ configMap: { name: 'm' }, path }],
  });
  const refused = await ask(bundlePath, create(bundle(source('./metadata/'))), reader);
  expect(refused.response.status).toEqual(
    added('metadata/dependencies.yaml: dependencies[0]: Package version is empty'),
  );
  expect((await ask(bundlePath, create(bundle(source('manifests'))), reader)).response).toMatchObject({
    allowed: true,
  });
});
