import { isJsonObject, type JsonValue, textAt } from '../../base/index.ts';
import type { BundleFile, BundleUnderCheck, FileFault } from '../bundle.ts';
import type { Check, Hit, Place } from '../check.ts';
import { hasFaultyCsv, hasUnreadManifest } from '../read-bundle.ts';

const loading = { suite: 'default', stage: 'loading', severity: 'error' } as const;

/** Helm charts are not validated. */
export function isOperator({ mediaType }: BundleUnderCheck): boolean {
  return mediaType !== 'helm';
}

function faultHit(file: BundleFile, { reason, line, column }: FileFault, text: string): Hit {
  const place: Place = {
    file,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
  return { message: `${text}${line === undefined ? '' : `line ${line}: `}${reason}`, place };
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Documents that are no objects of Kubernetes, with what is missing. Items of lists are looked at as well. */
function* looseDocuments(
  file: BundleFile,
): Iterable<{ readonly document: number; readonly problem: string; readonly value: JsonValue }> {
  for (const [document, value] of file.documents.entries()) {
    if (value === null) continue;
    if (!isJsonObject(value)) yield { document, value, problem: `expected an object, found ${shown(value)}` };
    else if (textAt(value, 'kind') === '') {
      yield { document, value, problem: `Object 'Kind' is missing in '${shown(value)}'` };
    }
  }
}

function misplaced(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const key = ['annotations', 'dependencies', 'properties'].find((one) => typeof value[one] === 'object');
  return key === undefined ? undefined : `Move the file to metadata/${key}.yaml.`;
}

function* otherEntries(bundle: BundleUnderCheck, kind: string, text: string): Iterable<Hit> {
  for (const entry of bundle.otherEntries) {
    if (entry.kind !== kind || !entry.path.startsWith('manifests/')) continue;
    yield { message: `${text}${entry.path}`, place: { file: entry.path } };
  }
}

/** What keeps files from being read. @see docs/spec/bundle-format.md#loading-errors */
export const loadingChecks: readonly Check[] = [
  {
    ...loading,
    id: 'L1',
    title: 'no file of `manifests/` holds a ClusterServiceVersion',
    whatToDo: 'Add the ClusterServiceVersion; if a file could not be parsed, fix it first.',
    find: (bundle) =>
      bundle.hasManifests &&
      isOperator(bundle) &&
      bundle.csv === undefined &&
      !bundle.manifestFiles.some(hasFaultyCsv) &&
      !hasUnreadManifest(bundle)
        ? [{ message: 'unable to find a csv in bundle directory manifests', place: { file: 'manifests' } }]
        : [],
  },
  {
    ...loading,
    id: 'L2',
    title: '`manifests/` holds a directory',
    whatToDo: 'Put all manifests directly into manifests/.',
    find: (bundle) =>
      isOperator(bundle) ? otherEntries(bundle, 'directory', 'bundle manifests dir contains directory: ') : [],
  },
  {
    ...loading,
    id: 'L3',
    title: '`manifests/` holds a hidden file',
    whatToDo: 'Remove the file: some tools refuse it, others read it.',
    *find({ manifestFiles }) {
      for (const file of manifestFiles) {
        if (!file.path.startsWith('manifests/.')) continue;
        yield { message: `bundle manifests dir has hidden file: ${file.path}`, place: { file } };
      }
    },
  },
  {
    ...loading,
    id: 'L4',
    title: 'there are several ClusterServiceVersions',
    whatToDo: 'Keep one ClusterServiceVersion; a bundle is one version of one operator.',
    *find({ csvs: [first, ...more] }) {
      for (const csv of more) {
        const others = first === undefined ? '' : `: "${csv.name}" here, "${first.name}" in ${first.file.path}`;
        const { file, document, path } = csv;
        yield {
          message: `invalid bundle: contains multiple CSVs${others}`,
          place: { file, document, path: [...path, 'kind'] },
        };
      }
    },
  },
  {
    ...loading,
    id: 'L5',
    title: 'a file of `manifests/` cannot be parsed, or holds something else than objects',
    whatToDo: 'Fix the file, or remove it if it is not a manifest.',
    *find(bundle) {
      if (!isOperator(bundle)) return;
      for (const file of bundle.manifestFiles) {
        if (file.fault !== undefined) yield faultHit(file, file.fault, 'unable to decode object: yaml: ');
        for (const { document, problem, value } of looseDocuments(file)) {
          const hint = misplaced(value);
          const place: Place = { file, document, path: [] };
          yield {
            message: `unable to decode object: ${problem}`,
            place,
            ...(hint === undefined ? {} : { whatToDo: hint }),
          };
        }
      }
    },
  },
  {
    ...loading,
    id: 'L8',
    title: 'a file of `metadata/` cannot be parsed',
    whatToDo: 'Fix the file.',
    *find({ metadataFiles }) {
      for (const file of metadataFiles) {
        if (file.fault === undefined) continue;
        const what = file.path === 'metadata/annotations.yaml' ? 'the annotations file' : 'the file';
        yield faultHit(file, file.fault, `unable to load ${what} ${file.path}: yaml: `);
      }
    },
  },
  {
    ...loading,
    id: 'L12',
    severity: 'warning',
    title: 'a mapping has a key twice; the last value is used',
    whatToDo: 'Remove one of the two: tools read the last one.',
    *find({ manifestFiles, metadataFiles }) {
      for (const file of [...manifestFiles, ...metadataFiles]) {
        if (file.repeatedKey !== undefined) yield faultHit(file, file.repeatedKey, 'yaml: ');
      }
    },
  },
  {
    ...loading,
    id: 'L11',
    title: 'a file is too large to be read',
    whatToDo: 'Make the file smaller; no cluster accepts an object of that size.',
    *find(bundle) {
      for (const { path, kind, sizeBytes = 0 } of bundle.otherEntries) {
        if (kind !== 'too large') continue;
        yield { message: `${path}: ${sizeBytes} bytes, more than what is read`, place: { file: path } };
      }
    },
  },
];
