import { isJsonObject, scalarText, textAt, valueAt } from '../../base/index.ts';
import type { BundleUnderCheck } from '../bundle.ts';
import type { Check, Hit, Place } from '../check.ts';
import { hasUnreadManifest } from '../read-bundle.ts';

const prefix = 'operators.operatorframework.io.bundle';
const mediaTypeKey = `${prefix}.mediatype.v1`;
const packageKey = `${prefix}.package.v1`;
const channelsKey = `${prefix}.channels.v1`;
const defaultChannelKey = `${prefix}.channel.default.v1`;
const directoryKeys: readonly (readonly [string, string])[] = [
  [`${prefix}.manifests.v1`, 'manifests'],
  [`${prefix}.metadata.v1`, 'metadata'],
];
const requiredKeys = [mediaTypeKey, ...directoryKeys.map(([key]) => key), packageKey, channelsKey].sort();

function isWhole(bundle: BundleUnderCheck): boolean {
  return bundle.hasManifests && bundle.hasMetadata;
}

function placeOf(bundle: BundleUnderCheck, key: string): Place | undefined {
  const { annotations } = bundle;
  return annotations === undefined ? undefined : { file: annotations.file, path: ['annotations', key] };
}

/** The value as text, whatever it was written as; undefined when the key is not there. */
function annotation(bundle: BundleUnderCheck, key: string): string | undefined {
  const value = valueAt(bundle.annotations?.value, key);
  return value === undefined ? undefined : (scalarText(value) ?? JSON.stringify(value));
}

function* hitWhen(isHit: boolean, message: string, place?: Place): Iterable<Hit> {
  if (isHit) yield { message, place };
}

function nonEmpty(key: string): string {
  return `Expecting annotation "${key}" to have non-empty value`;
}

function channelsOf(bundle: BundleUnderCheck): readonly string[] {
  return (annotation(bundle, channelsKey) ?? '').split(',');
}

/** Many name the folder above the bundle. */
function missingDirectory({ otherEntries }: BundleUnderCheck, directory: string): Hit {
  const message = `Unable to locate ${directory} directory`;
  const found = otherEntries.find(({ path, kind }) => kind === 'directory' && path.endsWith(`/${directory}`));
  if (found === undefined) return { message };
  const root = found.path.slice(0, -directory.length - 1);
  return { message, whatToDo: `${root}/ has one: if that is the bundle, name that folder.` };
}

const format = { suite: 'default', stage: 'format', severity: 'error' } as const;

/** `metadata/annotations.yaml` and the directories. @see docs/spec/bundle-format.md#image-labels-and-annotations-yaml, docs/spec/bundle-format.md#media-types-and-format-checks */
export const formatChecks: readonly Check[] = [
  {
    ...format,
    id: 'F1',
    title: 'there is no directory `manifests/`',
    whatToDo: 'Put the ClusterServiceVersion and the other manifests into manifests/ at the root of the bundle.',
    find: (bundle) => (bundle.hasManifests ? [] : [missingDirectory(bundle, 'manifests')]),
  },
  {
    ...format,
    id: 'F2',
    title: 'there is no directory `metadata/`',
    whatToDo: 'Put annotations.yaml into metadata/ at the root of the bundle, and copy that directory into the image.',
    find: (bundle) => (bundle.hasMetadata ? [] : [missingDirectory(bundle, 'metadata')]),
  },
  {
    ...format,
    id: 'F3',
    title: 'no file in `metadata/` has a map `annotations`',
    whatToDo: 'Write metadata/annotations.yaml with a map "annotations" at its top.',
    find: (bundle) =>
      hitWhen(isWhole(bundle) && bundle.annotations === undefined, 'Could not find annotations file', {
        file: bundle.metadataFiles.find(({ path }) => /^metadata\/annotations\.ya?ml$/.test(path)) ?? 'metadata',
        path: [],
      }),
  },
  {
    ...format,
    id: 'F4',
    title: 'one of the core annotations is missing',
    whatToDo: 'Add the annotation to metadata/annotations.yaml.',
    *find(bundle) {
      if (bundle.annotations === undefined) return;
      for (const key of requiredKeys) {
        yield* hitWhen(annotation(bundle, key) === undefined, `Missing annotation "${key}"`, placeOf(bundle, key));
      }
    },
  },
  {
    ...format,
    id: 'F5',
    title: 'the annotated media type does not match the files',
    whatToDo:
      'Set the annotation to the format of the files, or add the ClusterServiceVersion that registry+v1 requires.',
    find: (bundle) => {
      if (bundle.annotations === undefined || bundle.manifestFiles.length === 0) return [];
      const [given, detected] = [annotation(bundle, mediaTypeKey) ?? '', bundle.mediaType];
      const text = `Expecting annotation "${mediaTypeKey}" to have value "${detected}" instead of "${given}"`;
      return hitWhen(given !== detected, text, placeOf(bundle, mediaTypeKey));
    },
  },
  {
    ...format,
    id: 'F6',
    title: 'no channels are named',
    whatToDo: 'Name the channels that the bundle is published in, separated by commas: stable,candidate.',
    find: (bundle) =>
      hitWhen(
        bundle.annotations !== undefined && (annotation(bundle, channelsKey) ?? '') === '',
        nonEmpty(channelsKey),
        placeOf(bundle, channelsKey),
      ),
  },
  {
    ...format,
    id: 'F7',
    title: 'the default channel is named, and empty',
    whatToDo: 'Name one of the channels, or remove the annotation.',
    find: (bundle) =>
      hitWhen(
        annotation(bundle, defaultChannelKey) === '',
        nonEmpty(defaultChannelKey),
        placeOf(bundle, defaultChannelKey),
      ),
  },
  {
    ...format,
    id: 'F8',
    severity: 'warning',
    title: 'an annotation names another directory than the one that is used',
    whatToDo: 'Set the annotation to manifests/ or metadata/: tools expect these folders at the root.',
    *find(bundle) {
      for (const [key, used] of directoryKeys) {
        const value = annotation(bundle, key);
        const text = `Expecting annotation "${key}" to have value "${used}/" instead of "${value ?? ''}"`;
        yield* hitWhen(value !== undefined && value.replace(/\/$/, '') !== used, text, placeOf(bundle, key));
      }
    },
  },
  {
    ...format,
    id: 'F10',
    title: 'the name of the package is empty',
    whatToDo: 'Name the package that the bundle is a version of.',
    find: (bundle) =>
      hitWhen(annotation(bundle, packageKey) === '', 'package name is empty', placeOf(bundle, packageKey)),
  },
  {
    ...format,
    id: 'F11',
    title: '`manifests/` holds no files',
    whatToDo: 'Put the ClusterServiceVersion and the other manifests into manifests/.',
    find: (bundle) =>
      hitWhen(
        bundle.hasManifests && bundle.manifestFiles.length === 0 && !hasUnreadManifest(bundle),
        'The directory manifests contains no yaml files',
        { file: 'manifests' },
      ),
  },
  {
    ...format,
    id: 'F12',
    severity: 'warning',
    title: 'the value of an annotation is not a string; an error if it is a list or a mapping',
    whatToDo: 'Put the value in quotes: tools read a number or a boolean as text, and 1.10 as 1.1.',
    *find({ annotations }) {
      if (annotations === undefined) return;
      const { file, value } = annotations;
      for (const [key, member = null] of Object.entries(value)) {
        if (typeof member === 'string') continue;
        const path = ['annotations', key];
        const document = file.documents.findIndex((one) => isJsonObject(one));
        const source = file.positions.source(document, path) ?? JSON.stringify(member);
        const message = `annotation "${key}": expected a string, found ${source}`;
        const severity = scalarText(member) === undefined ? 'error' : 'warning';
        yield { message, place: { file, path }, severity };
      }
    },
  },
  {
    ...format,
    id: 'F13',
    severity: 'warning',
    title: 'a channel has spaces around it',
    whatToDo: 'Remove the spaces: catalogs treat them as part of the name.',
    *find(bundle) {
      for (const channel of channelsOf(bundle)) {
        const text = `channel "${channel}" has spaces around it`;
        yield* hitWhen(channel !== channel.trim(), text, placeOf(bundle, channelsKey));
      }
    },
  },
  {
    ...format,
    id: 'F14',
    title: 'the files are laid out as a package manifest, the former format',
    whatToDo: 'Make a bundle of each version: its manifests in manifests/, and metadata/annotations.yaml beside them.',
    *find({ manifestFiles, metadataFiles }) {
      for (const file of [...manifestFiles, ...metadataFiles]) {
        const document = file.documents.find((one) => isJsonObject(one));
        if (!isJsonObject(document) || textAt(document, 'kind') !== '') continue;
        if (textAt(document, 'packageName') === '' || !Array.isArray(document['channels'])) continue;
        const message = `found a package manifest of "${textAt(document, 'packageName')}", which belongs to the old layout`;
        yield { message, place: { file, path: ['packageName'] } };
      }
    },
  },
];
