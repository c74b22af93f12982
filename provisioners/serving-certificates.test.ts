import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { injectCaAnnotation, ownerKindLabel, ownerNameLabel, servingCertificateAnnotation } from '../src/api/index.ts';
import { splitCertificates, systemClock } from '../src/base/index.ts';
import { type KubeClient, type KubeObject, refOf } from '../src/kube/index.ts';
import { type BareCluster, openBareCluster } from '../test/support/index.ts';
import { ServingCertificates } from './serving-certificates.ts';
import { issueServing, servingData } from './serving-secret.ts';

const day = 86_400_000;
const { signal } = new AbortController();
const asOwner = { fieldManager: 'longshore', force: true, signal };

let kube: KubeClient;
let cluster: BareCluster;
beforeAll(async () => {
  cluster = await openBareCluster();
  ({ kube } = cluster);
}, 60_000);
afterAll(() => cluster[Symbol.asyncDispose]());

const labelsFor = (name: string) => ({ [ownerKindLabel]: 'BundleDeployment', [ownerNameLabel]: name });

const secret = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace: 'default',
    labels: labelsFor(name),
    annotations: { [servingCertificateAnnotation]: 'hooks' },
  },
  type: 'kubernetes.io/tls',
});

/** Everything that may have an authority to trust. */
function trusting(name: string): KubeObject[] {
  const metadata = { name: 'x', annotations: { [injectCaAnnotation]: `default/${name}` } };
  return [
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata,
      webhooks: [{ name: 'a', clientConfig: { service: {} } }, { name: 'b' }],
    },
    { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata, spec: { group: 'acme.example' } },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata,
      spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: { service: {} } } } },
    },
  ];
}

function bundlesIn(object: unknown): string[] {
  return [...JSON.stringify(object).matchAll(/"caBundle":"([^"]*)"/g)].map(([, text = '']) =>
    Buffer.from(text, 'base64').toString(),
  );
}

interface Seen {
  readonly certificate: X509Certificate;
  readonly authorities: string;
}

/** What one reconcile of the deployment fills in; the Secret is written as it would be. */
async function reconcile(certificates: ServingCertificates, name: string, isFirst = false): Promise<Seen> {
  const objects = [secret(name), ...trusting(name)];
  const [filled, ...reported] = await certificates.complete(name, objects, { kube, isFirst, signal });
  if (filled === undefined) throw new Error('no Secret');
  await kube.apply(filled, asOwner);
  const { data } = filled as unknown as { data: Record<string, string> };
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
  expect(reported.map((object) => bundlesIn(object))).toEqual([
    [text('ca.crt'), text('ca.crt')],
    [text('ca.crt')],
    [text('ca.crt')],
  ]);
  return { certificate: new X509Certificate(text('tls.crt')), authorities: text('ca.crt') };
}

const isSignedBy = ({ certificate }: Seen, authorities: string): boolean =>
  splitCertificates(authorities).some((pem) => certificate.verify(new X509Certificate(pem).publicKey));

test('certificates are renewed when a third of their life is left, and both authorities are trusted meanwhile', async () => {
  let nowMs = Date.UTC(2030, 0, 1);
  const clock = { ...systemClock, now: () => nowMs };
  const certificates = new ServingCertificates({ clock });
  const first = await reconcile(certificates, 'renewed');
  const state = certificates.stateOf('renewed');
  nowMs += 240 * day;
  expect(certificates.stateOf('renewed')).toBe(state);
  expect((await reconcile(certificates, 'renewed')).authorities).toBe(first.authorities);
  nowMs += 5 * day;
  expect(certificates.stateOf('renewed')).not.toBe(state);
  const second = await reconcile(certificates, 'renewed');
  expect(second.certificate.fingerprint256).not.toBe(first.certificate.fingerprint256);
  expect(isSignedBy(first, second.authorities)).toBe(true);
  expect(isSignedBy(second, second.authorities)).toBe(true);
  expect(Date.parse(second.certificate.validTo)).toBeGreaterThan(nowMs + 300 * day);
  nowMs += 400 * day;
  const third = await reconcile(certificates, 'renewed');
  expect(splitCertificates(third.authorities)).toHaveLength(2);
  expect(isSignedBy(first, third.authorities)).toBe(false);
  expect(Date.parse(third.certificate.validTo)).toBeGreaterThan(nowMs);
});

test('another process goes on with the certificates that are there', async () => {
  const first = await reconcile(new ServingCertificates({ clock: systemClock }), 'restarted');
  const second = await reconcile(new ServingCertificates({ clock: systemClock }), 'restarted');
  expect(second).toEqual(first);
});

test('a lost or broken Secret comes back with an authority that fits, and two deployments share none', async () => {
  const certificates = new ServingCertificates({ clock: systemClock });
  const other = await reconcile(certificates, 'neighbour');
  const first = await reconcile(certificates, 'lost');
  expect(isSignedBy(first, other.authorities)).toBe(false);
  await kube.delete(refOf(secret('lost')), { signal });
  const second = await reconcile(certificates, 'lost');
  expect(isSignedBy(second, first.authorities)).toBe(false);
  expect(isSignedBy(second, second.authorities)).toBe(true);
  const data = { 'tls.key': Buffer.from('no key').toString('base64') };
  await kube.patch(refOf(secret('lost')), { data }, { fieldManager: 'another', signal });
  const third = await reconcile(certificates, 'lost');
  expect(isSignedBy(third, second.authorities)).toBe(false);
  expect(isSignedBy(third, third.authorities)).toBe(true);
  expect((await reconcile(certificates, 'neighbour')).authorities).toBe(other.authorities);
});

test.each([
  { name: 'without-annotation', labels: true, annotation: false, isFirst: false },
  { name: 'without-labels', labels: false, annotation: true, isFirst: false },
  { name: 'not-installed', labels: true, annotation: true, isFirst: false },
  { name: 'before-the-first-installation', labels: true, annotation: true, isFirst: true },
])('the certificate of a Secret that was created by someone else is not used: $name', async (planted) => {
  const { name, isFirst } = planted;
  const pair = await issueServing(
    ['hooks.default', 'hooks.default.svc', 'hooks.default.svc.cluster.local'],
    '',
    Date.now(),
  );
  const { metadata, ...rest } = secret(name);
  const { labels, annotations } = metadata;
  const marks = { ...(planted.labels && { labels }), ...(planted.annotation && { annotations }) };
  const own = { ...rest, metadata: { name, namespace: 'default', ...marks }, data: servingData(pair) };
  // The manager is anyone's choice.
  const fieldManager = isFirst ? 'longshore' : 'another';
  await kube.apply(own as unknown as KubeObject, { fieldManager, force: true, signal });
  const seen = await reconcile(new ServingCertificates({ clock: systemClock }), name, isFirst);
  expect(seen.authorities).not.toContain(pair.caBundlePem);
  expect(isSignedBy(seen, seen.authorities)).toBe(true);
});
