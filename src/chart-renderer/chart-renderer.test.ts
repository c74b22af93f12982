import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { helmForTests } from '../../test/clients/helm-program.ts';
import { fileEntries, tarFile } from '../../test/support/index.ts';
import { errorMessage, type JsonObject } from '../base/index.ts';
import { type ChartRenderer, formatOf, type Rendered } from '../formats/index.ts';
import { createChartRenderer } from './index.ts';

const { path: helmPath, why } = await helmForTests();
type Files = Readonly<Record<string, string | Buffer>>;
const chartYaml = 'apiVersion: v2\nname: hostile\nversion: 1.0.0\n';
const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';

let folder = '';
let runs = 0;
let charts: ChartRenderer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-charts-'));
  // A chart may be refused before there is anything to make a file of.
  await mkdir(join(folder, 'temporary'));
  charts = createChartRenderer({
    program: helmPath,
    searchPath: process.env['PATH'] ?? '',
    temporaryDir: join(folder, 'temporary'),
    limits: { processorSeconds: 3, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 },
    cache: { dir: join(folder, 'cache'), key: Buffer.alloc(32) },
    onRender: () => {
      runs += 1;
    },
  });
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function render(files: Files, config: JsonObject = {}, apiVersions: readonly string[] = []): Promise<Rendered> {
  const reader = formatOf('core-rukpak-io-helm').begin('');
  for (const [name, text] of Object.entries({ 'Chart.yaml': chartYaml, ...files })) {
    reader.add('', { kind: 'file', name, content: Buffer.from(text) });
  }
  const cluster = { certificateProviders: [], kubeVersion: 'v1.33.1', apiVersions };
  const release = { name: 'r', namespace: 'n', isUpgrade: false, valuesFrom: [] };
  const content = reader.finish(new Set());
  return await content.render({ config, cluster, release }, { charts, signal: AbortSignal.timeout(60_000) });
}

async function problemOf(files: Files, config?: JsonObject): Promise<string> {
  try {
    await render(files, config);
  } catch (thrown) {
    return errorMessage(thrown);
  }
  throw new Error('expected a failure, and there was none');
}

function packed(files: Files): Buffer {
  const texts = Object.fromEntries(Object.entries(files).map(([path, text]) => [`x/${path}`, String(text)]));
  return gzipSync(tarFile(fileEntries(texts)));
}

const bomb = '{{- define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}';
const loop = '{{- range $i := until 2000000000 }}{{ end }}';
const endless = '{{- range $i := untilStep 0 1000000000 1 }}{{ end }}';
const giant = `${map}data:\n  a: {{ repeat 4000000 "x" }}\n`;
const grown = '{{- $x := "xxxxxxxx" }}{{- range $i := until 40 }}{{- $x = cat $x $x }}{{- end }}';
const remote = JSON.stringify({ properties: { a: { $ref: 'https://example.com/schema.json' } } });
const localFile = JSON.stringify({ properties: { a: { $ref: 'file:///etc/passwd' } } });

describe.skipIf(why !== '')(`helm${why}`, () => {
  test.each([
    {
      name: 'includes itself',
      files: { 'templates/a.yaml': bomb },
      text: /error calling include: rendering template has a nested reference name: a: unable to execute template/,
    },
    { name: 'ranges over too much', files: { 'templates/a.yaml': loop }, text: /memory|processor time/ },
    { name: 'ranges for too long', files: { 'templates/a.yaml': endless }, text: /memory|processor time/ },
    { name: 'renders to too much', files: { 'templates/a.yaml': giant }, text: /renders to more than 1 MiB/ },
    { name: 'needs too much memory', files: { 'templates/a.yaml': grown }, text: /memory|processor time/ },
    { name: 'fails', files: { 'templates/a.yaml': '{{ fail "set a password" }}' }, text: /set a password/ },
    {
      name: 'is no YAML',
      files: { 'templates/a.yaml': 'a: [' },
      text: /YAML parse error on hostile\/templates\/a.yaml/,
    },
    { name: 'makes no object', files: { 'templates/a.yaml': 'a: 1\n' }, text: /Object 'Kind' is missing/ },
    { name: 'fetches a schema', files: { 'values.schema.json': remote }, text: /nothing is fetched while a chart/ },
    { name: 'reads a file as a schema', files: { 'values.schema.json': localFile }, text: /nothing is fetched/ },
    {
      name: 'hides a schema in a dependency',
      files: { 'charts/x.tgz': packed({ 'Chart.yaml': chartYaml, 'values.schema.json': remote }) },
      text: /charts\/x\.tgz\/values\.schema\.json: refers to/,
    },
    {
      name: 'has a file as the dialect of its schema',
      files: { 'values.schema.json': JSON.stringify({ $schema: 'file:///etc/passwd' }) },
      text: /nothing is fetched/,
    },
    {
      name: 'hides a schema in a dependency that has another one of that path',
      files: {
        'charts/x.tgz': packed({ 'Chart.yaml': chartYaml, 'values.schema.json': '{}', './values.schema.json': remote }),
      },
      text: /charts\/x\.tgz\/values\.schema\.json: refers to/,
    },
    { name: 'contains what is no archive', files: { 'charts/x.tgz': 'text' }, text: /charts\/x\.tgz: is no archive/ },
    {
      name: 'unpacks to too much',
      files: { 'charts/x.tgz': gzipSync(Buffer.alloc(120 * 1024 * 1024)) },
      text: /charts\/x\.tgz: with it the chart unpacks to more than the limit of 104857600 bytes/,
    },
    {
      name: 'is packed with a path that leads out of it',
      files: { 'charts/x.tgz': packed({ 'Chart.yaml': chartYaml, '../../../x': 'x' }) },
      text: /charts\/x\.tgz: is no archive that can be read: "x\/\.\..*": paths with "\.\." are not accepted/,
    },
    { name: 'has a path that leads out of it', files: { '../../x.yaml': map }, text: /leads out of the chart/ },
    {
      name: 'is a library',
      files: { 'Chart.yaml': `${chartYaml}type: library\n` },
      text: /library charts are not installable/,
    },
    {
      name: 'has no version',
      files: { 'Chart.yaml': 'apiVersion: v2\nname: a\n' },
      text: /validation: chart.metadata.version is required/,
    },
    {
      name: 'needs another Kubernetes',
      files: { 'Chart.yaml': `${chartYaml}kubeVersion: ">=1.99.0"\n` },
      text: /kubeVersion: >=1.99.0/,
    },
  ] as readonly { readonly name: string; readonly files: Files; readonly text: RegExp }[])(
    'a chart that $name is refused',
    async ({ files, text }) => {
      expect(await problemOf(files)).toMatch(text);
      expect(await readdir(join(folder, 'temporary'))).toEqual([]);
    },
  );

  test('values of 10 MiB are refused', async () => {
    const values = { a: 'x'.repeat(10 * 1024 * 1024) };
    expect(await problemOf({ 'templates/a.yaml': map }, { values })).toMatch(/more than the limit of 4194304 bytes/);
  });

  test('symbolic links are refused, except those of documents', () => {
    const reader = formatOf('core-rukpak-io-helm').begin('');
    reader.add('', { kind: 'file', name: 'Chart.yaml', content: Buffer.from(chartYaml) });
    reader.addLink?.('README.md');
    expect(reader.finish(new Set()).version).toBe('1.0.0');
    reader.addLink?.('templates/secret.yaml');
    expect(() => reader.finish(new Set())).toThrow(
      'templates/secret.yaml: is a symbolic link: expected the file itself',
    );
  });

  test('sees nothing of this process and of the cluster', async () => {
    const text = `${map}data:
  found: {{ lookup "v1" "Secret" "" "" | toJson | quote }}
  host: {{ getHostByName "example.com" | quote }}
  file: {{ .Files.Get "/etc/passwd" | quote }}
  outside: {{ .Files.Get "../../values-0.yaml" | quote }}
`;
    const { objects } = await render({ 'templates/a.yaml': text });
    expect(objects[0]?.['data']).toEqual({ found: '{}', host: '', file: '', outside: '' });
  });

  test('knows the version and the APIs of the cluster', async () => {
    const text = `${map}data:
  version: {{ .Capabilities.KubeVersion.Version }}
  widget: {{ .Capabilities.APIVersions.Has "example.com/v1/Widget" | quote }}
  gadget: {{ .Capabilities.APIVersions.Has "example.com/v1/Gadget" | quote }}
`;
    const { objects } = await render({ 'templates/a.yaml': text }, {}, ['example.com/v1', 'example.com/v1/Widget']);
    expect(objects[0]?.['data']).toEqual({ version: 'v1.33.1', widget: 'true', gadget: 'false' });
  });

  test('is run once for the same chart and values, whatever the cluster has that the chart does not name', async () => {
    const files = { 'templates/a.yaml': `${map}data: {a: {{ .Values.a | default "b" }}}\n` };
    const before = runs;
    const first = await render(files);
    expect(await render(files, {}, ['other.example.com/v1'])).toEqual(first);
    expect(runs).toBe(before + 1);
    await render(files, { values: { a: 'c' } });
    expect(runs).toBe(before + 2);
  });

  test('random charts are known as unsteady, others are not', async () => {
    const steady = await render({ 'templates/a.yaml': map, 'README.md': '{{ randAlpha 5 }}' });
    expect(steady.isUnsteady).toBe(false);
    const random = await render({ 'templates/a.yaml': `${map}data: {a: {{ randAlpha 5 }}}\n` });
    expect(random.isUnsteady).toBe(true);
  });
});

test.each([
  { program: '/nonexistent/helm', text: 'there is none at /nonexistent/helm: set --helm' },
  { program: 'no-such-helm', text: 'no-such-helm, which was not found where Longshore runs: install Helm 3 or 4' },
  { program: '/bin/true', text: '/bin/true: expected helm from version 3.10 to 4.x, found no version' },
  { program: '/bin/false', text: '/bin/false version: ended with status 1' },
])('without helm at $program it is reported what to do', async ({ program, text }) => {
  const temporaryDir = join(folder, 'none');
  const renderer = createChartRenderer({ program, searchPath: '/usr/bin:/bin', temporaryDir });
  const release = { name: 'r', namespace: 'n', isUpgrade: false, valuesFrom: [] };
  const request = { files: [], release, values: [], kubeVersion: '', apiVersions: [], key: 'sha256:0' };
  await expect(renderer.render(request, { signal: AbortSignal.timeout(10_000) })).rejects.toMatchObject({
    reason: 'HelmUnavailable',
    message: expect.stringContaining(text) as string,
  });
});
