/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonObject, mapLimit, textAt } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { packageOf, type Release } from '../olm/catalog-objects.ts';
import { type ServedCatalogs, serveCatalogs } from '../olm/catalogs.ts';
import { installModes } from '../olm/objects.ts';
import { eventually } from '../support/index.ts';
import { longshoreOn } from './program.ts';
import { startWorld, type World } from './world.ts';

const olm = 'operators.coreos.com';
const user = { fieldManager: 'test' };
const first: Release = { version: '0.1.0' };

/** A way of being stuck: what a user created in a namespace, and what the command prints about it. */
interface Stuck {
  readonly title: string;
  readonly subscription?: JsonObject;
  readonly groups?: readonly JsonObject[];
  /** The object that decides, what it reports, and what to do. */
  readonly shows: readonly RegExp[];
}

const rule = { apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata: { name: 'alerts' } };
const missing = { name: 'oars.elsewhere.example', version: 'v1', kind: 'Oar', displayName: 'Oar' };
const needed = { type: 'olm.gvk.required', value: { group: 'elsewhere.example', version: 'v1', kind: 'Oar' } };
const documents = [
  packageOf({}, first),
  packageOf({ name: 'needy', kind: 'Needy' }, { ...first, properties: [needed] }),
  packageOf(
    { name: 'picky', kind: 'Picky' },
    { ...first, csv: { spec: { installModes: installModes('AllNamespaces') } } },
  ),
  packageOf({ name: 'future', kind: 'Future' }, { ...first, csv: { spec: { minKubeVersion: '9.0.0' } } }),
  packageOf(
    { name: 'ghost', kind: 'Ghost' },
    { ...first, csv: { spec: { customresourcedefinitions: { required: [missing] } } } },
  ),
  packageOf({ name: 'alerting', kind: 'Alerting' }, { ...first, objects: [rule] }),
].flat();
const unpulled = packageOf({ name: 'unpulled', kind: 'Unpulled' }, first).map((document) =>
  document['schema'] === 'olm.bundle'
    ? { ...document, image: '127.0.0.1:1/unpulled:v1', properties: [(document['properties'] as JsonObject[])[0] ?? {}] }
    : document,
);

const ways: readonly Stuck[] = [
  {
    title: 'the catalog does not exist',
    subscription: { source: 'nowhere' },
    shows: [/^CatalogSource olm\/nowhere: does not exist$/m, /correct spec\.source/],
  },
  {
    title: 'the catalog cannot be read',
    subscription: { source: 'unserved' },
    shows: [
      /^CatalogSource stuck-\d+\/unserved: TRANSIENT_FAILURE .*\(since /m,
      /correct the CatalogSource: its image or address/,
    ],
  },
  {
    title: 'the package does not exist',
    subscription: { name: 'none' },
    shows: [/no operators found in package none/, /correct spec\.name/],
  },
  {
    title: 'the channel does not exist',
    subscription: { channel: 'none' },
    shows: [/no operators found in channel none/, /correct spec\.channel/],
  },
  {
    title: 'the first version does not exist',
    subscription: { startingCSV: 'boat.v9' },
    shows: [/no operators found with name boat\.v9/, /correct spec\.startingCSV/],
  },
  {
    title: 'nothing provides what the operator needs',
    subscription: { name: 'needy' },
    shows: [
      /Subscription x: ResolutionFailed ConstraintsNotSatisfiable: .*kind: Oar/,
      /add a catalog that has the required operator/,
    ],
  },
  {
    title: 'there is no OperatorGroup',
    groups: [],
    shows: [/found 0 operatorGroups/, /What to do: create an OperatorGroup/],
  },
  {
    title: 'there are two OperatorGroups',
    groups: [{}, {}],
    shows: [/found 2 operatorGroups/, /What to do: delete all OperatorGroups/],
  },
  {
    title: 'the operator does not support the target namespaces',
    subscription: { name: 'picky' },
    shows: [
      /ClusterServiceVersion picky\.v0\.1\.0: Failed UnsupportedOperatorGroup: .*\(since /,
      /change the target namespaces/,
    ],
  },
  {
    title: 'the OperatorGroup selects no namespace',
    groups: [{ selector: { matchLabels: { none: 'none' } } }],
    shows: [/Failed NoTargetNamespaces/, /make the OperatorGroup select at least one/],
  },
  {
    title: 'the plan waits for approval',
    subscription: { installPlanApproval: 'Manual' },
    shows: [
      /InstallPlan install-\w+: waits for approval of boat\.v0\.1\.0 \(since /,
      /longshore operator approve install-\w+ -n stuck-/,
    ],
  },
  {
    title: 'the service account of the OperatorGroup does not exist',
    groups: [{ serviceAccountName: 'absent' }],
    shows: [
      /InstallPlan install-\w+: InstallCheckFailed: .*sa=absent.*\(since /,
      /the service account that it names must exist/,
    ],
  },
  {
    title: 'Kubernetes is too old',
    subscription: { name: 'future' },
    shows: [
      /Pending RequirementsNotMet/,
      /^ {2}ClusterServiceVersion future\.v0\.1\.0: PresentNotSatisfied, .*minKubeVersion \(9\.0\.0\)/m,
    ],
  },
  {
    title: 'a definition is missing',
    subscription: { name: 'ghost' },
    shows: [
      /^ {2}CustomResourceDefinition oars\.elsewhere\.example: NotPresent, CRD is not present$/m,
      /create what is missing/,
    ],
  },
  {
    title: 'the plan has an object whose kind is not served',
    subscription: { name: 'alerting' },
    shows: [/InstallPlan install-\w+: .*installing PrometheusRule alerts/],
  },
  {
    title: 'the image of the bundle cannot be pulled',
    subscription: { name: 'unpulled', source: 'unpulled' },
    shows: [/^Subscription x: (?:unpacking the bundle|BundleUnpackFailed).*127\.0\.0\.1:1\/unpulled:v1/m],
  },
];

let world: World;
let catalogs: ServedCatalogs;

beforeAll(async () => {
  world = await startWorld(['--olm']);
  const text = JSON.stringify({ shop: documents, unpulled });
  const served = JSON.parse(text.replaceAll('$id', 'stuck')) as Record<string, JsonObject[]>;
  catalogs = await serveCatalogs(served);
});

afterAll(async () => {
  await catalogs[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

async function arrange({ subscription = {}, groups = [{}] }: Stuck, namespace: string): Promise<void> {
  const create = (object: JsonObject): Promise<KubeObject> => world.kube.create(object as unknown as KubeObject, user);
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const [index, spec] of groups.entries()) {
    const targets = 'selector' in spec ? {} : { targetNamespaces: [namespace] };
    const metadata = { name: `group-${index}`, namespace };
    await create({ apiVersion: `${olm}/v1`, kind: 'OperatorGroup', metadata, spec: { ...targets, ...spec } });
  }
  // Each has its own: a catalog that cannot be read holds up those that see it.
  const source = textAt(subscription, 'source') || 'shop';
  const isMissing = source === 'nowhere';
  if (!isMissing) {
    const address = catalogs.addresses.get(source) ?? '127.0.0.1:1';
    const spec = { sourceType: 'grpc', address };
    await create({ apiVersion: `${olm}/v1alpha1`, kind: 'CatalogSource', metadata: { name: source, namespace }, spec });
  }
  const sourceNamespace = isMissing ? 'olm' : namespace;
  const spec = { name: 'boat', channel: 'stable', source, sourceNamespace, ...subscription };
  await create({ apiVersion: `${olm}/v1alpha1`, kind: 'Subscription', metadata: { name: 'x', namespace }, spec });
}

test('a stuck installation is explained in one screen: which object, what it lacks, since when, and what to do', async () => {
  const longshore = longshoreOn(world.platform.kubeconfigPath);
  expect(ways.length).toBeGreaterThanOrEqual(10);
  await mapLimit([...ways.entries()], 4, async ([index, way]) => {
    const namespace = `stuck-${index}`;
    await arrange(way, namespace);
    await eventually(async () => {
      const { stdout, stderr } = await longshore(['operator', 'describe', 'x', '-n', namespace]);
      for (const pattern of way.shows) expect(stdout, `${way.title}\n${stderr}`).toMatch(pattern);
      expect(stdout.split('\n').length).toBeLessThan(40);
    });
  });
});
