import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseVersion } from '../../constraints/index.ts';
import type { CatalogPackage, Channel } from '../../resolver/index.ts';
import { createCatalogView } from '../read/catalog-view.ts';
import { readPackages } from '../read/packages.ts';
import { readCatalogFolder } from '../read/read-catalog.ts';
import { type OrderedMeta } from '../write/meta-spool.ts';
import { missingRequirements } from './missing.ts';
import { pruneDocument, prunePackage } from './prune.ts';
import { retainedEntries } from './prune-channel.ts';

const fixture = new URL('../../../test/fixtures/catalog', import.meta.url).pathname;
const read = (): Promise<ReadonlyMap<string, CatalogPackage>> => readPackages(readCatalogFolder(fixture));
const whole = { name: 'tide-gauge', channels: [], isHeadsOnly: false };

/** Why a channel is not valid, by the rules V13 to V16. */
function faultOf({ entries }: Channel): string | undefined {
  const names = new Set(entries.map(({ name }) => name));
  const skipped = new Set(entries.flatMap(({ skips }) => skips));
  const replaced = new Set(entries.map(({ replaces }) => replaces));
  const [head, ...others] = entries.filter(({ name }) => !skipped.has(name) && !replaced.has(name));
  if (head === undefined || others.length > 0) return 'heads';
  const chain = new Set<string>();
  for (let name: string | undefined = head.name; name !== undefined && names.has(name); ) {
    if (chain.has(name)) return 'cycle';
    chain.add(name);
    const next: string | undefined = entries.find((entry) => entry.name === name)?.replaces;
    name = next === undefined || skipped.has(next) ? undefined : next;
  }
  return entries.some(({ name }) => !chain.has(name) && !skipped.has(name)) ? 'stranded' : undefined;
}

test('whatever is kept of a valid channel, it stays valid', () => {
  const name = fc.integer({ min: 0, max: 6 }).map((index) => `v${index}`);
  const entry = fc.record({ replaces: fc.option(name, { nil: undefined }), skips: fc.array(name, { maxLength: 3 }) });
  const channel = fc
    .array(entry, { minLength: 1, maxLength: 6 })
    .map(
      (entries): Channel => ({
        name: 'c',
        entries: entries.map(({ replaces, skips }, index) => ({
          name: `v${index}`,
          skips,
          ...(replaces === undefined ? {} : { replaces }),
        })),
      }),
    )
    .filter((made) => faultOf(made) === undefined);
  fc.assert(
    fc.property(channel, fc.array(name, { maxLength: 3 }), (made, requested) => {
      const retained = retainedEntries(made, requested);
      const pruned = { ...made, entries: made.entries.filter((one) => retained.has(one.name)) };
      expect(faultOf(pruned)).toBeUndefined();
      const known = requested.filter((one) => made.entries.some((candidate) => candidate.name === one));
      expect(Array.from(retained)).toEqual(expect.arrayContaining(known));
      expect(retained.size).toBeLessThanOrEqual(made.entries.length);
    }),
    { numRuns: 300 },
  );
});

test('a channel of any length is pruned, by how much it may branch', { tags: 'long' }, () => {
  const count = 130_000;
  const chain = Array.from({ length: count }, (_, index) => ({
    name: `v${index}`,
    skips: [],
    ...(index === 0 ? {} : { replaces: `v${index - 1}` }),
  }));
  const heads = Array.from({ length: 20 }, (_, index) => ({
    name: `head${index}`,
    skips: [],
    replaces: `v${count - 1}`,
  }));
  const channel = { name: 'c', entries: [...chain, ...heads] };
  expect(retainedEntries(channel, ['v0']).size).toBe(count + heads.length);
});

describe('of a package', () => {
  const entriesOf = (retained: ReturnType<typeof prunePackage>): Record<string, readonly string[]> =>
    Object.fromEntries(Array.from(retained.channels, ([name, entries]) => [name, Array.from(entries).sort()]));

  test('everything is retained by default', async () => {
    const retained = prunePackage(await read(), whole);
    expect(retained.bundles.size).toBe(5);
    expect(retained.defaultChannel).toBe('stable');
  });

  test('heads alone are retained when nothing else is requested', async () => {
    const retained = prunePackage(await read(), { ...whole, isHeadsOnly: true });
    expect(entriesOf(retained)).toEqual({ candidate: ['tide-gauge.v2.0.0-rc.1'], stable: ['tide-gauge.v1.2.0'] });
  });

  test('a least version drops older bundles, and channels that end before it', async () => {
    const packages = await read();
    const retained = prunePackage(packages, { ...whole, minVersion: parseVersion('1.0.1') });
    expect(entriesOf(retained)).toMatchObject({
      stable: ['tide-gauge.v1.0.1', 'tide-gauge.v1.1.0', 'tide-gauge.v1.2.0'],
    });
    const late = prunePackage(packages, { ...whole, minVersion: parseVersion('2.0.0-rc.1') });
    expect(entriesOf(late)).toEqual({ candidate: ['tide-gauge.v2.0.0-rc.1'] });
    expect(late.defaultChannel).toBe('candidate');
    expect(() => prunePackage(packages, { ...whole, minVersion: parseVersion('3.0.0') })).toThrow(
      'package "tide-gauge" has no bundle of version 3.0.0 or later',
    );
  });

  test('what is not there is refused', async () => {
    const packages = await read();
    expect(() => prunePackage(packages, { ...whole, name: 'x' })).toThrow('package "x" not found');
    expect(() => prunePackage(packages, { ...whole, channels: ['x'] })).toThrow('channel "x" not found');
    expect(() => prunePackage(packages, { ...whole, channels: ['stable'], defaultChannel: 'candidate' })).toThrow(
      'the channel "candidate" cannot be the default: the retained channels are stable',
    );
  });
});

test('documents of what goes go, and deprecations of it', async () => {
  const packages = await read();
  const retained = new Map([['tide-gauge', prunePackage(packages, { ...whole, channels: ['candidate'] })]]);
  const prune = (schema: string, name: string, value: OrderedMeta['value']): unknown =>
    pruneDocument(retained, { schema, package: 'tide-gauge', name, value });
  const custom = { schema: 'my.schema', name: 'x', value: { a: 1 } };
  expect(prune('olm.package', 'tide-gauge', { defaultChannel: 'stable', icon: 1 })).toEqual({
    defaultChannel: 'candidate',
    icon: 1,
  });
  expect(prune('olm.channel', 'stable', {})).toBeUndefined();
  expect(prune('olm.channel', 'candidate', { entries: [{ name: 'tide-gauge.v1.1.0' }, { name: 'x' }] })).toEqual({
    entries: [{ name: 'tide-gauge.v1.1.0' }],
  });
  expect(prune('olm.bundle', 'tide-gauge.v1.0.0', {})).toBeUndefined();
  expect(prune('olm.bundle', 'tide-gauge.v1.1.0', { a: 1 })).toEqual({ a: 1 });
  const entry = (schema: string, name = ''): OrderedMeta['value'] => ({ reference: { schema, name } });
  const gone = [entry('olm.bundle', 'tide-gauge.v1.0.0'), entry('olm.channel', 'stable')];
  expect(prune('olm.deprecations', '', { entries: gone })).toBeUndefined();
  expect(prune('olm.deprecations', '', { entries: [...gone, entry('olm.package')] })).toEqual({
    entries: [entry('olm.package')],
  });
  expect(prune('my.schema', 'x', { a: 1 })).toEqual({ a: 1 });
  expect(pruneDocument(retained, { ...custom, package: 'tide-buoy' })).toBeUndefined();
  expect(pruneDocument(retained, { ...custom, package: '' })).toEqual({ a: 1 });
});

test('a requirement that is not retained is reported once, with the bundles that would meet it', async () => {
  const packages = await read();
  const view = createCatalogView({ name: 'c' }, packages);
  const retained = new Map([['tide-gauge', prunePackage(packages, whole)]]);
  expect(missingRequirements(view, retained)).toEqual([
    { bundle: 'tide-gauge.v1.1.0', description: 'package tide-buoy >=0.3.0', providers: ['tide-buoy'] },
    { bundle: 'tide-gauge.v1.2.0', description: 'API TideBuoy.v1.tide.example.com', providers: ['tide-buoy'] },
  ]);
  retained.set('tide-buoy', prunePackage(packages, { ...whole, name: 'tide-buoy' }));
  expect(missingRequirements(view, retained)).toEqual([]);
});
