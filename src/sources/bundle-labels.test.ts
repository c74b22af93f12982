import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultContentLimits, type JsonValue, parseYaml } from '../base/index.ts';
import { Staging } from '../content/index.ts';
import { addLabelledAnnotations, labelsOf, lacksAnnotations } from './bundle-labels.ts';

const prefix = 'operators.operatorframework.io.bundle';
const labels = {
  [`${prefix}.mediatype.v1`]: 'registry+v1',
  [`${prefix}.manifests.v1`]: 'manifests/',
  [`${prefix}.metadata.v1`]: 'metadata/',
  [`${prefix}.package.v1`]: 'labelled',
  [`${prefix}.channels.v1`]: 'stable,fast',
  [`${prefix}.channel.default.v1`]: 'stable',
};

let dir = '';
let count = 0;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-labels-'));
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

/** What `metadata/annotations.yaml` is after the labels were heard, if there is something to hear; undefined when there is none. */
async function filled(
  files: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, JsonValue>>,
): Promise<string | undefined> {
  await using staging = await Staging.create(join(dir, String(count++)), defaultContentLimits);
  const layer = staging.beginLayer('test');
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(text);
    layer.addFile(name, { sizeBytes: bytes.length, isExecutable: false })(bytes);
  }
  const wants = await lacksAnnotations(staging);
  const before = textOf(staging);
  await addLabelledAnnotations(staging, labelsOf({ config: { Labels: labels } }));
  if (!wants) await expect(textOf(staging)).resolves.toBe(await before);
  return await textOf(staging);
}

async function textOf(staging: Staging): Promise<string | undefined> {
  const node = staging.tree.get(['metadata', 'annotations.yaml']);
  return node?.kind === 'file' ? (await staging.readFile('x', node, 1_000_000)).toString() : undefined;
}

const manifests = { 'manifests/csv.yaml': 'kind: ClusterServiceVersion' };
const withFile = (text: string): Record<string, string> => ({ ...manifests, 'metadata/annotations.yaml': text });
const read = (text = ''): JsonValue => parseYaml('annotations.yaml', text);

test('a bundle without annotations.yaml gets all labels about bundles, and no others', async () => {
  const found = await filled(manifests, { ...labels, 'io.buildah.version': '1.40', vendor: 'Acme' });
  expect(read(found)).toEqual({ annotations: labels });
});

test('entries of the file stay, and missing ones come from the labels', async () => {
  const own = `annotations:\n  ${prefix}.package.v1: filed\n  com.redhat.openshift.versions: v4.12\n`;
  expect(read(await filled(withFile(own), labels))).toEqual({
    annotations: { ...labels, [`${prefix}.package.v1`]: 'filed', 'com.redhat.openshift.versions': 'v4.12' },
  });
});

test('a complete file is not changed', async () => {
  const own = JSON.stringify({ annotations: { ...labels, [`${prefix}.package.v1`]: '' } });
  await expect(filled(withFile(own), labels)).resolves.toBe(own);
});

test.each([
  ['that is no YAML', 'annotations: {'],
  ['that is a list', '- a'],
  ['whose annotations are a list', 'annotations: []'],
  ['that belongs to another format', `annotations:\n  ${prefix}.mediatype.v1: plain+v0\n`],
])('a file %s stays as it is', async (_what, text) => {
  await expect(filled(withFile(text), labels)).resolves.toBe(text);
});

test.each<[string, Record<string, string>, Record<string, JsonValue>]>([
  ['that do not mention bundles', manifests, { vendor: 'Acme' }],
  ['of another format', manifests, { ...labels, [`${prefix}.mediatype.v1`]: 'plain+v0' }],
  ['of an image without manifests', { 'app/main.js': '' }, labels],
  ['where metadata is a file', { ...manifests, metadata: '' }, labels],
  [
    'that are no texts, or longer than any name',
    manifests,
    { [`${prefix}.package.v1`]: 7, [`${prefix}.channels.v1`]: 'x'.repeat(5000) },
  ],
])('labels %s add nothing', async (_what, files, labels) => {
  await expect(filled(files, labels)).resolves.toBeUndefined();
});

test('a configuration without labels has none', () => {
  for (const config of [{}, { config: null }, { config: { Labels: null } }, { config: { Labels: ['a'] } }]) {
    expect(labelsOf(config).size).toBe(0);
  }
});
