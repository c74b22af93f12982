import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { createServingCertificate, systemClock } from '../../src/base/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { readCrds } from '../client/crds.ts';
import { type Diagnosis, examine, worstOf } from './examination.ts';

let server: ApiServer;
let kube: KubeClient;
beforeAll(async () => {
  server = await startApiServer({ crds: (await readCrds()) as never });
  kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rukpak-system' } };
  await kube.create(namespace, { fieldManager: 'test' });
});
afterAll(async () => {
  kube.close();
  await server[Symbol.asyncDispose]();
});

async function examined(
  changes: Partial<KubeClient> = {},
  options: { readonly stuckMs?: number; readonly server?: string } = {},
): Promise<readonly Diagnosis[]> {
  return await examine({
    kube: { ...kube, ...changes },
    server: 'https://cluster.example.com',
    systemNamespace: 'rukpak-system',
    stuckMs: 60_000,
    now: Date.now,
    onDiagnosis: () => undefined,
    ...options,
  });
}

function linesOf(findings: readonly Diagnosis[], check: string): string[] {
  return findings.filter((finding) => finding.check === check).map(({ level, what }) => `${level} ${what}`);
}

async function putCertificate(name: string, atMs: number, lifetimeDays: number): Promise<void> {
  const clock = { ...systemClock, now: () => atMs };
  const serving = await createServingCertificate({ clock, commonName: 'test', lifetimeDays });
  const { certificatePem, privateKeyPem, caBundlePem } = serving.current();
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  const data = {
    'tls.crt': encoded(certificatePem),
    'tls.key': encoded(privateKeyPem),
    'ca.crt': encoded(caBundlePem),
  };
  const metadata = { name, namespace: 'rukpak-system' };
  await kube.apply(
    { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls', data },
    { fieldManager: 'test' },
  );
}

test('credentials in the address of the server are not shown', async () => {
  const serverVersion = async (): Promise<string> => await Promise.reject(new Error('refused'));
  const findings = await examined({ serverVersion }, { server: 'https://ada:word@cluster.example.com' });
  expect(linesOf(findings, 'server')).toEqual(['fail https://redacted@cluster.example.com does not answer: refused']);
});

test.each([
  { skewMs: 0, line: "ok clock: the server's differs from this machine's by 0 seconds" },
  { skewMs: 20_000, line: /^warn clock: .* by (19|20) seconds$/ },
  { skewMs: -20_000, line: /^warn clock: .* by (18|19|20) seconds$/ },
  { skewMs: 3_600_000, line: /^fail clock: .* by 60 minutes$/ },
  { skewMs: Number.NaN, line: 'warn clock: the server sends no time' },
])('clocks that differ by $skewMs ms are reported', async ({ skewMs, line }) => {
  const serverDate = async (): Promise<number> =>
    await Promise.resolve(Math.floor((Date.now() + skewMs) / 1000) * 1000);
  const found = linesOf(await examined({ serverDate }), 'server').find((text) => text.includes('clock'));
  expect(found).toEqual(typeof line === 'string' ? line : expect.stringMatching(line));
});

test('certificates that are expired, expire soon, are not yet valid or unreadable are reported', async () => {
  const dayMs = 86_400_000;
  const reported = async (atMs: number, lifetimeDays: number): Promise<string | undefined> => {
    await putCertificate('core-cert', atMs, lifetimeDays);
    return linesOf(await examined(), 'certificates').find((line) => line.includes('core-cert'));
  };
  expect(await reported(Date.now() - 10 * dayMs, 2)).toMatch(/^fail Secret rukpak-system\/core-cert: expired at 20/);
  expect(await reported(Date.now() - 9 * dayMs, 10)).toMatch(/^warn .*core-cert: \d+ hours left$/);
  expect(await reported(Date.now(), 10)).toMatch(/^ok .*core-cert: (9|10) days left$/);
  expect(await reported(Date.now() + 5 * dayMs, 10)).toMatch(/^fail .*core-cert: not valid before 20.*$/);
  await kube.patch(
    { apiVersion: 'v1', kind: 'Secret', namespace: 'rukpak-system', name: 'core-cert' },
    { data: { 'tls.crt': Buffer.from('nothing').toString('base64') } },
    { fieldManager: 'test' },
  );
  expect(linesOf(await examined(), 'certificates')).toContainEqual(
    expect.stringContaining('tls.crt is not a certificate'),
  );
});

test('what may not be read is no failure, what cannot be read is one, and the rest is examined all the same', async () => {
  const refuse = (status: number, reason: string) => async (): Promise<never> => {
    const { KubeUnavailable } = await import('../../src/kube/index.ts');
    throw new KubeUnavailable({ status, reason, message: `you may not\n\u001b[31mlook`, causes: [], isStatus: true });
  };
  const forbidden = await examined({ list: refuse(403, 'Forbidden') });
  expect(linesOf(forbidden, 'objects')).toEqual([
    'warn Bundles: could not be checked: you may not [31mlook',
    'warn BundleDeployments: could not be checked: you may not [31mlook',
  ]);
  expect(linesOf(forbidden, 'crds')).toHaveLength((await readCrds()).length);
  const down = await examined({ list: refuse(500, 'InternalError') });
  expect(linesOf(down, 'objects')[0]).toMatch(/^fail Bundles: could not be checked/);
});

test('a server that does not answer is the only finding', async () => {
  const serverVersion = async (): Promise<string> => await Promise.reject(new Error('no route to host'));
  const findings = await examined({ serverVersion });
  expect(findings).toEqual([
    expect.objectContaining({ level: 'fail', what: 'https://cluster.example.com does not answer: no route to host' }),
  ]);
});

test('an old server is reported', async () => {
  const findings = await examined({ serverVersion: async () => await Promise.resolve('v1.22.4-eks-1') });
  expect(linesOf(findings, 'server')[0]).toBe(
    'warn Kubernetes v1.22.4-eks-1 at https://cluster.example.com: older than 1.28',
  );
});

test('the worst finding decides', () => {
  expect(worstOf([])).toBe('ok');
  expect(
    worstOf([
      { level: 'fail', what: '' },
      { level: 'warn', what: '' },
    ]),
  ).toBe('fail');
});

test('catalogs that are not served, or have problems, are reported', async () => {
  const apiVersion = 'olm.operatorframework.io/v1';
  const condition = (text: string, message = '') => {
    const [type, status, reason] = text.split(' ');
    return { type, status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
  };
  const put = async (name: string, conditions: readonly object[]): Promise<void> => {
    const source = { type: 'Image', image: { ref: 'quay.io/cat:v1' } };
    const object = { apiVersion, kind: 'ClusterCatalog', metadata: { name }, spec: { source } };
    await kube.create(object as never, { fieldManager: 'test' });
    const status = { conditions } as never;
    const options = { fieldManager: 'test', subresource: 'status' } as const;
    await kube.patch({ apiVersion, kind: 'ClusterCatalog', name }, { status }, options);
  };
  await put('a', [condition('Serving True Available'), condition('Valid True AllPackagesValid')]);
  await put('b', [condition('Serving False UserSpecifiedUnavailable')]);
  expect(linesOf(await examined(), 'catalogs')).toEqual(['ok 2 ClusterCatalogs: all available ones are served']);
  await put('c', [condition('Serving False Unavailable'), condition('Progressing True Retrying', 'no host')]);
  await put('d', [condition('Serving True Available'), condition('Progressing True Retrying', 'broken')]);
  await put('e', [condition('Serving True Available'), condition('Valid False InvalidPackages', '1 fault')]);
  expect(linesOf(await examined(), 'catalogs')).toEqual([
    'fail ClusterCatalog c: not served: no host',
    'warn ClusterCatalog d: the previous content is still served: broken',
    'warn ClusterCatalog e: 1 fault',
  ]);
});

test('a kind of another group that other manifests have brought is not to be replaced', async () => {
  const name = 'clustercatalogs.olm.operatorframework.io';
  const shown = async (): Promise<string | undefined> =>
    linesOf(await examined(), 'crds').find((text) => text.includes(name));
  expect(await shown()).toBe(`ok CustomResourceDefinition ${name}`);
  const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
  const { spec } = (await kube.get(ref)) as unknown as {
    spec: { versions: { schema: { openAPIV3Schema: { description: string } } }[] };
  };
  for (const { schema } of spec.versions) schema.openAPIV3Schema.description = 'Of another program.';
  await kube.patch(ref, { spec } as never, { fieldManager: 'test' });
  expect(await shown()).toBe(
    "ok CustomResourceDefinition clustercatalogs.olm.operatorframework.io: not from Longshore's manifests, ignored",
  );
});

test('the holder of an expired Lease is watched, to distinguish a wrong clock from a missing holder', async () => {
  const lease = (renewTime: string | undefined, resourceVersion: string): KubeObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'core.rukpak.io', namespace: 'rukpak-system', resourceVersion },
    spec: { holderIdentity: 'core-1', leaseDurationSeconds: 3, ...(renewTime === undefined ? {} : { renewTime }) },
  });
  const reported = async (shown: () => KubeObject): Promise<string[]> => {
    const get: KubeClient['get'] = async (ref, options) =>
      ref.kind === 'Lease' ? shown() : await kube.get(ref, options);
    return linesOf(await examined({ get }), 'leader');
  };
  const what = 'Lease rukpak-system/core.rukpak.io: held by core-1';
  let version = 1;
  const renewed = (renewTime: string | undefined) => () => {
    version += 1;
    return lease(renewTime, String(version));
  };
  const [past, future] = ['2026-01-01T00:00:00.000000Z', '2126-01-01T00:00:00.000000Z'];
  expect(await reported(() => lease(new Date().toISOString(), '1'))).toEqual([`ok ${what}, renewed 0 seconds ago`]);
  expect(await reported(() => lease(past, '1'))).toEqual([`fail ${what}, renewed at ${past}: the holder has stopped`]);
  expect(await reported(() => lease(undefined, '1'))).toEqual([
    `fail ${what}, without a renewal time: the holder has stopped`,
  ]);
  for (const time of [past, future]) {
    const clock = `which is active, but its clock differs from the server's: renewed at ${time}`;
    expect(await reported(renewed(time))).toEqual([`warn ${what}, ${clock}`]);
  }
});

test('finalizers of other owners, and classes without a provisioner, are reported with a fix', async () => {
  const made = async (name: string, provisionerClassName: string): Promise<void> => {
    const spec = { provisionerClassName, source: { type: 'image', image: { ref: 'q.io/a:v1' } } };
    const metadata = { name, finalizers: ['example.com/forever'] };
    const bundle = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', metadata, spec };
    await kube.create(bundle as never, { fieldManager: 'test' });
  };
  await made('held', 'core-rukpak-io-plain');
  await made('strange', 'core-rukpak-io-plian');
  await kube.delete({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'held' });
  const findings = (await examined({}, { stuckMs: -1 })).filter(
    ({ check, level }) => check === 'objects' && level !== 'ok',
  );
  expect(findings.map(({ level }) => level)).toEqual(['fail', 'warn']);
  expect(findings[0]?.advice).toContain('the owner of example.com/forever runs');
  expect(findings[1]?.what).toBe('Bundle strange: no provisioner serves provisionerClassName "core-rukpak-io-plian"');
});
