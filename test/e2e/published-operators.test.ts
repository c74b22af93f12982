/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { acmeCsv, eventually, hasCorpus } from '../support/index.ts';
import { takeCensus } from './census.ts';
import { crd, type Files } from './contents.ts';
import { corpusOperator, nextVersion, operator } from './registry-contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, type World } from './world.ts';

const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const asTest = { fieldManager: 'test' };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const deploymentRef = (name: string) => ({
  apiVersion: 'core.rukpak.io/v1alpha1',
  kind: 'BundleDeployment',
  name,
});

async function create(name: string, files: Files, config: JsonObject = {}): Promise<void> {
  const source = world.imageSource(`${name}:v1`, files);
  const made = bundleDeployment(name, source, { templateClassName: 'core-rukpak-io-registry' });
  await world.kube.create({ ...made, spec: { ...(made['spec'] as JsonObject), config } }, asTest);
}

/** A small operator of that package, in a namespace of its own. */
function neighbour(packageName: string, version: string, manifests: readonly string[] = []): Files {
  return operator([acmeCsv({ version }, { name: `${packageName}.v${version}` }), ...manifests], packageName);
}

interface Published {
  readonly bundle: string;
  readonly config?: JsonObject;
  /** What it depends on, and where that is to be had. */
  readonly needs?: { readonly text: string; readonly bundles: Readonly<Record<string, Files>> };
}

const corpus: readonly Published[] = [
  // A conversion webhook and three others.
  {
    bundle: 'cluster-aas-operator/0.1.1',
    needs: {
      text: 'API Application.v1alpha1.argoproj.io',
      bundles: { argocd: neighbour('argocd-operator', '0.6.0', [crd('Application', 'argoproj.io')]) },
    },
  },
  { bundle: 'fence-agents-remediation/0.8.0' },
  { bundle: 'ndb-operator/1.6.2' },
  {
    bundle: 'mercury-operator/1.0.2',
    needs: {
      text: 'package camel-k 1.9.0',
      bundles: {
        'camel-k': neighbour('camel-k', '1.9.0'),
        strimzi: neighbour('strimzi-kafka-operator', '0.28.0'),
      },
    },
  },
  { bundle: 'beegfs-csi-driver-operator/1.8.0', config: { installNamespace: 'beegfs', watchNamespace: 'beegfs' } },
  { bundle: 'percona-xtradb-cluster-operator/1.9.0', config: { watchNamespace: 'default' } },
  { bundle: 'ruptura-operator/0.9.1' },
  { bundle: 'ack-athena-controller/1.7.1' },
  { bundle: 'community-trivy-operator/2.1.1' },
  { bundle: 'pulsar-resources-operator/0.4.5' },
];

async function deploymentsOf(name: string): Promise<readonly KubeObject[]> {
  const labelSelector = `core.rukpak.io/owner-name=${name}`;
  return (await world.kube.list({ apiVersion: 'apps/v1', kind: 'Deployment', labelSelector })).items;
}

/** The operator waits for what it needs, which comes then. */
async function bringWhatIsNeeded(name: string, { text, bundles }: NonNullable<Published['needs']>): Promise<void> {
  const waiting = await world.deploymentWith(name, {
    type: 'Installed',
    status: 'False',
    reason: 'DependenciesNotMet',
  });
  expect(conditionOf(waiting, 'Installed')?.message).toContain(text);
  await expect(deploymentsOf(name)).resolves.toEqual([]);
  for (const [needed, files] of Object.entries(bundles)) {
    await create(needed, files);
    await world.deploymentWith(needed, installed);
  }
}

test.skipIf(!hasCorpus).each(corpus)(
  '$bundle, a published operator, is installed when what it needs is there, upgraded, and removed with nothing left',
  async ({ bundle, needs, config }) => {
    const [name = ''] = bundle.split('/');
    const files = corpusOperator(bundle);
    const before = new Set(await takeCensus(world.platform.kubeconfigPath));
    expect(before).toContain('/api/v1/namespaces /default');
    await create(name, files, config);
    if (needs !== undefined) await bringWhatIsNeeded(name, needs);
    await world.deploymentWith(name, installed);
    await expect(deploymentsOf(name)).resolves.not.toEqual([]);
    const template = { spec: { source: world.imageSource(`${name}:v2`, nextVersion(files)) } };
    await world.kube.patch(deploymentRef(name), { spec: { template } }, asTest);
    await eventually(async () => {
      await world.deploymentWith(name, installed);
      expect(JSON.stringify(await deploymentsOf(name))).toContain('-next"');
    });
    const all = [name, ...Object.keys(needs?.bundles ?? {})].map(deploymentRef);
    for (const ref of all) await world.kube.delete(ref);
    await eventually(async () => {
      for (const ref of all) expect(isNotFound(await errorOf(world.kube.get(ref)))).toBe(true);
      const rest = (await takeCensus(world.platform.kubeconfigPath)).filter((entry) => !before.has(entry));
      expect(rest).toEqual([]);
    });
  },
  240_000,
);
