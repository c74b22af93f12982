import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, type Logger, silentLogger, textAt } from '../../src/base/index.ts';
import {
  buildCatalogIndex,
  type Meta,
  openCatalogIndex,
  openRegistryThreads,
  startRegistryServer,
} from '../../src/catalog/index.ts';

/** Provided by the head of a channel that is not the default one. */
export const api = { group: 'p.example', version: 'v1', kind: 'Thing' };
/** Provided by a bundle with its manifests in the catalog. */
export const other = { group: 'q.example', version: 'v1', kind: 'Other' };

function meta(value: JsonObject): Meta {
  const [schema, packageName, name] = [textAt(value, 'schema'), textAt(value, 'package'), textAt(value, 'name')];
  return { schema, package: packageName, name, value, place: { file: 'catalog.yaml', line: 1 } };
}

function channel(packageName: string, name: string, entries: JsonObject[]): Meta {
  return meta({ schema: 'olm.channel', package: packageName, name, entries });
}

function bundle(name: string, properties: JsonObject[], more: JsonObject = {}): Meta {
  const [packageName = '', version = ''] = name.split('.v');
  const identity = { type: 'olm.package', value: { packageName, version } };
  const image = `registry.example/${name}`;
  return meta({
    schema: 'olm.bundle',
    package: packageName,
    name,
    image,
    properties: [identity, ...properties],
    ...more,
  });
}

/** Of that bundle. */
export const csv = { kind: 'ClusterServiceVersion', metadata: { name: 'q.v1.0.0' } };
const inlined = (object: JsonObject): JsonObject => {
  return { type: 'olm.bundle.object', value: { data: Buffer.from(JSON.stringify(object)).toString('base64') } };
};
/** Two packages, one with a channel of two heads, and documents of a schema of their own. */
export const registryCatalog: readonly Meta[] = [
  meta({ schema: 'olm.package', name: 'q', defaultChannel: 'stable' }),
  channel('q', 'stable', [{ name: 'q.v1.0.0' }]),
  channel('q', 'fast', [
    { name: 'q.v1.0.0', replaces: 'q.v0.9.0', skips: ['q.v0.9.0', 'q.v0.8.0', 'q.v0.1.0'] },
    { name: 'q.v0.1.0' },
  ]),
  bundle('q.v0.1.0', [
    { type: 'olm.label.required', value: { label: 'x' } },
    { type: 'olm.bundle.object', value: { data: Buffer.from('b: 1\na: 2\n').toString('base64') } },
    { type: 'olm.csv.metadata', value: {} },
  ]),
  bundle('q.v1.0.0', [{ type: 'olm.gvk', value: other }, inlined(csv), inlined({ kind: 'Service' })], { image: '' }),
  meta({
    schema: 'olm.package',
    name: 'p',
    defaultChannel: 'stable',
    description: 'of the package',
    icon: { base64data: 'AAAA', mediatype: 'image/png' },
  }),
  channel('p', 'stable', [
    { name: 'p.v1.0.0', skipRange: '<1.0.0' },
    { name: 'p.v1.1.0', replaces: 'p.v1.0.0' },
    { name: 'p.v1.2.0', replaces: 'p.v1.0.0', skips: ['p.v1.1.0', 'p.v0.9.0'], skipRange: '<1.2.0' },
  ]),
  channel('p', 'alpha', [{ name: 'p.v1.2.0' }, { name: 'p.v2.0.0', replaces: 'p.v1.2.0' }]),
  channel('p', 'broken', [{ name: 'p.v1.0.0' }, { name: 'p.v1.1.0' }]),
  bundle('p.v1.0.0', []),
  bundle('p.v1.1.0', []),
  bundle(
    'p.v1.2.0',
    [
      { type: 'olm.gvk.required', value: other },
      { type: 'olm.package.required', value: { packageName: 'q', versionRange: '>=1.0.0' } },
      {
        type: 'olm.csv.metadata',
        value: { displayName: 'P', annotations: { a: 'b' }, crdDescriptions: { owned: [] } },
      },
    ],
    { relatedImages: [{ name: 'x', image: 'registry.example/x' }] },
  ),
  bundle('p.v2.0.0', [{ type: 'olm.gvk', value: api }]),
  meta({
    schema: 'olm.deprecations',
    package: 'p',
    entries: [
      { reference: { schema: 'olm.package' }, message: 'old package' },
      { reference: { schema: 'olm.channel', name: 'alpha' }, message: 'old channel' },
      { reference: { schema: 'olm.bundle', name: 'p.v1.0.0' }, message: 'old bundle' },
    ],
  }),
  meta({ schema: 'shop.example', package: 'p', name: 'one', price: 3, tags: ['a', null, { b: true }] }),
  meta({ schema: 'shop.example', name: 'two' }),
];

interface TestRegistryOptions {
  readonly log?: Logger;
  /** Gets what threads log; one thread serves beside this one. */
  readonly threadLog?: Logger;
  readonly port?: number;
}

/** A registry that serves `registryCatalog`. */
export async function startTestRegistry(
  options: TestRegistryOptions = {},
): Promise<{ readonly port: number } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'registry-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'index');
  await buildCatalogIndex(registryCatalog, file);
  const index = stack.use(openCatalogIndex(file));
  const { log = silentLogger(), threadLog, port = 0 } = options;
  const threads = threadLog === undefined ? undefined : stack.use(await openRegistryThreads(file, 1, threadLog));
  const server = { log, host: '127.0.0.1', port, catalog: () => index, ...(threads === undefined ? {} : { threads }) };
  const registry = stack.use(await startRegistryServer(server));
  const done = stack.move();
  return { port: registry.port, [Symbol.asyncDispose]: () => done.disposeAsync() };
}
