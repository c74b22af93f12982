import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseYamlDocuments } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { helmForTests } from '../clients/helm-program.ts';
import { helloWorld } from './charts.ts';
import type { Files } from './contents.ts';
import { type Printed, runLongshore, writeFolder } from './program.ts';

const { path: helmPath, why } = await helmForTests();
const schema = JSON.stringify({ properties: { replicaCount: { type: 'integer' } } });
const job = `apiVersion: batch/v1
kind: Job
metadata: {name: {{ .Release.Name }}-check, annotations: {helm.sh/hook: post-install}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "example.com/check:1"}]}}}
`;

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-chart-test-'));
  const files = helloWorld({ 'templates/check.yaml': job, 'values.schema.json': schema });
  await writeFolder(join(dir, 'hello'), files);
  await writeFolder(dir, { 'two.yaml': 'replicaCount: 2\n', 'wrong.yaml': 'replicaCount: "two"\n' });
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

function run(command: string, ...args: readonly string[]): Promise<Printed> {
  return runLongshore(['bundle', command, ...args, '--helm', helmPath], { cwd: dir });
}

async function chart(name: string, files: Files): Promise<string> {
  return await writeFolder(join(dir, name), files);
}

describe.skipIf(why !== '')(`commands for charts${why}`, () => {
  test('render prints the objects and the hooks of a release', async () => {
    const { code, stdout } = await run('render', 'hello', '--release', 'ahoy', '-f', 'two.yaml');
    expect(code).toBe(0);
    const objects = parseYamlDocuments('output', stdout) as unknown as KubeObject[];
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name ?? ''}`)).toEqual([
      'Service ahoy-hello-world',
      'Deployment ahoy-hello-world',
      'Job ahoy-check',
    ]);
    expect(objects[1]).toMatchObject({ spec: { replicas: 2 } });
  });

  test('render reports the place of a value that does not fit', async () => {
    const { code, stderr } = await run('render', 'hello', '-f', 'wrong.yaml');
    expect(code).toBe(2);
    expect(stderr).toContain("at '/replicaCount': got string, want integer (wrong.yaml:1:1)");
  });

  test('explain describes the chart, its hooks, images and objects', async () => {
    const { code, stdout } = await run('explain', 'hello');
    expect(code).toBe(0);
    expect(stdout).toContain('hello-world 0.1.0, of hello-world 1.16.0');
    expect(stdout).toContain('Job hello-world-check: post-install (weight 0)');
    expect(stdout).toContain('nginx:1.16.0');
  });

  test('inspect names the format', async () => {
    const { stdout } = await runLongshore(['bundle', 'inspect', 'hello'], { cwd: dir });
    expect(stdout).toContain('format: helm+v3');
  });

  test.each([
    { name: 'nothing wrong', files: {}, status: 0, text: 'info HELM02 icon is recommended' },
    {
      name: 'a template that fails',
      files: { 'templates/fail.yaml': '{{ fail "no password is given" }}' },
      status: 1,
      text: 'no password is given',
    },
    {
      name: 'a misspelt field',
      files: { 'templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndate: {}\n' },
      status: 0,
      text: 'warning HELM05 ConfigMap a: unknown field "date"',
    },
    {
      name: 'two objects of one name',
      files: { 'templates/again.yaml': helloWorld()['templates/service.yaml'] ?? '' },
      status: 1,
      text: 'error HELM06 v1 Service /hello-world-hello-world is defined more than once',
    },
    {
      name: 'a dependency that it does not contain',
      files: {
        'Chart.yaml':
          'apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies: [{name: db, version: ^1.0.0, repository: https://charts.example.com}]\n',
      },
      status: 1,
      text: 'missing in charts/ directory: "db" (version ^1.0.0 of https://charts.example.com): nothing is fetched for a chart',
    },
  ])('validate of a chart with $name', async ({ name, files, status, text }) => {
    const path = await chart(name.replaceAll(' ', '-'), helloWorld(files as Files));
    const printed = await run('validate', path);
    expect(printed.stdout).toContain(text);
    expect(printed.code).toBe(status);
  });
});
