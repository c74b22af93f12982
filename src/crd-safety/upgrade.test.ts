import { expect, test } from 'vitest';
import { sampleCrd } from '../../test/support/index.ts';
import { type JsonObject, TransientError } from '../base/index.ts';
import { checkCrdChange, describeFindings, type ReadObjects, readSwitches, type SafetyOptions } from './index.ts';

const name = 'samples.samples.example.com';
const wrapped = `error validating existing CRs against new CRD's schema for "${name}": `;

function schema(required: string[] = [], sampleProperty: JsonObject = { type: 'string' }): JsonObject {
  const spec = { type: 'object', properties: { sampleProperty }, ...(required.length === 0 ? {} : { required }) };
  return { type: 'object', properties: { spec } };
}

function objects(count: number, spec: JsonObject = {}): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: 'samples.example.com/v1alpha1',
    kind: 'Sample',
    metadata: { name: `s${index}`, namespace: 'default' },
    spec,
  }));
}

interface Reading {
  readonly read: ReadObjects;
  readonly versions: string[];
}

function reading(found: readonly JsonObject[]): Reading {
  const versions: string[] = [];
  return {
    versions,
    read: async function* pages({ apiVersion }) {
      versions.push(apiVersion);
      for (let start = 0; start < found.length; start += 4) {
        yield await Promise.resolve(found.slice(start, start + 4).map((object) => ({ ...object, apiVersion })));
      }
    },
  };
}

async function textsFor(
  before: JsonObject,
  after: JsonObject,
  options: Partial<SafetyOptions> = {},
): Promise<{ text: string; checks: string[] }> {
  const change = { before, after };
  const defaults = { switches: readSwitches(), read: reading([]).read, deadlineMs: 10_000 };
  const findings = await checkCrdChange(change, { ...defaults, ...options });
  return { text: describeFindings(change, findings), checks: findings.map(({ check }) => check) };
}

const v1alpha1 = { name: 'v1alpha1', schema: schema() };

test('C7 a version that is added with the same schema passes', async () => {
  const after = sampleCrd([v1alpha1, { ...v1alpha1, name: 'v1alpha2' }]);
  const { read, versions } = reading(objects(1));
  expect(await textsFor(sampleCrd([v1alpha1]), after, { read })).toEqual({ text: '', checks: [] });
  expect(versions).toEqual(['samples.example.com/v1alpha1']);
});

test('C8 a removed stored version is named', async () => {
  const after = sampleCrd([{ ...v1alpha1, name: 'v1alpha2' }]);
  const { text } = await textsFor(sampleCrd([v1alpha1]), after, { read: reading(objects(1)).read });
  expect(text.split('\n')).toEqual([
    `${wrapped}cannot remove stored versions [v1alpha1]`,
    `validating upgrade for CRD "${name}": storedVersionRemoval: stored versions removed : [v1alpha1]`,
  ]);
});

test('C9 an object that lacks a newly required field is named', async () => {
  const after = sampleCrd([{ ...v1alpha1, schema: schema(['sampleProperty']) }]);
  const { text, checks } = await textsFor(sampleCrd([v1alpha1]), after, { read: reading(objects(1)).read });
  expect(text).toBe(
    `${wrapped}existing custom object default/s0 failed validation for new schema version v1alpha1: spec.sampleProperty: Required value\n` +
      `validating upgrade for CRD "${name}": v1alpha1: ^.spec: required: new required fields: [sampleProperty]`,
  );
  expect(checks).toEqual(['existingObjects', 'required']);
});

test('an unnamed stored version is at risk, and a CRD without versions is not a CRD', async () => {
  const before = sampleCrd([v1alpha1], { storedVersions: ['v1alpha1', 'v0'] });
  const changed = { ...v1alpha1, schema: schema([], { type: 'string', description: 'new' }) };
  expect((await textsFor(before, sampleCrd([changed]))).text).toBe(
    `risk of data loss updating "${name}": new CRD removes version v0 that is listed as a stored version on the existing CRD\n` +
      `validating upgrade for CRD "${name}": storedVersionRemoval: stored versions removed : [v0]`,
  );
  expect((await textsFor(before, sampleCrd([]))).text).toContain('could not find any versions in the new CRD');
});

test('several errors of one object are in brackets; of many objects the first ten are shown, and all are counted', async () => {
  const strict = schema(['sampleProperty', 'other']);
  const { text } = await textsFor(sampleCrd([v1alpha1]), sampleCrd([{ ...v1alpha1, schema: strict }]), {
    read: reading([...objects(25), ...objects(5, { sampleProperty: 'a', other: 'b' })]).read,
    switches: readSwitches({ 'core.rukpak.io/crd-safety-ignore': 'required' }),
  });
  const lines = text.split('\n');
  expect(lines[0]).toContain(': [spec.sampleProperty: Required value, spec.other: Required value]');
  expect(lines.length).toBe(11);
  expect(lines[10]).toBe('25 of 30 objects fail, the first are shown');
});

test('an object of the cluster as a whole has no namespace in its name', async () => {
  const [object = {}] = objects(1);
  const read = reading([{ ...object, metadata: { name: 'one' } }]).read;
  const after = sampleCrd([{ ...v1alpha1, schema: schema(['sampleProperty']) }]);
  expect((await textsFor(sampleCrd([v1alpha1]), after, { read })).text).toContain('existing custom object /one failed');
});

test('a required field with a default is missing in no object', async () => {
  const after = sampleCrd([{ ...v1alpha1, schema: schema(['sampleProperty'], { type: 'string', default: 'x' }) }]);
  const { checks } = await textsFor(sampleCrd([v1alpha1]), after, { read: reading(objects(1)).read });
  expect(checks).toEqual(['required', 'default']);
});

test('objects must satisfy an added version, unless a webhook converts them', async () => {
  const strict = { name: 'v1', schema: schema(['sampleProperty']) };
  const { read } = reading(objects(1));
  const switches = readSwitches({ 'core.rukpak.io/crd-safety-ignore': 'required' });
  const before = sampleCrd([v1alpha1]);
  const { text } = await textsFor(before, sampleCrd([v1alpha1, strict]), { read, switches });
  expect(text).toBe(
    `${wrapped}existing custom object default/s0 failed validation for new schema version v1: spec.sampleProperty: Required value`,
  );
  const converted = sampleCrd([v1alpha1, strict], { conversion: { strategy: 'Webhook' } });
  expect(await textsFor(before, converted, { read })).toEqual({ text: '', checks: [] });
});

test('versions that are served side by side are compared, existing differences do not count', async () => {
  const v1 = { name: 'v1', schema: schema(['sampleProperty']) };
  const found = await textsFor(sampleCrd([v1alpha1]), sampleCrd([v1, v1alpha1], { storedVersions: ['v1alpha1'] }));
  expect(found.text).toBe(
    `validating upgrade for CRD "${name}": v1alpha1 -> v1: ^.spec: required: new required fields: [sampleProperty]`,
  );
  const more = { name: 'v2', schema: v1.schema };
  expect((await textsFor(sampleCrd([v1alpha1, v1]), sampleCrd([v1alpha1, v1, more]))).text).toBe(
    `validating upgrade for CRD "${name}": v1alpha1 -> v2: ^.spec: required: new required fields: [sampleProperty]`,
  );
});

test('an unrealistic number of versions is not compared, and that is reported once', async () => {
  const many = (count: number) =>
    sampleCrd([v1alpha1, ...Array.from({ length: count }, (_, index) => ({ ...v1alpha1, name: `v${index + 1}` }))]);
  expect((await textsFor(many(31), many(39))).text).toBe(
    `validating upgrade for CRD "${name}": unhandled: 40 versions are served, at most 32 are compared with each other`,
  );
});

test('the scope stays', async () => {
  const after = sampleCrd([v1alpha1], { scope: 'Cluster' });
  expect((await textsFor(sampleCrd([v1alpha1]), after)).text).toBe(
    `validating upgrade for CRD "${name}": scope: scope changed : "Namespaced" -> "Cluster"`,
  );
});

test('nothing is read when the spec stays the same, only words change, or no object can exist', async () => {
  const { read, versions } = reading(objects(1));
  await textsFor(sampleCrd([v1alpha1]), sampleCrd([v1alpha1], { metadata: { labels: { a: 'b' } } }), { read });
  const described = { ...v1alpha1, schema: { ...schema(), description: 'another text' } };
  expect(await textsFor(sampleCrd([v1alpha1]), sampleCrd([described]), { read })).toEqual({ text: '', checks: [] });
  const unused = { ...sampleCrd([v1alpha1]), status: { storedVersions: ['v1alpha1'] } };
  await textsFor(unused, sampleCrd([{ ...v1alpha1, schema: schema(['sampleProperty']) }]), { read });
  expect(versions).toEqual([]);
});

test('each check is off when an annotation of any annotated object names it, all are when validation is "false"', async () => {
  const [before, after] = [sampleCrd([v1alpha1]), sampleCrd([{ ...v1alpha1, schema: schema(['sampleProperty']) }])];
  const { read, versions } = reading(objects(1));
  const ignore = (names: string) => ({ 'core.rukpak.io/crd-safety-ignore': names });
  const checksWith = async (...bearers: (Record<string, string> | undefined)[]) =>
    (await textsFor(before, after, { read, switches: readSwitches(...bearers) })).checks;
  expect(await checksWith(ignore('required'), undefined)).toEqual(['existingObjects']);
  expect(versions.length).toBe(1);
  expect(await checksWith(ignore('required'), ignore(' existingObjects , '))).toEqual([]);
  expect(await checksWith({ 'core.rukpak.io/safe-crd-upgrade-validation': 'false' })).toEqual([]);
  expect(await checksWith({ 'core.rukpak.io/safe-crd-upgrade-validation': 'no' })).toHaveLength(2);
  expect(versions.length).toBe(2);
});

test('an unknown check is reported with the names of all, in warnings no longer than the API server allows', () => {
  const { warnings } = readSwitches({ 'core.rukpak.io/crd-safety-ignore': `required,Required,${'x'.repeat(500)}` });
  expect(warnings[0]).toBe('annotation core.rukpak.io/crd-safety-ignore: there is no check "Required"');
  expect(warnings.at(-1)).toContain('the checks are storedVersionRemoval, existingObjects, scope');
  expect(Math.max(...warnings.map(({ length }) => length))).toBeLessThanOrEqual(256);
});

test('a restored definition is held to stored data alone', async () => {
  const [before, after] = [sampleCrd([{ ...v1alpha1, schema: schema([], { type: 'string' }) }]), sampleCrd([v1alpha1])];
  const more = { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } };
  const wide = sampleCrd([{ ...v1alpha1, schema: more }]);
  expect((await textsFor(wide, after, { isRestored: true })).checks).toEqual([]);
  expect((await textsFor(wide, after)).checks).toEqual(['existingFieldRemoval']);
  const strict = sampleCrd([{ ...v1alpha1, schema: schema(['sampleProperty']) }]);
  const { read } = reading(objects(1));
  expect((await textsFor(before, strict, { isRestored: true, read })).checks).toEqual(['existingObjects']);
});

test('objects that cannot be read, or not in time, count as a finding', async () => {
  const [before, after] = [sampleCrd([v1alpha1]), sampleCrd([{ ...v1alpha1, schema: schema(['sampleProperty']) }])];
  const failing: ReadObjects = async function* pages() {
    yield await Promise.resolve(objects(1));
    throw new TransientError('Overloaded', 'the server is overloaded');
  };
  const what = 'error listing objects for samples.example.com/v1alpha1, Kind=Sample: ';
  expect((await textsFor(before, after, { read: failing })).text).toContain(`${what}the server is overloaded`);
  const stalling: ReadObjects = async function* pages(_target, { signal }) {
    yield await Promise.resolve(objects(3));
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  const late = await textsFor(before, after, { read: stalling, deadlineMs: 20 });
  expect(late.text).toContain(`${what}no more than 3 could be read within 0.02 s`);
  const stop = new AbortController();
  const stopped = textsFor(before, after, { read: stalling, signal: stop.signal });
  stop.abort(new Error('stopping'));
  await expect(stopped).rejects.toThrow('stopping');
});

test('objects that their webhook fails to convert block nothing, those read before do', async () => {
  const conversion = { strategy: 'Webhook' };
  const before = sampleCrd([v1alpha1], { conversion });
  const after = sampleCrd([{ ...v1alpha1, schema: schema(['sampleProperty']) }], { conversion });
  const failingAfter = (count: number): ReadObjects =>
    async function* pages() {
      yield await Promise.resolve(objects(count));
      throw new TransientError('Http500', 'conversion webhook for Sample failed');
    };
  expect((await textsFor(before, after, { read: failingAfter(0) })).checks).toEqual(['required']);
  expect((await textsFor(before, after, { read: failingAfter(1) })).checks).toEqual(['existingObjects', 'required']);
  const alike = await textsFor(sampleCrd([v1alpha1]), after, { read: failingAfter(0) });
  expect(alike.text).toContain('conversion webhook for Sample failed');
});

test.each<[string, JsonObject]>([
  ['no spec', { metadata: { name } }],
  ['versions of another form', { metadata: { name }, spec: { versions: ['v1'] } }],
  [
    'a schema of another form',
    { metadata: { name }, spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: [] } }] } },
  ],
])('%s is not a CRD', async (_name, after) => {
  await expect(textsFor(sampleCrd([v1alpha1]), after)).rejects.toThrow(`failed to decode CRD "${name}": expected `);
});

test('a schema with regular expressions that are too large is reported, not compiled', async () => {
  const large = schema([], { type: 'string', pattern: 'a{0,1000}'.repeat(300) });
  const { read } = reading(objects(1, { sampleProperty: 'a' }));
  const { text } = await textsFor(sampleCrd([v1alpha1]), sampleCrd([{ ...v1alpha1, schema: large }]), { read });
  expect(text).toContain('error creating validator for the schema of version "v1alpha1": openAPIV3Schema');
  expect(text).toContain('expression too large');
});
