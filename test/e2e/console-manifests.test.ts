import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDeployFile } from '../../cli/client/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { loadClusterAccess } from '../../src/kube/index.ts';
import { eventually, freePort } from '../support/index.ts';
import { programPath } from './program.ts';
import { startWorld, type World } from './world.ts';

const host = 'console.example.com';
const user = { fieldManager: 'test' };
const rbac = 'rbac.authorization.k8s.io/v1';

let dir = '';
let world: World;
let objects: readonly KubeObject[] = [];
let port = 0;
let stopConsole: () => Promise<void> = async () => {};

interface Answer {
  readonly status: number;
  readonly cookie: string;
  readonly body: Record<string, unknown>;
}

/** As the Ingress sends the request of a browser. */
async function ask(path: string, { body, headers = {} }: { body?: object; headers?: object } = {}): Promise<Answer> {
  const method = body === undefined ? 'GET' : 'POST';
  const own = {
    host,
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-proto': 'https',
    'content-type': 'application/json',
  };
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { ...own, ...headers }, agent: false });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  const answer = await text(response);
  const [cookie = ''] = response.headers['set-cookie'] ?? [];
  const isJson = String(response.headers['content-type']).includes('json');
  return {
    status: response.statusCode ?? 0,
    cookie,
    body: isJson ? (JSON.parse(answer) as Answer['body']) : { answer },
  };
}

/** The arguments of the Deployment, at addresses of this machine. */
function argumentsOf(deployment: KubeObject, replaced: Readonly<Record<string, string>>): readonly string[] {
  const { spec } = deployment as unknown as { spec: { template: { spec: { containers: { args: string[] }[] } } } };
  return (spec.template.spec.containers[0]?.args ?? []).map((argument) => {
    const [name = ''] = argument.split('=');
    return replaced[name] === undefined ? argument : `${name}=${replaced[name]}`;
  });
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-console-manifests-'));
  world = await startWorld();
  objects = (await readDeployFile('console/console.yaml')) as unknown as readonly KubeObject[];
  const access = await loadClusterAccess({ path: world.platform.kubeconfigPath });
  const { ca } = await access.tls();
  await writeFile(join(dir, 'ca.crt'), ca ?? '');
  port = await freePort();
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  if (deployment === undefined) throw new Error('the manifests have no Deployment');
  const args = argumentsOf(deployment, {
    '--bind-address': `127.0.0.1:${port}`,
    '--api-server': access.server,
    '--api-server-ca': join(dir, 'ca.crt'),
  });
  // A Pod has no kubeconfig.
  const env = { PATH: process.env['PATH'] ?? '', HOME: dir, TMPDIR: dir };
  const child = spawn(process.execPath, [programPath, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  stopConsole = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  await eventually(async () => expect((await ask('/healthz', { headers: { host: 'probe' } })).status).toBe(200));
});

afterAll(async () => {
  await stopConsole();
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

test('the manifests are accepted, and give the console no permissions and no token', async () => {
  expect(objects.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'Service', 'Deployment', 'NetworkPolicy']);
  for (const object of objects) await world.kube.apply(object, { ...user, isDryRun: true });
  const [account, , deployment] = objects as unknown as [
    { automountServiceAccountToken: boolean },
    unknown,
    { spec: { template: { spec: { automountServiceAccountToken: boolean } } } },
  ];
  expect(account.automountServiceAccountToken).toBe(false);
  expect(deployment.spec.template.spec.automountServiceAccountToken).toBe(false);
});

test('the command of the Deployment serves users who sign in with a token, and does everything as they', async () => {
  await world.kube.create(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'viewer', namespace: 'default' } },
    user,
  );
  const rules = [{ apiGroups: ['core.rukpak.io'], resources: ['bundledeployments'], verbs: ['get', 'list', 'watch'] }];
  const metadata = { name: 'console-viewer' };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name };
  const subjects = [{ kind: 'ServiceAccount', name: 'viewer', namespace: 'default' }];
  await world.kube.create({ apiVersion: rbac, kind: 'ClusterRole', metadata, rules } as KubeObject, user);
  await world.kube.create(
    { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata, roleRef, subjects } as KubeObject,
    user,
  );

  const deployments = '/k8s/apis/core.rukpak.io/v1alpha1/bundledeployments';
  expect(await ask(deployments)).toMatchObject({ status: 401, body: { reason: 'NotSignedIn' } });
  expect(await ask('/api/sign-in')).toMatchObject({ status: 200, body: { methods: ['token'] } });
  expect(await ask('/api/session', { headers: { host: 'longshore-console.rukpak-system' } })).toMatchObject({
    status: 421,
  });

  const token = await world.tokenOf('viewer');
  const signedIn = await ask('/api/sign-in/token', { body: { token } });
  expect(signedIn).toMatchObject({ status: 200, body: { user: 'system:serviceaccount:default:viewer' } });
  expect(signedIn.cookie).toMatch(/^__Host-longshore=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);

  const headers = { cookie: signedIn.cookie.split(';')[0], 'x-longshore-csrf': signedIn.body['csrf'] };
  expect(await ask(deployments, { headers })).toMatchObject({ status: 200, body: { kind: 'BundleDeploymentList' } });
  expect(await ask('/k8s/api/v1/namespaces', { headers })).toMatchObject({ status: 403 });
  const history = await ask('/api/commands/history', { headers, body: { name: 'none' } });
  expect(history).toMatchObject({ status: 200, body: { exitCode: 1 } });
  expect(history.body['messages']).toContain('"none" not found');
  const permitted = await ask('/api/commands/validate', {
    headers,
    body: { image: 'registry.example.com/x/y:v1', form: 'json' },
  });
  expect(permitted).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
});
