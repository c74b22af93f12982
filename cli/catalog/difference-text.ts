import { printableLine } from '../../src/base/index.ts';
import type {
  BundleChange,
  BundleSummary,
  CatalogDifference,
  Changed,
  ChannelChange,
  Difference,
  EntryChange,
  PackageChange,
} from '../../src/catalog/index.ts';
import type { ChannelEntry } from '../../src/resolver/index.ts';

const indentation = '    ';

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `${indentation}${line}`);
}

/** `old -> new`, with `none` for what is not there. */
function changeText<T>({ from, to }: Changed<T>): string {
  const shown = (value: T | undefined): string => {
    const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
    return text === '' ? 'none' : text;
  };
  return `${shown(from)} -> ${shown(to)}`;
}

function changes(named: Readonly<Record<string, Changed<unknown> | undefined>>): string[] {
  return Object.entries(named).flatMap(([name, found]) =>
    found === undefined ? [] : [`${name}: ${changeText(found)}`],
  );
}

function linesOf<One, Change>(
  { added, removed, changed }: Difference<One, Change>,
  one: (item: One) => string,
  change: (item: Change) => readonly string[],
): string[] {
  return [
    ...added.map((item) => `+ ${one(item)}`),
    ...removed.map((item) => `- ${one(item)}`),
    ...changed.flatMap((item) => {
      const [first = '', ...rest] = change(item);
      return [`~ ${first}`, ...indented(rest)];
    }),
  ];
}

function entryText({ name, replaces, skips, skipRange }: ChannelEntry): string {
  const edges = [
    replaces === undefined ? '' : ` replaces ${replaces}`,
    skips.length === 0 ? '' : ` skips ${skips.join(', ')}`,
    skipRange === undefined ? '' : ` skips the range ${skipRange}`,
  ];
  return `${name}${edges.filter((edge) => edge !== '').join(',')}`;
}

function entryLines({ name, replaces, skips, skipRange }: EntryChange): readonly string[] {
  return [name, ...changes({ replaces, skips, 'skip range': skipRange })];
}

function channelLines({ name, heads, deprecation, entries }: ChannelChange): readonly string[] {
  return [`channel ${name}`, ...changes({ head: heads, deprecation }), ...linesOf(entries, entryText, entryLines)];
}

const deprecated = (deprecation: string | undefined): string => (deprecation === undefined ? '' : ', deprecated');

function bundleText({ name, version, deprecation }: BundleSummary): string {
  return `bundle ${name} (${version})${deprecated(deprecation)}`;
}

function bundleLines({
  name,
  version,
  image,
  deprecation,
  properties,
  hasOtherChanges,
}: BundleChange): readonly string[] {
  const shown = ({ type, value }: { readonly type: string; readonly value: unknown }): string => {
    const text = JSON.stringify(value);
    return `property ${type} ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`;
  };
  return [
    `bundle ${name}`,
    ...changes({ version, image, deprecation }),
    ...(properties?.added.map((property) => `+ ${shown(property)}`) ?? []),
    ...(properties?.removed.map((property) => `- ${shown(property)}`) ?? []),
    ...(hasOtherChanges ? ['related images, manifests or what is shown to people'] : []),
  ];
}

function packageLines(found: PackageChange): readonly string[] {
  const { name, defaultChannel, deprecation, channels, bundles, hasOtherChanges } = found;
  return [
    `package ${name}`,
    ...changes({ 'default channel': defaultChannel, deprecation }),
    ...(hasOtherChanges ? ['description, icon or properties'] : []),
    ...linesOf(
      channels,
      (one) => `channel ${one.name}, head ${one.heads.join(', ') || 'none'}${deprecated(one.deprecation)}`,
      channelLines,
    ),
    ...linesOf(bundles, bundleText, bundleLines),
  ];
}

/** The difference for people; empty when there is none. */
export function differenceText({ packages, others }: CatalogDifference): string {
  const lines = [
    ...linesOf(
      packages,
      ({ name, defaultChannel, channelCount, bundleCount, deprecation }) =>
        `package ${name} (default channel ${defaultChannel}; channels: ${channelCount}, bundles: ${bundleCount})${deprecated(deprecation)}`,
      packageLines,
    ),
    ...linesOf(
      others,
      (key) => key,
      (key) => [key],
    ),
  ];
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}
