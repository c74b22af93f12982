import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { addProvisioners } from '../../provisioners/index.ts';
import { createUnpacker, type Unpacker } from '../../provisioners/unpacker/index.ts';
import { apiVersion, ownerNameLabel, parseBundleDeployment } from '../../src/api/index.ts';
import {
  formatYaml,
  type JsonObject,
  type Logger,
  parseYaml,
  silentLogger,
  systemClock,
} from '../../src/base/index.ts';
import { createManager, type Manager } from '../../src/controller/index.ts';
import {
  createKubeClient,
  isNotFound,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
  NoKindMatch,
} from '../../src/kube/index.ts';
import { eventually, type Registry, startRegistry } from './index.ts';

/** The tests run on a server of their own, or on the cluster of this kubeconfig, whose objects named `lsp-…` they use: then one file at a time. */
const otherCluster = process.env['LONGSHORE_TEST_KUBECONFIG'];
/** The namespace of the provisioners, into which the plain one installs. */
export const systemNamespace = 'lsp-system';
export const asTest = { fieldManager: 'test' };
export const user = { fieldManager: 'test', force: true };
export const provisionerClassName = 'core-rukpak-io-plain';

/** Set by the hooks below, as are the others that change: the test files of a worker run one after the other. */
export let kube: KubeClient;
export let registry: Registry;
export let unpacker: Unpacker;
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
export const warnings: { readonly object: unknown; readonly message: unknown }[] = [];

function warningLogger({ object }: Readonly<Record<string, unknown>>): Logger {
  const warn = ({ message }: { readonly message?: unknown }): void => void warnings.push({ object, message });
  return { ...silentLogger(), warn: warn as Logger['warn'] };
}

/** Starts the provisioners. */
export async function launch(client: KubeClient = kube, hasOwnServer = true): Promise<void> {
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

/** Stops them. */
export async function halt(): Promise<void> {
  stopper.abort();
  await running.whenStopped();
}

/** An object of a bundle. */
export type Manifest = JsonObject & { metadata: { name: string; namespace?: string } };

/** Pushes a bundle of these objects to the registry, and returns its reference. */
export function push(tag: string, objects: readonly JsonObject[]): string {
  const files = Object.fromEntries(objects.map((object, index) => [`manifests/${index}.yaml`, formatYaml(object)]));
  registry.putImage(`lsp/${tag}`, [{ files }]);
  return `${registry.host}/lsp/${tag}`;
}

/** A BundleDeployment of the bundle with this reference. */
export function deployment(name: string, ref: string, labels?: Record<string, string>): KubeObject {
  const template = {
    ...(labels === undefined ? {} : { metadata: { labels } }),
    spec: { provisionerClassName, source: { type: 'image', image: { ref } } },
  };
  return { apiVersion, kind: 'BundleDeployment', metadata: { name }, spec: { provisionerClassName, template } };
}

/** A ConfigMap of a bundle. */
export function configMap(name: string, value = '1'): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
}

/** An object as it is, in the system namespace where its kind has namespaces, or undefined. */
export async function find(
  manifest: Pick<KubeObject, 'apiVersion' | 'kind'>,
  name: string,
): Promise<KubeObject | undefined> {
  const { isNamespaced } = await kube.resolve(manifest.apiVersion, manifest.kind).catch(() => ({ isNamespaced: true }));
  const ref = { apiVersion: manifest.apiVersion, kind: manifest.kind, name };
  try {
    return await kube.get(isNamespaced ? { ...ref, namespace: systemNamespace } : ref);
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return undefined;
    throw thrown;
  }
}

export const configMapKind = { apiVersion: 'v1', kind: 'ConfigMap' };
export const bundleKind = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle' };
export const deploymentKind = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment' };

/** What a ConfigMap of a bundle holds. */
export async function valueOf(name: string): Promise<unknown> {
  return ((await find(configMapKind, name))?.['data'] as JsonObject | undefined)?.['value'];
}

/** The active Bundle and two conditions of a BundleDeployment. */
export async function stateOf(name: string): Promise<Record<string, unknown>> {
  const { status } = parseBundleDeployment(await find(deploymentKind, name));
  const of = (type: string): string => {
    const found = status?.conditions?.find((condition) => condition.type === type);
    return found === undefined ? '' : `${found.status}/${found.reason}: ${found.message}`;
  };
  return { active: status?.activeBundle ?? '', installed: of('Installed'), valid: of('HasValidBundle') };
}

/** Waits until another Bundle than `before` is installed, and returns its name. */
export async function whenInstalled(name: string, before = ''): Promise<string> {
  await eventually(async () => {
    const state = await stateOf(name);
    expect(state['installed']).toMatch(/^True\/InstallationSucceeded: Instantiated bundle .* successfully$/);
    expect(state['active']).not.toBe(before);
  });
  return String((await stateOf(name))['active']);
}

/** Deletes a BundleDeployment, and waits until it does not exist any more. */
export async function remove(name: string): Promise<void> {
  await kube.delete({ ...deploymentKind, name });
  await eventually(async () => {
    expect(await find(deploymentKind, name)).toBeUndefined();
  });
}

/** The names of the Bundles of a BundleDeployment. */
export async function ownedBundles(name: string): Promise<readonly string[]> {
  const list = await kube.list({ ...bundleKind, labelSelector: `${ownerNameLabel}=${name}` });
  return list.items.map(({ metadata }) => metadata.name ?? '');
}

/** Runs the provisioners on one cluster for the tests of a file, beside a registry. */
export function runProvisioners(): void {
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
    for (const close of closers.splice(0).toReversed()) await close();
    await rm(storeDir, { recursive: true, force: true });
  });
}
