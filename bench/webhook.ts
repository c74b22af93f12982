import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../src/base/index.ts';
import { type Child, startChild } from './child.ts';
import { mebibytes } from './platform.ts';
import { type Measurement, percentile } from './table.ts';
import { WebhookConnections, type WebhookRequest, type WebhookTarget } from './webhook-load.ts';

interface Usage {
  readonly cpuMs: number;
  readonly peakBytes: number;
}

const crds = fileURLToPath(new URL('../crds', import.meta.url));
const warmMs = 2_000;
const measuredMs = 5_000;
const apiVersion = 'core.rukpak.io/v1alpha1';
const provisionerClassName = 'core-rukpak-io-plain';

function bundleOf(ref: string): JsonObject {
  const spec = { provisionerClassName, source: { type: 'image', image: { ref } } };
  return { apiVersion, kind: 'Bundle', metadata: { name: 'bench', labels: { app: 'bench' } }, spec };
}

function deploymentOf(ref: string): JsonObject {
  const template = { metadata: { labels: { app: 'bench' } }, spec: bundleOf(ref)['spec'] ?? null };
  const metadata = { name: 'bench', generation: 2, resourceVersion: '1234' };
  return { apiVersion, kind: 'BundleDeployment', metadata, spec: { provisionerClassName, template } };
}

function reviewOf(path: string, review: JsonObject, isAllowed: boolean): WebhookRequest {
  const uid = '705ab4f5-6393-11e8-b7cc-42010a800002';
  const user = { username: 'system:serviceaccount:rukpak-system:core-admin', groups: ['system:authenticated'] };
  const request = { uid, name: 'bench', namespace: '', userInfo: user, dryRun: false, ...review };
  const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  const head = [
    `POST ${path}?timeout=10s HTTP/1.1`,
    'host: localhost',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return { bytes: Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`), expected: `"allowed":${isAllowed}` };
}

/** What an API server asks of a busy cluster: new bundles, good and bad, and changes of status. */
function mixedRequests(): readonly WebhookRequest[] {
  const bundles = '/validate-core-rukpak-io-v1alpha1-bundle';
  const deployments = '/validate-core-rukpak-io-v1alpha1-bundledeployment';
  const good = 'registry.example.com/operators/bench:v1.2.3';
  const update = (object: JsonObject): JsonObject => ({ operation: 'UPDATE', object, oldObject: object });
  return [
    reviewOf(bundles, { operation: 'CREATE', object: bundleOf(good) }, true),
    reviewOf(deployments, { operation: 'CREATE', object: deploymentOf(good) }, true),
    reviewOf(bundles, update(bundleOf(good)), true),
    reviewOf(deployments, update(deploymentOf(good)), true),
    reviewOf(bundles, { operation: 'UPDATE', object: bundleOf(`${good}-2`), oldObject: bundleOf(good) }, false),
  ];
}

async function usageOf(child: Child): Promise<Usage> {
  child.send('usage');
  return await child.next<Usage>();
}

function latencies(took: readonly number[]): string {
  return `p50 ${percentile(took, 50).toFixed(2)} ms, p99 ${percentile(took, 99).toFixed(2)} ms`;
}

async function measureConnections(child: Child, target: WebhookTarget, count: number): Promise<Measurement> {
  const requests = mixedRequests();
  using connections = await WebhookConnections.open(target, count);
  await connections.askAll(requests, warmMs);
  const before = await usageOf(child);
  const startedMs = performance.now();
  const took = await connections.askAll(requests, measuredMs);
  const seconds = (performance.now() - startedMs) / 1000;
  const cpuSeconds = ((await usageOf(child)).cpuMs - before.cpuMs) / 1000;
  const rate = Math.round(took.length / seconds).toLocaleString('en');
  const perCpuSecond = Math.round(took.length / cpuSeconds).toLocaleString('en');
  return {
    what: count === 1 ? '1 connection' : `${count} connections`,
    value: `${rate} a second, ${perCpuSecond} a second of its processor time, ${latencies(took)}`,
    ...(count === 100 && { goal: '5,000 a second on one core' }),
  };
}

async function measureRate(target: WebhookTarget, perSecond: number): Promise<Measurement> {
  using connections = await WebhookConnections.open(target, 50);
  const took = await connections.askAtRate(mixedRequests(), { perSecond, forMs: 2 * measuredMs });
  return { what: `${perSecond.toLocaleString('en')} a second`, value: latencies(took), goal: 'p99 under 5 ms' };
}

/** The webhook over TLS, in a separate process; the load comes from this one. */
export async function measureWebhook(): Promise<Measurement[]> {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  try {
    await using cluster = startChild('api-server-child.ts', ['--crds', crds]);
    const { kubeconfig } = await cluster.next<{ kubeconfig: string }>();
    const kubeconfigPath = join(dir, 'kubeconfig');
    await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
    await using child = startChild('webhook-child.ts', [kubeconfigPath]);
    const target = await child.next<WebhookTarget>();
    const measurements: Measurement[] = [];
    for (const count of [1, 10, 100]) measurements.push(await measureConnections(child, target, count));
    measurements.push(await measureRate(target, 1000));
    const { peakBytes } = await usageOf(child);
    return [...measurements, { what: 'peak memory', value: mebibytes(peakBytes) }];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
