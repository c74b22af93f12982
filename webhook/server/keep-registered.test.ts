import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createReplaceableCertificate,
  createServingCertificate,
  type ReplaceableCertificate,
  type ServingPair,
  silentLogger,
  splitCertificates,
  systemClock,
} from '../../src/base/index.ts';
import { type KubeClient, refOf } from '../../src/kube/index.ts';
import { type BareCluster, eventually, openBareCluster, SteppedClock } from '../../test/support/index.ts';
import { type KeepRegisteredOptions, keepRegistered } from './keep-registered.ts';
import { registerWebhooks, webhookConfigurations } from './registration.ts';

const names = ['rukpak-validating-webhook-configuration', 'crd-validation-webhook'];
const halfMinuteMs = 30_000;

let kube: KubeClient;
let cluster: BareCluster;
beforeAll(async () => {
  cluster = await openBareCluster();
  ({ kube } = cluster);
}, 60_000);
afterAll(() => cluster[Symbol.asyncDispose]());

let clock: SteppedClock;
let serving: ReplaceableCertificate;
let options: KeepRegisteredOptions;
beforeEach(async () => {
  const ended = new AbortController();
  clock = new SteppedClock(Date.now());
  serving = createReplaceableCertificate(await newPair());
  const address = { origin: 'https://127.0.0.1:9443' };
  options = { kube, clock, serving, address, systemNamespace: 's', log: silentLogger(), signal: ended.signal };
  return async () => {
    ended.abort();
    await Promise.all(names.map((name) => kube.delete(refOfName(name)).catch(() => undefined)));
  };
});

async function newPair(): Promise<ServingPair> {
  return (await createServingCertificate({ clock: systemClock, commonName: 'test' })).current();
}

function refOfName(name: string): Parameters<KubeClient['get']>[0] {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', name };
}

/** Of webhooks, but that of ClusterCatalogs. */
const count = 6;

/** The authorities that the API server trusts, by webhook. */
async function registeredAuthorities(): Promise<string[][]> {
  const configurations = await Promise.all(names.map((name) => kube.get(refOfName(name))));
  const webhooks = configurations.flatMap(({ webhooks: all }) => all as { clientConfig: { caBundle?: string } }[]);
  return webhooks.map(({ clientConfig }) => [
    ...splitCertificates(Buffer.from(clientConfig.caBundle ?? '', 'base64').toString()),
  ]);
}

async function whilePassing(assertion: () => Promise<void> | void): Promise<void> {
  await eventually(async () => {
    await clock.pass(halfMinuteMs);
    await assertion();
  });
}

async function overwrite(caBundlePem: string): Promise<void> {
  for (const name of names) {
    const configuration = await kube.get(refOfName(name));
    const webhooks = (configuration['webhooks'] as { clientConfig: object }[]).map((webhook) => ({
      ...webhook,
      clientConfig: { ...webhook.clientConfig, caBundle: Buffer.from(caBundlePem).toString('base64') },
    }));
    await kube.patch(refOfName(name), { webhooks }, { fieldManager: 'another-owner' });
  }
}

test('each webhook trusts the current authority, and after a rotation the previous one as well', async () => {
  const [first, second, third] = [serving.current(), await newPair(), await newPair()];
  await keepRegistered(options);
  const all = (...pairs: ServingPair[]): string[][] =>
    Array<string[]>(count).fill(pairs.map((pair) => pair.caBundlePem));
  expect(await registeredAuthorities()).toEqual(all(first));
  serving.replace(second);
  await eventually(async () => expect(await registeredAuthorities()).toEqual(all(second, first)));
  serving.replace(third);
  await eventually(async () => expect(await registeredAuthorities()).toEqual(all(third, second)));
});

test('an authority that replaces another one during its registration is registered immediately', async () => {
  const [second, third] = [await newPair(), await newPair()];
  let isReplaced = false;
  const apply: KubeClient['apply'] = async (...args) => {
    const applied = await kube.apply(...args);
    if (serving.current() === second && !isReplaced) {
      isReplaced = true;
      serving.replace(third);
    }
    return applied;
  };
  await keepRegistered({ ...options, kube: { ...kube, apply } });
  serving.replace(second);
  await eventually(async () =>
    expect((await registeredAuthorities()).map(([first]) => first)).toEqual(Array(count).fill(third.caBundlePem)),
  );
});

test('an overwritten authority is registered again; one that another replica added is left', async () => {
  const own = serving.current().caBundlePem;
  await keepRegistered(options);
  const other = (await newPair()).caBundlePem;
  await overwrite(`${other}${own}`);
  await clock.pass(halfMinuteMs);
  await clock.pass(halfMinuteMs);
  expect(await registeredAuthorities()).toEqual(Array<string[]>(count).fill([other, own]));
  await overwrite(other);
  await whilePassing(async () => expect(await registeredAuthorities()).toEqual(Array<string[]>(count).fill([own])));
});

test('a registration that fails is tried again', async () => {
  let failures = 2;
  const apply: KubeClient['apply'] = async (...args) => {
    failures -= 1;
    if (failures >= 0) throw new Error('not now');
    return await kube.apply(...args);
  };
  let isDone = false;
  void keepRegistered({ ...options, kube: { ...kube, apply } }).then(() => {
    isDone = true;
  });
  await whilePassing(() => expect(isDone).toBe(true));
  expect(await registeredAuthorities()).toEqual(Array<string[]>(count).fill([serving.current().caBundlePem]));
});

test('configurations that a user deletes to disable admission are not created again', async () => {
  let looks = 0;
  const get: KubeClient['get'] = async (...args) => {
    looks += 1;
    return await kube.get(...args);
  };
  await keepRegistered({ ...options, kube: { ...kube, get } });
  await Promise.all(names.map((name) => kube.delete(refOfName(name))));
  await whilePassing(() => expect(looks).toBeGreaterThan(4));
  const kind = 'ValidatingWebhookConfiguration';
  const { items } = await kube.list({ apiVersion: 'admissionregistration.k8s.io/v1', kind });
  expect(items).toEqual([]);
});

const service = { namespace: 's', name: 'rukpak-webhook-service', port: 443 };

/** The configurations as `longshore install` applies them. */
async function applyManifests(): Promise<void> {
  for (const configuration of webhookConfigurations({ address: { service }, systemNamespace: 's' })) {
    await kube.delete(refOf(configuration)).catch(() => undefined);
    await kube.apply(configuration, { fieldManager: 'longshore', force: true });
  }
}

async function addresses(): Promise<unknown[]> {
  const configurations = await Promise.all(names.map((name) => kube.get(refOfName(name))));
  return configurations.flatMap(({ webhooks }) =>
    (webhooks as { clientConfig: { url?: string; service?: object } }[]).map(
      ({ clientConfig }) => clientConfig.url ?? clientConfig.service,
    ),
  );
}

test('a process outside the cluster registers its address in place of the Service of the manifests, and a Service in place of an address', async () => {
  await applyManifests();
  await keepRegistered(options);
  expect(await addresses()).toEqual(Array(count).fill(expect.stringContaining('https://127.0.0.1:9443/')));
  await keepRegistered({ ...options, address: { service } });
  expect(await addresses()).toEqual(Array(count).fill(expect.objectContaining(service)));
});

test('a registration that fails midway restores the previous configurations', async () => {
  await applyManifests();
  await kube.delete(refOfName('crd-validation-webhook'));
  const before = await kube.get(refOfName('rukpak-validating-webhook-configuration'));
  const apply: KubeClient['apply'] = async (object, how) => {
    const applied = await kube.apply(object, how);
    if (object.metadata.name === 'crd-validation-webhook') throw new Error('no answer');
    return applied;
  };
  const registration = { ...options, caBundlePem: serving.current().caBundlePem };
  await expect(registerWebhooks({ ...kube, apply }, registration)).rejects.toThrow('no answer');
  const after = await kube.get(refOfName('rukpak-validating-webhook-configuration'));
  expect(after['webhooks']).toEqual(before['webhooks']);
  await expect(kube.get(refOfName('crd-validation-webhook'))).rejects.toThrow('not found');
});
