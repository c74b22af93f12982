import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Printed, runLongshore, writeFolder } from './program.ts';

function packageFile(name: string, needed = ''): string {
  return [
    `{schema: olm.package, name: ${name}, defaultChannel: stable}`,
    `{schema: olm.channel, package: ${name}, name: stable, entries: [{name: ${name}.v1.0.0}]}`,
    `{schema: olm.bundle, package: ${name}, name: ${name}.v1.0.0, image: registry.example/${name}:1, properties: [{type: olm.package, value: {packageName: ${name}, version: 1.0.0}}${needed}]}`,
  ].join('\n---\n');
}

let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-resolve-test-'));
  const needsBasin = ', {type: olm.gvk.required, value: {group: tide.example, version: v1, kind: Basin}}';
  await writeFolder(dir, {
    'gauges/gauge.yaml': packageFile('tide-gauge', needsBasin),
    'cores/core.yaml': packageFile(
      'tide-core',
      ', {type: olm.gvk, value: {group: tide.example, version: v1, kind: Basin}}',
    ),
    'broken/good.yaml': packageFile('tide-core'),
    'broken/bad.yaml': 'schema: [',
    'installed.yaml': 'tide-core: 1.0.0\n',
  });
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

function resolve(...args: readonly string[]): Promise<Printed> {
  return runLongshore(['resolve', ...args], { cwd: dir });
}

test('what a package needs comes from another catalog, and before it', async () => {
  const { code, stdout } = await resolve('tide-gauge', '--catalog', 'gauges', '--catalog', 'cores', '-o', 'json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: 'resolved',
    bundles: [
      { action: 'install', package: 'tide-core', catalog: 'cores', channel: 'stable' },
      { action: 'install', package: 'tide-gauge', catalog: 'gauges', image: 'registry.example/tide-gauge:1' },
    ],
  });
});

test('a package that no catalog has is a conflict, with exit status 1', async () => {
  const { code, stdout } = await resolve('tide-gauge', '--catalog', 'gauges', '-o', 'json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: 'conflict',
    message:
      'constraints not satisfiable: bundle tide-gauge.v1.0.0 requires an operator providing an API with group: tide.example, version: v1, kind: Basin, request tide-gauge exists, request tide-gauge requires gauges/stable/tide-gauge.v1.0.0',
    action: 'Add a catalog that has what is needed (API Basin.v1.tide.example).',
  });
});

test('a partly invalid catalog is used as far as possible, and what is wrong is reported', async () => {
  const { code, stdout, stderr } = await resolve('tide-core', '--catalog', 'broken');
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('install tide-core 1.0.0') as string,
  });
  expect(stderr).toContain('bad.yaml');
  expect(stderr).toContain('Only what could be read of broken is used.');
});

const misuses: readonly { readonly name: string; readonly args: readonly string[]; readonly reported: string }[] = [
  { name: 'no catalog', args: ['tide-core'], reported: 'resolve: expected --catalog with the catalog to choose from' },
  {
    name: 'a range that is none',
    args: ['tide-core@~~1', '--catalog', 'cores'],
    reported: 'expected a range of versions',
  },
  {
    name: 'a file that is not there',
    args: ['tide-core', '--catalog', 'cores', '--installed', 'nowhere.yaml'],
    reported: '--installed nowhere.yaml: expected NAME=VERSION, or a file',
  },
  {
    name: 'a package that is installed twice',
    args: ['tide-core', '--catalog', 'cores', '--installed', 'installed.yaml', '--installed', 'tide-core=1.0.0'],
    reported: '--installed: tide-core is named twice',
  },
];

test.each(misuses)('refuses $name', async ({ args, reported }) => {
  const { code, stderr } = await resolve(...args);
  expect(code).not.toBe(0);
  expect(stderr).toContain(reported);
});
