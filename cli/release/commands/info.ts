import { printable } from '../../../src/base/index.ts';
import {
  compareReleases,
  componentVersions,
  describeManifest,
  type ReleaseDifference,
  type ReleasePayload,
} from '../../../src/release/index.ts';
import { type OptionValues, type outputOption, printDocument, type registryOptions } from '../../command/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import { createProgress, formatTable } from '../../output/index.ts';
import { type OpenedRelease, openRelease } from '../../release-files/index.ts';

type Values = OptionValues<typeof registryOptions & typeof outputOption>;

const deadlineMs = 60 * 60_000;
const profile = 'self-managed-high-availability';

interface Component {
  readonly name: string;
  readonly levels: readonly string[];
  readonly manifests: number;
}

/** By name; manifests whose file states no component count as `-`. */
function componentsOf({ manifests }: ReleasePayload): Component[] {
  const found = new Map<string, { levels: Set<string>; manifests: number }>();
  for (const { place } of manifests) {
    const { component = '-', runlevel = '-' } = place ?? {};
    const entry = found.get(component) ?? { levels: new Set<string>(), manifests: 0 };
    entry.levels.add(runlevel);
    entry.manifests += 1;
    found.set(component, entry);
  }
  return [...found]
    .map(([name, { levels, manifests: count }]) => ({ name, levels: [...levels].toSorted(), manifests: count }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function infoOf({ payload, digest }: OpenedRelease): object {
  const { metadata, images, manifests } = payload;
  return {
    ...(digest === undefined ? {} : { digest }),
    ...metadata,
    manifests: manifests.length,
    versions: Object.fromEntries(componentVersions(images)),
    components: componentsOf(payload),
    images: images.images.map(({ name, from }) => ({ name, from })),
  };
}

function infoText({ payload, digest }: OpenedRelease): string {
  const { metadata, images, manifests } = payload;
  const facts: readonly (readonly [string, string])[] = [
    ['Version:', metadata.version],
    ['Digest:', digest ?? ''],
    ['Upgrades from:', metadata.previous.join(', ')],
    ['Channels:', metadata.channels.join(', ')],
    ['URL:', metadata.url],
    ['Architecture:', metadata.architecture],
    ['Contains:', [...componentVersions(images)].map((pair) => pair.join(' ')).join(', ')],
    ['Manifests:', String(manifests.length)],
  ];
  const head = facts.filter(([, value]) => value !== '').map(([name, value]) => `${name.padEnd(15)}${value}\n`);
  const rows = componentsOf(payload).map(({ name, levels, manifests: count }) => [
    name,
    levels.join(','),
    String(count),
  ]);
  return [
    ...head,
    `\n${formatTable(['COMPONENT', 'LEVELS', 'MANIFESTS'], rows)}`,
    `\n${formatTable(
      ['IMAGE', 'PULL SPEC'],
      images.images.map(({ name, from }) => [name, from]),
    )}`,
  ].join('');
}

const verb = ({ before, after }: { readonly before: unknown; readonly after: unknown }): string => {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
};

function differenceRows({ images, manifests }: ReleaseDifference): (readonly string[])[] {
  return [
    ...images.map((change) => [verb(change), 'image', change.name]),
    ...manifests.map((change) => {
      const manifest = change.after ?? change.before;
      return [verb(change), manifest?.fileName ?? '', manifest === undefined ? '' : describeManifest(manifest.key)];
    }),
  ];
}

function printDifference(
  values: Values,
  releases: { readonly before: ReleasePayload; readonly after: ReleasePayload },
): void {
  const { before, after } = releases;
  const difference = compareReleases(before, after);
  const rows = differenceRows(difference);
  const document = {
    from: before.metadata.version,
    to: after.metadata.version,
    images: difference.images,
    manifests: difference.manifests.map((change) => ({
      change: verb(change),
      file: (change.after ?? change.before)?.fileName,
      ...(change.after ?? change.before)?.key,
    })),
  };
  printDocument(values, document, () =>
    rows.length === 0
      ? `${before.metadata.version} and ${after.metadata.version} have the same images and manifests\n`
      : formatTable(['CHANGE', 'FILE', 'OBJECT'], rows),
  );
}

/** `longshore release info RELEASE [OTHER]` */
export async function releaseInfo(values: Values, [name, other]: readonly [string, string?]): Promise<number> {
  using progress = createProgress(process.stderr, { isQuiet: values.output === 'json' });
  const signal = AbortSignal.timeout(deadlineMs);
  await using work = await openWorkFolder();
  await using release = await openRelease({ name, values, work, progress, signal, profile });
  if (other === undefined) {
    printDocument(values, infoOf(release), () => printable(infoText(release)));
    return 0;
  }
  await using otherWork = await openWorkFolder();
  await using otherRelease = await openRelease({ name: other, values, work: otherWork, progress, signal, profile });
  printDifference(values, { before: release.payload, after: otherRelease.payload });
  return 0;
}
