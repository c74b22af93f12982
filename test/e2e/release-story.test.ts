/** @module-tag long */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonObject, parseYaml } from '../../src/base/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { eventually, startWebServer } from '../support/index.ts';
import { runLongshore } from './program.ts';
import { conditionOf, startWorld, statusOf, type World } from './world.ts';

const image = `registry.example.com/release@sha256:${'1'.repeat(64)}`;
const user = { fieldManager: 'test' };
const config = { apiVersion: 'config.openshift.io/v1' };
const version = { ...config, kind: 'ClusterVersion', name: 'version' };
const patienceMs = 90_000;

const queries: { readonly query: string | null; readonly authorization: string | undefined }[] = [];

/** The next release, with a risk that a Prometheus decides about. */
const answerGraph: RequestListener = (_request, response) => {
  const metadata = { 'io.openshift.upgrades.graph.release.channels': 'stable-1.1' };
  const nodes = ['1.0.0', '1.1.0'].map((name) => ({
    version: name,
    payload: name === '1.1.0' ? image : 'x',
    metadata,
  }));
  const rule = { type: 'PromQL', promql: { promql: 'max(storage_replicas) == bool 1' } };
  const risk = {
    name: 'SingleReplica',
    message: 'Storage stops.',
    url: 'https://example.com/r',
    matchingRules: [rule],
  };
  const edges = [{ from: '1.0.0', to: '1.1.0' }];
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ nodes, edges: [], conditionalEdges: [{ edges, risks: [risk] }] }));
};

/** As a Prometheus answers: the risk applies. */
const answerQuery: RequestListener = (request, response) => {
  void text(request).then((body) => {
    const query =
      new URLSearchParams(body).get('query') ?? new URL(request.url ?? '', 'http://x').searchParams.get('query');
    queries.push({ query, authorization: request.headers.authorization });
    const result = [{ metric: {}, value: [0, '1'] }];
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
  });
};

let dir = '';
let stack: AsyncDisposableStack;
let world: World;
let stopOperators: () => Promise<void>;

async function build(release: string): Promise<string> {
  const to = join(dir, release);
  const source = `examples/release/${release}`;
  const args = ['release', 'build', source, '--version', release, '--images', `${source}/images.yaml`, '--to', to];
  expect(await runLongshore(args, { cwd: process.cwd() })).toMatchObject({ code: 0 });
  return to;
}

/** The operators of the examples, which no kubelet of a test runs. */
async function startOperators(kubeconfigPath: string): Promise<() => Promise<void>> {
  const args = ['examples/release/operators.js', 'dns', 'storage', 'metrics', 'console'];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, KUBECONFIG: kubeconfigPath },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-release-story-'));
  stack = new AsyncDisposableStack();
  const [first, next] = [await build('1.0.0'), await build('1.1.0')];
  const tar = `${first}.tar`;
  await promisify(execFile)('tar', ['-cf', tar, '-C', first, ...(await readdir(first))]);
  const updates = ['--update-service', stack.use(await startWebServer(answerGraph)).url];
  const prometheus = stack.use(await startWebServer(answerQuery));
  await writeFile(join(dir, 'token'), 'secret-of-prometheus\n');
  const risks = ['--prometheus-url', prometheus.url, '--prometheus-token-file', join(dir, 'token')];
  const releases = ['--release', tar, '--release-image', `${image}=${next}`];
  world = await startWorld(['--no-olm', ...releases, ...updates, ...risks]);
  stopOperators = await startOperators(world.platform.kubeconfigPath);
});
afterAll(async () => {
  await stopOperators();
  await world[Symbol.asyncDispose]();
  await stack.disposeAsync();
  await rm(dir, { recursive: true, force: true });
});

/** The signature of the next release, as the ConfigMap that `release sign` writes. */
async function signature(): Promise<KubeObject> {
  const key = 'examples/release/signing/signing-key.asc';
  const to = join(dir, 'signatures');
  const args = ['release', 'sign', image, '--key', key, '--signatures-to', to];
  expect(await runLongshore(args, { cwd: process.cwd() })).toMatchObject({ code: 0 });
  const [file = ''] = await readdir(to);
  return parseYaml(file, await readFile(join(to, file), 'utf8')) as unknown as KubeObject;
}

async function untilRefused(expected: RegExp): Promise<void> {
  await eventually(
    async () => {
      const { status, message } = conditionOf(await world.kube.get(version), 'ReleaseAccepted') ?? {};
      expect(status).toBe('False');
      expect(message).toMatch(expected);
    },
    { timeoutMs: patienceMs },
  );
}

async function untilProgressing(expected: RegExp): Promise<void> {
  await eventually(
    async () => {
      const { status, message } = conditionOf(await world.kube.get(version), 'Progressing') ?? {};
      expect(`${status} ${message}`).toMatch(expected);
    },
    { timeoutMs: patienceMs },
  );
}

async function reported(operator: string): Promise<KubeObject> {
  return await world.kube.get({ ...config, kind: 'ClusterOperator', name: operator });
}

async function exists(namespace: string, name: string): Promise<boolean> {
  try {
    await world.kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
    return true;
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}

test('a release of a tar is installed; a Prometheus knows the risk of the next one, which is refused until it is signed, stops at a degraded component and completes once it is fixed', async () => {
  const { kube } = world;
  await untilProgressing(/^False Cluster version is 1\.0\.0$/);
  expect(await exists('metrics', 'push-gateway')).toBe(true);
  await kube.patch(version, { spec: { channel: 'stable-1.1' } }, user);
  await eventually(
    async () => {
      const { conditionalUpdates = [] } = statusOf(await kube.get(version)) as { conditionalUpdates?: JsonObject[] };
      expect(conditionalUpdates).toMatchObject([
        {
          release: { version: '1.1.0', image },
          conditions: [{ status: 'False', reason: 'SingleReplica', message: 'Storage stops. https://example.com/r' }],
        },
      ]);
    },
    { timeoutMs: patienceMs },
  );
  const authorization = 'Bearer secret-of-prometheus';
  expect(queries).toContainEqual({ query: 'max(storage_replicas) == bool 1', authorization });
  await kube.patch(version, { spec: { desiredUpdate: { image } } }, user);
  await untilRefused(
    /The update cannot be verified: unable to verify sha256:1{64} against keyrings: verifier-public-key-examples/,
  );
  await kube.create(await signature(), user);
  await untilProgressing(/^True Working towards 1\.1\.0: .*waiting up to 40 minutes on storage$/);
  const waiting = statusOf(await kube.get(version))['progress'] as { waitingFor: { message: string }[] };
  expect(waiting.waitingFor[0]?.message).toContain('this version needs at least 2, found 1');
  expect(statusOf(await reported('metrics'))['versions']).toEqual([{ name: 'operator', version: '1.0.0' }]);
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'storage', name: 'settings' };
  await kube.patch(settings, { data: { replicas: '2' } }, user);
  await untilProgressing(/^False Cluster version is 1\.1\.0$/);
  expect(statusOf(await reported('console'))['versions']).toEqual([{ name: 'operator', version: '1.1.0' }]);
  expect([await exists('metrics', 'push-gateway'), await exists('console', 'banner')]).toEqual([false, true]);
});
