import { expect, test } from 'vitest';
import { type SampleVersion, sampleCrd } from '../../test/support/index.ts';
import type { JsonObject } from '../base/index.ts';
import { checkCrdChange, describeFindings, readSwitches } from './index.ts';

/** A version whose spec has these fields. */
function version(name: string, properties: JsonObject, required: readonly string[] = []): SampleVersion {
  const spec = { type: 'object', properties, ...(required.length === 0 ? {} : { required: [...required] }) };
  return { name, schema: { type: 'object', properties: { spec } } };
}

/** What speaks against the change on a cluster that has no objects of it: the findings, a line each. */
async function findingsOf(
  before: JsonObject,
  after: JsonObject,
  annotations: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const read = async function* none(): AsyncGenerator<readonly JsonObject[]> {
    yield await Promise.resolve([]);
  };
  const change = { before, after };
  const switches = readSwitches(annotations);
  const findings = await checkCrdChange(change, { switches, read, deadlineMs: 60_000 });
  const prefix = 'validating upgrade for CRD "samples.samples.example.com": ';
  const lines = describeFindings(change, findings).split('\n');
  return lines.map((line) => line.replace(prefix, '')).filter((line) => line !== '');
}

const text = { type: 'string' };
const integer = { type: 'integer' };
const sized = version('v1', { size: integer });
const sizedCrd = sampleCrd([sized]);

test('RV-S1 another scope is refused', async () => {
  const after = sampleCrd([sized], { scope: 'Cluster' });
  await expect(findingsOf(sizedCrd, after)).resolves.toEqual(['scope: scope changed : "Namespaced" -> "Cluster"']);
});

test('RV-S2 a stored version that goes is refused', async () => {
  const before = sampleCrd([version('v1alpha1', {}), sized], { storedVersions: ['v1alpha1'] });
  const found = await findingsOf(before, sizedCrd);
  expect(found).toContain('storedVersionRemoval: stored versions removed : [v1alpha1]');
  await expect(findingsOf(sampleCrd([sized, version('v1alpha1', {})]), sizedCrd)).resolves.toEqual([]);
});

test('RV-S3 the removal of a field is refused once, however much its schema defined', async () => {
  const before = sampleCrd([version('v1', { size: { type: 'integer', minimum: 1, default: 3 }, mode: text })]);
  const found = await findingsOf(before, sampleCrd([version('v1', { mode: text })]));
  expect(found).toEqual(['existingFieldRemoval: removed field : v1.^.spec.size']);
});

test('RV-S4 one more value of an enumeration passes', async () => {
  const crd = (values: string[]) => sampleCrd([version('v1', { mode: { type: 'string', enum: values } })]);
  await expect(findingsOf(crd(['a']), crd(['a', 'b']))).resolves.toEqual([]);
});

test('RV-S5 an enumeration for a free field is refused', async () => {
  const before = sampleCrd([version('v1', { mode: text })]);
  const after = sampleCrd([version('v1', { mode: { ...text, enum: ['a'] } })]);
  await expect(findingsOf(before, after)).resolves.toEqual([
    'v1: ^.spec.mode: enum: enum constraint added when there was none previously : ["a"]',
  ]);
});

test('RV-S6, RV-S7 a new field passes while it is optional, and is refused when it is required', async () => {
  const fields = { mode: text, size: integer };
  const before = sampleCrd([version('v1', { mode: text })]);
  await expect(findingsOf(before, sampleCrd([version('v1', fields)]))).resolves.toEqual([]);
  await expect(findingsOf(before, sampleCrd([version('v1', fields, ['size'])]))).resolves.toEqual([
    'v1: ^.spec: required: new required fields: [size]',
  ]);
});

test('RV-S8 another description passes', async () => {
  const described = (description: string) => sampleCrd([version('v1', { mode: { ...text, description } })]);
  await expect(findingsOf(described('How it runs.'), described('How it is run.'))).resolves.toEqual([]);
});

test('RV-S9 a format that is added, changed or taken away is refused with both', async () => {
  const formatted = (format: JsonObject) => sampleCrd([version('v1', { mail: { ...text, ...format } })]);
  const [none, mail, date] = [formatted({}), formatted({ format: 'email' }), formatted({ format: 'date' })];
  const refused = (change: string) => [`v1: ^.spec.mail: unhandled: unhandled changes found (Format ${change})`];
  await expect(findingsOf(none, mail)).resolves.toEqual(refused('"" -> "email"'));
  await expect(findingsOf(mail, date)).resolves.toEqual(refused('"email" -> "date"'));
  await expect(findingsOf(mail, none)).resolves.toEqual(refused('"email" -> ""'));
});

test('RV-S10 without enforcement everything passes', async () => {
  const after = sampleCrd([version('v1', { other: text }, ['other'])], { scope: 'Cluster' });
  const off = { 'core.rukpak.io/safe-crd-upgrade-validation': 'false' };
  await expect(findingsOf(sizedCrd, after)).resolves.toHaveLength(3);
  await expect(findingsOf(sizedCrd, after, off)).resolves.toEqual([]);
});

test('RV-S12 what served versions have against each other counts once it is new', async () => {
  const differing = [sized, version('v2', { size: text })];
  const more = [sized, version('v2', { size: text, mode: text })];
  await expect(findingsOf(sampleCrd(differing), sampleCrd(more))).resolves.toEqual([]);
  await expect(findingsOf(sizedCrd, sampleCrd(differing))).resolves.toEqual([
    'v1 -> v2: ^.spec.size: type: type changed : "integer" -> "string"',
  ]);
  const converted = sampleCrd(differing, { conversion: { strategy: 'Webhook' } });
  await expect(findingsOf(sizedCrd, converted)).resolves.toEqual([]);
});

test('findings stand in the order of versions and paths, whatever order they were written in', async () => {
  const [v1, v2] = [version('v1', { b: text, a: text }), version('v2', { b: text, a: text })];
  const now = { a: integer, b: integer };
  const after = sampleCrd([version('v2', now), version('v1', now)], { conversion: { strategy: 'Webhook' } });
  const found = await findingsOf(sampleCrd([v2, v1]), after);
  const paths = found.map((line) => line.replace(/: type: .*/, ''));
  expect(paths).toEqual(['v1: ^.spec.a', 'v1: ^.spec.b', 'v2: ^.spec.a', 'v2: ^.spec.b']);
});
