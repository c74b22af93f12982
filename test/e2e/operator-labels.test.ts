import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acmeCsv, type Registry, startRegistry } from '../support/index.ts';
import { type Printed, runLongshore } from './program.ts';
import { bundleDeployment, startWorld } from './world.ts';

const prefix = 'operators.operatorframework.io.bundle';
const labels = {
  [`${prefix}.mediatype.v1`]: 'registry+v1',
  [`${prefix}.manifests.v1`]: 'manifests/',
  [`${prefix}.metadata.v1`]: 'metadata/',
  [`${prefix}.package.v1`]: 'labelled',
  [`${prefix}.channels.v1`]: 'stable',
};
const filesOf = (name: string): Record<string, string> => {
  return { 'manifests/csv.yaml': JSON.stringify(acmeCsv({ version: '1.2.3' }, { name: `${name}.v1.2.3` })) };
};
const ownPackage = { 'metadata/annotations.yaml': `annotations: {${prefix}.package.v1: filed}` };

let registry: Registry;
let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-labels-'));
  registry = await startRegistry({});
  registry.putImage('acme:labelled', [{ files: filesOf('labelled') }], labels);
  registry.putImage('acme:filed', [{ files: { ...filesOf('filed'), ...ownPackage } }], labels);
  registry.putImage('acme:bare', [{ files: filesOf('bare') }]);
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

function run(command: string, tag: string, ...args: readonly string[]): Promise<Printed> {
  const all = ['bundle', command, `${registry.host}/acme:${tag}`, ...args];
  return runLongshore(all, { cwd: dir });
}

test('an operator whose image is described by labels is installed, and its file wins where both do', async () => {
  await using world = await startWorld();
  const className = 'core-rukpak-io-registry';
  const classes = { provisionerClassName: className, templateClassName: className };
  for (const tag of ['labelled', 'filed']) {
    const source = { type: 'image', image: { ref: `${registry.host}/acme:${tag}` } };
    await world.kube.create(bundleDeployment(tag, source, classes), { fieldManager: 'test' });
    await world.deploymentWith(tag, { type: 'Installed', status: 'True' });
    const account = await world.get('ServiceAccount', 'acme-widget-controller', `${tag}-system`);
    expect(account.metadata.annotations).toMatchObject({ 'olm.operatorframework.io/package-name': tag });
  }
}, 240_000);

test('bundle render and validate read labels as the installer does', async () => {
  const { code, stdout } = await run('render', 'labelled', '-o', 'json');
  expect(code).toBe(0);
  expect(stdout).toContain('"namespace":"labelled-system"');
  expect((await run('render', 'filed', '-o', 'json')).stdout).toContain('"namespace":"filed-system"');
  const findings = async (tag: string): Promise<string> => (await run('validate', tag, '-o', 'json')).stdout;
  expect(await findings('bare')).toContain('metadata');
  expect(await findings('labelled')).not.toContain('package.v1');
  const bare = await run('render', 'bare');
  expect(bare.code).not.toBe(0);
  expect(bare.stderr).toContain('open metadata/annotations.yaml');
}, 120_000);
