import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { eventually } from '../support/index.ts';
import { goProgram } from './go-program.ts';
import { thingDefinition } from './manifests.ts';

const program = await goProgram(join(import.meta.dirname, 'go'));
const reason = 'missing' in program ? program.missing : '';
const patient = { timeoutMs: 40_000 };
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' };

const webhooks = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'guard' },
  webhooks: [
    {
      name: 'guard.example.com',
      clientConfig: { service: { name: 'guard', namespace: 'default', path: '/guard' } },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { guard: 'me' } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

/** One running manager and what it printed. */
class Manager implements AsyncDisposable {
  readonly #child: ChildProcess;
  #stdout = '';
  #stderr = '';

  constructor(path: string, args: readonly string[]) {
    this.#child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout?.on('data', (data: Buffer) => (this.#stdout += data.toString()));
    this.#child.stderr?.on('data', (data: Buffer) => (this.#stderr += data.toString()));
  }

  get isElected(): boolean {
    if (this.#child.exitCode !== null) throw new Error(`the manager has exited:\n${this.#stderr}`);
    return this.#stdout.includes('elected');
  }

  get log(): string {
    return this.#stderr;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(timer);
  }
}

if (reason !== '') test.skip(`the controller-runtime manager is not run: ${reason}`, () => {});

describe.skipIf(reason !== '')('a controller-runtime manager', () => {
  let server: ApiServer;
  let folder: string;
  let manager: Manager;

  const start = (port: number): Manager => {
    if ('missing' in program) throw new Error(program.missing);
    return new Manager(program.path, [`-config=${join(folder, 'config')}`, `-certificates=${folder}`, `-port=${port}`]);
  };

  beforeAll(async () => {
    server = await startApiServer({ crds: [thingDefinition('things.example.com') as never], webhooks: [webhooks] });
    folder = await mkdtemp(join(tmpdir(), 'longshore-manager-'));
    await writeFile(join(folder, 'config'), server.kubeconfig, { mode: 0o600 });
    await writeFile(join(folder, 'tls.crt'), server.webhookServer?.certificatePem ?? '');
    await writeFile(join(folder, 'tls.key'), server.webhookServer?.keyPem ?? '', { mode: 0o600 });
    manager = start(server.webhookServer?.port ?? 0);
    await eventually(() => expect(manager.isElected).toBe(true), patient);
  });
  afterAll(async () => {
    await manager[Symbol.asyncDispose]();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('is elected by a Lease', async () => {
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      namespace: 'default',
      name: 'clients.example.com',
    };
    const { spec } = await server.client.get(lease);
    expect(spec).toMatchObject({ leaseDurationSeconds: 15, leaseTransitions: 0 });
  });

  test('validates objects by its webhook', async () => {
    const labels = { guard: 'me' };
    const object = { ...configMap, metadata: { name: 'guarded', namespace: 'default', labels } };
    const made = await server.client.create(object);
    expect((made as { readonly data?: unknown }).data).toEqual({ guarded: 'yes' });
    const refused = server.client.create({ ...configMap, metadata: { name: 'denied', namespace: 'default', labels } });
    await expect(refused).rejects.toThrow(
      'admission webhook "guard.example.com" denied the request: this name is not allowed',
    );
  });

  test('creates objects, and creates them again', async () => {
    const metadata = { name: 'source', namespace: 'default', labels: { make: 'secret' } };
    await server.client.create({ ...configMap, metadata, data: { a: 'b' } });
    const secret = { ...configMap, kind: 'Secret', name: 'source' };
    const found = await eventually(() => server.client.get(secret), patient);
    expect(found).toMatchObject({
      data: { a: 'Yg==' },
      metadata: { ownerReferences: [{ kind: 'ConfigMap', controller: true }] },
    });
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'source' };
    await eventually(
      async () => expect((await server.client.get(deployment))['status']).toMatchObject({ readyReplicas: 1 }),
      patient,
    );
    const source = { ...configMap, name: 'source' };
    await eventually(
      async () => expect((await server.client.get(source)).metadata).toMatchObject({ annotations: { made: 'secret' } }),
      patient,
    );
    await server.client.delete(secret);
    await eventually(async () => {
      const again = await server.client.get(secret);
      expect(again.metadata.uid).not.toBe(found.metadata.uid);
    }, patient);
  });

  test('writes the status of custom resources', async () => {
    const thing = { apiVersion: 'things.example.com/v1', kind: 'Thing' };
    await server.client.create({ ...thing, metadata: { name: 'one', namespace: 'default' }, spec: { replicas: 3 } });
    const one = { ...thing, namespace: 'default', name: 'one' };
    await eventually(async () => expect((await server.client.get(one))['status']).toEqual({ replicas: 3 }), patient);
  });

  test('removes its finalizer from deleted objects, and their dependents are deleted', async () => {
    const source = { ...configMap, name: 'source' };
    await server.client.delete(source);
    await eventually(() => expect(server.client.get(source)).rejects.toThrow('not found'), patient);
    await eventually(
      () => expect(server.client.get({ ...source, kind: 'Secret' })).rejects.toThrow('not found'),
      patient,
    );
  });

  test('releases leadership to another when it ends', async () => {
    await using second = start(0);
    await eventually(() => expect(second.log).toMatch(/attempting to acquire leader lease/i), patient);
    expect(second.isElected).toBe(false);
    await manager[Symbol.asyncDispose]();
    await eventually(() => expect(second.isElected).toBe(true), patient);
    expect(manager.log).not.toMatch(/panic|unsupported media type|NotAcceptable/i);
  });
});
