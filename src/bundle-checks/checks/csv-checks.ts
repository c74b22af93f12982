import {
  errorMessage,
  formatPath,
  type JsonValue,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../base/index.ts';
import { parseVersion } from '../../constraints/index.ts';
import { dns1123SubdomainProblems, labelValueProblems } from '../../schema/index.ts';
import type { BundleUnderCheck } from '../bundle.ts';
import type { Check, Hit } from '../check.ts';
import { csvHit, csvParts, csvSpec } from '../csv-parts.ts';

const csv = { suite: 'default', stage: 'csv', severity: 'error' } as const;
const warning = { ...csv, severity: 'warning' } as const;

/** Why a text is no name of a ClusterServiceVersion. */
export function nameProblems(name: string): readonly string[] {
  const ofLabel = labelValueProblems(name).map((problem) => problem.replace('63 characters', '63 bytes'));
  return [...dns1123SubdomainProblems(name), ...ofLabel];
}

function shortened(name: string): string {
  return name.length > 300 ? `${name.slice(0, 300)}…` : name;
}

function* nameHits(bundle: BundleUnderCheck, field: string, name: string): Iterable<Hit> {
  const problems = nameProblems(name);
  if (problems.length === 0) return;
  yield csvHit(bundle, field.split('.'), `${field} "${shortened(name)}" is invalid: ${problems.join(',')}`);
}

/** A required member that is empty; `value` is what the established tools print. */
function required(bundle: BundleUnderCheck, path: readonly string[], [field, value]: readonly [string, string]): Hit[] {
  const [...parents] = path.slice(0, -1);
  const found = valueAt(objectAt(bundle.csv?.object, ...parents), path.at(-1) ?? '');
  const isEmpty =
    found === undefined ||
    found === null ||
    found === '' ||
    (typeof found === 'object' && Object.keys(found).length === 0);
  return isEmpty ? [csvHit(bundle, path, `Field ${field}, Value ${value}: required field missing`)] : [];
}

const strategyField = 'Spec.InstallStrategy';

function* missingFields(bundle: BundleUnderCheck): Iterable<Hit> {
  if (bundle.csv === undefined) return;
  yield* required(bundle, ['metadata'], ['ObjectMeta', 'struct']);
  const ofSpec = required(bundle, ['spec'], ['Spec', 'struct']);
  yield* ofSpec;
  if (ofSpec.length > 0) return;
  yield* required(bundle, ['spec', 'displayName'], ['Spec.DisplayName', 'field']);
  const ofInstall = required(bundle, ['spec', 'install'], [strategyField, 'struct']);
  yield* ofInstall;
  if (ofInstall.length > 0) return;
  yield* required(bundle, ['spec', 'install', 'strategy'], [`${strategyField}.StrategyName`, 'field']);
  if (Object.keys(objectAt(csvSpec(bundle), 'install', 'spec') ?? {}).length === 0) return;
  const field = `${strategyField}.StrategySpec.DeploymentSpecs`;
  yield* required(bundle, ['spec', 'install', 'spec', 'deployments'], [field, 'field']);
}

/** Members that items of lists must have. */
const requiredOfItems: readonly (readonly [path: string, members: readonly string[]])[] = [
  ['spec.install.spec.deployments', ['name', 'spec']],
  ['spec.install.spec.permissions', ['rules']],
  ['spec.install.spec.clusterPermissions', ['rules']],
  ['spec.customresourcedefinitions.owned', ['name', 'version', 'kind']],
  ['spec.customresourcedefinitions.required', ['name', 'version', 'kind']],
  ['spec.apiservicedefinitions.owned', ['name', 'group', 'version', 'kind']],
  ['spec.apiservicedefinitions.required', ['name', 'group', 'version', 'kind']],
  ['spec.webhookdefinitions', ['type', 'generateName', 'admissionReviewVersions']],
  ['spec.installModes', ['type']],
  ['spec.nativeAPIs', ['version', 'kind']],
];

/** Members that items of lists should have: readers take what is missing for empty, or for false, and its author hardly meant that. The name of a
 *  resource is left out: only those of custom resources have one. */
const expectedOfItems: readonly (readonly [path: string, members: readonly string[]])[] = [
  ['spec.installModes', ['supported']],
  ['spec.relatedImages', ['name']],
  ['spec.install.spec.permissions', ['serviceAccountName']],
  ['spec.install.spec.clusterPermissions', ['serviceAccountName']],
  ['spec.nativeAPIs', ['group']],
];
const expectedOfApis: readonly (readonly [list: string, members: readonly string[]])[] = [
  ['resources', ['kind', 'version']],
  ['specDescriptors', ['path']],
  ['statusDescriptors', ['path']],
  ['actionDescriptors', ['path']],
];

function* unsaidInItems(bundle: BundleUnderCheck): Iterable<Hit> {
  const ofCsv = expectedOfItems.map(([path, members]) => {
    return { parts: csvParts(bundle, ...(path.split('.') as [string, ...string[]])), members };
  });
  const apis = ['owned', 'required'].flatMap((which) => csvParts(bundle, 'spec', 'customresourcedefinitions', which));
  const ofApis = expectedOfApis.map(([list, members]) => ({
    parts: apis.flatMap(({ value, path }) =>
      objectsAt(value, list).map((item, index) => ({ value: item, path: [...path, list, index] })),
    ),
    members,
  }));
  for (const { parts, members } of [...ofCsv, ...ofApis]) {
    for (const { value, path } of parts) {
      const missing = members.filter((member) => valueAt(value, member) === undefined);
      for (const member of missing) yield csvHit(bundle, path, `${formatPath([...path, member])} is missing`);
    }
  }
}

/** An empty list of rules is a permission to do nothing, which every tool accepts. */
function isMissing(member: string, value: JsonValue | undefined): boolean {
  const isEmptyList = Array.isArray(value) && value.length === 0 && member !== 'rules';
  return value === undefined || value === null || value === '' || isEmptyList;
}

function* missingInItems(bundle: BundleUnderCheck): Iterable<Hit> {
  for (const [path, members] of requiredOfItems) {
    for (const part of csvParts(bundle, ...(path.split('.') as [string, ...string[]]))) {
      for (const member of members.filter((one) => isMissing(one, valueAt(part.value, one)))) {
        const field = `${path}[${String(part.path.at(-1))}].${member}`;
        yield csvHit(bundle, [...part.path, member], `Field ${field}, Value field: required field missing`);
      }
    }
  }
}

function supportedTypes(bundle: BundleUnderCheck): readonly string[] {
  const modes = csvParts(bundle, 'spec', 'installModes').filter(({ value }) => value['supported'] === true);
  return [...new Set(modes.map(({ value }) => textAt(value, 'type')))];
}

const installModes: readonly Check[] = [
  {
    ...csv,
    id: 'CSV12',
    title: 'there are no install modes',
    whatToDo: 'List the four install modes in spec.installModes with whether the operator supports them.',
    find: (bundle) =>
      bundle.csv !== undefined && csvParts(bundle, 'spec', 'installModes').length === 0
        ? [csvHit(bundle, ['spec', 'installModes'], 'install modes not found')]
        : [],
  },
  {
    ...csv,
    id: 'CSV13',
    title: 'an install mode is listed twice',
    whatToDo: 'List every install mode once.',
    *find(bundle) {
      const seen = new Set<string>();
      for (const { value, path } of csvParts(bundle, 'spec', 'installModes')) {
        const type = textAt(value, 'type');
        if (seen.has(type)) yield csvHit(bundle, path, 'duplicate install modes present');
        seen.add(type);
      }
    },
  },
  {
    ...csv,
    id: 'CSV14',
    title: 'a conversion webhook, and another install mode than AllNamespaces',
    whatToDo: 'Support AllNamespaces alone: conversion is for the whole cluster.',
    *find(bundle) {
      const types = supportedTypes(bundle);
      if (types.length === 1 && types[0] === 'AllNamespaces') return;
      const text = 'only AllNamespaces InstallModeType is supported when conversionCRDs is present';
      for (const { value, path } of csvParts(bundle, 'spec', 'webhookdefinitions')) {
        if (listOfTexts(value, 'conversionCRDs').length > 0) yield csvHit(bundle, [...path, 'conversionCRDs'], text);
      }
    },
  },
  {
    ...csv,
    id: 'CSV15',
    title: 'no install mode is supported',
    whatToDo: 'Set supported: true for the install modes that the operator is made for.',
    find: (bundle) =>
      csvParts(bundle, 'spec', 'installModes').length > 0 && supportedTypes(bundle).length === 0
        ? [csvHit(bundle, ['spec', 'installModes'], 'none of InstallModeTypes are supported')]
        : [],
  },
];

const kubeVersionText =
  'csv.Spec.minKubeVersion is not informed. It is recommended you provide this information. Otherwise, it would mean that your operator project can be distributed and installed in any cluster version available, which is not necessarily the case for all projects.';

function* missingKubeVersion(bundle: BundleUnderCheck): Iterable<Hit> {
  if (bundle.csv === undefined || textAt(csvSpec(bundle), 'minKubeVersion').trim() !== '') return;
  yield csvHit(bundle, ['spec', 'minKubeVersion'], kubeVersionText);
}

function* badKubeVersion(bundle: BundleUnderCheck): Iterable<Hit> {
  const version = textAt(csvSpec(bundle), 'minKubeVersion');
  if (version.trim() === '') return;
  try {
    parseVersion(version);
  } catch (thrown) {
    const text = `csv.Spec.MinKubeVersion has an invalid value: ${shortened(version)}`;
    const whatToDo = `Write MAJOR.MINOR.PATCH, such as 1.25.0 (${errorMessage(thrown)}).`;
    yield { ...csvHit(bundle, ['spec', 'minKubeVersion'], text), whatToDo };
  }
}

const installAnnotations = [
  'olm.operatorGroup',
  'olm.operatorNamespace',
  'olm.targetNamespaces',
  'olm.providedAPIs',
  'olm.skipRange',
];

function annotationsOf({ csv: object }: BundleUnderCheck): Record<string, unknown> {
  return objectAt(object?.object, 'metadata', 'annotations') ?? {};
}

/** The ClusterServiceVersion itself. @see docs/spec/bundle-format.md#csv */
export const csvChecks: readonly Check[] = [
  {
    ...csv,
    id: 'CSV1',
    title: 'the name is not a DNS subdomain, or not a label value',
    whatToDo: 'Name it <package>.v<version>, with at most 63 characters.',
    find: (bundle) => (bundle.csv === undefined ? [] : nameHits(bundle, 'metadata.name', bundle.csv.name)),
  },
  {
    ...csv,
    id: 'CSV2',
    title: 'the same for `spec.replaces`',
    whatToDo: 'Write the name of the ClusterServiceVersion that this one follows, or remove the field.',
    find: (bundle) => {
      const name = textAt(csvSpec(bundle), 'replaces');
      return name === '' ? [] : nameHits(bundle, 'spec.replaces', name);
    },
  },
  {
    ...warning,
    id: 'CSV3',
    title: 'there are no annotations',
    whatToDo: 'Add metadata.annotations, with alm-examples at least.',
    find: (bundle) =>
      bundle.csv !== undefined && Object.keys(annotationsOf(bundle)).length === 0
        ? [csvHit(bundle, ['metadata', 'annotations'], 'annotations not found')]
        : [],
  },
  ...installModes,
  {
    ...warning,
    id: 'CSV16',
    title: 'there is no `spec.minKubeVersion`',
    whatToDo: 'Set spec.minKubeVersion to the lowest version that the operator is tested with, such as 1.25.0.',
    find: missingKubeVersion,
  },
  {
    ...csv,
    id: 'CSV17',
    title: '`spec.minKubeVersion` is not a version',
    whatToDo: 'Write MAJOR.MINOR.PATCH, such as 1.25.0.',
    find: badKubeVersion,
  },
  {
    ...csv,
    id: 'CSV18',
    title: 'a required field is empty, also in the items of lists',
    whatToDo: 'Fill the field in.',
    *find(bundle) {
      yield* missingFields(bundle);
      yield* missingInItems(bundle);
    },
  },
  {
    ...warning,
    id: 'CSV37',
    title: 'an item of a list lacks a field that the schema of ClusterServiceVersions requires',
    whatToDo: 'Add the field: tools read it as empty, or as false.',
    find: unsaidInItems,
  },
  {
    ...csv,
    id: 'CSV19',
    title: 'an annotation differs from a known one only in upper and lower case',
    whatToDo: 'Write the key as it is expected.',
    *find(bundle) {
      const known = new Map(installAnnotations.map((key) => [key.toLowerCase(), key]));
      for (const key of Object.keys(annotationsOf(bundle))) {
        const right = known.get(key.toLowerCase());
        if (right === undefined || right === key) continue;
        const text = `provided annotation ${key} uses wrong case and should be ${right} instead`;
        yield csvHit(bundle, ['metadata', 'annotations', key], text);
      }
    },
  },
  {
    ...warning,
    id: 'CSV20',
    title: 'the annotation `olm.properties` is set',
    whatToDo: 'Move the properties to metadata/properties.yaml.',
    find: (bundle) => {
      if (!Object.hasOwn(annotationsOf(bundle), 'olm.properties')) return [];
      const text =
        'found olm.properties annotation, please define these properties in metadata/properties.yaml instead';
      return [csvHit(bundle, ['metadata', 'annotations', 'olm.properties'], text)];
    },
  },
  {
    ...csv,
    id: 'CSV21',
    title: '`apiVersion` is missing or wrong',
    whatToDo: 'Write apiVersion: operators.coreos.com/v1alpha1.',
    find: (bundle) => {
      if (bundle.csv === undefined) return [];
      const { apiVersion } = bundle.csv;
      if (apiVersion === 'operators.coreos.com/v1alpha1') return [];
      const text =
        apiVersion === ''
          ? "'apiVersion' is missing"
          : `expected 'apiVersion' operators.coreos.com/v1alpha1, found ${shortened(apiVersion)}`;
      // Installers read it all the same.
      const severity = apiVersion === '' ? 'error' : 'warning';
      return [{ ...csvHit(bundle, ['apiVersion'], text), severity }];
    },
  },
  {
    ...warning,
    id: 'CSV22',
    title: 'an annotation is set that installers write',
    whatToDo: 'Remove the annotation; installers overwrite it.',
    *find(bundle) {
      for (const key of installAnnotations.filter((one) => one !== 'olm.skipRange')) {
        if (!Object.hasOwn(annotationsOf(bundle), key)) continue;
        yield csvHit(bundle, ['metadata', 'annotations', key], `annotation ${key} is written at install time`);
      }
    },
  },
];
