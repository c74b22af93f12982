import { TerminalError } from '../base/index.ts';
import { parseReleaseFileName } from './file-name.ts';
import { type ImageReferences, parseImageReferences, type ReleaseImage, versionsKey } from './image-references.ts';
import type { PayloadDirectory } from './manifest.ts';
import { imageReferencesFile, metadataFile } from './payload.ts';
import { isManifestFile, type PayloadFile } from './read-manifests.ts';
import {
  architectureKey,
  assertReleaseVersion,
  channelsKey,
  metadataKind,
  type ReleaseMetadata,
} from './release-metadata.ts';

/** The manifests of a component, as its image or repository holds them. */
export interface ReleaseComponent {
  readonly name: string;
  /** Whether it is the engine, whose manifests are templates of their own directory. */
  readonly isEngine: boolean;
  readonly files: readonly { readonly name: string; readonly content: Buffer }[];
}

/** What a release is built from. */
export interface ReleasePlan {
  readonly metadata: ReleaseMetadata;
  /** In the order in which names are given away. */
  readonly components: readonly ReleaseComponent[];
  /** Pull specs by digest, by the name in `image-references`. */
  readonly images: ReadonlyMap<string, string>;
  /** Versions of parts, such as `kubernetes`, by the key in `0.0.1-snapshot-KEY`. */
  readonly versions: ReadonlyMap<string, string>;
}

/** The files of a release, and what its author should look at. */
export interface BuiltRelease {
  readonly files: readonly PayloadFile[];
  readonly images: readonly ReleaseImage[];
  readonly warnings: readonly string[];
}

const snapshot = /0\.0\.1-snapshot(?:-([a-z0-9]+(?:[-.][a-z0-9]+)*))?/g;
const maxLevelDigits = 4;
/** Images in an error. */
const maxNamed = 10;
const byDigest = /^[^\s@]+@sha256:[0-9a-f]{64}$/;

function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** @throws TerminalError InvalidRelease that names the images without a pull spec */
function assertPullSpecs({ components, images }: ReleasePlan): void {
  const missing = components.flatMap((component) =>
    componentReferences(component).images.flatMap(({ name }) =>
      images.has(name) ? [] : [`"${name}" (component ${component.name})`],
    ),
  );
  if (missing.length === 0) return;
  const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : '';
  const text = `image-references names images without a pull spec: ${missing.slice(0, maxNamed).join(', ')}${more}: give each one (--image, --images)`;
  throw new TerminalError('InvalidRelease', text);
}

/** The pull spec of a release's image.
 *  @throws TerminalError InvalidRelease when it is not by digest */
function pullSpecOf(name: string, images: ReadonlyMap<string, string>): string {
  const image = images.get(name) ?? '';
  if (byDigest.test(image)) return image;
  throw new TerminalError('InvalidRelease', `image "${name}": expected NAME@sha256:DIGEST, found "${image}"`);
}

/** Replaces example pull specs, the longest first: one may begin with another. */
function imageReplacer(
  { images: examples }: ImageReferences,
  images: ReadonlyMap<string, string>,
): (text: string) => string {
  const bySpec = new Map(examples.map(({ name, from }) => [from, pullSpecOf(name, images)]));
  if (bySpec.size === 0) return (text) => text;
  const specs = [...bySpec.keys()].toSorted((a, b) => b.length - a.length).map(escapeExpression);
  // Not within a longer reference.
  const pattern = new RegExp(`(?<![\\w./:@-])(?:${specs.join('|')})(?![\\w./@-]|:\\w)`, 'g');
  return (text) => text.replace(pattern, (spec) => bySpec.get(spec) ?? spec);
}

function versionReplacer({ metadata, versions }: ReleasePlan, component: string): (text: string) => string {
  return (text) =>
    text.replace(snapshot, (placeholder, key: string | undefined) => {
      if (key === undefined) return metadata.version;
      const version = versions.get(key);
      if (version !== undefined) return version;
      const known = versions.size === 0 ? 'none' : [...versions.keys()].join(', ');
      const message = `component ${component}: ${placeholder}: no version of "${key}" is given (--component-version); given are: ${known}`;
      throw new TerminalError('InvalidRelease', message);
    });
}

/** The name of a component's file in the release. */
function placedName(name: string, component: string): string {
  return name.startsWith('0000_') ? name : `0000_50_${component}_${name}`;
}

const withoutZeros = (runlevel: string): string => runlevel.replace(/^0+(?=\d)/, '');

/** Levels as they are written in a release: engines compare them as texts, so all of them get the digits of the longest one, and two at least.
 *  @throws TerminalError InvalidRelease for a level of more than four digits */
function levelDigits(components: readonly ReleaseComponent[]): number {
  const names = components.flatMap(({ name, files }) => files.map((file) => placedName(file.name, name)));
  const levels = names.filter(isManifestFile).flatMap((name) => parseReleaseFileName(name)?.runlevel ?? []);
  const longest = levels.reduce((most, level) => Math.max(most, withoutZeros(level).length), 2);
  if (longest <= maxLevelDigits) return longest;
  const level = levels.find((one) => withoutZeros(one).length > maxLevelDigits) ?? '';
  throw new TerminalError('InvalidRelease', `level ${level}: expected at most ${maxLevelDigits} digits`);
}

/** The name with its level written with so many digits. */
function leveledName(name: string, digits: number): string {
  const { runlevel } = parseReleaseFileName(name) ?? {};
  if (runlevel === undefined) return name;
  const prefix = '0000_';
  const written = withoutZeros(runlevel).padStart(digits, '0');
  return `${prefix}${written}${name.slice(prefix.length + runlevel.length)}`;
}

/** A name for a file that no other file of the directory has. */
function freeName(placed: string, taken: ReadonlySet<string>): string {
  if (!taken.has(placed)) return placed;
  for (let suffix = 1; ; suffix += 1) {
    const other = placed.replace(/(\.[^.]+)?$/, `_${suffix}$1`);
    if (!taken.has(other)) return other;
  }
}

function orderWarnings(files: readonly PayloadFile[], renamed: ReadonlyMap<string, string>): string[] {
  const unplaced = files.filter(({ name }) => isManifestFile(name) && parseReleaseFileName(name) === undefined);
  const levels = [...renamed].toSorted(([a], [b]) => Number(a) - Number(b));
  return [
    ...unplaced.map(
      ({ directory, name }) =>
        `${directory}/${name}: its name states no level, so it runs alone, in byte order: name it 0000_LEVEL_COMPONENT_FILE`,
    ),
    ...levels.map(
      ([level, written]) =>
        `level ${level}: written as ${written}, for engines compare levels as texts: give all levels of a release the same number of digits`,
    ),
  ];
}

function referencesFile({ metadata }: ReleasePlan, images: readonly ReleaseImage[]): PayloadFile {
  const tags = images.map(({ name, from, annotations }) => ({
    name,
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    from: { kind: 'DockerImage', name: from },
  }));
  const stream = {
    kind: 'ImageStream',
    apiVersion: 'image.openshift.io/v1',
    metadata: { name: metadata.version },
    spec: { lookupPolicy: { local: false }, tags },
  };
  return markerFile(imageReferencesFile, stream);
}

function markerFile(name: string, value: object): PayloadFile {
  return { directory: 'release-manifests', name, content: Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`) };
}

function metadataOf({ metadata }: ReleasePlan): PayloadFile {
  const { version, previous, next, url, architecture, channels } = metadata;
  const values = {
    ...(url === '' ? {} : { url }),
    ...(architecture === '' ? {} : { [architectureKey]: architecture }),
    ...(channels.length === 0 ? {} : { [channelsKey]: channels.join(',') }),
  };
  return markerFile(metadataFile, {
    kind: metadataKind,
    version,
    previous,
    ...(next.length === 0 ? {} : { next }),
    ...(Object.keys(values).length === 0 ? {} : { metadata: values }),
  });
}

/** The image references of a component; none when it has no such file. */
function componentReferences({ name, files }: ReleaseComponent): ImageReferences {
  const file = files.find((candidate) => candidate.name === imageReferencesFile);
  if (file === undefined) return { name: '', images: [] };
  try {
    return parseImageReferences(file.content.toString('utf8'));
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    throw new TerminalError(thrown.reason, `component ${name}: ${thrown.message}`, { cause: thrown });
  }
}

/** The image that stands for a component: the one of its name, or its first one. */
function mainImageOf({ images }: ImageReferences, { name }: ReleaseComponent): string | undefined {
  return (images.find((image) => image.name === name) ?? images[0])?.name;
}

/** Records the versions of parts that a component refers to, as an annotation of its image. */
function versionsAnnotation({ files }: ReleaseComponent, { versions }: ReleasePlan): Record<string, string> {
  const texts = files.filter(({ name }) => isManifestFile(name)).map(({ content }) => content.toString('utf8'));
  const keys = new Set(texts.flatMap((text) => [...text.matchAll(snapshot)].flatMap(([, key]) => key ?? [])));
  const pairs = [...keys].toSorted().map((key) => `${key}=${versions.get(key) ?? ''}`);
  return pairs.length === 0 ? {} : { [versionsKey]: pairs.join(',') };
}

/** All images that components refer to, by name. */
function imagesOf(plan: ReleasePlan): readonly ReleaseImage[] {
  const images = new Map<string, ReleaseImage>();
  for (const component of plan.components) {
    const references = componentReferences(component);
    const ownImage = mainImageOf(references, component);
    for (const { name, annotations } of references.images) {
      const from = pullSpecOf(name, plan.images);
      const versions = name === ownImage ? versionsAnnotation(component, plan) : {};
      images.set(name, { name, from, annotations: { ...images.get(name)?.annotations, ...annotations, ...versions } });
    }
  }
  return [...images.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Puts the manifests of components together: files get names with a level, image references the digests of the release, placeholders its version.
 *  @throws TerminalError InvalidRelease
 *  @see docs/spec/cluster-version.md#building-a-release */
export function buildRelease(plan: ReleasePlan): BuiltRelease {
  assertReleaseVersion(plan.metadata.version);
  assertPullSpecs(plan);
  const files: PayloadFile[] = [];
  const taken: Record<PayloadDirectory, Set<string>> = { manifests: new Set(), 'release-manifests': new Set() };
  const digits = levelDigits(plan.components);
  const renamed = new Map<string, string>();
  for (const component of plan.components) {
    const references = componentReferences(component);
    const replaceImages = imageReplacer(references, plan.images);
    const replaceVersions = versionReplacer(plan, component.name);
    const directory = component.isEngine ? 'manifests' : 'release-manifests';
    for (const { name, content } of component.files) {
      if (!isManifestFile(name)) continue;
      const placed = placedName(name, component.name);
      const leveled = leveledName(placed, digits);
      const [before, after] = [placed, leveled].map((one) => parseReleaseFileName(one)?.runlevel ?? '');
      if (before !== after) renamed.set(before ?? '', after ?? '');
      const free = freeName(leveled, taken[directory]);
      taken[directory].add(free);
      const text = replaceVersions(replaceImages(content.toString('utf8')));
      files.push({ directory, name: free, content: Buffer.from(text) });
    }
  }
  const images = imagesOf(plan);
  const markers = [referencesFile(plan, images), metadataOf(plan)];
  return { files: [...files, ...markers], images, warnings: orderWarnings(files, renamed) };
}
