import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeClient } from '../../src/kube/index.ts';
import { eventually, freePort } from '../support/index.ts';
import { valid } from './contents.ts';
import { type OwnProcesses, openOwnProcesses, renew } from './own-processes.ts';
import { programPath, runProgram } from './program.ts';
import { bundle, errorOf, statusOf } from './world.ts';

const patience = { timeoutMs: 60_000 };
let processes: OwnProcesses;
let folder = '';
let kubeconfig = '';
let kube: KubeClient;
afterAll(() => processes[Symbol.asyncDispose]());

beforeAll(async () => {
  processes = await openOwnProcesses();
  ({ folder, kubeconfig, kube } = processes);
}, 120_000);

async function publishedAuthority(): Promise<string> {
  const ref = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    name: 'rukpak-validating-webhook-configuration',
  };
  const [first] = (await kube.get(ref))['webhooks'] as { clientConfig: { caBundle: string } }[];
  return Buffer.from(first?.clientConfig.caBundle ?? '', 'base64').toString();
}

async function createDenied(name: string): Promise<string> {
  const spec = { repository: 'https://example.com/x', ref: { branch: 'main' }, directory: '../x' };
  const wrong = bundle(name, { type: 'git', git: spec });
  const failure = await errorOf(kube.create(wrong, { fieldManager: 'test', isDryRun: true }));
  return String(failure);
}

test('the controllers and the webhook run as processes of their own, and stop on request', {
  tags: 'long',
}, async () => {
  const contentPort = await freePort();
  const contentUrl = `https://127.0.0.1:${contentPort}`;
  const webhookPort = await freePort();
  const controllers = await processes.start('controllers', [
    '--http-bind-address',
    `127.0.0.1:${contentPort}`,
    '--http-external-address',
    contentUrl,
    '--provisioner-storage-dir',
    join(folder, 'bundles'),
  ]);
  const webhook = await processes.start('webhook', [
    '--bind-address',
    `127.0.0.1:${webhookPort}`,
    '--external-address',
    `https://127.0.0.1:${webhookPort}`,
    '--drain',
    '1',
  ]);

  await eventually(async () => expect(await createDenied('denied')).toContain('directory must define path'), patience);
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'content', namespace: 'rukpak-system' },
    immutable: true,
    data: Object.fromEntries(Object.entries(valid).map(([path, text]) => [path.replace('manifests/', ''), text])),
  };
  await kube.create(configMap, { fieldManager: 'test' });
  const source = { type: 'configMaps', configMaps: [{ configMap: { name: 'content' }, path: 'manifests' }] };
  await kube.create(bundle('unpacked', source), { fieldManager: 'test' });
  const ref = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'unpacked' };
  await eventually(async () => {
    const status = statusOf(await kube.get(ref));
    expect(status).toMatchObject({ phase: 'Unpacked', contentURL: `${contentUrl}/bundles/unpacked.tgz` });
  }, patience);
  const listed = await runProgram(process.execPath, [programPath, 'content', 'unpacked'], {
    env: { KUBECONFIG: kubeconfig },
  });
  expect(listed.stdout).toContain('manifests/');

  await processes.allowReader();
  const places = [
    { of: webhook, url: `https://127.0.0.1:${webhookPort}/metrics` },
    { of: controllers, url: `${contentUrl}/metrics` },
  ];
  for (const { of, url } of places) {
    expect((await processes.ask(of, url, 'anonymous')).status).toBe(401);
    expect((await processes.ask(of, url, 'default')).status).toBe(403);
  }
  const [ofWebhook, ofControllers] = await Promise.all(places.map(({ of, url }) => processes.ask(of, url)));
  const numbered = (text = ''): string[] => text.split('\n').map((line) => line.replace(/ [\d.e+]+$/, ''));
  expect(numbered(ofWebhook?.text)).toEqual(
    expect.arrayContaining([
      'longshore_webhook_reviews_total{webhook="vbundles.core.rukpak.io",decision="denied"}',
      'longshore_webhook_findings_total{webhook="vbundles.core.rukpak.io",rule="git-directory",decision="denied"}',
      'longshore_webhook_rule_evaluations_total{webhook="vbundles.core.rukpak.io",rule="git-directory"}',
      'longshore_webhook_rule_seconds_total{webhook="vbundles.core.rukpak.io",rule="git-directory"}',
      'longshore_webhook_review_duration_seconds_count{webhook="vbundles.core.rukpak.io"}',
      'longshore_api_requests_total{verb="GET",code="200"}',
      'nodejs_eventloop_lag_p99_seconds',
    ]),
  );
  expect(ofControllers?.text).toContain('longshore_bundles{phase="Unpacked",shard="0"} 1\n');
  expect(ofControllers?.text).toContain('longshore_leader{shard="0"} 1\n');
  expect(numbered(ofControllers?.text)).toEqual(
    expect.arrayContaining([
      'longshore_reconciles_total{controller="bundle",result="done"}',
      'longshore_queue_depth{controller="bundledeployment"}',
      'longshore_queue_oldest_seconds{controller="bundle"}',
      'longshore_fetches_total{source="configMaps",result="done"}',
      'longshore_fetched_bytes_total{source="configMaps"}',
      'longshore_api_requests_total{verb="WATCH",code="200"}',
      'longshore_watch_cache_objects{kind="Bundle"}',
      'longshore_content_store_bytes',
    ]),
  );

  const authority = await renew(webhook.tlsDir);
  await eventually(async () => expect(await publishedAuthority()).toContain(authority), patience);
  await eventually(async () => expect(await createDenied('denied')).toContain('directory must define path'), patience);
  const contentAuthority = await renew(controllers.tlsDir);
  await eventually(async () => {
    const { data } = await kube.get({
      apiVersion: 'v1',
      kind: 'Secret',
      name: 'rukpak-ca',
      namespace: 'rukpak-system',
    });
    const { 'ca.crt': reported } = data as Record<string, string>;
    expect(Buffer.from(reported ?? '', 'base64').toString()).toBe(contentAuthority);
  }, patience);

  for (const { child } of [webhook, controllers]) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }
});

test.each([
  { args: ['controllers'], text: 'this process is no pod of a cluster (KUBERNETES_SERVICE_HOST is not set)' },
  { args: ['webhook', '--bind-address', '9443'], text: '--bind-address: expected [HOST]:PORT, found "9443"' },
])('$args reports what is missing', async ({ args, text }) => {
  const printed = await runProgram(process.execPath, [programPath, ...args], { env: { KUBERNETES_SERVICE_HOST: '' } });
  expect(printed).toMatchObject({ code: 2, stdout: '' });
  expect(printed.stderr).toContain(text);
});

test('a folder without a certificate is named', async () => {
  const args = [
    'webhook',
    '--kubeconfig',
    kubeconfig,
    '--tls-dir',
    folder,
    '--health-probe-bind-address',
    '127.0.0.1:0',
  ];
  const printed = await runProgram(process.execPath, [programPath, ...args]);
  expect(printed.code).toBe(2);
  expect(printed.stderr).toContain(`--tls-dir ${join(folder, 'tls.crt')}: no such file or directory`);
});

test('controllers that have not found their cluster end on request', async () => {
  const lost = join(folder, 'lost.kubeconfig');
  const text = (await readFile(kubeconfig, 'utf8')).replace(
    /https:\/\/[^"'\s,}]+/,
    `https://127.0.0.1:${await freePort()}`,
  );
  await writeFile(lost, text, { mode: 0o600 });
  const tlsDir = join(folder, 'tls-of-lost');
  await renew(tlsDir);
  const ports = ['health-probe-bind-address', 'http-bind-address', 'catalogs-bind-address'];
  const places = ports.flatMap((name) => [`--${name}`, '127.0.0.1:0']);
  const store = ['--tls-dir', tlsDir, '--provisioner-storage-dir', join(folder, 'bundles-of-lost')];
  const args = ['controllers', '--kubeconfig', lost, '--leader-elect', ...places, ...store];
  const child = spawn(process.execPath, [programPath, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    let logged = '';
    child.stderr.on('data', (chunk: Buffer) => (logged += chunk.toString()));
    await eventually(() => expect(logged).toContain('watch interrupted'), patience);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  } finally {
    child.kill('SIGKILL');
  }
});
