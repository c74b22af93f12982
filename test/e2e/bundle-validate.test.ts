import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tideFiles } from '../support/checked-bundle.ts';
import { type Printed, runLongshore, writeFolder } from './program.ts';

const csvFile = 'manifests/tide-gauge.clusterserviceversion.yaml';
let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-validate-test-'));
  await writeFolder(join(dir, 'tide'), tideFiles);
  const bad = tideFiles[csvFile].replace('  version: 0.4.0\n', '  version: 0.0.0\n');
  await writeFolder(join(dir, 'bad & co'), { ...tideFiles, [csvFile]: bad });
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

function validate(...args: readonly string[]): Promise<Printed> {
  return runLongshore(['bundle', 'validate', ...args], { cwd: dir });
}

test('reports what is wrong, where, and what to do; several bundles one after the other', async () => {
  const { code, stdout } = await validate('./tide', './bad & co', '--select', 'H6');
  expect(code).toBe(1);
  expect(stdout.split('\n')).toEqual([
    './tide: nothing found',
    `bad & co/${csvFile}:7:3: error H6 csv.Spec.Version must be set`,
    '    Set spec.version to the version of this release: 1.2.3.',
    './bad & co: 1 error',
    '',
    '2 bundles: 1 with errors, 1 without findings',
    expect.stringMatching(/^ {2}1 bundle {2}error {2}H6 {2}/) as string,
    '',
  ]);
});

test('many bundles are reported in the order of their names, however long each takes', async () => {
  const names = Array.from({ length: 12 }, (_, index) => (index % 3 === 0 ? './bad & co' : './tide'));
  const { code, stdout, stderr } = await validate(...names, '--select', 'H6', '-o', 'json');
  expect([code, stderr]).toEqual([1, '']);
  const { bundles } = JSON.parse(stdout) as { bundles: { name: string }[] };
  expect(bundles.map(({ name }) => name)).toEqual(names);
});

test('BF-Z1 a selector that matches nothing', async () => {
  expect(await validate('./tide', '--select', 'name=nope')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'longshore: selector "name=nope" does not match any validator labels\n',
  });
  expect(await validate('./tide', '--select', 'nope')).toMatchObject({ code: 2, stdout: '' });
  const nothing = await validate('./tide', '--select', 'H6', '--select', 'H7', '--ignore', 'H6,H7,operatorhub');
  expect(nothing).toMatchObject({ code: 0, stdout: expect.stringContaining('./tide: ') as string });
  const none = await validate('./tide', '--select', 'capabilities', '--ignore', 'capabilities');
  expect(none).toMatchObject({ code: 2, stdout: '' });
  expect(none.stderr).toContain('no check is left of the selection');
  expect(await validate('./tide', '--select', 'suite=operatorframework', '--ignore', 'operatorhub')).toMatchObject({
    code: 0,
  });
});

test('BF-Z2 warnings only', async () => {
  expect(await validate('./tide', '--select', 'H7')).toMatchObject({ code: 0 });
  expect(await validate('./tide', '--select', 'H7', '--strict')).toMatchObject({ code: 1 });
});

test('BF-Z3 -o json-alpha1', async () => {
  const { code, stdout } = await validate('./tide', '--select', 'H6,H7', '-o', 'json-alpha1');
  expect(code).toBe(0);
  const shown = { passed: true, outputs: [{ type: 'warning', message: 'csv.Spec.Icon not specified' }] };
  expect(stdout).toBe(`${JSON.stringify(shown, undefined, 4)}\n`);
  const nothing = await validate('./tide', '--select', 'H6', '-o', 'json-alpha1');
  expect(JSON.parse(nothing.stdout)).toEqual({ passed: true, outputs: [] });
});

test('a missing bundle ends with 2, and the others are validated', async () => {
  const { code, stdout } = await validate('./absent', './tide', '--select', 'H6', '-o', 'json');
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toEqual({
    bundles: [
      { name: './absent', failure: expect.stringContaining('./absent') as string, findings: [] },
      { name: './tide', findings: [] },
    ],
  });
});

test('SARIF names rules and places', async () => {
  const { stdout } = await validate('./bad & co', '--select', 'H6,H7', '-o', 'sarif');
  const uri = `bad%20%26%20co/${csvFile}`;
  expect(JSON.parse(stdout)).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { rules: [{ id: 'H6', defaultConfiguration: { level: 'error' } }, { id: 'H7' }] } },
        results: [
          { ruleId: 'H7', ruleIndex: 1, level: 'warning' },
          {
            ruleId: 'H6',
            ruleIndex: 0,
            level: 'error',
            locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: 7, startColumn: 3 } } }],
          },
        ],
      },
    ],
  });
});

test('JUnit has a suite per bundle and a case per check', async () => {
  const { stdout } = await validate('./tide', './bad & co', '--select', 'H6,H7', '-o', 'junit');
  expect(stdout).toContain('<testsuite name="./tide" tests="2" failures="0" errors="0">');
  expect(stdout).toContain('<testsuite name="./bad &amp; co" tests="2" failures="1" errors="0">');
  expect(stdout).toContain('<failure message="csv.Spec.Version must be set" type="H6">');
  expect(stdout).toContain(`<system-out>tide/${csvFile}`);
});

test('lists the checks, and reports an invalid option', async () => {
  const listed = await validate('--list', '--select', 'categories');
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(/^CAT1 {2}categories {2}error {2}the annotation/);
  expect(await validate()).toMatchObject({ code: 2 });
  const categories = await validate('./tide', '--categories', 'absent.json');
  expect(categories).toMatchObject({ code: 2, stdout: '' });
  expect(categories.stderr).toContain('could not extract custom categories from categories absent.json');
  const old = await validate('./tide', '--select', 'DEP1', '--k8s-version', 'abc');
  expect(old.stdout).toContain('invalid value informed via the k8s key option : abc');
});
