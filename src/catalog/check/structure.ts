import { goQuote } from '../../base/index.ts';
import type { CatalogFinding, CatalogRule } from './finding.ts';
import type { BundleRecord, ChannelRecord, DeprecationsRecord, PackageRecord } from './record.ts';

/** What was kept of a catalog's documents, in their order. */
export interface CatalogRecords {
  readonly packages: PackageRecord[];
  readonly channels: ChannelRecord[];
  readonly bundles: BundleRecord[];
  readonly deprecations: DeprecationsRecord[];
}

/** A package with what belongs to it. Of what there is twice the first counts. */
export interface PackageParts {
  readonly record: PackageRecord;
  readonly channels: Map<string, ChannelRecord>;
  readonly bundles: Map<string, BundleRecord>;
  deprecations?: DeprecationsRecord;
}

type Parts = Map<string, PackageParts>;
type Kept = PackageRecord | ChannelRecord | BundleRecord | DeprecationsRecord;

const labelForm =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const maxLabelCharacters = 63;

type Fault = readonly [rule: CatalogRule, message: string];

function error(record: Kept, [rule, message]: Fault, more: Partial<CatalogFinding> = {}): CatalogFinding {
  const about = record.packageName === '' ? {} : { package: record.packageName };
  return { rule, severity: 'error', message, place: record.place, ...about, ...more };
}

function nameProblems(name: string): readonly string[] {
  const isLong = name.length > maxLabelCharacters;
  const isForm = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(name);
  return [...(isLong ? [`must be no more than ${maxLabelCharacters} characters`] : []), ...(isForm ? [] : [labelForm])];
}

function* packageFaults(records: CatalogRecords, parts: Parts): Iterable<CatalogFinding> {
  for (const record of records.packages) {
    const { name } = record;
    if (name === '') {
      if (!record.isBroken) yield error(record, ['S1', 'config contains package with no name']);
      continue;
    }
    const first = parts.get(name);
    if (first !== undefined) {
      yield error(record, ['S2', `duplicate package ${goQuote(name)}`], elsewhere(first.record));
      continue;
    }
    const problems = nameProblems(name);
    if (problems.length > 0)
      yield error(record, ['S3', `invalid package name ${goQuote(name)}: [${problems.join(' ')}]`]);
    parts.set(name, { record, channels: new Map(), bundles: new Map() });
  }
}

function elsewhere({ place }: Kept): Pick<CatalogFinding, 'advice'> {
  return { advice: `the first one is in ${place.file}, line ${place.line}` };
}

function* channelFaults(records: CatalogRecords, parts: Parts): Iterable<CatalogFinding> {
  for (const record of records.channels) {
    const [name, packageName] = [goQuote(record.name), goQuote(record.packageName)];
    const of = parts.get(record.packageName);
    const about = { channel: record.name };
    if (of === undefined) {
      yield error(record, ['S4', `unknown package ${packageName} for channel ${name}`], about);
      continue;
    }
    const first = of.channels.get(record.name);
    if (record.name === '') yield error(record, ['S5', `package ${packageName} contains channel with no name`]);
    else if (first === undefined) of.channels.set(record.name, record);
    else
      yield error(record, ['S6', `package ${packageName} has duplicate channel ${name}`], {
        ...about,
        ...elsewhere(first),
      });
    yield* entryFaults(record);
  }
}

function* entryFaults(record: ChannelRecord): Iterable<CatalogFinding> {
  const seen = new Set<string>();
  for (const { name } of record.entries) {
    if (seen.has(name)) {
      const where = `invalid package ${goQuote(record.packageName)}, channel ${goQuote(record.name)}`;
      yield error(record, ['S7', `${where}: duplicate entry ${goQuote(name)}`], { channel: record.name, bundle: name });
    }
    seen.add(name);
  }
}

/** Faults of what a bundle belongs to; puts it there when it is the first of its name. */
function* ownerFaults(record: BundleRecord, of: PackageParts | undefined): Iterable<CatalogFinding> {
  const [name, packageName] = [goQuote(record.name), goQuote(record.packageName)];
  const about = { bundle: record.name };
  if (record.packageName === '') yield error(record, ['S9', `package name must be set for bundle ${name}`], about);
  else if (of === undefined) yield error(record, ['S10', `unknown package ${packageName} for bundle ${name}`], about);
  const first = of?.bundles.get(record.name);
  if (first === undefined) of?.bundles.set(record.name, record);
  else {
    const again = `package ${packageName} has duplicate bundle ${name}`;
    yield error(record, ['S11', again], { ...about, ...elsewhere(first) });
  }
}

function* bundleFaults(records: CatalogRecords, parts: Parts): Iterable<CatalogFinding> {
  const entriesOf = new Map([...parts].map(([name, { channels }]) => [name, entryNames(channels.values())]));
  const broken = new Set(records.channels.filter(({ isBroken }) => isBroken).map(({ packageName }) => packageName));
  for (const record of records.bundles) {
    const of = parts.get(record.packageName);
    yield* ownerFaults(record, of);
    if (of !== undefined && of.bundles.get(record.name) !== record) continue;
    yield* record.faults;
    const isUnread = of === undefined || broken.has(record.packageName);
    if (isUnread || entriesOf.get(record.packageName)?.has(record.name) === true) continue;
    const whose = `package ${goQuote(record.packageName)}, bundle ${goQuote(record.name)}`;
    yield error(record, ['S19', `${whose} not found in any channel entries`], { bundle: record.name });
  }
}

function entryNames(channels: Iterable<ChannelRecord>): ReadonlySet<string> {
  return new Set([...channels].flatMap(({ entries }) => entries.map(({ name }) => name)));
}

function* entriesWithoutBundle(parts: Parts): Iterable<CatalogFinding> {
  for (const { record, channels, bundles } of parts.values()) {
    for (const channel of channels.values()) {
      const missing = [...entryNames([channel])].filter((name) => !bundles.has(name)).sort();
      if (missing.length === 0) continue;
      const entries = `for olm.channel entries [${missing.join(' ')}]`;
      const advice = `in channel ${JSON.stringify(channel.name)}: add these bundles, or take the entries out`;
      const message = `no olm.bundle blobs found in package ${goQuote(record.name)} ${entries}`;
      yield error(channel, ['S20', message], { channel: channel.name, advice });
    }
  }
}

function* deprecationFaults(records: CatalogRecords, parts: Parts): Iterable<CatalogFinding> {
  for (const [index, record] of records.deprecations.entries()) {
    const packageName = goQuote(record.packageName);
    const of = parts.get(record.packageName);
    if (record.packageName === '') {
      yield error(record, ['S21', `package name must be set for deprecation item ${index}`]);
    } else if (of === undefined) {
      yield error(record, ['S22', `cannot apply deprecations to an unknown package ${packageName}`]);
    } else if (of.deprecations !== undefined) {
      const again = `expected a maximum of one deprecation per package: ${packageName}`;
      yield error(record, ['S23', again], elsewhere(of.deprecations));
    } else {
      of.deprecations = record;
      yield* referenceFaults(record, of);
    }
  }
}

function* referenceFaults(record: DeprecationsRecord, of: PackageParts): Iterable<CatalogFinding> {
  const seen = new Set<string>();
  const whose = `package ${goQuote(record.packageName)}`;
  for (const [index, { schema, name }] of record.entries.entries()) {
    const reference = `declcfg.PackageScopedReference{Schema:${goQuote(schema)}, Name:${goQuote(name)}}`;
    if (schema === '') {
      yield error(record, ['S24', `schema must be set for deprecation entry [${index}] for ${whose}`]);
      continue;
    }
    if (seen.has(reference)) yield error(record, ['S25', `duplicate deprecation entry ${reference} for ${whose}`]);
    seen.add(reference);
    const fault = targetFault({ schema, name, index, reference }, of);
    if (fault !== undefined) yield error(record, fault);
  }
}

interface Reference {
  readonly schema: string;
  readonly name: string;
  readonly index: number;
  /** As it is printed. */
  readonly reference: string;
}

function targetFault({ schema, name, index, reference }: Reference, of: PackageParts): Fault | undefined {
  const packageName = goQuote(of.record.name);
  switch (schema) {
    case 'olm.bundle': {
      const message = `cannot deprecate bundle ${goQuote(name)} for package ${packageName}: bundle not found`;
      return of.bundles.has(name) ? undefined : ['S26', message];
    }
    case 'olm.channel': {
      const message = `cannot deprecate channel ${goQuote(name)} for package ${packageName}: channel not found`;
      return of.channels.has(name) ? undefined : ['S27', message];
    }
    case 'olm.package': {
      const message = `package name must be empty for deprecated package ${packageName} (specified ${goQuote(name)})`;
      return name === '' ? undefined : ['S28', message];
    }
    default: {
      const message = `cannot deprecate object ${reference} referenced by entry ${index} for package ${packageName}`;
      return ['S29', `${message}: object schema unknown`];
    }
  }
}

/** How the documents fail to fit together (stage one), and the packages that they make all the same.
 *  @see docs/spec/catalogs.md#structural-validation */
export function structuralFaults(records: CatalogRecords): {
  readonly findings: Iterable<CatalogFinding>;
  readonly packages: ReadonlyMap<string, PackageParts>;
} {
  const parts: Parts = new Map();
  function* all(): Iterable<CatalogFinding> {
    yield* packageFaults(records, parts);
    yield* channelFaults(records, parts);
    yield* bundleFaults(records, parts);
    yield* entriesWithoutBundle(parts);
    yield* deprecationFaults(records, parts);
  }
  return { findings: [...all()], packages: parts };
}
