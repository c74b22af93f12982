import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { longestShare } from '../../test/support/longest-share.ts';
import type { KubeObject } from '../core/index.ts';
import { type ApiServer, startApiServer } from '../index.ts';

const count = 12;

function credential(kubeconfig: string, name: string): Buffer {
  return Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64');
}

/** A request whose handler waits for its body. */
async function begin(server: ApiServer, kubeconfig: string): Promise<ClientRequest> {
  const [cert, key] = [credential(kubeconfig, 'client-certificate'), credential(kubeconfig, 'client-key')];
  const headers = { 'content-type': 'application/json', expect: '100-continue' };
  const url = `${server.url}/api/v1/namespaces/default/configmaps`;
  const begun = request(url, { method: 'POST', agent: false, ca: server.caCertificatePem, cert, key, headers });
  begun.flushHeaders();
  await once(begun, 'continue');
  return begun;
}

async function versionOf(sent: ClientRequest): Promise<number> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { metadata } = (await json(response)) as KubeObject;
  return Number(metadata.resourceVersion);
}

test('a user does not wait for all requests that another one has', async () => {
  await using server = await startApiServer({ simulation: false });
  const [first, second] = [
    server.kubeconfigFor('long', ['system:masters']),
    server.kubeconfigFor('short', ['system:masters']),
  ];
  const long: ClientRequest[] = [];
  for (let index = 0; index < count; index += 1) long.push(await begin(server, await first));
  const short = await begin(server, await second);
  const data = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`key-${index}`, '']));
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'a-' } };
  const answers = [...long, short].map(versionOf);
  for (const begun of long) begun.end(JSON.stringify({ ...configMap, data }));
  short.end(JSON.stringify(configMap));
  const versions = await Promise.all(answers);
  const own = versions.at(-1) ?? 0;
  expect(versions.filter((version) => version < own).length).toBeLessThan(count / 2);
});

interface Sent {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly type?: string;
  readonly body: unknown;
}

async function send(server: ApiServer, { method, path, type = 'application/json', body }: Sent): Promise<unknown> {
  const headers = { authorization: `Bearer ${server.adminToken}`, 'content-type': type };
  const sent = request(`${server.url}${path}`, { method, agent: false, ca: server.caCertificatePem, headers });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

test('others have turns between the steps of a request that takes long', async () => {
  await using server = await startApiServer({ simulation: false });
  const apply = async (value: string): Promise<unknown> => {
    const data = Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`key-${index}`, value]));
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data };
    const path = '/api/v1/namespaces/default/configmaps/a?fieldManager=a';
    return await send(server, { method: 'PATCH', path, type: 'application/apply-patch+yaml', body });
  };
  expect(await apply('first')).toBe(201);
  // A collection of garbage may fall into any turn.
  const shares: number[] = [];
  for (let index = 0; index < 3; index += 1) shares.push(await longestShare(apply(`value-${index}`)));
  expect(Math.min(...shares)).toBeLessThan(1 / 3);
});

test('others have turns between the steps in which a pod is read, admitted and validated', async () => {
  await using server = await startApiServer({ simulation: false });
  const matchLabels = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`key-${index}`, 'a']));
  const term = { topologyKey: 'zone', labelSelector: { matchLabels } };
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const containers = [{ name: 'c', image: 'registry.example/c:1' }];
  const body = { metadata: { name: 'a' }, spec: { affinity, containers } };
  const path = '/api/v1/namespaces/default/pods?dryRun=All';
  const shares: number[] = [];
  for (let index = 0; index < 3; index += 1) {
    const created = send(server, { method: 'POST', path, body });
    shares.push(await longestShare(created));
    expect(await created).toBe(201);
  }
  expect(Math.min(...shares)).toBeLessThan(1 / 3);
});

test('others have turns while the budgets of a pod that is evicted are read', async () => {
  await using server = await startApiServer({ simulation: false });
  const [pods, budgets] = [
    '/api/v1/namespaces/default/pods',
    '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
  ];
  const labels = { app: 'a' };
  const pod = { metadata: { name: 'a', labels }, spec: { containers: [{ name: 'c', image: 'registry.example/c:1' }] } };
  expect(await send(server, { method: 'POST', path: pods, body: pod })).toBe(201);
  const running = { status: { phase: 'Running' } };
  const type = 'application/merge-patch+json';
  expect(await send(server, { method: 'PATCH', path: `${pods}/a/status`, type, body: running })).toBe(200);
  const keys = Array.from({ length: 10_000 }, (_, index) => ({ key: `key-${index}`, operator: 'DoesNotExist' }));
  const matchExpressions = [...keys, { key: 'app', operator: 'DoesNotExist' }];
  for (let index = 0; index < 20; index += 1) {
    const body = { metadata: { name: `b-${index}` }, spec: { maxUnavailable: 1, selector: { matchExpressions } } };
    expect(await send(server, { method: 'POST', path: budgets, body })).toBe(201);
  }
  const body = { metadata: { name: 'a' }, deleteOptions: { dryRun: ['All'] } };
  const shares: number[] = [];
  for (let index = 0; index < 3; index += 1) {
    const evicted = send(server, { method: 'POST', path: `${pods}/a/eviction`, body });
    shares.push(await longestShare(evicted));
    expect(await evicted).toBe(201);
  }
  expect(Math.min(...shares)).toBeLessThan(1 / 3);
});
