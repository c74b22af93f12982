import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readManifests } from '../../cli/install/manifests.ts';
import { createServingCertificate, systemClock } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { eventually, freePort } from '../support/index.ts';
import { type OwnProcess, type OwnProcesses, openOwnProcesses } from './own-processes.ts';
import { longshoreOn } from './program.ts';
import { bundle, bundleDeployment } from './world.ts';

const patience = { timeoutMs: 90_000, intervalMs: 500 };
const namespace = 'rukpak-system';
const unreachable = { type: 'git', git: { repository: 'https://127.0.0.1:1/x', ref: { commit: 'a'.repeat(40) } } };
let world: OwnProcesses;
let kube: KubeClient;
let controllers: OwnProcess;
let webhook: OwnProcess;
afterAll(() => world[Symbol.asyncDispose]());

beforeAll(async () => {
  world = await openOwnProcesses();
  ({ kube } = world);
  const [contents, reviews] = [await freePort(), await freePort()];
  [controllers, webhook] = await Promise.all([
    world.start('controllers', [
      '--leader-elect',
      '--http-bind-address',
      `127.0.0.1:${contents}`,
      '--http-external-address',
      `https://127.0.0.1:${contents}`,
      '--provisioner-storage-dir',
      join(world.folder, 'bundles'),
    ]),
    world.start('webhook', [
      '--bind-address',
      `127.0.0.1:${reviews}`,
      '--external-address',
      `https://127.0.0.1:${reviews}`,
      '--drain',
      '0',
    ]),
  ]);
}, 180_000);

interface Answer {
  readonly code: number;
  readonly level: string;
  /** `fail crds: CustomResourceDefinition …` */
  readonly lines: readonly string[];
}

async function doctor(...args: readonly string[]): Promise<Answer> {
  const { code, stdout } = await longshoreOn(world.kubeconfig)(['doctor', '-o', 'json', ...args]);
  const { level, findings } = JSON.parse(stdout) as {
    level: string;
    findings: { level: string; check: string; what: string; advice?: string }[];
  };
  for (const finding of findings) if (finding.level !== 'ok') expect(finding.advice).toBeTruthy();
  return { code, level, lines: findings.map(({ level: one, check, what }) => `${one} ${check}: ${what}`) };
}

async function reported(text: string, ...args: readonly string[]): Promise<Answer> {
  return await eventually(async () => {
    const answer = await doctor(...args);
    expect(answer.lines.join('\n')).toContain(text);
    return answer;
  }, patience);
}

describe('longshore doctor', { shuffle: false }, () => {
  test('a healthy cluster is reported as healthy', async () => {
    const answer = await eventually(async () => {
      const found = await doctor();
      expect(found.lines.filter((line) => !line.startsWith('ok '))).toEqual([]);
      return found;
    }, patience);
    expect(answer).toMatchObject({ code: 0, level: 'ok' });
    expect(answer.lines.join('\n')).toContain('ok webhook: an invalid Bundle is denied');
    expect(answer.lines.join('\n')).toContain('ok leader: Lease rukpak-system/core.rukpak.io: held by ');
  });

  test('every fault is found, with what to do about it', async () => {
    const crdRef = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'bundles.core.rukpak.io',
    };
    await eventually(async () => {
      const crd = structuredClone(await kube.get(crdRef));
      const { versions } = crd['spec'] as unknown as {
        versions: { schema: { openAPIV3Schema: { description: string } } }[];
      };
      for (const { schema } of versions) schema.openAPIV3Schema.description = 'of another version';
      await kube.update(crd, { fieldManager: 'test' });
    }, patience);
    await reported(
      'warn crds: CustomResourceDefinition bundles.core.rukpak.io: the schema of v1alpha1 is not that of this version',
    );

    const serving = await createServingCertificate({ clock: systemClock, commonName: 'another user' });
    const { certificatePem, privateKeyPem } = serving.current();
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'core-cert', namespace },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': certificatePem, 'tls.key': privateKeyPem },
    };
    await kube.create(secret, { fieldManager: 'test' });
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'core-admin', namespace } };
    await kube.create(account, { fieldManager: 'test' });
    await kube.create(bundle('failing', unreachable), { fieldManager: 'test' });
    const held = bundle('held', unreachable);
    await kube.create(
      { ...held, metadata: { ...held.metadata, finalizers: ['example.com/forever'] } },
      { fieldManager: 'test' },
    );
    await kube.delete({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'held' });
    const found = await eventually(async () => {
      const answer = await doctor('--stuck-after', '1');
      const all = answer.lines.join('\n');
      expect(all).toContain('fail certificates: Secret rukpak-system/core-cert: not signed by the authority');
      expect(all).toContain('fail permissions: ServiceAccount rukpak-system/core-admin: lacks permission to get ');
      expect(all).toContain('warn objects: Bundle failing: Failing for ');
      expect(all).toMatch(/fail objects: Bundle held: deleted .* ago, held by .*example\.com\/forever/);
      return answer;
    }, patience);
    expect(found).toMatchObject({ code: 2, level: 'fail' });

    const permissions = (await readManifests('least')) as unknown as KubeObject[];
    for (const object of permissions.filter(({ kind }) => /Role(Binding)?$/.test(kind))) {
      await kube.apply(object, { fieldManager: 'test' });
    }
    await reported('ok permissions: ServiceAccount rukpak-system/core-admin: has all permissions that it needs');
  });

  test('stopped processes are reported missing', { tags: 'long' }, async () => {
    const ended = Promise.all([controllers, webhook].map(({ child }) => once(child, 'exit')));
    for (const { child } of [controllers, webhook]) child.kill('SIGKILL');
    await ended;
    await reported('fail webhook: the webhook does not answer: ');
    const configuration = 'rukpak-validating-webhook-configuration';
    const ref = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      name: configuration,
    };
    await kube.delete(ref);
    await reported(`fail webhook configurations: ValidatingWebhookConfiguration ${configuration}: not found`);
    await reported('fail webhook: an invalid Bundle was not denied');
    await kube.create(bundleDeployment('unseen', unreachable), { fieldManager: 'test' });
    await reported('fail objects: BundleDeployment unseen: not reconciled yet', '--stuck-after', '1');
    await reported(': the holder has stopped');
  });
});
