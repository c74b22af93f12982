import { expect, test } from 'vitest';
import { parseVersion } from '../../constraints/index.ts';
import type { ModelBundle, ModelChannel, ModelPackage } from './model.ts';
import { modelFaults } from './model-faults.ts';
import type { BundleRecord } from './record.ts';
import { findingTree } from './tree.ts';

const place = { file: 'catalog.yaml', line: 1 };

function record(change: Partial<BundleRecord> = {}): BundleRecord {
  const version = parseVersion('1.0.0');
  const whole = { hasImage: true, hasObjects: false, packageProperties: 1, isBroken: false, faults: [] };
  return { name: 'b', packageName: 'p', place, version, release: '', ...whole, ...change };
}

function bundle(change: Partial<ModelBundle> = {}): ModelBundle {
  const entry = { name: change.name ?? 'b', skips: [] };
  return { name: 'b', packageName: 'p', channelName: 'c', entry, record: record(), ...change };
}

function channel(change: Partial<ModelChannel> = {}): ModelChannel {
  const bundles = new Map([['b', bundle()]]);
  return { name: 'c', packageName: 'p', bundles, place, isBroken: false, isAssumed: false, ...change };
}

function model(change: Partial<ModelPackage> = {}): ModelPackage {
  return { name: 'p', defaultChannel: 'c', channels: new Map([['c', channel()]]), place, isBroken: false, ...change };
}

const withChannel = (change: Partial<ModelChannel>, key = 'c'): ModelPackage =>
  model({ channels: new Map([[key, channel(change)]]), defaultChannel: key });
const withBundle = (change: Partial<ModelBundle>, key = 'b'): ModelPackage =>
  withChannel({ bundles: new Map([[key, bundle(change)]]) });

const rows: readonly {
  readonly rule: string;
  readonly of: ModelPackage;
  readonly key?: string;
  readonly texts: readonly string[];
}[] = [
  { rule: 'V1', of: model(), key: 'q', texts: ['package key "q" does not match package name "p"'] },
  { rule: 'V2', of: model({ name: '' }), key: '', texts: ['package name must not be empty'] },
  { rule: 'V5', of: model({ defaultChannel: 'd' }), texts: ['default channel "d" not found in channels list'] },
  { rule: 'V8', of: withChannel({}, 'd'), texts: ['channel key "d" does not match channel name "c"'] },
  {
    rule: 'V8',
    of: withChannel({ packageName: 'q', bundles: new Map([['b', bundle({ packageName: 'q' })]]) }),
    texts: ['channel "c" not correctly linked to parent package'],
  },
  { rule: 'V9', of: withChannel({ packageName: '' }), texts: ['package must be set'] },
  {
    rule: 'V9',
    of: withChannel({ name: '', bundles: new Map([['b', bundle({ channelName: '' })]]) }, ''),
    texts: ['channel name must not be empty'],
  },
  { rule: 'V11', of: withBundle({}, 'x'), texts: ['bundle key "x" does not match bundle name "b"'] },
  { rule: 'V11', of: withBundle({ channelName: 'd' }), texts: ['bundle "b" not correctly linked to parent channel'] },
  {
    rule: 'V17',
    of: withBundle({ name: '', channelName: '', packageName: '' }, ''),
    texts: ['name must be set', 'channel must be set', 'package must be set'],
  },
  { rule: 'V17', of: withBundle({ packageName: 'q' }), texts: ["package does not match channel's package"] },
  {
    rule: 'V21',
    of: withBundle({ record: record({ packageProperties: 2 }) }),
    texts: ['must be exactly one property with type "olm.package"'],
  },
];

test.each(rows)('CR-$rule a model that contradicts itself is reported: $texts.0', ({ rule, of, key = 'p', texts }) => {
  const found = [...modelFaults([[key, of]])].filter((one) => one.rule === rule);
  expect(found.map(({ message }) => message)).toEqual(texts);
});

test('a model that is whole has no faults, and no tree', () => {
  expect([...modelFaults([['p', model()]])]).toEqual([]);
  expect(findingTree([])).toBe('');
});
