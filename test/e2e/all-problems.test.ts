import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject } from '../../src/base/index.ts';
import { tideFiles } from '../support/checked-bundle.ts';
import { configMap, type Files, namespace } from './contents.ts';
import { longshoreOn, type Printed, writeFolder } from './program.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, type World } from './world.ts';

let world: World;
let dir = '';

beforeAll(async () => {
  world = await startWorld();
  dir = await mkdtemp(join(tmpdir(), 'longshore-problems-'));
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const longshore = (...args: readonly string[]): Promise<Printed> => longshoreOn(world.platform.kubeconfigPath)(args);

/** Installs an image, such as `name:v1`, as the BundleDeployment of that name. */
async function install(
  image: string,
  files: Files,
  options: { readonly templateClassName?: string } = {},
): Promise<void> {
  const [name = ''] = image.split(':');
  const deployment = bundleDeployment(name, world.imageSource(image, files), options);
  await world.kube.apply(deployment, { fieldManager: 'test', force: true });
}

async function messageOf(name: string, type: string, reason: string): Promise<string> {
  const deployment = await world.deploymentWith(name, { type, status: 'False', reason });
  return conditionOf(deployment, type)?.message ?? '';
}

function expectAll(text: string, faults: readonly string[]): void {
  for (const fault of faults) expect(text).toContain(fault);
}

/** Three files that no cluster takes, and one that it would. */
const unreadable: Files = {
  'manifests/0.yaml': namespace('unreadable'),
  'manifests/1.yaml': 'a: b: c\n',
  'manifests/2.yaml': 'apiVersion: v1\nmetadata: {name: nameless-kind}\n---\nkind: Mystery\n',
  'manifests/sub/3.yaml': namespace('deep'),
};
const unreadableFaults = [
  'error parsing manifests/1.yaml: error converting YAML to JSON: yaml: line 1: ',
  'unable to decode "manifests/2.yaml": Object \'Kind\' is missing in ',
  'unable to decode "manifests/2.yaml": Object \'apiVersion\' is missing in \'{"kind":"Mystery"}\' (manifests/2.yaml:4:1)',
  'subdirectories are not allowed within the "manifests" directory of the bundle image filesystem: found "manifests/sub"',
];

/** Manifests of a namespace that everything but its ConfigMap stands against. */
function refused(name: string): Files {
  const service = (port: number): string =>
    `apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: ${name}}\nspec: {ports: [{port: ${port}}]}\n`;
  return {
    'manifests/0.yaml': namespace(name),
    'manifests/1.yaml': configMap('fine', name, { a: 'b' }),
    'manifests/2.yaml': configMap('shared', 'default', { owner: name }),
    'manifests/3.yaml': service(70_000),
    'manifests/4.yaml': `apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: ${name}}\ndata: {a: "not base64!"}\n`,
    'manifests/5.yaml': `apiVersion: example.com/v1\nkind: Unknown\nmetadata: {name: u, namespace: ${name}}\n`,
    'manifests/6.yaml': configMap('Bad_Name', name, { a: 'b' }),
    'manifests/7.yaml': configMap('fine', name, { a: 'c' }),
  };
}
const refusedFaults = [
  'ConfigMap "shared" in namespace "default" exists',
  'spec.ports[0].port: Invalid value: 70000',
  'illegal base64 data',
  'no matches for kind "Unknown" in version "example.com/v1"',
  'metadata.name: Invalid value: "Bad_Name"',
  'is defined more than once',
];

/** The words of a finding of `bundle validate`, which come in the list of JSON. */
function messagesOf(stdout: string): string {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        if (key === 'message' && typeof member === 'string') found.push(member);
        else visit(member);
      }
    }
  };
  visit(JSON.parse(stdout));
  return found.join('\n');
}

describe('everything that stands against an installation is reported at once', () => {
  test('files that cannot be read: by the condition, and by longshore run', async () => {
    await install('unreadable:v1', unreadable);
    expectAll(await messageOf('unreadable', 'HasValidBundle', 'UnpackFailed'), unreadableFaults);
    const folder = await writeFolder(join(dir, 'unreadable'), unreadable);
    const { code, stderr } = await longshore('run', 'unreadable-here', folder);
    expect(code).toBe(1);
    expectAll(stderr, unreadableFaults);
  });

  test('objects that the cluster refuses, of a first installation and of an upgrade', async () => {
    await install('owner:v1', { 'manifests/0.yaml': configMap('shared', 'default', { owner: 'owner' }) });
    await world.deploymentWith('owner', { type: 'Installed', status: 'True' });
    await install('first:v1', refused('first'));
    expectAll(await messageOf('first', 'Installed', 'InstallFailed'), refusedFaults);

    await install('next:v1', { 'manifests/0.yaml': namespace('next') });
    await world.deploymentWith('next', { type: 'Installed', status: 'True' });
    await install('next:v2', refused('next'));
    expectAll(await messageOf('next', 'Installed', 'ErrorGettingReleaseState'), refusedFaults);
  });

  test('an operator: by the condition, by longshore run and by longshore bundle validate', async () => {
    const files = {
      ...tideFiles,
      'manifests/a.yaml': 'a: b: c\n',
      'manifests/b.yaml': 'metadata: {name: nameless-kind}\n',
      'metadata/annotations.yaml': 'a: b: c\n',
    };
    const faults = ['error parsing objects in "manifests/a.yaml": ', 'error parsing objects in "manifests/b.yaml": '];
    await install('tide:v1', files, { templateClassName: 'core-rukpak-io-registry' });
    expectAll(await messageOf('tide', 'HasValidBundle', 'UnpackFailed'), [...faults, 'metadata/annotations.yaml']);
    const folder = await writeFolder(join(dir, 'tide'), files);
    const run = await longshore('run', 'tide-here', folder, '--bundle-provisioner-class', 'core-rukpak-io-registry');
    expect(run.code).toBe(1);
    expectAll(run.stderr, [...faults, 'metadata/annotations.yaml']);
    const validate = await longshore('bundle', 'validate', folder, '--output', 'json');
    expect(validate.code).toBe(1);
    const messages = messagesOf(validate.stdout);
    expectAll(messages, ['manifests/a.yaml', 'manifests/b.yaml', 'metadata/annotations.yaml']);
  });

  test('a spec: by the webhook', async () => {
    const git = { repository: 'https://git.example.com/a', directory: '/a', ref: { commit: '1' } };
    const deployment = bundleDeployment('spec', { type: 'git', git });
    Object.assign(deployment['spec'] as object, { config: { installNamespace: 7, serviceAccount: { name: '' } } });
    const thrown = await errorOf(world.kube.create(deployment, { fieldManager: 'test' }));
    expectAll(String(thrown), ['directory', 'must be a full commit hash', 'installNamespace', 'serviceAccount']);
  });
});
