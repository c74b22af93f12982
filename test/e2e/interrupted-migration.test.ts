/** @module-tag long */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Registry, startRegistry } from '../../cli/examples/registry.ts';
import { parseYaml } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { type ApiProxy, startApiProxy } from '../support/api-proxy.ts';
import { eventually } from '../support/index.ts';
import {
  catalogKind,
  csvKind,
  definition,
  deploymentKind,
  extensionKind,
  gauge,
  package_,
  platformKind,
  sourceKind,
  subscriptionKind,
} from './migration.ts';
import { longshoreOn, programPath } from './program.ts';
import { conditionOf, startWorld, statusOf, type World } from './world.ts';

const label = 'operators.operatorframework.io.index.configs.v1';
const user = { fieldManager: 'test' };
const patience = { timeoutMs: 120_000 };

const namespace = 'harbour';

let world: World;
let registry: Registry;
let dir: string;

async function succeeds(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await longshoreOn(world.platform.kubeconfigPath)(args, { timeoutMs: 180_000 });
  expect(code, stderr).toBe(0);
  return stdout;
}

async function namesOf(kind: { apiVersion: string; kind: string; namespace?: string }): Promise<readonly string[]> {
  return (await world.kube.list(kind)).items.map(({ metadata }) => metadata.name ?? '');
}

async function items(kind: { apiVersion: string; kind: string }): Promise<readonly KubeObject[]> {
  return (await world.kube.list({ ...kind, namespace })).items;
}

beforeAll(async () => {
  world = await startWorld(['--olm']);
  registry = await startRegistry({});
  dir = await mkdtemp(join(tmpdir(), 'longshore-interrupted-'));
  const bundle = `${registry.host}/${package_}:v0.1.0`;
  await succeeds('bundle', 'push', 'examples/tide-gauge/v0.1.0', bundle);
  const rendered = await succeeds('catalog', 'render', bundle, '-o', 'json');
  const head = [
    { schema: 'olm.package', name: package_, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: package_, name: 'stable', entries: [{ name: `${package_}.v0.1.0` }] },
  ];
  const content = [...head.map((document) => JSON.stringify(document)), rendered].join('\n');
  const files = { 'configs/catalog.json': content };
  const image = `${registry.host}/catalog@${registry.putImage('catalog:v1', [{ files }], { [label]: '/configs' })}`;
  await world.kube.create(
    { ...catalogKind, metadata: { name: 'shop' }, spec: { source: { type: 'Image', image: { ref: image } } } },
    user,
  );
  await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
  await succeeds('operator', 'catalog', 'add', 'shop', image, '-n', namespace);
  await eventually(async () => {
    const source = await world.kube.get({ ...sourceKind, name: 'shop', namespace });
    expect(statusOf(source)).toMatchObject({ connectionState: { lastObservedState: 'READY' } });
    expect(conditionOf(await world.kube.get({ ...catalogKind, name: 'shop' }), 'Serving')?.status).toBe('True');
  }, patience);
  await succeeds('operator', 'install', package_, '-n', namespace, '--catalog', 'shop', '--yes');
  await eventually(
    () =>
      world.kube.create(
        { ...gauge, metadata: { namespace, name: 'pier' }, spec: { harbour: 'Old Pier' } } as never,
        user,
      ),
    patience,
  );
  await eventually(async () => expect(await items({ apiVersion: 'v1', kind: 'Pod' })).toHaveLength(1), patience);
}, 180_000);
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
  await registry[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

/** What must stay, by uid. */
async function standing(): Promise<unknown> {
  const kinds = [
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    { apiVersion: 'v1', kind: 'Pod' },
    { apiVersion: 'v1', kind: 'ServiceAccount' },
    gauge,
  ];
  const all = await Promise.all(kinds.map(items));
  const crd = await world.kube.get(definition);
  return [...all.flat(), crd].map(({ kind, metadata }) => [kind, metadata.name, metadata.uid]);
}

/** Which objects have the operator. */
async function holders(): Promise<unknown> {
  const kinds = [subscriptionKind, { ...csvKind, namespace }, extensionKind, platformKind, deploymentKind];
  const all = await Promise.all(kinds.map(async (kind) => [kind.kind, await namesOf(kind)] as const));
  return Object.fromEntries(all.filter(([, names]) => names.length > 0));
}

/** A kubeconfig of the cluster through a proxy: with the credentials of its user, which the content server asks for. */
async function proxied(kubeconfig: string, proxy: ApiProxy): Promise<string> {
  const document = parseYaml('the kubeconfig', kubeconfig) as unknown as { clusters: { cluster: object }[] };
  const { clusters } = JSON.parse(proxy.kubeconfig) as typeof document;
  const [cluster] = document.clusters;
  const path = join(dir, 'proxied.kubeconfig');
  const own = { ...document, clusters: [{ ...cluster, cluster: clusters[0]?.cluster }] };
  await writeFile(path, JSON.stringify(own));
  return path;
}

/** Repeats a command until it ends: each time it is killed when the server has done a write that it has not been killed at before. Returns these writes. */
async function killedAtEachWrite(args: readonly string[]): Promise<readonly string[]> {
  const writes: string[] = [];
  let kill = (): void => undefined;
  const kubeconfig = await readFile(world.platform.kubeconfigPath, 'utf8');
  await using proxy = await startApiProxy(kubeconfig, (write) => {
    if (writes.includes(write)) return 'pass';
    writes.push(write);
    return { is: 'lost', struck: () => kill() };
  });
  const env = { ...process.env, KUBECONFIG: await proxied(kubeconfig, proxy) };
  for (;;) {
    const child = spawn(process.execPath, [programPath, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let problem = '';
    child.stderr.on('data', (chunk: Buffer) => {
      problem += chunk.toString();
    });
    kill = () => void child.kill('SIGKILL');
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code === null) continue;
    expect(code, problem).toBe(0);
    return writes;
  }
}

const subscribed = { Subscription: [package_], ClusterServiceVersion: [`${package_}.v0.1.0`] };
const deployed = { BundleDeployment: [package_] };

test.each([
  { to: 'ClusterExtension', holds: { ...deployed, ClusterExtension: [package_] } },
  { to: 'PlatformOperator', holds: { ...deployed, PlatformOperator: [package_] } },
  { to: 'ClusterExtension', holds: { ...deployed, ClusterExtension: [package_] } },
  { to: 'BundleDeployment', holds: deployed },
  { to: 'Subscription', holds: subscribed },
])('a migration to a $to that is killed after each of its writes is completed when it is repeated', async (leg) => {
  const { to, holds } = leg;
  const before = await standing();
  const from = to === 'ClusterExtension' && (await namesOf(subscriptionKind)).length > 0 ? ['-n', namespace] : [];
  const writes = await killedAtEachWrite(['operator', 'migrate', package_, '--to', to, ...from, '--yes']);
  expect(writes).not.toEqual([]);
  expect(await holders()).toEqual(holds);
  expect(await standing()).toEqual(before);
});
