import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { catalog, catalogSource, packageOf, subscription } from '../olm/catalog-objects.ts';
import { type ServedCatalogs, serveCatalogs } from '../olm/catalogs.ts';
import { deployment, group } from '../olm/objects.ts';
import { eventually } from '../support/index.ts';
import { startWorld, type World } from './world.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const why = hasKubectl ? '' : ' (skipped: kubectl is not installed)';
const slug = 'story';
const namespace = `${slug}-a`;
const patience = { timeoutMs: 120_000, intervalMs: 250 };

let world: World;
let catalogs: ServedCatalogs;

const needsDock = {
  properties: [{ type: 'olm.gvk.required', value: { group: '$id.example.com', version: 'v1', kind: 'Dock' } }],
};
const dock = packageOf(
  { name: 'dock', kind: 'Dock' },
  { version: '0.1.0', csv: { install: { deployments: [deployment('dock')] } } },
);
const first = { version: '0.1.0', ...needsDock };
const further = [
  { version: '0.2.0', replaces: '0.1.0', ...needsDock },
  { version: '0.3.0', replaces: '0.2.0', ...needsDock },
  { version: '0.4.0', replaces: '0.2.0', skips: ['0.3.0'], ...needsDock },
];

beforeAll(async () => {
  if (!hasKubectl) return;
  world = await startWorld(['--olm']);
  const served = { old: [...catalog(first), ...dock], new: [...catalog(first, ...further), ...dock] };
  catalogs = await serveCatalogs(
    JSON.parse(JSON.stringify(served).replaceAll('$id', slug)) as Record<string, JsonObject[]>,
  );
}, 120_000);

afterAll(async () => {
  await catalogs?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

async function kubectl(args: readonly string[], input = ''): Promise<string> {
  const child = spawn('kubectl', ['--kubeconfig', world.platform.kubeconfigPath, ...args]);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${errors}`);
  return output.trim();
}

async function apply(...objects: readonly JsonObject[]): Promise<void> {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects as JsonObject[] }).replaceAll(
    '$id',
    slug,
  );
  const address = (_all: string, name: string): string => catalogs.addresses.get(name) ?? '';
  await kubectl(['apply', '-f', '-'], list.replace(/\$catalog\/(\w+)/g, address));
}

const inNamespace = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: `$id-${name}` },
});

/** In the first namespace, unless `what` names another one. */
async function get(what: readonly string[], path: string): Promise<string> {
  return await kubectl(['get', '-n', namespace, ...what, '-o', `jsonpath=${path}`]);
}

/** Waits until `kubectl get` shows that. */
async function shows(what: readonly string[], path: string, expected: string | RegExp): Promise<void> {
  await eventually(async () => expect(await get(what, path)).toMatch(expected), patience);
}

const phases = '{range .items[*]}{.metadata.name} {.status.phase}{"\\n"}{end}';

/** Approves the plan that waits, as a user who has read what it would install. */
async function approve(csv: string): Promise<void> {
  const waiting = '{.items[?(@.status.phase=="RequiresApproval")].metadata.name}';
  const name = await eventually(async () => {
    const [found = ''] = (await get(['installplans'], waiting)).split(' ');
    expect(found).toMatch(/^install-/);
    expect(await get(['installplan', found], '{.spec.clusterServiceVersionNames}')).toContain(csv);
    return found;
  }, patience);
  await kubectl(['patch', 'installplan', name, '-n', namespace, '--type=merge', '-p', '{"spec":{"approved":true}}']);
}

describe('an operator from its Subscription to its removal', { shuffle: false, tags: 'long' }, () => {
  test.skipIf(!hasKubectl)(
    `C-013 C-070 C-072 with kubectl an operator and what it depends on are approved, installed and upgraded over two hops${why}`,
    async () => {
      await apply(inNamespace('a'), inNamespace('b'), group(), catalogSource('old'));
      await shows(['catalogsource', 'shop'], '{.status.connectionState.lastObservedState}', 'READY');
      await shows(['packagemanifests', '-l', 'catalog=shop'], '{.items[*].metadata.name}', /^boat dock$/);
      await apply(subscription({ installPlanApproval: 'Manual' }));
      await approve('boat.v0.1.0');
      await shows(['csv'], phases, /^boat\.v0\.1\.0 Succeeded\s+dock\.v0\.1\.0 Succeeded$/);
      await shows(['subscription', 'boat'], '{.status.state} {.status.installedCSV}', 'AtLatestKnown boat.v0.1.0');
      await kubectl(['rollout', 'status', 'deployment/boat', '-n', namespace, '--timeout=60s']);
      await apply(catalogSource('new'));
      for (const version of ['boat.v0.2.0', 'boat.v0.4.0']) {
        await approve(version);
        await shows(['csv'], phases, new RegExp(`^${version} Succeeded\\s+dock\\.v0\\.1\\.0 Succeeded$`));
      }
      await shows(['subscription', 'boat'], '{.status.state} {.status.installedCSV}', 'AtLatestKnown boat.v0.4.0');
      await shows(['installplans'], '{.items[*].status.phase}', 'Complete Complete Complete');
      const [header = '', row = ''] = (await kubectl(['get', 'csv', 'boat.v0.4.0', '-n', namespace])).split('\n');
      expect(header).toMatch(/^NAME\s+DISPLAY\s+VERSION\s+RELEASE\s+REPLACES\s+PHASE/);
      expect(row).toMatch(/^boat\.v0\.4\.0\s+Boat\s+0\.4\.0\s+boat\.v0\.2\.0\s+Succeeded/);
    },
    300_000,
  );

  test.skipIf(!hasKubectl)(
    `with kubectl a conflict of two groups is seen, and resolved by deleting the second operator${why}`,
    async () => {
      const there = `${slug}-b`;
      await apply(
        group({ namespace: 'b', targets: ['a', 'b'] }),
        catalogSource('new', { namespace: 'b' }),
        subscription({ sourceNamespace: there }, 'boat', 'b'),
      );
      await shows(['csv', 'boat.v0.4.0', '-n', there], '{.status.reason}', 'InterOperatorGroupOwnerConflict');
      await shows(['csv', 'boat.v0.4.0'], '{.status.phase}', 'Succeeded');
      const events = ['events', '-n', there, '--field-selector', 'reason=InterOperatorGroupOwnerConflict'];
      await shows(events, '{.items[0].message}', 'intersecting operatorgroups provide the same apis');
      await kubectl(['delete', 'subscription', 'boat', '-n', namespace]);
      // A copy of the other operator takes the name at once: kubectl may wait for that to go.
      await kubectl(['delete', 'csv', 'boat.v0.4.0', '-n', namespace, '--wait=false']);
      await shows(['csv', 'boat.v0.4.0', '-n', there], '{.status.phase}', 'Succeeded');
    },
    300_000,
  );

  test.skipIf(!hasKubectl)(
    `with kubectl everything is removed, and the definitions with what users made of them stay${why}`,
    async () => {
      for (const name of ['a', 'b']) {
        await kubectl([
          'delete',
          'subscription,csv,operatorgroup,catalogsource',
          '--all',
          '--wait=false',
          '-n',
          `${slug}-${name}`,
        ]);
        await shows(
          ['deployments,serviceaccounts,installplans', '-n', `${slug}-${name}`],
          '{.items[*].metadata.name}',
          /^(?:default)?$/,
        );
      }
      expect(await kubectl(['get', 'crd', `boats.${slug}.example.com`, '-o', 'name'])).toContain('boats');
      // They are deleted when the objects of the namespaces are.
      await eventually(async () => {
        const roles = await kubectl(['get', 'clusterroles,clusterrolebindings', '-o', 'name']);
        const left = roles.split('\n').filter((name) => name.includes('boat.v') || name.includes('olm.og.group'));
        expect(left).toEqual([]);
      });
      await kubectl(['delete', 'crd', `boats.${slug}.example.com`, `docks.${slug}.example.com`]);
      await kubectl(['delete', 'namespace', `${slug}-a`, `${slug}-b`, '--timeout=90s']);
    },
    300_000,
  );
});
