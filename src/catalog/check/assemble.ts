import type { ChannelEntry } from '../../resolver/index.ts';
import type { MetaPlace } from '../meta.ts';
import type { ModelBundle, ModelChannel, ModelDeprecation, ModelPackage } from './model.ts';
import type { ChannelRecord } from './record.ts';
import type { PackageParts } from './structure.ts';

type Deprecations = (schema: string, name: string) => { readonly deprecation?: ModelDeprecation };

function deprecationsOf({ deprecations }: PackageParts): Deprecations {
  const byReference = new Map(deprecations?.entries.map((entry) => [`${entry.schema}/${entry.name}`, entry.message]));
  return (schema, name) => {
    const message = byReference.get(`${schema}/${name}`);
    if (message === undefined || deprecations === undefined) return {};
    return { deprecation: { message, place: deprecations.place } };
  };
}

/** Of entries of one name the first counts. */
function entriesByName(record: ChannelRecord): ReadonlyMap<string, ChannelEntry> {
  const entries = new Map<string, ChannelEntry>();
  for (const entry of record.entries) if (!entries.has(entry.name)) entries.set(entry.name, entry);
  return entries;
}

function channelModel(record: ChannelRecord, parts: PackageParts, deprecations: Deprecations): ModelChannel {
  const bundles = [...entriesByName(record)].map(([name, entry]): [string, ModelBundle] => {
    const bundle = parts.bundles.get(name);
    const found = bundle === undefined ? {} : { record: bundle };
    const whose = { packageName: parts.record.name, channelName: record.name };
    return [name, { name, ...whose, entry, ...found, ...deprecations('olm.bundle', name) }];
  });
  const { name, packageName, place, isBroken } = record;
  const deprecation = deprecations('olm.channel', name);
  return { name, packageName, place, isBroken, isAssumed: false, bundles: new Map(bundles), ...deprecation };
}

function assumedChannel(name: string, packageName: string, place: MetaPlace): ModelChannel {
  return { name, packageName, place, bundles: new Map(), isBroken: false, isAssumed: true };
}

/** A package as one model. A default channel that it does not have is taken for an empty one. @see docs/spec/catalogs.md#s8 */
export function assemblePackage(parts: PackageParts): ModelPackage {
  const { name, defaultChannel, place, isBroken } = parts.record;
  const deprecations = deprecationsOf(parts);
  const channels = new Map<string, ModelChannel>();
  for (const record of parts.channels.values()) channels.set(record.name, channelModel(record, parts, deprecations));
  if (defaultChannel !== '' && !channels.has(defaultChannel)) {
    channels.set(defaultChannel, assumedChannel(defaultChannel, name, place));
  }
  return { name, defaultChannel, place, isBroken, channels, ...deprecations('olm.package', '') };
}
