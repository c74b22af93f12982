import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import {
  formatYaml,
  type JsonObject,
  listOfTexts,
  objectAt,
  objectsAt,
  parseYamlDocuments,
} from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { parseOptions } from '../command/options.ts';
import { controllersOptions, readControllersConfig } from '../settings/processes.ts';
import { readManifests } from './manifests.ts';
import { type Overlay, overlays } from './overlays.ts';
import { maxShards, withShards } from './shards.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const why = hasKubectl ? '' : ' (skipped: kubectl is not installed)';
const counts = [2, 3, 4];

async function manifestsOf(overlay: Overlay, count: number): Promise<readonly KubeObject[]> {
  return withShards((await readManifests(overlay)) as unknown as KubeObject[], count);
}

function part(object: KubeObject | undefined, ...path: readonly string[]): JsonObject {
  return objectAt(object as unknown as JsonObject, ...path) ?? {};
}

/** Those of the controllers, in the order of their shards. */
function deploymentsIn(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name?.startsWith('core') === true);
}

function containerOf(deployment: KubeObject): JsonObject {
  return objectsAt(part(deployment, 'spec', 'template', 'spec'), 'containers')[0] ?? {};
}

/** The Deployments whose pods a selector chooses, when they lead. */
function chosen(selector: JsonObject, deployments: readonly KubeObject[]): (string | undefined)[] {
  const matching = deployments.filter((deployment) => {
    const labels = { ...part(deployment, 'spec', 'template', 'metadata', 'labels'), 'core.rukpak.io/leader': 'true' };
    return Object.entries(selector).every(([key, value]) => (labels as JsonObject)[key] === value);
  });
  return matching.map(({ metadata }) => metadata.name);
}

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => (at === 0 ? 'core' : `core-${at + 1}`));

test.each(overlays)(
  '%s in several shards has a Deployment for each, which is otherwise like the first',
  async (overlay) => {
    for (const count of [1, 2, maxShards]) {
      const deployments = deploymentsIn(await manifestsOf(overlay, count));
      expect(deployments.map(({ metadata }) => metadata.name)).toEqual(names(count));
      const shards = deployments.map((deployment) => {
        const [, ...args] = containerOf(deployment)['args'] as string[];
        return readControllersConfig(parseOptions(controllersOptions, args, {}).values).shard;
      });
      const requested = names(count).map((_, at) => ({ index: at + 1, count }));
      expect(shards).toEqual(count === 1 ? [undefined] : requested);
      const like = deployments.map((deployment) => {
        const { args, ports: _, ...container } = containerOf(deployment);
        return { ...container, args: (args as string[]).filter((arg) => !arg.startsWith('--shard')) };
      });
      for (const one of like) expect(one).toEqual(like[0]);
    }
  },
);

test('every shard may hold its Lease', async () => {
  const roles = (await manifestsOf('self-signed', maxShards)).filter(
    ({ kind, metadata }) => kind === 'Role' && metadata.name === 'core-admin',
  );
  const rules = roles.flatMap((role) => objectsAt(role as unknown as JsonObject, 'rules'));
  const leases = rules.flatMap((rule) => (rule['resourceNames'] ?? []) as string[]);
  const requested = names(maxShards).map((name) => name.replace('core', 'core.rukpak.io'));
  expect(leases).toEqual(expect.arrayContaining(requested));
});

test('each is selected by what is its own alone: Deployment, PodDisruptionBudget, NetworkPolicy', async () => {
  const objects = await manifestsOf('self-signed', 3);
  const deployments = deploymentsIn(objects);
  for (const { metadata } of deployments) {
    const of = (kind: string): KubeObject | undefined =>
      objects.find((object) => object.kind === kind && object.metadata.name === metadata.name);
    const selectors = [
      part(of('Deployment'), 'spec', 'selector', 'matchLabels'),
      part(of('PodDisruptionBudget'), 'spec', 'selector', 'matchLabels'),
      part(of('NetworkPolicy'), 'spec', 'podSelector', 'matchLabels'),
    ];
    for (const selector of selectors) expect(chosen(selector, deployments)).toEqual([metadata.name]);
    const spread = objectsAt(part(of('Deployment'), 'spec', 'template', 'spec'), 'topologySpreadConstraints');
    for (const constraint of spread) {
      expect(chosen(objectAt(constraint, 'labelSelector', 'matchLabels') ?? {}, deployments)).toEqual([metadata.name]);
    }
  }
});

test('contents are asked of any leader, catalogs of the first shard, metrics of all', async () => {
  const objects = await manifestsOf('self-signed', 3);
  const deployments = deploymentsIn(objects);
  const selectorOf = (services: readonly KubeObject[], name: string): JsonObject =>
    part(
      services.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name),
      'spec',
      'selector',
    );
  const core = selectorOf(objects, 'core');
  expect(core).toEqual({ 'core.rukpak.io/leader': 'true' });
  expect(chosen(core, deployments)).toEqual(names(3));
  expect(chosen(selectorOf(objects, 'catalogs'), deployments)).toEqual(['core']);
  const text = readFileSync('deploy/monitoring/scraping.yaml', 'utf8');
  const scraped = parseYamlDocuments('scraping.yaml', text) as unknown as KubeObject[];
  expect(chosen(selectorOf(scraped, 'core-metrics'), deployments)).toEqual(names(3));
  const [first, ...others] = deployments.map((deployment) => JSON.stringify(containerOf(deployment)['ports']));
  expect(first).toContain('catalogs');
  for (const ports of others) {
    expect(ports).toContain('https');
    expect(ports).not.toContain('catalogs');
  }
});

/** An overlay as an administrator would make it: with shards. */
function buildOverlay(overlay: Overlay, count: number): KubeObject[] {
  const dir = mkdtempSync(join(tmpdir(), 'shards-'));
  try {
    const shipped = readFileSync(`deploy/overlays/${overlay}/kustomization.yaml`, 'utf8');
    const [own] = parseYamlDocuments(overlay, shipped) as JsonObject[];
    const from = (path: string): string => relative(dir, join(process.cwd(), 'deploy/overlays', overlay, path));
    const components = [`../../components/shards-${count}`, ...listOfTexts(own, 'components')].map(from);
    const resources = listOfTexts(own, 'resources').map(from);
    writeFileSync(join(dir, 'kustomization.yaml'), formatYaml({ ...own, resources, components }));
    const built = execFileSync('kubectl', ['kustomize', dir], { encoding: 'utf8' });
    return parseYamlDocuments(overlay, built) as unknown as KubeObject[];
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const byName = (objects: readonly KubeObject[]): Map<string, KubeObject> =>
  new Map(objects.map((object) => [`${object.kind}/${object.metadata.namespace}/${object.metadata.name}`, object]));

test.skipIf(!hasKubectl).each(overlays)(
  `the component for shards makes of %s what install makes${why}`,
  async (overlay) => {
    expect(byName(buildOverlay(overlay, 3))).toEqual(byName(await manifestsOf(overlay, 3)));
  },
);

test.skipIf(!hasKubectl).each(counts)(`there is a component for %d shards${why}`, async (count) => {
  expect(byName(buildOverlay('self-signed', count))).toEqual(byName(await manifestsOf('self-signed', count)));
});
