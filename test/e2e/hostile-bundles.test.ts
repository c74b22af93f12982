import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { acmeCsv } from '../support/index.ts';
import type { Files } from './contents.ts';
import { runLongshore, writeFolder } from './program.ts';
import { operator } from './registry-contents.ts';
import { bundle, problemOf, startWorld, type World } from './world.ts';

const registryClass = 'core-rukpak-io-registry';
const long = 'n'.repeat(10_000);
const escapes = '\u001B[2J\u009B31m\u202E';

const laughs = Array.from({ length: 9 }, (_, index) => {
  const items = Array.from({ length: 10 }, () => (index === 0 ? 'lol' : `*a${index - 1}`));
  return `a${index}: &a${index} [${items.join(', ')}]`;
}).join('\n');

/** An operator whose ClusterServiceVersion has these members in `spec.install.spec`. */
function installing(members: JsonObject): Files {
  const csv = acmeCsv();
  const { install } = csv['spec'] as { install: { spec: JsonObject } };
  install.spec = { ...install.spec, ...members };
  return operator([csv]);
}

function withFiles(files: Files): Files {
  return { ...operator([acmeCsv()]), ...files };
}

const rules = Array.from({ length: 30_000 }, (_, index) => ({
  apiGroups: [`g${index}.example`],
  resources: ['things'],
  verbs: ['get'],
}));

const slowRule = Array.from({ length: 10 }, (_, index) => `properties.all(p${index}, `).join('');
const constraint = { failureMessage: 'never', cel: { rule: `${slowRule}true${')'.repeat(10)}` } };

interface Row {
  readonly name: string;
  readonly files: Files;
  /** Absent: nothing is wrong with it. */
  readonly problem?: RegExp;
}

const rows: readonly Row[] = [
  {
    name: 'aliases of aliases',
    files: withFiles({ 'manifests/x.yaml': `apiVersion: v1\nkind: ConfigMap\n${laughs}\n` }),
    problem: /manifests\/x\.yaml: aliases expand to more than \d+ nodes/,
  },
  {
    name: 'a value that holds itself',
    files: withFiles({ 'manifests/x.yaml': 'apiVersion: v1\nkind: ConfigMap\ndata: &a {a: *a}\n' }),
    problem: /manifests\/x\.yaml: aliases expand to more than \d+ nodes/,
  },
  {
    name: 'anchors in anchors, 10,000 deep',
    files: withFiles({ 'manifests/x.yaml': `a: ${Array.from({ length: 10_000 }, (_, at) => `&a${at} [`).join('')}` }),
    problem: /nesting exceeded maxDepth \(257\) \(manifests\/x\.yaml:1:\d+\)/,
  },
  {
    name: 'a ClusterServiceVersion of 50 MiB',
    files: { ...operator([]), 'manifests/csv.yaml': `kind: ClusterServiceVersion\n#${'x'.repeat(50 * 2 ** 20)}` },
    problem: /manifests\/csv\.yaml: 524288\d\d bytes, more than the limit of 33554432 bytes/,
  },
  {
    name: 'a Deployment with a name of 10,000 characters',
    files: installing({ deployments: [{ name: long, spec: {} }] }),
    problem: /invalid cluster service version strategy deployment name 'n+/,
  },
  {
    name: 'metadata of 2 MiB',
    files: withFiles({ 'metadata/annotations.yaml': `a: ${'x'.repeat(2 ** 21)}` }),
    problem: /metadata\/annotations\.yaml: 2097155 bytes, more than the limit of 1048576 bytes/,
  },
  {
    name: 'escape sequences in texts',
    files: operator([
      { ...acmeCsv(), metadata: { name: `a${escapes}` } },
      { kind: escapes, items: escapes },
    ]),
    problem: /items: expected a list, found string/,
  },
  {
    name: 'escape sequences and lines in the name of a file',
    files: withFiles({ [`manifests/a\n${escapes}.yaml`]: 'b: [' }),
    problem: /error parsing manifests\/a\\x0a\\x1b\[2J\\x9b31m\\u202e\.yaml: .* \(manifests\/a\\x0a.*:2:1\)/,
  },
  {
    name: 'a constraint that would run for ever',
    files: withFiles({
      'metadata/dependencies.yaml': JSON.stringify({ dependencies: [{ type: 'olm.constraint', value: constraint }] }),
    }),
  },
];

const longRows: readonly Row[] = [
  { name: '30,000 rules', files: installing({ clusterPermissions: [{ serviceAccountName: 'acme', rules }] }) },
];

/** What no program may print that a person looks at, line ends aside. */
const control = /[^\P{Cc}\n\t]|[\u202A-\u202E]/u;

describe('hostile bundles on the command line', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-hostile-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function isReported({ name, files, problem }: Row): Promise<void> {
    const path = await writeFolder(join(folder, name.replaceAll(/\W/g, '-')), files);
    for (const command of ['render', 'explain', 'validate']) {
      const { code, stdout, stderr } = await runLongshore(['bundle', command, path]);
      const text = `${stdout}${stderr}`;
      expect({ command, isDone: [0, 1, 2].includes(code) }).toEqual({ command, isDone: true });
      expect(text).not.toMatch(/^\s+at .*\.[jt]s:\d+/m);
      expect(control.test(command === 'render' ? stderr : text)).toBe(false);
      if (problem !== undefined && command !== 'validate') expect(stderr).toMatch(problem);
      if (problem !== undefined) expect(text.length).toBeLessThan(40_000);
    }
  }
  const timeout = 600_000;
  test.each(rows)('$name', { timeout }, isReported);
  test.each(longRows)('$name', { timeout, tags: 'long' }, isReported);
});

describe('hostile bundles on a cluster', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  async function create(name: string, files: Files): Promise<void> {
    const source = world.imageSource(`${name}:v1`, files);
    await world.kube.create(bundle(name, source, { provisionerClassName: registryClass }), { fieldManager: 'test' });
  }

  const all = [...rows, ...longRows];
  test('each reports in its condition what is wrong, and good ones are unpacked meanwhile', async () => {
    await Promise.all(all.map(({ files }, index) => create(`hostile-${index}`, files)));
    await create('good', operator([acmeCsv()]));
    await world.bundleWithPhase('good', 'Unpacked');
    for (const [index, { problem }] of all.entries()) {
      const phase = problem === undefined ? 'Unpacked' : 'Failing';
      const found = await world.bundleWithPhase(`hostile-${index}`, phase);
      expect(JSON.stringify(found).length).toBeLessThan(150_000);
      if (problem === undefined) continue;
      const message = problemOf(found);
      expect(message).toMatch(problem);
      expect(control.test(message)).toBe(false);
    }
  }, 300_000);
});
