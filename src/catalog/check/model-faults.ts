import { errorMessage, goQuote } from '../../base/index.ts';
import { compareVersions, formatVersion, parseVersionRange } from '../../constraints/index.ts';
import type { MetaPlace } from '../meta.ts';
import { channelFault } from './channel-graph.ts';
import type { CatalogFinding, CatalogRule } from './finding.ts';
import type { ModelBundle, ModelChannel, ModelDeprecation, ModelPackage } from './model.ts';

/** The message, and where; which part of the model it is about is known outside. */
interface Fault {
  readonly rule: CatalogRule;
  readonly message: string;
  readonly place?: MetaPlace;
  readonly advice?: string;
}

function* deprecationFaults(rule: CatalogRule, deprecation: ModelDeprecation | undefined): Iterable<Fault> {
  if (deprecation?.message !== '') return;
  yield { rule, message: 'invalid deprecation: message must be set', place: deprecation.place };
}

function* memberFaults(bundle: ModelBundle, channel: ModelChannel): Iterable<Fault> {
  const rule = 'V17';
  if (bundle.name === '') yield { rule, message: 'name must be set' };
  if (bundle.channelName === '') yield { rule, message: 'channel must be set' };
  if (bundle.packageName === '') yield { rule, message: 'package must be set' };
  else if (bundle.packageName !== channel.packageName) {
    yield { rule, message: "package does not match channel's package" };
  }
}

function* edgeFaults({ entry: { skips, skipRange } }: ModelBundle): Iterable<Fault> {
  for (const [index, skip] of skips.entries()) {
    if (skip === '') yield { rule: 'V19', message: `skip[${index}] is empty` };
  }
  if (skipRange === undefined) return;
  try {
    parseVersionRange(skipRange);
  } catch (thrown) {
    yield { rule: 'V20', message: `invalid skipRange ${goQuote(skipRange)}: ${errorMessage(thrown)}` };
  }
}

function* contentFaults({ record }: ModelBundle): Iterable<Fault> {
  if (record === undefined) return;
  const { place, faults } = record;
  const isReported = record.isBroken || faults.some(({ rule }) => rule === 'S12' || rule === 'S13');
  if (record.packageProperties !== 1 && !isReported) {
    yield { rule: 'V21', message: 'must be exactly one property with type "olm.package"', place };
  }
  if (!record.hasImage && !record.hasObjects && !record.isBroken) {
    yield { rule: 'V22', message: 'bundle image must be set', place };
  }
}

function* releaseFaults({ record }: ModelBundle): Iterable<Fault> {
  if (record?.version === undefined || record.release === '') return;
  const { name, packageName, version, release, place } = record;
  const expected = `${packageName}-v${formatVersion(version)}-${release}`;
  if (name !== expected) {
    yield { rule: 'V24', message: `name ${goQuote(name)} does not match normalized name ${goQuote(expected)}`, place };
  }
  if (version.build.length > 0) {
    yield { rule: 'V25', message: 'cannot use build metadata in version with a release version', place };
  }
}

function* bundleFaults(bundle: ModelBundle, channel: ModelChannel): Iterable<Fault> {
  yield* memberFaults(bundle, channel);
  yield* edgeFaults(bundle);
  yield* contentFaults(bundle);
  yield* deprecationFaults('V23', bundle.deprecation);
  yield* releaseFaults(bundle);
}

function* graphFaults({ bundles, isBroken, isAssumed }: ModelChannel): Iterable<Fault> {
  const entries = [...bundles.values()].map(({ entry }) => entry);
  const fault = entries.length === 0 ? undefined : channelFault(entries);
  if (fault !== undefined) yield fault;
  if (entries.length > 0 || isBroken) return;
  const advice = isAssumed ? 'the package has no such channel: name one that it has as its defaultChannel' : undefined;
  yield {
    rule: 'V12',
    message: 'channel must contain at least one bundle',
    ...(advice === undefined ? {} : { advice }),
  };
}

function* channelFaults(channel: ModelChannel): Iterable<Fault> {
  if (channel.name === '') yield { rule: 'V9', message: 'channel name must not be empty' };
  if (channel.packageName === '') yield { rule: 'V9', message: 'package must be set' };
  yield* graphFaults(channel);
}

/** Bundles of one version, build metadata and release included. */
function* versionFaults(model: ModelPackage): Iterable<Fault> {
  const records = new Map(
    [...model.channels.values()].flatMap(({ bundles }) =>
      [...bundles.values()].map(({ name, record }) => [name, record]),
    ),
  );
  const versions = [...records].flatMap(([name, record]) => {
    if (record?.version === undefined) return [];
    const release = record.release === '' ? '' : `-${record.release}`;
    return [{ name, version: record.version, shown: `${formatVersion(record.version)}${release}` }];
  });
  const groups = [...Map.groupBy(versions, ({ shown }) => shown).values()]
    .filter(({ length }) => length > 1)
    .sort(([a], [b]) =>
      a === undefined || b === undefined ? 0 : compareVersions(a.version, b.version) || (a.shown < b.shown ? -1 : 1),
    );
  if (groups.length === 0) return;
  const shown = groups.map(
    (group) =>
      `{${group[0]?.shown}: [${group
        .map(({ name }) => name)
        .sort()
        .join(', ')}]}`,
  );
  yield {
    rule: 'V6',
    message: `duplicate versions found in bundles: [${shown.join(' ')}]`,
    advice: 'give each bundle a version of its own, or take the superseded ones out of the catalog',
  };
}

function* ownFaults(model: ModelPackage): Iterable<Fault> {
  if (model.name === '') yield { rule: 'V2', message: 'package name must not be empty' };
  if (model.isBroken) return;
  if (model.defaultChannel === '') yield { rule: 'V3', message: 'default channel must be set' };
  if (model.channels.size === 0) yield { rule: 'V4', message: 'package must contain at least one channel' };
}

const byName = <T>([a]: readonly [string, T], [b]: readonly [string, T]): number => (a < b ? -1 : 1);

function finding(
  fault: Fault,
  about: Pick<CatalogFinding, 'package' | 'channel' | 'bundle' | 'place'>,
): CatalogFinding {
  return { severity: 'error', ...about, ...fault };
}

/** The faults of a channel and of its bundles, which come after its own. */
function* channelFindings(channel: ModelChannel, packageName: string): Iterable<CatalogFinding> {
  const about = { package: packageName, channel: channel.name, place: channel.place };
  for (const fault of channelFaults(channel)) yield finding(fault, about);
  for (const [key, bundle] of [...channel.bundles].sort(byName)) {
    if (key !== bundle.name) {
      const message = `bundle key ${goQuote(key)} does not match bundle name ${goQuote(bundle.name)}`;
      yield finding({ rule: 'V11', message }, about);
    }
    for (const fault of bundleFaults(bundle, channel)) yield finding(fault, { ...about, bundle: bundle.name });
    if (bundle.channelName !== '' && bundle.channelName !== channel.name) {
      yield finding(
        { rule: 'V11', message: `bundle ${goQuote(bundle.name)} not correctly linked to parent channel` },
        about,
      );
    }
  }
  for (const fault of deprecationFaults('V10', channel.deprecation)) yield finding(fault, about);
}

/** What is wrong with packages as a whole: every fault, in the order of the reference's tree.
 *  @see docs/spec/catalogs.md#model-validation */
export function* modelFaults(packages: Iterable<readonly [string, ModelPackage]>): Iterable<CatalogFinding> {
  for (const [key, model] of packages) {
    if (key !== model.name) {
      const message = `package key ${goQuote(key)} does not match package name ${goQuote(model.name)}`;
      yield { rule: 'V1', severity: 'error', message, place: model.place };
    }
    yield* packageFindings(model);
  }
}

function* packageFindings(model: ModelPackage): Iterable<CatalogFinding> {
  const about = { package: model.name, place: model.place };
  for (const fault of ownFaults(model)) yield finding(fault, about);
  for (const [key, channel] of [...model.channels].sort(byName)) {
    if (key !== channel.name) {
      const message = `channel key ${goQuote(key)} does not match channel name ${goQuote(channel.name)}`;
      yield finding({ rule: 'V8', message }, about);
    }
    yield* channelFindings(channel, model.name);
    if (channel.packageName !== '' && channel.packageName !== model.name) {
      const message = `channel ${goQuote(channel.name)} not correctly linked to parent package`;
      yield finding({ rule: 'V8', message }, about);
    }
  }
  for (const fault of versionFaults(model)) yield finding(fault, about);
  if (model.defaultChannel !== '' && !model.channels.has(model.defaultChannel)) {
    const message = `default channel ${goQuote(model.defaultChannel)} not found in channels list`;
    yield finding({ rule: 'V5', message }, about);
  }
  for (const fault of deprecationFaults('V7', model.deprecation)) yield finding(fault, about);
}
