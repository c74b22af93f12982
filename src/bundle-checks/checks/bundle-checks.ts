import { objectAt, objectsAt, textAt, valueAt } from '../../base/index.ts';
import { isStandardKind } from '../../formats/index.ts';
import type { BundleUnderCheck, ManifestObject } from '../bundle.ts';
import type { Check, Hit, Place } from '../check.ts';
import { apiText, crdParts, csvHit, csvParts, csvSpec, deploymentParts, placeIn, podSpecOf } from '../csv-parts.ts';
import { imageProblem } from '../image-name.ts';

const bundleLevel = { suite: 'default', stage: 'bundle', severity: 'error' } as const;
const maxBytes = 1_048_576;
const warnedBytes = 0.85 * maxBytes;
const packageKey = 'operators.operatorframework.io.bundle.package.v1';

interface Key {
  readonly crd: ManifestObject;
  readonly group: string;
  readonly kind: string;
  readonly version: string;
  readonly key: string;
  readonly place: Place;
}

/** Every version of every CRD. */
function crdKeys(bundle: BundleUnderCheck): readonly Key[] {
  return bundle.crds.flatMap((crd) => {
    const spec = objectAt(crd.object, 'spec');
    const [group, kind] = [textAt(spec, 'group'), textAt(objectAt(spec, 'names'), 'kind')];
    const listed = objectsAt(spec, 'versions').map((version) => textAt(version, 'name'));
    const single = textAt(spec, 'version');
    const versions = listed.length === 0 && single !== '' ? [single] : listed;
    return [...new Set(versions)].map((version) => {
      const path = listed.length === 0 ? ['spec', 'version'] : ['spec', 'versions', listed.indexOf(version), 'name'];
      return { crd, group, kind, version, key: apiText({ group, version, kind }), place: placeIn(crd, path) };
    });
  });
}

function bundleName({ csv }: BundleUnderCheck): string {
  return csv?.name ?? '';
}

function* duplicateKeys(bundle: BundleUnderCheck): Iterable<Hit> {
  const seen = new Set<string>();
  for (const { key, place } of crdKeys(bundle)) {
    if (seen.has(key))
      yield { message: `Value ${key}: duplicate CRD "${key}" in bundle "${bundleName(bundle)}"`, place };
    seen.add(key);
  }
}

function* ownedWithoutCrd(bundle: BundleUnderCheck): Iterable<Hit> {
  const there = new Set(crdKeys(bundle).map(({ key }) => key));
  for (const { key, path, name } of crdParts(bundle, 'owned')) {
    if (!name.includes('.') || there.has(key)) continue;
    yield csvHit(bundle, path, `Value ${key}: owned CRD "${key}" not found in bundle "${bundleName(bundle)}"`);
  }
}

function* crdNotOwned(bundle: BundleUnderCheck): Iterable<Hit> {
  if (bundle.csv === undefined) return;
  const owned = new Set(crdParts(bundle, 'owned').map(({ group, kind }) => `${kind}.${group}`));
  for (const { key, group, kind, place } of crdKeys(bundle)) {
    if (owned.has(`${kind}.${group}`)) continue;
    const message = `Value ${key}: CRD "${key}" is present in bundle "${bundleName(bundle)}" but not defined in CSV`;
    yield { message, place };
  }
}

function accountNames(bundle: BundleUnderCheck): ReadonlySet<string> {
  const ofPods = deploymentParts(bundle).map((part) => textAt(podSpecOf(part).value, 'serviceAccountName'));
  const ofPermissions = ['permissions', 'clusterPermissions'].flatMap((key) =>
    csvParts(bundle, 'spec', 'install', 'spec', key).map(({ value }) => textAt(value, 'serviceAccountName')),
  );
  return new Set([...ofPods, ...ofPermissions].filter((name) => name !== ''));
}

function* doubledAccounts(bundle: BundleUnderCheck): Iterable<Hit> {
  const names = accountNames(bundle);
  for (const object of bundle.others) {
    if (object.kind !== 'ServiceAccount' || !isStandardKind(object) || !names.has(object.name)) continue;
    const { name } = object;
    const message = `Value ${name}: invalid service account found in bundle. This service account ${name} in your bundle is not valid, because a service account with the same name was already specified in your CSV. If this was unintentional, please remove the service account manifest from your bundle. If it was intentional to specify a separate service account, please rename the SA in either the bundle manifest or the CSV.`;
    yield { message, place: placeIn(object, ['metadata', 'name']) };
  }
}

/** `1.1 MB`: steps of a thousand. */
function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < 3) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${['B', 'kB', 'MB', 'GB'][unit] ?? ''}`;
}

function* sizeHits({ manifestFiles }: BundleUnderCheck, isOver: boolean): Iterable<Hit> {
  const sum = (read: (file: (typeof manifestFiles)[number]) => number): number =>
    manifestFiles.reduce((total, file) => total + read(file), 0);
  const packed = sum(({ packedBytes }) => packedBytes);
  if (isOver ? packed <= maxBytes : packed <= warnedBytes || packed > maxBytes) return;
  const start = isOver
    ? 'maximum bundle compressed size with gzip size exceeded'
    : 'nearing maximum bundle compressed size with gzip';
  const size = `size=~${sizeText(packed)} , max=1.0 MB. Bundle uncompressed size is ${sizeText(sum(({ sizeBytes }) => sizeBytes))}`;
  const biggest = manifestFiles.toSorted((a, b) => b.packedBytes - a.packedBytes).slice(0, 3);
  const named = biggest.map(({ path, packedBytes }) => `${path} (${sizeText(packedBytes)})`).join(', ');
  const whatToDo = `Shorten descriptions in CRD schemas and examples; the biggest files, compressed: ${named}.`;
  yield { message: `${start}: ${size}`, place: { file: 'manifests' }, whatToDo };
}

function* releaseNames(bundle: BundleUnderCheck): Iterable<Hit> {
  const spec = csvSpec(bundle);
  const release = textAt(spec, 'release');
  const packageName = textAt(bundle.annotations?.value, packageKey);
  if (release === '' || packageName === '') return;
  const expected = `${packageName}-v${textAt(spec, 'version')}-${release}`;
  const name = bundleName(bundle);
  if (name === expected) return;
  const text = `Value ${name}: bundle name with release versioning "${name}" does not match expected name "${expected}"`;
  yield csvHit(bundle, ['metadata', 'name'], text);
}

function* badImages(bundle: BundleUnderCheck, isEmpty: boolean): Iterable<Hit> {
  for (const [index, { value, path }] of csvParts(bundle, 'spec', 'relatedImages').entries()) {
    const image = valueAt(value, 'image') ?? '';
    if (typeof image !== 'string' || (image === '') !== isEmpty) continue;
    const field = `Field spec.relatedImages[${index}].image`;
    const problem = isEmpty ? undefined : imageProblem(image);
    if (isEmpty) yield csvHit(bundle, [...path, 'image'], `${field}: relatedImages[${index}] has an empty image field`);
    if (problem === undefined) continue;
    const text = `${field}: relatedImages[${index}] has an invalid image pullspec "${image.slice(0, 300)}": ${problem}`;
    yield csvHit(bundle, [...path, 'image'], text);
  }
}

/** Versions of owned CRDs that a CRD has and no entry names: fine for catalogs, reported by opm as a warning; ignored here. */
const crdAgainstCsv: readonly Check[] = [
  {
    ...bundleLevel,
    id: 'B1',
    title: 'one group, version and kind is defined twice',
    whatToDo: 'Keep one of the CustomResourceDefinitions, that of apiextensions.k8s.io/v1.',
    find: duplicateKeys,
  },
  {
    ...bundleLevel,
    id: 'B2',
    title: 'an owned CRD, or its version, is not in the bundle',
    whatToDo: 'Add the CustomResourceDefinition, or correct name, version and kind in the ClusterServiceVersion.',
    find: ownedWithoutCrd,
  },
  {
    ...bundleLevel,
    id: 'B3',
    title: 'a CRD is in the bundle and not owned',
    whatToDo: 'Add it to spec.customresourcedefinitions.owned, or remove the file.',
    find: crdNotOwned,
  },
  {
    ...bundleLevel,
    id: 'B4',
    title: 'a ServiceAccount is in the bundle that the ClusterServiceVersion also names',
    whatToDo: 'Remove the manifest: the account is made from the ClusterServiceVersion.',
    find: doubledAccounts,
  },
];

/** The parts of a bundle against each other. @see docs/spec/bundle-format.md#bundle, docs/spec/bundle-format.md#releases, docs/spec/bundle-format.md#sizes-compression-configmaps */
export const bundleLevelChecks: readonly Check[] = [
  ...crdAgainstCsv,
  {
    ...bundleLevel,
    id: 'B6',
    title: 'the manifests exceed 1 MiB when compressed',
    whatToDo: 'Shorten descriptions in CRD schemas and examples.',
    find: (bundle) => sizeHits(bundle, true),
  },
  {
    ...bundleLevel,
    id: 'B7',
    severity: 'warning',
    title: 'the manifests exceed 85 % of that',
    whatToDo: 'Shorten descriptions in CRD schemas and examples.',
    find: (bundle) => sizeHits(bundle, false),
  },
  {
    ...bundleLevel,
    id: 'B8',
    title: '`spec.release` is set, and the name is not `<package>-v<version>-<release>`',
    whatToDo: 'Rename the ClusterServiceVersion.',
    find: releaseNames,
  },
  {
    ...bundleLevel,
    id: 'B9',
    title: 'a related image is empty',
    whatToDo: 'Name the image, or remove the entry.',
    find: (bundle) => badImages(bundle, true),
  },
  {
    ...bundleLevel,
    id: 'B10',
    title: 'a related image cannot be parsed',
    whatToDo: 'Write registry/repository@digest.',
    find: (bundle) => badImages(bundle, false),
  },
  {
    ...bundleLevel,
    id: 'B11',
    title: '`spec.release` together with `olm.substitutesFor`',
    whatToDo: 'Keep one of the two.',
    find: (bundle) => {
      const release = textAt(csvSpec(bundle), 'release');
      const substitutes = textAt(objectAt(bundle.csv?.object, 'metadata', 'annotations'), 'olm.substitutesFor');
      if (release === '' || substitutes === '') return [];
      const text = `bundle "${bundleName(bundle)}" cannot have both a release version ("${release}") and olm.substitutesFor annotation ("${substitutes}")`;
      return [csvHit(bundle, ['spec', 'release'], text)];
    },
  },
];
