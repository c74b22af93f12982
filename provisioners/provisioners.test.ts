import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApiServer } from '../apiserver/index.ts';
import {
  apiVersion,
  installFieldManager,
  ownerNameLabel,
  parseBundle,
  parseBundleDeployment,
  pausedAnnotation,
} from '../src/api/index.ts';
import { formatYaml, type JsonObject, type Logger, parseYaml, silentLogger, systemClock } from '../src/base/index.ts';
import { createManager, type Manager } from '../src/controller/index.ts';
import {
  createKubeClient,
  isNotFound,
  type KubeClient,
  type KubeObject,
  KubeUnavailable,
  loadClusterAccess,
  NoKindMatch,
} from '../src/kube/index.ts';
import { cutOff, eventually, type Registry, startRegistry } from '../test/support/index.ts';
import { addProvisioners } from './index.ts';
import { createUnpacker, type Unpacker } from './unpacker/index.ts';

/** The tests run on a server of their own, or on the cluster of this kubeconfig, whose objects named `lsp-…` they use. */
const otherCluster = process.env['LONGSHORE_TEST_KUBECONFIG'];
const systemNamespace = 'lsp-system';
const asTest = { fieldManager: 'test' };
const user = { ...asTest, force: true };
const provisionerClassName = 'core-rukpak-io-plain';

let kube: KubeClient;
let registry: Registry;
let unpacker: Unpacker;
let storeDir: string;
let stopper: AbortController;
let running: Manager;
const closers: (() => Promise<unknown>)[] = [];

async function startCluster(): Promise<string> {
  if (otherCluster !== undefined) return await readFile(otherCluster, 'utf8');
  const server = await startApiServer({ simulation: false });
  closers.push(() => server.stop());
  return server.kubeconfig;
}

/** What was warned of, by object. */
const warnings: { readonly object: unknown; readonly message: unknown }[] = [];

function warningLogger({ object }: Readonly<Record<string, unknown>>): Logger {
  const warn = ({ message }: { readonly message?: unknown }): void => void warnings.push({ object, message });
  return { ...silentLogger(), warn: warn as Logger['warn'] };
}

async function launch(client: KubeClient = kube, hasOwnServer = true): Promise<void> {
  stopper = new AbortController();
  const { signal } = stopper;
  const log = { ...silentLogger(), child: warningLogger };
  running = createManager({ kube: client, clock: systemClock, log, signal });
  addProvisioners(running, {
    unpacker,
    systemNamespace,
    workers: 8,
    resyncMs: 36_000_000,
    healthDeadlineMs: 600_000,
    dependencyPolicy: 'warn',
    hasOwnServer,
    isAccountRequired: false,
    foreignClasses: [],
  });
  await running.start();
}

async function halt(): Promise<void> {
  stopper.abort();
  await running.whenStopped();
}

beforeAll(async () => {
  kube = createKubeClient({ access: await loadClusterAccess({ text: await startCluster() }), clock: systemClock });
  for (const plural of ['bundles', 'bundledeployments']) {
    const crd = parseYaml('crd', await readFile(`crds/core.rukpak.io_${plural}.yaml`, 'utf8'));
    await kube.apply(crd as unknown as KubeObject, user);
  }
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } }, user);
  await eventually(() => kube.list({ apiVersion, kind: 'Bundle' }));
  await eventually(() => kube.list({ apiVersion, kind: 'BundleDeployment' }));
  registry = await startRegistry();
  closers.push(async () => {
    await registry[Symbol.asyncDispose]();
  });
  storeDir = `${tmpdir()}/provisioners-${randomUUID()}`;
  unpacker = await createUnpacker({ storeDir, answerDeadlineMs: 30_000, storeBytes: 1024 ** 3, threads: 1 });
  closers.push(async () => {
    await unpacker[Symbol.asyncDispose]();
  });
  await launch();
});

afterAll(async () => {
  await halt();
  kube.close();
  for (const close of closers.toReversed()) await close();
  await rm(storeDir, { recursive: true, force: true });
});

type Manifest = JsonObject & { metadata: { name: string; namespace?: string } };

function push(tag: string, objects: readonly JsonObject[]): string {
  const files = Object.fromEntries(objects.map((object, index) => [`manifests/${index}.yaml`, formatYaml(object)]));
  registry.putImage(`lsp/${tag}`, [{ files }]);
  return `${registry.host}/lsp/${tag}`;
}

function deployment(name: string, ref: string, labels?: Record<string, string>): KubeObject {
  const template = {
    ...(labels === undefined ? {} : { metadata: { labels } }),
    spec: { provisionerClassName, source: { type: 'image', image: { ref } } },
  };
  return { apiVersion, kind: 'BundleDeployment', metadata: { name }, spec: { provisionerClassName, template } };
}

function configMap(name: string, value = '1'): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
}

const group = 'lsp.example.com';

function crd(kind: string): Manifest {
  const plural = `${kind.toLowerCase()}s`;
  const properties = { spec: { type: 'object', properties: { size: { type: 'integer' } } } };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties } },
  };
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: [version] },
  };
}

function custom(kind: string, name: string, size = 1): Manifest {
  return { apiVersion: `${group}/v1`, kind, metadata: { name }, spec: { size } };
}

async function find(manifest: Pick<KubeObject, 'apiVersion' | 'kind'>, name: string): Promise<KubeObject | undefined> {
  const { isNamespaced } = await kube.resolve(manifest.apiVersion, manifest.kind).catch(() => ({ isNamespaced: true }));
  const ref = { apiVersion: manifest.apiVersion, kind: manifest.kind, name };
  try {
    return await kube.get(isNamespaced ? { ...ref, namespace: systemNamespace } : ref);
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return undefined;
    throw thrown;
  }
}

const configMapKind = { apiVersion: 'v1', kind: 'ConfigMap' };
const bundleKind = { apiVersion, kind: 'Bundle' };
const deploymentKind = { apiVersion, kind: 'BundleDeployment' };

async function valueOf(name: string): Promise<unknown> {
  return ((await find(configMapKind, name))?.['data'] as JsonObject | undefined)?.['value'];
}

async function stateOf(name: string): Promise<Record<string, unknown>> {
  const { status } = parseBundleDeployment(await find(deploymentKind, name));
  const of = (type: string): string => {
    const found = status?.conditions?.find((condition) => condition.type === type);
    return found === undefined ? '' : `${found.status}/${found.reason}: ${found.message}`;
  };
  return { active: status?.activeBundle ?? '', installed: of('Installed'), valid: of('HasValidBundle') };
}

async function whenInstalled(name: string, before = ''): Promise<string> {
  await eventually(async () => {
    const state = await stateOf(name);
    expect(state['installed']).toMatch(/^True\/InstallationSucceeded: Instantiated bundle .* successfully$/);
    expect(state['active']).not.toBe(before);
  });
  return String((await stateOf(name))['active']);
}

async function remove(name: string): Promise<void> {
  await kube.delete({ ...deploymentKind, name });
  await eventually(async () => {
    expect(await find(deploymentKind, name)).toBeUndefined();
  });
}

async function ownedBundles(name: string): Promise<readonly string[]> {
  const list = await kube.list({ ...bundleKind, labelSelector: `${ownerNameLabel}=${name}` });
  return list.items.map(({ metadata }) => metadata.name ?? '');
}

/** A client for which the server has trouble with one object. */
function troubledBy(name: string): KubeClient {
  const message = `${name}: the server has trouble`;
  const trouble = new KubeUnavailable({ status: 500, reason: 'InternalError', message, causes: [], isStatus: true });
  return {
    ...kube,
    apply: async (object, options) => {
      if (object.metadata.name === name && options.isDryRun !== true) throw trouble;
      return await kube.apply(object, options);
    },
  };
}

/** Installs a first part of a first version, and starts again without trouble. */
async function interrupt(name: string, object: KubeObject, trouble: string): Promise<void> {
  await halt();
  await launch(troubledBy(trouble));
  await kube.apply(object, user);
  await eventually(async () => expect((await stateOf(name))['installed']).toContain('the server has trouble'));
  await halt();
  // The process ends before it could report anything.
  const status = { conditions: [] };
  await kube.patch({ ...deploymentKind, name }, { status }, { fieldManager: 'test', subresource: 'status' });
}

describe('a first installation that was interrupted', () => {
  test('is named after a restart, and rolled back when its version is abandoned', async () => {
    const parts = [configMap('lsp-part-a'), configMap('lsp-part-b')];
    await interrupt('lsp-part', deployment('lsp-part', push('part:1', parts)), 'lsp-part-b');
    await launch(troubledBy('lsp-part-b'));
    await eventually(async () => {
      const { installed } = await stateOf('lsp-part');
      expect(installed).toMatch(/^False\/.*1 objects exist: ConfigMap "lsp-part-a" in namespace "lsp-system"/);
    });
    await halt();
    await kube.apply(deployment('lsp-part', push('part:2', [configMap('Not_A_Name')])), user);
    await launch();
    await eventually(async () => expect(await find(configMapKind, 'lsp-part-a')).toBeUndefined());
    await remove('lsp-part');
  });

  test('is removed with its BundleDeployment', async () => {
    const parts = [configMap('lsp-half-a'), configMap('lsp-half-b')];
    await interrupt('lsp-half', deployment('lsp-half', push('half:1', parts)), 'lsp-half-b');
    await kube.delete({ ...deploymentKind, name: 'lsp-half' });
    await launch();
    await eventually(async () => expect(await find(deploymentKind, 'lsp-half')).toBeUndefined());
    expect(await find(configMapKind, 'lsp-half-a')).toBeUndefined();
  });

  test('keeps what it took over when it is rolled back by another process', async () => {
    const mine = {
      ...configMap('lsp-kept-own', 'mine'),
      metadata: { name: 'lsp-kept-own', namespace: systemNamespace },
    };
    await kube.apply(mine as unknown as KubeObject, user);
    const parts = [configMap('lsp-kept-a'), configMap('lsp-kept-own'), configMap('lsp-kept-z')];
    const object = deployment('lsp-kept', push('kept:1', parts));
    const annotations = { 'core.rukpak.io/adopt': 'true' };
    const adopting = { ...object, metadata: { ...object.metadata, annotations } };
    await interrupt('lsp-kept', adopting, 'lsp-kept-z');
    expect(await valueOf('lsp-kept-own')).toBe('1');
    const next = deployment('lsp-kept', push('kept:2', [configMap('Not_A_Name')]));
    await kube.apply({ ...next, metadata: { ...next.metadata, annotations } }, user);
    await launch();
    await eventually(async () => expect((await stateOf('lsp-kept'))['installed']).toContain('Not_A_Name'));
    expect(await valueOf('lsp-kept-own')).toBe('1');
    await remove('lsp-kept');
  });
});

/** Restores the owner of objects, as a user may who may write these. */
async function giveBack(deploymentName: string, objects: readonly string[]): Promise<void> {
  const { uid = '' } = (await find(deploymentKind, deploymentName))?.metadata ?? {};
  const metadata = { ownerReferences: [{ ...deploymentKind, name: deploymentName, uid }] };
  for (const name of objects)
    await kube.patch({ ...configMapKind, name, namespace: systemNamespace }, { metadata }, asTest);
}

async function deleteAwaited(name: string): Promise<void> {
  await kube.delete({ ...bundleKind, name });
  await eventually(async () => expect(await find(bundleKind, name)).toBeUndefined());
}

describe('a BundleDeployment', () => {
  test('whose finalizer was removed, and that finalizers of others keep, is removed with its objects', async () => {
    const object = deployment('lsp-held', push('held:1', [configMap('lsp-held')]));
    const finalizers = ['example.com/hold'];
    await kube.apply({ ...object, metadata: { ...object.metadata, finalizers } }, user);
    await whenInstalled('lsp-held');
    await halt();
    await kube.patch({ ...deploymentKind, name: 'lsp-held' }, { metadata: { finalizers } }, { fieldManager: 'test' });
    await kube.delete({ ...deploymentKind, name: 'lsp-held' });
    await launch();
    await eventually(async () => expect(await find(configMapKind, 'lsp-held')).toBeUndefined());
    await kube.patch(
      { ...deploymentKind, name: 'lsp-held' },
      { metadata: { finalizers: null } },
      { fieldManager: 'test' },
    );
    await eventually(async () => expect(await find(deploymentKind, 'lsp-held')).toBeUndefined());
  });

  test('installs, pivots to a new version, removes what is obsolete and the old Bundle, and leaves nothing behind', async () => {
    const first = push('pivot:1', [configMap('lsp-a'), configMap('lsp-b')]);
    const second = push('pivot:2', [configMap('lsp-a', '2'), configMap('lsp-c')]);
    await kube.apply(deployment('lsp-pivot', first), user);
    const old = await whenInstalled('lsp-pivot');
    const bundle = parseBundle(await find(bundleKind, old));
    expect(bundle.status).toMatchObject({ phase: 'Unpacked', resolvedSource: { type: 'image' } });
    expect(bundle.status?.resolvedSource?.image?.ref).toMatch(/@sha256:[0-9a-f]{64}$/);
    expect(bundle.metadata.ownerReferences).toMatchObject([{ name: 'lsp-pivot', controller: true }]);

    await kube.apply(deployment('lsp-pivot', second), user);
    await whenInstalled('lsp-pivot', old);
    expect(await valueOf('lsp-a')).toBe('2');
    expect(await valueOf('lsp-c')).toBe('1');
    await eventually(async () => {
      expect(await valueOf('lsp-b')).toBeUndefined();
      expect(await find(bundleKind, old)).toBeUndefined();
    });

    await remove('lsp-pivot');
    expect(await valueOf('lsp-a')).toBeUndefined();
    expect(await valueOf('lsp-c')).toBeUndefined();
    expect(await ownedBundles('lsp-pivot')).toEqual([]);
  });

  test('keeps the old version when the new one cannot be applied, and reports why', async () => {
    const good = push('failed:1', [configMap('lsp-d')]);
    const bad = push('failed:2', [
      configMap('lsp-d', '2'),
      { ...configMap('lsp-e'), metadata: { name: 'Not_A_Name' } },
    ]);
    await kube.apply(deployment('lsp-failed', good), user);
    const active = await whenInstalled('lsp-failed');
    await kube.apply(deployment('lsp-failed', bad), user);
    await eventually(async () => {
      const state = await stateOf('lsp-failed');
      expect(state['installed']).toMatch(
        /^False\/UpgradeFailed: .*ConfigMap "Not_A_Name" .*Invalid value: "Not_A_Name"/,
      );
      expect(state['active']).toBe(active);
    });
    expect(await valueOf('lsp-d')).toBe('1');
    expect(await ownedBundles('lsp-failed')).toContain(active);
    await kube.apply(deployment('lsp-failed', good), user);
    await whenInstalled('lsp-failed');
    await remove('lsp-failed');
  });

  test('does not take over what belongs to another, changes nothing, and continues once the other is deleted', async () => {
    await kube.apply(deployment('lsp-one', push('one:1', [configMap('lsp-f')])), user);
    await whenInstalled('lsp-one');
    await kube.apply(deployment('lsp-two', push('two:1', [configMap('lsp-f', '2'), configMap('lsp-g')])), user);
    await eventually(async () => {
      expect((await stateOf('lsp-two'))['installed']).toContain(
        `False/InstallFailed: rendered manifests contain a resource that already exists. Unable to continue with install: ConfigMap "lsp-f" in namespace "${systemNamespace}" exists and cannot be imported into the current release: invalid ownership metadata; it belongs to BundleDeployment "lsp-one"`,
      );
    });
    expect(await valueOf('lsp-f')).toBe('1');
    expect(await valueOf('lsp-g')).toBeUndefined();
    await remove('lsp-one');
    await whenInstalled('lsp-two');
    expect(await valueOf('lsp-f')).toBe('2');
    await remove('lsp-two');
  });

  test('does not take over what a user made', async () => {
    const mine = { ...configMap('lsp-mine', 'mine'), metadata: { name: 'lsp-mine', namespace: systemNamespace } };
    await kube.apply(mine as unknown as KubeObject, user);
    await kube.apply(deployment('lsp-taker', push('taker:1', [configMap('lsp-mine')])), user);
    await eventually(async () => {
      expect((await stateOf('lsp-taker'))['installed']).toContain(
        'invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"; annotation validation error: missing key "meta.helm.sh/release-name": must be set to "lsp-taker"',
      );
    });
    expect(await valueOf('lsp-mine')).toBe('mine');
    await kube.delete({ ...configMapKind, namespace: systemNamespace, name: 'lsp-mine' });
    await kube.delete({ ...deploymentKind, name: 'lsp-taker' });
  });

  test('parses each version once, whatever is installed, rolled back and corrected of it', async () => {
    const parsedBefore = (await unpacker.usage()).parsedCount;
    await kube.apply(deployment('lsp-parsed', push('parsed:1', [configMap('lsp-p')])), user);
    const old = await whenInstalled('lsp-parsed');
    const ref = { ...configMapKind, namespace: systemNamespace, name: 'lsp-p' };
    for (const value of ['other', 'another']) {
      await kube.patch(ref, { data: { value } }, { fieldManager: 'other' });
      await eventually(async () => expect(await valueOf('lsp-p')).toBe('1'));
    }
    await kube.apply(deployment('lsp-parsed', push('parsed:2', [configMap('lsp-p', '2')])), user);
    await whenInstalled('lsp-parsed', old);
    await kube.delete(ref);
    await eventually(async () => expect(await valueOf('lsp-p')).toBe('2'));
    await halt();
    await launch();
    await kube.delete(ref);
    await eventually(async () => expect(await valueOf('lsp-p')).toBe('2'));
    expect((await unpacker.usage()).parsedCount - parsedBefore).toBe(2);
    await remove('lsp-parsed');
  });

  test('puts drift right and leaves what others added', async () => {
    await kube.apply(deployment('lsp-drift', push('drift:1', [configMap('lsp-h'), configMap('lsp-i')])), user);
    await whenInstalled('lsp-drift');
    const ref = { ...configMapKind, namespace: systemNamespace, name: 'lsp-h' };
    await kube.patch(ref, { data: { value: 'other', added: 'x' } }, { fieldManager: 'other' });
    await kube.delete({ ...ref, name: 'lsp-i' });
    await eventually(async () => {
      expect((await find(configMapKind, 'lsp-h'))?.['data']).toEqual({ value: '1', added: 'x' });
      expect(await valueOf('lsp-i')).toBe('1');
    });
    await remove('lsp-drift');
  });

  test('installs a CRD and its objects from one bundle, and waits for kinds that another bundle brings', async () => {
    const users = push('user:1', [custom('Lamp', 'lsp-lamp'), custom('Mast', 'lsp-mast')]);
    await kube.apply(deployment('lsp-user', users), user);
    await eventually(async () => {
      const { installed, active } = await stateOf('lsp-user');
      expect(installed).toMatch(/^False\/InstallFailed: required resource not found: /);
      expect(installed).toContain(`no matches for kind "Lamp" in version "${group}/v1"`);
      expect(installed).toContain(`no matches for kind "Mast" in version "${group}/v1"`);
      expect(active).toBe('');
    });
    const brings = [custom('Mast', 'lsp-own'), crd('Lamp'), crd('Mast')];
    await kube.apply(deployment('lsp-brings', push('brings:1', brings)), user);
    await whenInstalled('lsp-brings');
    await whenInstalled('lsp-user');
    await remove('lsp-user');
    await remove('lsp-brings');
    expect(
      await find({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }, `lamps.${group}`),
    ).toBeUndefined();
  });

  test('goes on where it stopped after a restart, orphans nothing and pulls nothing again', async () => {
    const first = push('restart:1', [configMap('lsp-j'), configMap('lsp-k')]);
    const second = push('restart:2', [configMap('lsp-j', '2')]);
    await kube.apply(deployment('lsp-restart', first), user);
    const old = await whenInstalled('lsp-restart');
    await halt();
    await kube.apply(deployment('lsp-restart', second), user);
    await kube.delete({ ...configMapKind, namespace: systemNamespace, name: 'lsp-j' });
    await launch();
    await whenInstalled('lsp-restart', old);
    await eventually(async () => {
      expect(await valueOf('lsp-j')).toBe('2');
      expect(await valueOf('lsp-k')).toBeUndefined();
    });
    await remove('lsp-restart');
  });

  test('is recognized after a restart without a request for its objects, which are applied again where they drifted meanwhile', async () => {
    await kube.apply(deployment('lsp-known', push('known:1', [configMap('lsp-v'), configMap('lsp-w')])), user);
    const active = await whenInstalled('lsp-known');
    const applied: string[] = [];
    const counting: KubeClient = Object.assign(Object.create(kube) as KubeClient, {
      apply: (async (object, options) => {
        if (object.kind === 'ConfigMap') applied.push(object.metadata.name ?? '');
        return await kube.apply(object, options);
      }) satisfies KubeClient['apply'],
    });
    await halt();
    await launch(counting);
    for (const [paused, status] of [
      ['true', 'True'],
      [null, 'False'],
    ] as const) {
      const ref = { apiVersion, kind: 'BundleDeployment', name: 'lsp-known' };
      await kube.patch(
        ref,
        { metadata: { annotations: { 'core.rukpak.io/paused': paused } } },
        { fieldManager: 'test' },
      );
      await eventually(async () => {
        const { conditions = [] } = parseBundleDeployment(await kube.get(ref)).status ?? {};
        expect(conditions.find(({ type }) => type === 'Paused')?.status).toBe(status);
      });
    }
    expect(applied).toEqual([]);
    const ref = { ...configMapKind, namespace: systemNamespace, name: 'lsp-v' };
    await kube.patch(ref, { data: { value: 'other' } }, { fieldManager: 'other' });
    await eventually(async () => expect(await valueOf('lsp-v')).toBe('1'));
    expect(applied).toEqual(['lsp-v']);
    await halt();
    await kube.patch(ref, { data: { value: 'other' } }, { fieldManager: 'other' });
    await launch(counting);
    await eventually(async () => expect(await valueOf('lsp-v')).toBe('1'));
    expect(await ownedBundles('lsp-known')).toEqual([active]);
    await remove('lsp-known');
  });

  test.each([3, 5, 7, 9])(
    'that was stopped behind write %i of a pivot goes back to the version before where the template does',
    async (count) => {
      const first = push('back:1', [configMap('lsp-p'), configMap('lsp-q')]);
      await kube.apply(deployment('lsp-back', first), user);
      const old = await whenInstalled('lsp-back');
      await halt();
      const cut = Promise.withResolvers<void>();
      await launch(cutOff(kube, count, cut.resolve));
      const second = push('back:2', [configMap('lsp-p', '2'), configMap('lsp-q', '2')]);
      await kube.apply(deployment('lsp-back', second), user);
      await Promise.race([cut.promise, whenInstalled('lsp-back', old)]);
      await halt();
      await kube.apply(deployment('lsp-back', first), user);
      await launch();
      await eventually(async () => {
        expect(await Promise.all(['p', 'q'].map((name) => valueOf(`lsp-${name}`)))).toEqual(['1', '1']);
        expect((await stateOf('lsp-back')).installed).toMatch(/^True/);
      });
      await remove('lsp-back');
    },
  );

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    'converges after a stop behind write %i of a pivot',
    async (count) => {
      const first = push('cut:1', [configMap('lsp-p'), configMap('lsp-q'), configMap('lsp-r')]);
      const second = push('cut:2', [configMap('lsp-p', '2'), configMap('lsp-s')]);
      await kube.apply(deployment('lsp-cut', first), user);
      const old = await whenInstalled('lsp-cut');
      await halt();
      const cut = Promise.withResolvers<void>();
      await launch(cutOff(kube, count, cut.resolve));
      await kube.apply(deployment('lsp-cut', second), user);
      await Promise.race([cut.promise, whenInstalled('lsp-cut', old)]);
      await halt();
      await launch();
      const active = await whenInstalled('lsp-cut', old);
      await eventually(async () => {
        expect(await Promise.all(['p', 'q', 'r', 's'].map((name) => valueOf(`lsp-${name}`)))).toEqual([
          '2',
          undefined,
          undefined,
          '1',
        ]);
        expect(await ownedBundles('lsp-cut')).toEqual([active]);
      });
      await remove('lsp-cut');
      expect(await Promise.all(['p', 's'].map((name) => valueOf(`lsp-${name}`)))).toEqual([undefined, undefined]);
    },
  );

  test.each([1, 4, 7])(
    'is removed, except for what is to be kept, after a stop behind write %i of its removal',
    async (count) => {
      const kept = {
        ...configMap('lsp-keep'),
        metadata: { name: 'lsp-keep', annotations: { 'helm.sh/resource-policy': 'keep' } },
      };
      await kube.apply(deployment('lsp-end', push('end:1', [configMap('lsp-t'), configMap('lsp-u'), kept])), user);
      await whenInstalled('lsp-end');
      const uid = (await find(configMapKind, 'lsp-keep'))?.metadata.uid;
      await halt();
      const cut = Promise.withResolvers<void>();
      await launch(cutOff(kube, count, cut.resolve));
      await kube.delete({ ...deploymentKind, name: 'lsp-end' });
      const isRemoved = (): Promise<void> =>
        eventually(async () => expect(await find(deploymentKind, 'lsp-end')).toBeUndefined());
      await Promise.race([cut.promise, isRemoved()]);
      await halt();
      await launch();
      await isRemoved();
      expect(await Promise.all(['t', 'u'].map((name) => valueOf(`lsp-${name}`)))).toEqual([undefined, undefined]);
      expect((await find(configMapKind, 'lsp-keep'))?.metadata).toMatchObject({ uid });
      expect(await ownedBundles('lsp-end')).toEqual([]);
      await kube.delete({ ...configMapKind, namespace: systemNamespace, name: 'lsp-keep' });
    },
  );

  test('replaces a Bundle that was deleted', async () => {
    await kube.apply(deployment('lsp-gone', push('gone:1', [configMap('lsp-l')])), user);
    const name = await whenInstalled('lsp-gone');
    const before = (await find(bundleKind, name))?.metadata.uid;
    await kube.delete({ ...bundleKind, name });
    await eventually(async () => {
      const now = parseBundle(await find(bundleKind, name));
      expect(now.metadata.uid).not.toBe(before);
      expect(now.status?.phase).toBe('Unpacked');
    });
    await remove('lsp-gone');
  });

  test('is never stuck behind Bundles that were tried and given up', async () => {
    for (let i = 1; i <= 7; i++) {
      await kube.apply(deployment('lsp-tries', `${registry.host}/lsp/none:${i}`), user);
      await eventually(async () => {
        expect((await ownedBundles('lsp-tries')).length).toBeGreaterThanOrEqual(Math.min(i, 4));
      });
    }
    await kube.apply(deployment('lsp-tries', push('tries:1', [configMap('lsp-n')]), { app: 'lsp' }), user);
    await whenInstalled('lsp-tries');
    await eventually(async () => {
      expect(await ownedBundles('lsp-tries')).toHaveLength(1);
    });
    await remove('lsp-tries');
  });

  test.each([
    { what: '', change: async () => {} },
    {
      what: ', though its Bundle has lost its labels',
      change: (name: string) => kube.patch({ ...bundleKind, name }, { metadata: { labels: null } }, asTest),
    },
    { what: ', though its Bundle was deleted while it was paused', change: deleteAwaited },
    {
      what: ', though a user has restored the owner of an object that the user may write, and its Bundle was deleted',
      change: deleteAwaited,
      ownedAgain: ['lsp-left-2'],
    },
  ])('deleted with cascade=orphan while no process runs leaves what was installed$what', async (row) => {
    const { change, ownedAgain } = { ownedAgain: [], ...row };
    const name = 'lsp-left';
    await kube.apply(deployment(name, push('left:1', [configMap(name), configMap('lsp-left-2')])), user);
    await whenInstalled(name);
    await kube.patch(
      { ...deploymentKind, name },
      { metadata: { annotations: { [pausedAnnotation]: 'true' } } },
      asTest,
    );
    await eventually(async () => {
      const { status } = parseBundleDeployment(await find(deploymentKind, name));
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Paused', status: 'True' }));
    });
    const [bundle = ''] = await ownedBundles(name);
    await change(bundle);
    await halt();
    await kube.delete({ ...deploymentKind, name }, { propagationPolicy: 'Orphan' });
    await eventually(async () => {
      expect((await find(deploymentKind, name))?.metadata.finalizers).not.toContain('orphan');
    });
    await giveBack(name, ownedAgain);
    await launch();
    await eventually(async () => {
      expect(await find(deploymentKind, name)).toBeUndefined();
    });
    const { metadata } = (await find(configMapKind, name)) ?? {};
    expect(metadata?.labels?.[ownerNameLabel]).toBeUndefined();
    expect(metadata?.annotations).toMatchObject({ 'core.rukpak.io/released-from': name });
    expect(metadata?.deletionTimestamp).toBeUndefined();
    for (const left of [name, 'lsp-left-2'])
      await kube.delete({ ...configMapKind, name: left, namespace: systemNamespace });
  });

  test('what is orphaned stays, though the API server executes a write of a process that was killed before', async () => {
    const name = 'lsp-late';
    await kube.apply(deployment(name, push('late:1', [configMap(name)])), user);
    await whenInstalled(name);
    const { metadata, data } = (await find(configMapKind, name)) as KubeObject;
    const { labels, ownerReferences = [] } = metadata;
    const written = { ...configMapKind, metadata: { name, namespace: systemNamespace, labels, ownerReferences }, data };
    await halt();
    await launch(kube, false);
    await kube.delete({ ...deploymentKind, name }, { propagationPolicy: 'Orphan' });
    await eventually(async () => {
      const { status } = parseBundleDeployment(await find(deploymentKind, name));
      const message = status?.conditions?.find(({ type }) => type === 'Removing')?.message;
      expect(message).toContain('may still execute writes of another process');
    });
    await kube.apply(written as KubeObject, { fieldManager: installFieldManager, force: true });
    await eventually(async () => {
      const found = await find(configMapKind, name);
      expect(found?.metadata.ownerReferences ?? []).toEqual([]);
      expect(found?.metadata.annotations).toMatchObject({ 'core.rukpak.io/released-from': name });
    });
    expect(await find(deploymentKind, name)).toBeDefined();
    await halt();
    await launch();
    await eventually(async () => {
      expect(await find(deploymentKind, name)).toBeUndefined();
    });
    await kube.delete({ ...configMapKind, name, namespace: systemNamespace });
  });

  test('of another class is ignored entirely', async () => {
    const other = deployment('lsp-other', 'localhost:1/none:1');
    const spec = { ...(other['spec'] as JsonObject), provisionerClassName: 'non-existent-class-name' };
    await kube.apply({ ...other, spec }, user);
    await kube.apply(deployment('lsp-marker', push('marker:1', [configMap('lsp-m')])), user);
    await whenInstalled('lsp-marker');
    expect(parseBundleDeployment(await find(deploymentKind, 'lsp-other')).status).toBeUndefined();
    await kube.delete({ ...deploymentKind, name: 'lsp-other' });
    await remove('lsp-marker');
  });
});

describe('a Bundle', () => {
  test('Q25 of a ConfigMap that may still change waits until it is immutable', async () => {
    const data = { 'a.yaml': formatYaml(configMap('lsp-inner')) };
    const metadata = { name: 'lsp-soft', namespace: systemNamespace };
    await kube.apply({ ...configMapKind, metadata, data }, user);
    const source = { type: 'configMaps', configMaps: [{ configMap: { name: 'lsp-soft' }, path: 'manifests' }] };
    const spec = { provisionerClassName, source };
    await kube.apply({ ...bundleKind, metadata: { name: 'lsp-soft' }, spec }, user);
    await eventually(async () => {
      const { status } = parseBundle(await find(bundleKind, 'lsp-soft'));
      expect(status?.conditions?.[0]?.message).toContain(
        'source bundle content: configmap "lsp-soft" is not immutable: set its field immutable to true (not tried again before',
      );
    });
    await kube.apply({ ...configMapKind, metadata, data, immutable: true }, user);
    await eventually(async () => {
      expect(parseBundle(await find(bundleKind, 'lsp-soft')).status?.phase).toBe('Unpacked');
    });
    await kube.delete({ ...bundleKind, name: 'lsp-soft' });
    await kube.delete({ ...configMapKind, ...metadata });
  });

  test('whose ConfigMap is corrected while the ConfigMaps are listed for the first time is unpacked', async () => {
    const data = { 'a.yaml': formatYaml(configMap('lsp-inner')) };
    const metadata = { name: 'lsp-late', namespace: systemNamespace };
    await halt();
    await kube.apply({ ...configMapKind, metadata, data }, user);
    const source = { type: 'configMaps', configMaps: [{ configMap: { name: 'lsp-late' }, path: 'manifests' }] };
    await kube.apply({ ...bundleKind, metadata: { name: 'lsp-late' }, spec: { provisionerClassName, source } }, user);
    const read = Promise.withResolvers<void>();
    const get: KubeClient['get'] = async (...asked) => {
      const found = await kube.get(...asked);
      if (asked[0].name === 'lsp-late' && asked[0].kind === 'ConfigMap') read.resolve();
      return found;
    };
    const listPages: KubeClient['listPages'] = async function* (...asked) {
      if (asked[0].kind === 'ConfigMap' && asked[0].namespace === systemNamespace) {
        // A fetch without the list happens meanwhile, and fails for good.
        await Promise.race([read.promise, systemClock.sleep(200)]);
        await kube.apply({ ...configMapKind, metadata, data, immutable: true }, user);
      }
      yield* kube.listPages(...asked);
    };
    await launch({ ...kube, get, listPages });
    await eventually(async () => {
      expect(parseBundle(await find(bundleKind, 'lsp-late')).status?.phase).toBe('Unpacked');
    });
    await kube.delete({ ...bundleKind, name: 'lsp-late' });
    await kube.delete({ ...configMapKind, ...metadata });
  });
});

test('a source that fails in the same way again and again is logged once', async () => {
  const name = 'lsp-unreachable';
  const spec = { provisionerClassName, source: { type: 'image', image: { ref: '127.0.0.1:1/lsp/nothing:v1' } } };
  await kube.create({ apiVersion, kind: 'Bundle', metadata: { name }, spec }, user);
  const reported = new Set<string>();
  await eventually(async () => {
    const [condition] = parseBundle(await kube.get({ apiVersion, kind: 'Bundle', name })).status?.conditions ?? [];
    if (condition?.message?.includes('next try at') === true) reported.add(condition.message);
    expect(reported.size).toBeGreaterThan(2);
  });
  expect(warnings.filter(({ object }) => object === name)).toEqual([
    { object: name, message: expect.stringContaining('ECONNREFUSED') as unknown },
  ]);
  await kube.delete({ apiVersion, kind: 'Bundle', name });
});
