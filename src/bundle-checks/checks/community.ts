import { isJsonObject, type JsonValue, objectAt, parseJson, TerminalError, textAt } from '../../base/index.ts';
import type { BundleUnderCheck } from '../bundle.ts';
import type { Check, Hit } from '../check.ts';
import { placeIn } from './csv-view.ts';
import { removedApiHits, usesRemovedApis } from './deprecated-apis.ts';

const community = { suite: 'community', stage: 'optional' } as const;
const versionsKey = 'com.redhat.openshift.versions';
/** The first release of OpenShift with Kubernetes 1.22. */
const firstWithout = 9;

/** The minor release of `4.9` or `v4.9`; undefined for anything else. */
function minorOf(text: string): number | undefined {
  const minor = /^v?4\.([0-9]{1,4})(?:\.[0-9]+)?$/.exec(text.trim())?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** The properties of the bundle: of the annotation of its ClusterServiceVersion, then of the file. */
function propertiesOf({ csv, properties }: BundleUnderCheck): readonly JsonValue[] {
  const annotated = textAt(objectAt(csv?.object, 'metadata', 'annotations'), 'olm.properties');
  const listed = Array.isArray(properties?.value) ? properties.value : [];
  return [...annotatedProperties(annotated), ...listed];
}

function annotatedProperties(text: string): readonly JsonValue[] {
  if (text === '') return [];
  try {
    const list = parseJson('olm.properties', text);
    return Array.isArray(list) ? list : [];
  } catch (thrown) {
    // CSV36 of docs/bundle-validate.md reports it.
    if (thrown instanceof TerminalError) return [];
    throw thrown;
  }
}

function maxOpenShiftVersion(bundle: BundleUnderCheck): string | undefined {
  const found = propertiesOf(bundle).find((item) => isJsonObject(item) && item['type'] === 'olm.maxOpenShiftVersion');
  const value = isJsonObject(found) ? found['value'] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function* maxVersionHolds(bundle: BundleUnderCheck): Iterable<Hit> {
  if (!usesRemovedApis(bundle, '1.22')) return;
  const found = maxOpenShiftVersion(bundle);
  const minor = minorOf(found ?? '');
  if (minor !== undefined && minor < firstWithout) return;
  yield {
    message: `the bundle uses APIs that Kubernetes 1.22 (OpenShift 4.9) removed: expected the property olm.maxOpenShiftVersion to be below 4.9, found ${found ?? 'none'}`,
    place: bundle.properties === undefined ? { file: 'metadata/properties.yaml' } : { file: bundle.properties.file },
  };
}

/** `v4.6-v4.8` and `=v4.8` end; `v4.6` has no end. */
function endsEarly(range: string): boolean {
  const last = range.trim().replace(/^=/, '').split('-').at(-1) ?? '';
  const isBounded = /[-=]/.test(range);
  const minor = minorOf(last);
  return isBounded && minor !== undefined && minor < firstWithout;
}

function* rangeHolds(bundle: BundleUnderCheck): Iterable<Hit> {
  const { annotations, csv } = bundle;
  if (!usesRemovedApis(bundle, '1.22')) return;
  const range = textAt(annotations?.value, versionsKey);
  if (endsEarly(range)) return;
  const inFile = annotations === undefined ? undefined : { file: annotations.file, path: ['annotations', versionsKey] };
  yield {
    message: `the bundle uses APIs that Kubernetes 1.22 (OpenShift 4.9) removed: expected ${versionsKey} to end before v4.9, found ${range === '' ? 'none' : JSON.stringify(range)}`,
    place: inFile ?? (csv === undefined ? undefined : placeIn(csv)),
  };
}

/** What catalogues of the community ask for. @see docs/spec/bundle-format.md#community */
export const communityChecks: readonly Check[] = [
  {
    id: 'CO1',
    ...community,
    severity: 'warning',
    title: 'an API is used that Kubernetes has removed',
    whatToDo: 'Use the API versions that the guide names.',
    find: removedApiHits,
  },
  {
    id: 'CO2',
    ...community,
    severity: 'error',
    title: 'APIs are used that OpenShift 4.9 removed, and olm.maxOpenShiftVersion does not exclude it',
    whatToDo:
      'Use API versions that there are; or add the property olm.maxOpenShiftVersion with "4.8" to metadata/properties.yaml.',
    find: maxVersionHolds,
  },
  {
    id: 'CO3',
    ...community,
    severity: 'error',
    title: 'APIs are used that OpenShift 4.9 removed, and the bundle is offered there',
    whatToDo: `Use supported API versions, or end ${versionsKey} in metadata/annotations.yaml before it: v4.6-v4.8.`,
    find: rangeHolds,
  },
];
