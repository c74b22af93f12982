import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import { isKubeError, isNotFound, type KubeObject, NoKindMatch } from '../../src/kube/index.ts';
import { acmeCsv, eventually, installModes } from '../support/index.ts';
import type { Files } from './contents.ts';
import { operator } from './registry-contents.ts';
import { type ServiceNetwork, startServiceNetwork } from './service-network.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, type World } from './world.ts';

const group = 'acme.example';
const namespace = 'acme-widget-system';
const manager = 'acme-widget-controller-manager';
const asTest = { fieldManager: 'test' };
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const deploymentRef = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'gadgets' };
const crdRef = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: `gadgets.${group}`,
};

let network: ServiceNetwork;
let world: World;
beforeAll(async () => {
  network = await startServiceNetwork();
  world = await startWorld([], network);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await network[Symbol.asyncDispose]();
});

const text = { type: 'string' };

/** `v1` has host and port, `v2` an address of both. */
function gadgetCrd(versions: readonly string[], more: JsonObject = {}): JsonObject {
  const fields: Readonly<Record<string, JsonObject>> = {
    v1: { host: text, port: text, ...more },
    v2: { address: text, ...more },
  };
  return {
    apiVersion: crdRef.apiVersion,
    kind: crdRef.kind,
    metadata: { name: crdRef.name },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Gadget', plural: 'gadgets', singular: 'gadget', listKind: 'GadgetList' },
      versions: versions.map((name) => ({
        name,
        served: true,
        storage: name === versions.at(-1),
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: fields[name] ?? {} } },
          },
        },
      })),
    },
  };
}

interface Version {
  readonly image: string;
  readonly crd: JsonObject;
  readonly hasConversion: boolean;
  readonly webhookPath?: string;
  /** Of the Deployment: none where this process takes the place of its Pods at once. */
  readonly replicas?: number;
}

function files({ image, crd, hasConversion, webhookPath = '/convert', replicas = 0 }: Version): Files {
  const webhook = {
    type: 'ConversionWebhook',
    generateName: `cgadget.${group}`,
    deploymentName: manager,
    containerPort: 443,
    targetPort: 9443,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    webhookPath,
    conversionCRDs: [crdRef.name],
  };
  const owned = objectsAt(objectAt(crd, 'spec'), 'versions').map(({ name = '' }) => ({
    name: crdRef.name,
    version: name,
    kind: 'Gadget',
  }));
  const csv = structuredClone(
    acmeCsv(
      {
        installModes: installModes('A'),
        customresourcedefinitions: { owned },
        ...(hasConversion ? { webhookdefinitions: [webhook] } : {}),
      },
      { name: `gadgets.v${image}` },
    ),
  );
  const [deployment] = objectsAt(objectAt(csv, 'spec', 'install', 'spec'), 'deployments');
  const spec = objectAt(deployment, 'spec') ?? {};
  spec['replicas'] = replicas;
  const [container] = objectsAt(objectAt(spec, 'template', 'spec'), 'containers');
  if (container !== undefined) container['image'] = `registry.example/gadgets:${image}`;
  return operator([csv, crd]);
}

function converted(gadget: JsonObject, apiVersion: string): JsonObject {
  const { spec, ...rest } = gadget as { spec: Record<string, string> } & JsonObject;
  const { host = '', port = '', address = '', ...others } = spec;
  const [left = '', right = ''] = address.split(':');
  const own = apiVersion.endsWith('/v2') ? { address: `${host}:${port}` } : { host: left, port: right };
  return { ...rest, apiVersion, spec: { ...own, ...others } };
}

async function imageInPlace(): Promise<string> {
  const deployment = await world.kube.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: manager });
  return JSON.stringify(deployment['spec']).match(/gadgets:(\w+)/)?.[1] ?? '';
}

/** Images whose webhook converts nothing. */
const broken = new Set<string>();
/** Paths without a server yet. */
const unanswered = new Set<string>();

async function convert(review: JsonObject, path: string): Promise<JsonObject | undefined> {
  if (unanswered.has(path)) return undefined;
  const request = objectAt(review, 'request') ?? {};
  const isBroken = broken.has(await imageInPlace());
  const answer = isBroken
    ? { result: { status: 'Failure', message: 'out of order' } }
    : {
        result: { status: 'Success' },
        convertedObjects: objectsAt(request, 'objects').map((gadget) =>
          converted(gadget, textAt(request, 'desiredAPIVersion')),
        ),
      };
  return { ...review, response: { uid: request['uid'] ?? null, ...answer } };
}

const gadget = (
  version: string,
  name: string,
): { apiVersion: string; kind: string; namespace: string; name: string } => ({
  apiVersion: `${group}/${version}`,
  kind: 'Gadget',
  namespace: 'default',
  name,
});

async function createGadget(version: string, name: string, spec: JsonObject): Promise<void> {
  const { namespace: place, ...ref } = gadget(version, name);
  const { apiVersion, kind } = ref;
  await world.kube.create({ apiVersion, kind, metadata: { name, namespace: place }, spec } as KubeObject, asTest);
}

async function specOf(version: string, name: string): Promise<unknown> {
  return (await world.kube.get(gadget(version, name)))['spec'];
}

async function becomes(version: Version): Promise<void> {
  const template = { spec: { source: world.imageSource(`gadgets:${version.image}`, files(version)) } };
  await world.kube.patch(deploymentRef, { spec: { template } }, asTest);
}

async function whenInPlace(image: string): Promise<void> {
  await eventually(async () => {
    await world.deploymentWith('gadgets', installed);
    expect(await imageInPlace()).toBe(image);
  });
}

/** Reads a gadget again and again while `work` is done; gives every answer once: a spec, or a status. */
async function readingMeanwhile(version: string, name: string, work: () => Promise<void>): Promise<Set<string>> {
  const seen = new Set<string>();
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      const answer = await specOf(version, name).catch((thrown: unknown) => {
        if (thrown instanceof NoKindMatch) return 404;
        if (!isKubeError(thrown)) throw thrown;
        return thrown.failure.status;
      });
      seen.add(JSON.stringify(answer));
    }
  })();
  await work();
  isOver = true;
  await reading;
  return seen;
}

/** The answers that are specs. */
function specsIn(seen: ReadonlySet<string> | undefined): readonly string[] {
  return [...(seen ?? [])].filter((answer) => answer.startsWith('{'));
}

const first = { image: 'one', crd: gadgetCrd(['v1']), hasConversion: false };
const second = { image: 'two', crd: gadgetCrd(['v1', 'v2']), hasConversion: true };

test('objects stay readable and complete while an upgrade adds a version of them and its webhook', async () => {
  const made = bundleDeployment('gadgets', world.imageSource('gadgets:one', files(first)), {
    templateClassName: 'core-rukpak-io-registry',
  });
  await world.kube.create(made, asTest);
  await world.deploymentWith('gadgets', installed);
  await createGadget('v1', 'old', { host: 'a', port: '1' });
  const [old, later] = await Promise.all(
    ['v1', 'v2'].map((version) =>
      readingMeanwhile(version, 'old', async () => {
        if (version === 'v1') {
          await becomes(second);
          await network.serve(world, { namespace, name: `${manager}-service` }, convert);
        }
        await whenInPlace('two');
        await eventually(async () => expect(await specOf('v2', 'old')).toEqual({ address: 'a:1' }));
      }),
    ),
  );
  // Not there yet, not to be converted yet, converted: never with its fields cut off.
  expect(specsIn(old)).toEqual(['{"host":"a","port":"1"}']);
  expect(specsIn(later)).toEqual(['{"address":"a:1"}']);
  await createGadget('v1', 'new', { host: 'b', port: '2' });
  await expect(specOf('v2', 'new')).resolves.toEqual({ address: 'b:2' });
}, 240_000);

test('objects stay readable in every version through the next upgrade', async () => {
  const answers = await Promise.all(
    ['v1', 'v2'].map((version) =>
      readingMeanwhile(version, 'old', async () => {
        if (version === 'v1')
          await becomes({ ...second, image: 'three', crd: gadgetCrd(['v1', 'v2'], { note: text }) });
        await whenInPlace('three');
      }),
    ),
  );
  expect(answers.map(specsIn)).toEqual([['{"host":"a","port":"1"}'], ['{"address":"a:1"}']]);
  expect(answers.filter((seen) => seen.has('404') || seen.has('500'))).toEqual([]);
}, 240_000);

async function pathInPlace(): Promise<string> {
  const crd = (await world.kube.get(crdRef)) as unknown as JsonObject;
  return textAt(objectAt(crd, 'spec', 'conversion', 'webhook', 'clientConfig', 'service'), 'path');
}

async function simulate(result: string | null): Promise<void> {
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: manager };
  const annotations = { 'apiserver.longshore.dev/simulate': result };
  await world.kube.patch(ref, { metadata: { annotations } }, asTest);
}

async function whenWaiting(): Promise<void> {
  await eventually(async () => {
    const healthy = conditionOf(await world.get('BundleDeployment', 'gadgets'), 'Healthy');
    expect(healthy?.message).toContain(`the new conversion waits for Deployment "${manager}"`);
  });
}

test('objects stay readable while an upgrade moves their conversion, which waits for the server that answers there', async () => {
  const crd = gadgetCrd(['v1', 'v2'], { note: text });
  const moved = { ...second, image: 'moved', crd, webhookPath: '/convert-moved', replicas: 1 };
  unanswered.add('/convert-moved');
  await simulate('fail');
  const answers = await Promise.all(
    ['v1', 'v2'].map((version) =>
      readingMeanwhile(version, 'old', async () => {
        if (version === 'v1') {
          await becomes(moved);
          await whenWaiting();
          await expect(pathInPlace()).resolves.toBe('/convert');
          // Drift of everything else of the definition is corrected meanwhile.
          await world.kube.patch(crdRef, { spec: { names: { singular: 'gizmo' } } }, asTest);
          await eventually(async () => {
            const { names } = (await world.kube.get(crdRef))['spec'] as JsonObject;
            expect(names).toMatchObject({ singular: 'gadget' });
          });
          await expect(pathInPlace()).resolves.toBe('/convert');
          unanswered.delete('/convert-moved');
          await simulate(null);
        }
        await eventually(async () => expect(await pathInPlace()).toBe('/convert-moved'), { timeoutMs: 60_000 });
      }),
    ),
  );
  expect(answers.map(specsIn)).toEqual([['{"host":"a","port":"1"}'], ['{"address":"a:1"}']]);
  expect(answers.filter((seen) => seen.has('404') || seen.has('500'))).toEqual([]);
  await world.deploymentWith('gadgets', { type: 'Healthy', status: 'True' });
  await whenInPlace('moved');
}, 240_000);

test('a version whose webhook converts nothing does not block the one that fixes it', async () => {
  broken.add('moved');
  await createGadget('v2', 'late', { address: 'c:3' });
  await eventually(async () => expect(String(await errorOf(specOf('v1', 'late')))).toContain('out of order'));
  // All objects would be looked at in both versions, because the schemas change.
  await becomes({ ...second, image: 'four', crd: gadgetCrd(['v1', 'v2'], { note: text, more: text }) });
  await whenInPlace('four');
  await eventually(async () => expect(await specOf('v1', 'late')).toEqual({ host: 'c', port: '3' }));
}, 240_000);

test('an operator whose webhook converts nothing is removed, and its objects and their definition stay', async () => {
  broken.add('four');
  broken.add('five');
  // What was converted before is not known to the new definition.
  await becomes({ ...second, image: 'five', crd: gadgetCrd(['v1', 'v2'], { note: text, more: text, last: text }) });
  await whenInPlace('five');
  await world.kube.delete(deploymentRef);
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(deploymentRef)))).toBe(true));
  await eventually(async () => {
    const { items } = await world.kube.list({ apiVersion: 'events.k8s.io/v1', kind: 'Event' });
    const reported = items
      .filter((event) => event['reason'] === 'CrdInUse')
      .map((event) => JSON.stringify(event['note']));
    expect(reported.join()).toContain('because their conversion webhook fails');
  });
  const { metadata } = await world.kube.get(crdRef);
  expect(metadata.annotations).toMatchObject({ 'core.rukpak.io/released-from': 'gadgets' });
}, 240_000);
