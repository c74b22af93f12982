import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type CertifiedKey,
  createCertificateAuthority,
  isJsonObject,
  issueCertificate,
  type JsonObject,
  type JsonValue,
} from '../../src/base/index.ts';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import { RbacAuthorizer } from '../auth/index.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { type AdmissionPlugins, type AdmissionRequest, createAdmissionPlugins } from './index.ts';

interface Webhook {
  answer: (request: JsonObject) => JsonValue | { readonly status: number };
  readonly seen: JsonObject[];
}

let authority: CertifiedKey;
let server: Server;
let webhook: Webhook;
let cluster: MemoryCluster;
let admission: AdmissionPlugins;
const as = { as: 'test' };

beforeEach(async () => {
  const nowMs = Date.now();
  authority = await createCertificateAuthority({ commonName: 'ca', nowMs, lifetimeDays: 1 });
  const names = { dnsNames: ['hook.sys.svc'], ipAddresses: ['127.0.0.1'] };
  const request = { commonName: 'hook', usage: 'server' as const, ...names, nowMs, lifetimeDays: 1 };
  const { certificatePem, privateKeyPem } = await issueCertificate(authority, request);
  webhook = { answer: () => ({ allowed: true }), seen: [] };
  server = createServer({ cert: certificatePem, key: privateKeyPem }, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as { request: JsonObject };
      webhook.seen.push(review.request);
      const answer = webhook.answer(review.request);
      if (isJsonObject(answer) && typeof answer.status === 'number') {
        outgoing.writeHead(answer.status).end('boom');
        return;
      }
      const response = isJsonObject(answer) ? { uid: review.request.uid, ...answer } : answer;
      outgoing.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cluster = new MemoryCluster();
  const authorizer = new RbacAuthorizer({ list: () => [], get: () => undefined });
  admission = createAdmissionPlugins({ cluster, applyJsonPatch: setOnly, authorizer });
  await cluster.create(
    cluster.type('namespaces'),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } },
    as,
  );
});

afterEach(async () => {
  admission[Symbol.dispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Enough of a JSON patch for these tests: replaces members of `data`. */
function setOnly(document: JsonObject, patch: JsonValue): JsonObject {
  const copy = structuredClone(document);
  for (const step of Array.isArray(patch) ? patch : []) {
    if (!isJsonObject(step) || !isJsonObject(copy.data)) throw new Error('cannot patch');
    copy.data[String(step.path as string).slice('/data/'.length)] = step.value;
  }
  return copy;
}

const port = (): number => (server.address() as AddressInfo).port;

async function register(
  kind: 'Validating' | 'Mutating',
  extra: JsonObject = {},
  name = 'x.example.com',
): Promise<void> {
  const plural = `${kind.toLowerCase()}webhookconfigurations`;
  await cluster.create(
    cluster.type(plural, 'admissionregistration.k8s.io'),
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name },
      webhooks: [
        {
          name,
          clientConfig: {
            url: `https://127.0.0.1:${port()}/check`,
            caBundle: Buffer.from(authority.certificatePem).toString('base64'),
          },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'], scope: '*' }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          ...extra,
        },
      ],
    },
    as,
  );
}

interface Written {
  readonly object: KubeObject | undefined;
  readonly warnings: readonly string[];
}

async function admit(change: Partial<AdmissionRequest> = {}): Promise<Written> {
  const warnings: string[] = [];
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c', namespace: 'ns' },
    data: { a: '1' },
  };
  let request: AdmissionRequest = {
    operation: 'CREATE',
    resource: cluster.type('configmaps'),
    subresource: undefined,
    namespace: 'ns',
    name: 'c',
    object,
    oldObject: undefined,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    user: { username: 'u', groups: ['g'] },
    dryRun: false,
    warn: (text) => warnings.push(text),
    signal: AbortSignal.timeout(20_000),
    ...change,
  };
  for (const plugin of admission.plugins) {
    const next = await plugin.mutate?.(request);
    if (next !== undefined) request = { ...request, object: next };
  }
  for (const plugin of admission.plugins) await plugin.validate?.(request);
  return { object: request.object, warnings };
}

const failureOf = async (work: Promise<unknown>): Promise<JsonObject> => {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  return (thrown as { failure?: JsonObject }).failure ?? { message: String(thrown) };
};

test('a webhook sees the request as AdmissionReview v1 and its warnings reach the client', async () => {
  await register('Validating');
  webhook.answer = () => ({ allowed: true, warnings: ['careful'] });
  expect((await admit()).warnings).toEqual(['careful']);
  expect(webhook.seen[0]).toMatchObject({
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    name: 'c',
    namespace: 'ns',
    operation: 'CREATE',
    userInfo: { username: 'u', groups: ['g'] },
    object: { data: { a: '1' } },
    oldObject: null,
    dryRun: false,
  });
});

const denied = 'admission webhook "x.example.com" denied the request';

test.each<[JsonObject, JsonObject]>([
  [{ allowed: false }, { code: 400, message: `${denied} without explanation` }],
  [
    { allowed: false, status: { message: 'm', code: 403, reason: 'Forbidden' } },
    { code: 403, message: `${denied}: m` },
  ],
  [
    { allowed: false, status: { reason: 'why', code: 403, message: '' } },
    { code: 403, reason: 'why', message: `${denied}: why` },
  ],
  [{ allowed: false, status: { message: 'm', code: 200 } }, { code: 400 }],
  [{ allowed: true, uid: 'other' }, { code: 500 }],
])('what a webhook refuses is answered in its words', async (answer, expected) => {
  await register('Validating');
  webhook.answer = () => answer;
  expect(await failureOf(admit())).toMatchObject(expected);
});

test('a failing webhook refuses under Fail, with a message that names it, and is skipped under Ignore', async () => {
  await register('Validating');
  webhook.answer = () => ({ status: 500 });
  const prefix = 'Internal error occurred: failed calling webhook "x.example.com": failed to call webhook: ';
  expect(await failureOf(admit())).toMatchObject({
    code: 500,
    message: `${prefix}an error on the server ("boom") has prevented the request from succeeding`,
  });
  webhook.answer = () => ({ status: 404 });
  expect((await failureOf(admit())).message).toBe(`${prefix}the server could not find the requested resource`);
  const type = cluster.type('validatingwebhookconfigurations', 'admissionregistration.k8s.io');
  await cluster.delete(type, { namespace: '', name: 'x.example.com' }, as);
  await register('Validating', { failurePolicy: 'Ignore' });
  await admit();
  expect(webhook.seen).toHaveLength(3);
});

test('distinguishes a missing listener, an untrusted certificate and a timeout', async () => {
  const closed = { url: 'https://127.0.0.1:1/x' };
  await register('Validating', { clientConfig: closed });
  expect((await failureOf(admit())).message).toMatch(
    /Post "https:\/\/127.0.0.1:1\/x\?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused$/,
  );
  const type = cluster.type('validatingwebhookconfigurations', 'admissionregistration.k8s.io');
  await cluster.delete(type, { namespace: '', name: 'x.example.com' }, as);
  await register('Validating', { clientConfig: { url: `https://127.0.0.1:${port()}/x` } });
  expect((await failureOf(admit())).message).toMatch(
    /tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
  );
  await cluster.delete(type, { namespace: '', name: 'x.example.com' }, as);
  await register('Validating', { timeoutSeconds: 1 });
  webhook.answer = () => {
    server.removeAllListeners('request');
    return { allowed: true };
  };
  await admit();
  expect((await failureOf(admit())).message).toMatch(/\?timeout=1s": context deadline exceeded$/);
});

test('a Service leads to the process behind its Endpoints', async () => {
  const caBundle = Buffer.from(authority.certificatePem).toString('base64');
  await register('Validating', {
    clientConfig: { service: { namespace: 'sys', name: 'hook', path: '/p', port: 443 }, caBundle },
  });
  expect((await failureOf(admit())).message).toMatch(/service "hook" not found$/);
  const metadata = { namespace: 'sys', name: 'hook' };
  const ports = [{ port: 443, protocol: 'TCP' }];
  await cluster.create(cluster.type('services'), { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports } }, as);
  expect((await failureOf(admit())).message).toMatch(/no endpoints available for service "hook"$/);
  const subsets = [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: port() }] }];
  await cluster.create(cluster.type('endpoints'), { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets }, as);
  await admit();
  expect(webhook.seen).toHaveLength(1);
});

test('a Service of type ExternalName leads to its host', async () => {
  const caBundle = Buffer.from(authority.certificatePem).toString('base64');
  await register('Validating', {
    clientConfig: { service: { namespace: 'sys', name: 'hook', path: '/p', port: port() }, caBundle },
  });
  const metadata = { namespace: 'sys', name: 'hook' };
  const spec = { type: 'ExternalName', externalName: '127.0.0.1' };
  await cluster.create(cluster.type('services'), { apiVersion: 'v1', kind: 'Service', metadata, spec }, as);
  await admit();
  expect(webhook.seen).toHaveLength(1);
});

test('only what rules and selectors name is put before a webhook', async () => {
  const onlyLabelled = { matchLabels: { a: 'b' } };
  await register('Validating', { objectSelector: onlyLabelled });
  await register('Validating', { namespaceSelector: onlyLabelled }, 'y.example.com');
  const wrongRule = { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] };
  await register('Validating', { rules: [wrongRule] }, 'z.example.com');
  await admit();
  expect(webhook.seen).toHaveLength(0);
  const labelled: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', labels: { a: 'b' } } };
  await admit({ object: labelled });
  expect(webhook.seen).toHaveLength(1);
});

test('mutating webhooks run in order, and one that wants to sees what a later one changed', async () => {
  const patch = (value: string): string =>
    Buffer.from(JSON.stringify([{ op: 'add', path: '/data/last', value }])).toString('base64');
  await register('Mutating', { reinvocationPolicy: 'IfNeeded' }, 'a.example.com');
  await register('Mutating', {}, 'b.example.com');
  webhook.answer = () =>
    webhook.seen.length === 2 ? { allowed: true, patch: patch('second'), patchType: 'JSONPatch' } : { allowed: true };
  const { object } = await admit();
  expect(object?.data).toEqual({ a: '1', last: 'second' });
  expect(webhook.seen).toHaveLength(3);
  expect(webhook.seen[2]).toMatchObject({ object: { data: { last: 'second' } } });
});

test('dry runs reach only webhooks without side effects', async () => {
  await register('Validating', { sideEffects: 'Some' });
  expect(await failureOf(admit({ dryRun: true }))).toMatchObject({
    code: 400,
    message: 'admission webhook "x.example.com" does not support dry run',
  });
});

test('nothing is created in a namespace that is missing or going', async () => {
  expect(await failureOf(admit({ namespace: 'none' }))).toMatchObject({
    code: 404,
    message: 'namespaces "none" not found',
  });
  await cluster.delete(cluster.type('namespaces'), { namespace: '', name: 'ns' }, as);
  expect(await failureOf(admit())).toMatchObject({
    code: 403,
    message: 'configmaps "c" is forbidden: unable to create new content in namespace ns because it is being terminated',
  });
});

test('the namespaces of the system cannot be deleted', async () => {
  const change = {
    operation: 'DELETE' as const,
    resource: cluster.type('namespaces'),
    name: 'kube-system',
    namespace: '',
  };
  expect(await failureOf(admit({ ...change, object: undefined }))).toMatchObject({
    code: 403,
    message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
  });
});

test('pods get an account, a token, a priority and tolerations', async () => {
  const spec = { containers: [{ name: 'c', image: 'i' }], priorityClassName: 'system-node-critical' };
  const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'ns' }, spec };
  const { object } = await admit({ resource: cluster.type('pods'), object: pod, name: 'p' });
  expect(object?.spec).toMatchObject({
    serviceAccountName: 'default',
    priority: 2_000_001_000,
    preemptionPolicy: 'PreemptLowerPriority',
    tolerations: [{ key: 'node.kubernetes.io/not-ready' }, { key: 'node.kubernetes.io/unreachable' }],
    containers: [{ volumeMounts: [{ mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] }],
  });
  expect(pod.spec).toBe(spec);
  const stranger: KubeObject = { ...pod, spec: { ...spec, serviceAccountName: 'x' } };
  expect(await failureOf(admit({ resource: cluster.type('pods'), object: stranger, name: 'p' }))).toMatchObject({
    message: 'pods "p" is forbidden: error looking up service account ns/x: serviceaccount "x" not found',
  });
});
