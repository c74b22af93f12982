import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { CommandRun } from '../../console/server/index.ts';
import { createRunCommand } from './run-command.ts';

const credentials = { HOME: '/home/server', DOCKER_CONFIG: '/etc/docker', REGISTRY_AUTH_FILE: '/etc/auth.json' };
const [, bin = ''] = process.argv;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-run-command-'));
  const program = join(folder, 'print-environment.cjs');
  await writeFile(program, 'console.log(JSON.stringify({ ...process.env, cwd: process.cwd() }))');
  process.argv[1] = program;
});

afterAll(async () => {
  process.argv[1] = bin;
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});

afterEach(() => vi.unstubAllEnvs());

async function environmentOf(kubeconfig: CommandRun['kubeconfig'], helm?: string): Promise<Record<string, string>> {
  const { signal } = new AbortController();
  const { stdout } = await createRunCommand(helm)({ args: [], files: new Map(), kubeconfig, signal });
  return JSON.parse(stdout) as Record<string, string>;
}

test('a viewer of a cluster does not fetch with the registry credentials of the server', async () => {
  const environment = await environmentOf({ document: { apiVersion: 'v1', kind: 'Config' } });
  const { cwd = '' } = environment;
  expect(environment).toMatchObject({ HOME: cwd, KUBECONFIG: join(cwd, 'kubeconfig') });
  expect(environment).not.toHaveProperty('DOCKER_CONFIG');
  expect(environment).not.toHaveProperty('REGISTRY_AUTH_FILE');
  expect(environment).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
});

test('on a laptop commands use the registry credentials of the viewer, whose files they are', async () => {
  const environment = await environmentOf({ path: '/home/viewer/.kube/config' });
  expect(environment).toMatchObject({ ...credentials, KUBECONFIG: '/home/viewer/.kube/config' });
  expect(environment).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
});

test('charts are rendered by the helm of the server, or else by that of its environment', async () => {
  const kubeconfig = { path: '/home/viewer/kubeconfig' };
  vi.stubEnv('LONGSHORE_HELM', '/usr/bin/helm');
  expect(await environmentOf(kubeconfig)).toHaveProperty('LONGSHORE_HELM', '/usr/bin/helm');
  expect(await environmentOf(kubeconfig, '/tools/helm')).toHaveProperty('LONGSHORE_HELM', '/tools/helm');
});
