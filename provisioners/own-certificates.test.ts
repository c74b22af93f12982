import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ServingPair, silentLogger, splitCertificates } from '../src/base/index.ts';
import { type KubeClient, type KubeObject } from '../src/kube/index.ts';
import { type BareCluster, eventually, openBareCluster, SteppedClock } from '../test/support/index.ts';
import { type IssuingContext, keepServingSecret } from './own-certificates.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const dnsNames = ['core.rukpak-system.svc'];

let kube: KubeClient;
let cluster: BareCluster;
beforeAll(async () => {
  cluster = await openBareCluster();
  ({ kube } = cluster);
}, 60_000);
afterAll(() => cluster[Symbol.asyncDispose]());

let clock: SteppedClock;
let name = '';
let count = 0;
beforeEach(() => {
  count += 1;
  name = `cert-${count}`;
  clock = new SteppedClock(Date.now());
  const ended = new AbortController();
  context = { kube, clock, log: silentLogger(), signal: ended.signal };
  return () => ended.abort();
});
let context: IssuingContext;

const secret = (): Parameters<typeof keepServingSecret>[0] => ({ namespace: 'default', name, dnsNames });
const ref = (): Parameters<KubeClient['get']>[0] => ({ apiVersion: 'v1', kind: 'Secret', namespace: 'default', name });

async function written(): Promise<ServingPair> {
  const { data } = (await kube.get(ref())) as KubeObject & { data: Record<string, string> };
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
  return { certificatePem: text('tls.crt'), privateKeyPem: text('tls.key'), caBundlePem: text('ca.crt') };
}

/** Lets time pass until it is so; what runs in the background needs turns of its own. */
async function whilePassing(ms: number, assertion: () => Promise<void> | void): Promise<void> {
  await eventually(async () => {
    await clock.pass(ms);
    await assertion();
  });
}

function isSigned(certificatePem: string, authoritiesPem: string): boolean {
  const certificate = new X509Certificate(certificatePem);
  return splitCertificates(authoritiesPem).some((pem) => certificate.verify(new X509Certificate(pem).publicKey));
}

test('a certificate is issued into the Secret, and the next start takes it from there', async () => {
  const first = (await keepServingSecret(secret(), context)).current();
  expect(await written()).toEqual(first);
  const certificate = new X509Certificate(first.certificatePem);
  expect(certificate.checkHost('core.rukpak-system.svc')).toBeDefined();
  expect(isSigned(first.certificatePem, first.caBundlePem)).toBe(true);
  expect(await kube.get(ref())).toMatchObject({ type: 'kubernetes.io/tls' });
  expect((await keepServingSecret(secret(), context)).current()).toEqual(first);
});

test('of several that begin at the same time one issues, and all have the same', async () => {
  const servings = await Promise.all([1, 2, 3, 4].map(() => keepServingSecret(secret(), context)));
  const first = await written();
  expect(servings.map((serving) => serving.current())).toEqual([first, first, first, first]);
});

test.each([
  { what: 'time passes', days: 244 },
  { what: 'the clock jumps beyond its end', days: 400 },
])('when $what, the certificate is renewed without a restart, and both authorities are trusted', async ({ days }) => {
  const serving = await keepServingSecret(secret(), context);
  const first = serving.current();
  const installed: ServingPair[] = [];
  void serving.keepFresh((next) => void installed.push(next), context.signal);
  clock.jump(200 * dayMs);
  await clock.pass(minuteMs);
  expect(await written()).toEqual(first);
  clock.jump((days - 200) * dayMs);
  await whilePassing(minuteMs, () => expect(serving.current()).not.toEqual(first));
  const second = serving.current();
  expect(installed).toEqual([second]);
  expect(await written()).toEqual(second);
  expect(isSigned(second.certificatePem, second.caBundlePem)).toBe(true);
  expect(isSigned(first.certificatePem, second.caBundlePem)).toBe(true);
  expect(new X509Certificate(second.certificatePem).validToDate.getTime()).toBeGreaterThan(clock.now());
});

test('a certificate from a clock that was wrong is replaced when the clock is set back', async () => {
  clock.jump(100 * dayMs);
  const serving = await keepServingSecret(secret(), context);
  const early = serving.current();
  clock.jump(-100 * dayMs);
  await whilePassing(minuteMs, () => expect(serving.current()).not.toEqual(early));
  expect(new X509Certificate(serving.current().certificatePem).validFromDate.getTime()).toBeLessThan(clock.now());
});

test.each([
  { what: 'removed', damage: () => kube.delete(ref()) },
  { what: 'emptied', damage: () => kube.patch(ref(), { data: { 'tls.key': '' } }, { fieldManager: 'test' }) },
])('a Secret that is $what is filled again', async ({ damage }) => {
  const serving = await keepServingSecret(secret(), context);
  const first = serving.current();
  await damage();
  await whilePassing(minuteMs, () => expect(serving.current()).not.toEqual(first));
  expect(await written()).toEqual(serving.current());
});

test('while the API server does not answer, the certificate in use stays, and it is tried again', async () => {
  let isDown = false;
  const get: KubeClient['get'] = (...args) => (isDown ? Promise.reject(new Error('down')) : kube.get(...args));
  const serving = await keepServingSecret(secret(), { ...context, kube: { ...kube, get } });
  const first = serving.current();
  isDown = true;
  clock.jump(300 * dayMs);
  await clock.pass(minuteMs);
  expect(serving.current()).toEqual(first);
  isDown = false;
  await whilePassing(minuteMs, () => expect(serving.current()).not.toEqual(first));
});
