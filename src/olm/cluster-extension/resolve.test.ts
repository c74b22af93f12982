import { expect, test, vi } from 'vitest';
import { bundleAnnotations } from '../../operators/index.ts';
import type { ExtensionContext } from './context.ts';
import { installedBundle } from './find.ts';
import { resolve } from './resolve.ts';
import type { ExtensionRun } from './run.ts';

const choice = { package: 'tide', bundle: 'tide.v1.0.0', version: '1.0.0', image: 'registry.example/tide@sha256:aa' };
const foreign = { ...choice, image: 'registry.example/intruder@sha256:bb' };
const owner = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'tide', uid: 'of-deployment' };

function bundle(uid: string, described: typeof choice) {
  return {
    apiVersion: 'core.rukpak.io/v1alpha1',
    kind: 'Bundle',
    metadata: { name: 'tide-1', uid, annotations: bundleAnnotations(described), ownerReferences: [owner] },
  };
}

const account = { namespace: 'tide', name: 'installer' };

function deployment(annotations: Record<string, string> = {}, serviceAccount = account) {
  const bundles = [{ name: 'tide-1', uid: 'of-bundle', specHash: '' }];
  const record = { uid: owner.uid, bundles, installation: 'Done', groupKinds: [], namespaces: [] };
  const source = { type: 'image', image: { ref: choice.image } };
  const template = { spec: { provisionerClassName: 'core-rukpak-io-registry', source } };
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    metadata: { name: 'tide', uid: owner.uid, annotations },
    spec: { provisionerClassName: 'core-rukpak-io-plain', template, config: { serviceAccount } },
    status: { activeBundle: 'tide-1', record },
  };
}

function contextWith(found: ReturnType<typeof bundle>): ExtensionContext {
  const none = { values: () => [], get: () => undefined };
  return {
    bundles: { get: () => found },
    deployments: none,
    catalogs: none,
    answers: new Map(),
    views: { hold: () => ({ catalogs: [], places: [], [Symbol.dispose]: () => undefined }) },
    resolver: { extension: async () => await Promise.resolve({ outcome: 'none', text: 'no catalog' }) },
  } as unknown as ExtensionContext;
}

/** What is to be installed while there is no catalog. */
async function desiredWith(
  found: ReturnType<typeof bundle>,
  live = deployment(),
  { version = '', context = contextWith(found) } = {},
) {
  const object = {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterExtension',
    metadata: { name: 'tide', uid: 'of-extension' },
    spec: {
      namespace: account.namespace,
      serviceAccount: { name: account.name },
      source: { sourceType: 'Catalog', catalog: { packageName: 'tide', version } },
    },
  };
  const status = { set: vi.fn() };
  const run = { context, object, status, deployment: live, installed: installedBundle(context, live as never) };
  await resolve(run as unknown as ExtensionRun, { signal: new AbortController().signal } as never);
  return (run as unknown as ExtensionRun).desired?.main;
}

test('without catalogs what is installed stays', async () => {
  expect(await desiredWith(bundle('of-bundle', choice))).toMatchObject(choice);
});

test('a Bundle of the same name and owner, which a user has created, is not what is installed', async () => {
  expect(installedBundle(contextWith(bundle('of-another', foreign)), deployment() as never)).toBeUndefined();
  expect(await desiredWith(bundle('of-another', foreign))).toBeUndefined();
});

test('an image that users have written into annotations is not installed', async () => {
  const written = { 'olm.operatorframework.io/choice': JSON.stringify({ ...foreign, catalog: { name: '-' } }) };
  expect(await desiredWith(bundle('of-bundle', foreign))).toBeUndefined();
  expect(await desiredWith(bundle('of-bundle', foreign), deployment(written))).toBeUndefined();
});

test('what another account has installed is not installed with that of the ClusterExtension', async () => {
  const hers = { namespace: 'team', name: 'hers' };
  expect(await desiredWith(bundle('of-bundle', choice), deployment({}, hers))).toBeUndefined();
  // Neither where the version that the annotation claims is to be withdrawn for it.
  const claims = { ...foreign, bundle: 'tide.v9.0.0', version: '9.0.0', catalog: { name: '-' } };
  const claimed = deployment({ 'olm.operatorframework.io/choice': JSON.stringify(claims) }, hers);
  expect(
    await desiredWith(bundle('of-bundle', { ...choice, version: '8.0.0' }), claimed, { version: '1.0.0' }),
  ).toBeUndefined();
});

test('of a question, which may be long, no more than a digest is kept', async () => {
  const noted = bundle('of-bundle', choice);
  const properties = JSON.stringify([{ type: 'olm.package', value: 'x'.repeat(50_000) }]);
  Object.assign(noted.metadata.annotations, { 'core.rukpak.io/bundle-properties': properties });
  const asked = vi.fn(async () => await Promise.resolve({ outcome: 'none', text: 'no catalog' }));
  const context: ExtensionContext = {
    ...contextWith(noted),
    resolver: { extension: asked } as never,
    deployments: { values: () => [deployment()], get: () => undefined } as never,
  };
  await desiredWith(noted, deployment(), { context });
  // Read by the thread that answers alone.
  expect(asked).toHaveBeenCalledWith(
    expect.objectContaining({ standing: [expect.objectContaining({ noted: properties })] }),
    expect.anything(),
  );
  const kept = [...context.answers.values()].map(({ key }) => key.length);
  expect(kept).toHaveLength(1);
  expect(kept[0]).toBeLessThan(100);
});
