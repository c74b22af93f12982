import {
  errorMessage,
  goQuote,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  parseYaml,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import { formatVersion } from '../../constraints/index.ts';
import { decoded, type GoShape, shapeFault, unknownField } from '../check/go-shape.ts';
import { bundleVersion } from './bundle-version.ts';
import { packageOf } from './package-document.ts';
import {
  type Archetype,
  archetypes,
  type ChannelKind,
  chooseDefaultChannel,
  type GeneratedChannel,
  generateChannels,
  type VersionedBundle,
} from './semver-channels.ts';
import { type BuiltTemplate, type CatalogTemplate, onlyBundle, refuseTemplate } from './template.ts';

/** `schema` of a template whose channels follow from the versions of its bundles. */
export const semverSchema = 'olm.semver';

const text: GoShape = { kind: 'text' };
const list: GoShape = {
  kind: 'struct',
  name: 'semver.bundles',
  fields: {
    bundles: { kind: 'list', of: { kind: 'struct', name: 'semver.bundle', fields: { image: text } } },
  },
};
const shape: GoShape = {
  kind: 'struct',
  name: 'semver.template',
  fields: {
    schema: text,
    generateMajorChannels: { kind: 'flag' },
    generateMinorChannels: { kind: 'flag' },
    defaultChannelTypePreference: text,
    candidate: list,
    fast: list,
    stable: list,
  },
};

interface SemverTemplate {
  readonly kinds: readonly ChannelKind[];
  readonly preference: ChannelKind;
  /** Whether the author set it. */
  readonly isPreferenceGiven: boolean;
  /** References, in the author's order. */
  readonly images: Readonly<Record<Archetype, readonly string[]>>;
}

function refuseFile(why: string, cause?: unknown): never {
  return refuseTemplate(`render: unable to read file: ${why}`, cause);
}

function decode(source: string): JsonObject {
  let document: JsonValue;
  try {
    document = parseYaml('template', source);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return refuseFile(`error converting YAML to JSON: ${errorMessage(thrown)}`, thrown);
  }
  const fault = shapeFault(shape, document) ?? unknownField(shape, document);
  if (fault !== undefined) return refuseFile(`error unmarshaling JSON: while decoding JSON: ${fault}`);
  const found = decoded(shape, document);
  return isJsonObject(found) ? found : {};
}

function readKinds(document: JsonObject): readonly ChannelKind[] {
  const kinds = (['major', 'minor'] as const).filter(
    (kind) => document[kind === 'major' ? 'generateMajorChannels' : 'generateMinorChannels'] === true,
  );
  return kinds.length === 0 ? ['minor'] : kinds;
}

function readPreference(document: JsonObject, kinds: readonly ChannelKind[]): ChannelKind {
  const preference = textAt(document, 'defaultChannelTypePreference');
  if (preference === '') return kinds.includes('minor') ? 'minor' : 'major';
  if (preference !== 'major' && preference !== 'minor') {
    return refuseFile(
      `unknown DefaultChannelTypePreference: ${goQuote(preference)}\nValid values are 'major' or 'minor'`,
    );
  }
  if (kinds.includes(preference)) return preference;
  const why = `DefaultChannelTypePreference set to '${preference}' doesn't make sense if not generating ${preference}-version channels`;
  return refuseFile(`schema attribute mismatch: ${why}`);
}

function imagesOf(document: JsonObject, archetype: Archetype): readonly string[] {
  return listAt(objectAt(document, archetype), 'bundles').map((entry, index) => {
    const image = isJsonObject(entry) ? textAt(entry, 'image') : '';
    return image === '' ? refuseFile(`${archetype}.bundles[${index}]: image must be set`) : image;
  });
}

function read(source: string): SemverTemplate {
  const document = decode(source);
  if (textAt(document, 'schema') !== semverSchema) {
    return refuseFile(`readFile: input file has unknown schema, should be ${goQuote(semverSchema)}`);
  }
  const kinds = readKinds(document);
  return {
    kinds,
    preference: readPreference(document, kinds),
    isPreferenceGiven: textAt(document, 'defaultChannelTypePreference') !== '',
    images: {
      candidate: imagesOf(document, 'candidate'),
      fast: imagesOf(document, 'fast'),
      stable: imagesOf(document, 'stable'),
    },
  };
}

function refuseBundles(why: string): never {
  return refuseTemplate(`render: unable to post-process bundle info: ${why}`);
}

/** Different bundles of one name, and of other packages. */
function assertOnePackage(bundles: readonly JsonObject[]): string {
  const packageName = textAt(bundles[0], 'package');
  const names = new Set<string>();
  for (const bundle of bundles) {
    const name = textAt(bundle, 'name');
    if (textAt(bundle, 'package') !== packageName) {
      refuseBundles(`bundle ${goQuote(name)} does not belong to this package: ${goQuote(packageName)}`);
    }
    if (names.has(name)) refuseBundles(`duplicate bundle name ${goQuote(name)}`);
    names.add(name);
  }
  return packageName;
}

/** Versions that differ by build metadata alone have no order; a release gives them one. */
function assertOrdered(bundles: readonly VersionedBundle[]): void {
  const seen = new Set<string>();
  const problems: string[] = [];
  const byText = bundles.toSorted((a, b) => (formatVersion(a.version) < formatVersion(b.version) ? -1 : 1));
  for (const { version, release } of byText) {
    const stripped = formatVersion({ ...version, build: [] });
    const key = `${stripped} ${release}`;
    if (seen.has(key)) {
      problems.push(`bundle version ${goQuote(formatVersion(version))} cannot be compared to ${goQuote(stripped)}`);
    }
    seen.add(key);
  }
  if (problems.length === 0) return;
  const all = problems.length === 1 ? problems.join('') : `[${problems.join(', ')}]`;
  refuseBundles(`encountered bundle versions which differ only by build metadata, which cannot be ordered: ${all}`);
}

function versionedBundles(
  images: readonly string[],
  rendered: ReadonlyMap<string, readonly JsonObject[]>,
): readonly VersionedBundle[] {
  const bundles = images.map((image) => onlyBundle(image, rendered));
  const names = new Set<string>();
  const versioned = bundles.map((bundle) => {
    const name = textAt(bundle, 'name');
    if (names.has(name)) refuseBundles(`duplicate bundle name ${goQuote(name)}`);
    names.add(name);
    return { name, ...bundleVersion(bundle) };
  });
  assertOrdered(versioned);
  return versioned;
}

function warningsOf(template: SemverTemplate, chosen: GeneratedChannel): readonly string[] {
  const { preference, isPreferenceGiven } = template;
  if (!isPreferenceGiven || chosen.kind === preference) return [];
  return [
    `the default channel is ${chosen.name}, although ${preference} channels are preferred: of all ${chosen.archetype} channels its lowest version is highest. ` +
      `To have a ${preference} channel, generate ${preference} channels only`,
  ];
}

function build(template: SemverTemplate, rendered: ReadonlyMap<string, readonly JsonObject[]>): BuiltTemplate {
  const references = new Set(archetypes.flatMap((archetype) => template.images[archetype]));
  const bundles = [...references].map((image) => onlyBundle(image, rendered));
  if (bundles.length === 0) return refuseTemplate('render: no bundles specified or no bundles could be rendered');
  const packageName = assertOnePackage(bundles);
  const channels = archetypes.flatMap((archetype) => {
    const versioned = versionedBundles(template.images[archetype], rendered);
    return template.kinds.flatMap((kind) => generateChannels(archetype, kind, versioned));
  });
  const chosen = chooseDefaultChannel(channels, template.preference);
  const lastName = chosen?.bundles.at(-1)?.name;
  const last = bundles.find((bundle) => textAt(bundle, 'name') === lastName);
  if (chosen === undefined || last === undefined) return refuseBundles('no channel could be generated');
  return {
    documents: [
      packageOf(packageName, chosen.name, last),
      ...channels.map(({ name, entries }) => ({
        schema: 'olm.channel',
        package: packageName,
        name,
        entries: [...entries],
      })),
      ...bundles,
    ],
    warnings: warningsOf(template, chosen),
  };
}

/** A template that makes channels of versions.
 *  @throws TerminalError InvalidTemplate
 *  @see docs/spec/catalogs.md#templates */
export function readSemverTemplate(source: string): CatalogTemplate {
  const template = read(source);
  return {
    references: [...new Set(archetypes.flatMap((archetype) => template.images[archetype]))],
    build: (rendered) => build(template, rendered),
  };
}
