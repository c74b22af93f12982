import {
  bundlePropertiesAnnotation,
  hasDependenciesLabel,
  isSameSpec,
  ownerKindLabel,
  ownerNameLabel,
  parseBundle,
  storedContentAnnotation,
  templateHashLabel,
} from '../../src/api/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { KubeObject, ObjectMeta } from '../../src/kube/index.ts';
import { definitionOf } from '../../src/sources/definitions/index.ts';
import { fieldManager } from '../field-manager.ts';
import { templateHash } from '../hash.ts';

type Texts = Readonly<Record<string, string>>;

/** Labels that no template gives. */
const ownLabels = new Set([ownerKindLabel, ownerNameLabel, templateHashLabel, hasDependenciesLabel]);
/** Who wrote a Bundle's labels from a template: this program, and the original. */
const templateWriters = new Set([fieldManager, 'core']);

function specOf(bundle: KubeObject): JsonValue {
  return (bundle['spec'] ?? null) as JsonValue;
}

/** The hash of a template that would have made the Bundle with all the labels and annotations that it has. */
function hashOfBundle(bundle: KubeObject): string {
  const { labels = {}, annotations: noted = {} } = bundle.metadata;
  const { [bundlePropertiesAnnotation]: _properties, [storedContentAnnotation]: _stored, ...annotations } = noted;
  const own = Object.fromEntries(Object.entries(labels).filter(([key]) => !ownLabels.has(key)));
  return templateHash({ metadata: { labels: own, annotations }, spec: parseBundle(bundle).spec });
}

/** Whether the Bundle has the content that the template asks for. Labels and annotations do not matter, but for an
 *  upload: there they alone identify the upload. */
function hasContentOf(bundle: KubeObject, desired: KubeObject): boolean {
  if (!isSameSpec(specOf(bundle), specOf(desired))) return false;
  if (definitionOf(parseBundle(desired).spec.source).isUploaded !== true) return true;
  const hash = desired.metadata.labels?.[templateHashLabel];
  return bundle.metadata.labels?.[templateHashLabel] === hash || hashOfBundle(bundle) === hash;
}

/** The one of `bundles` that has the content of `desired`, whatever its name and its labels: rather one that stays than one that
 *  is being deleted, rather the active one, rather one with the right hash, rather the oldest. */
export function findMatch(
  bundles: readonly KubeObject[],
  desired: KubeObject,
  active: string | undefined,
): KubeObject | undefined {
  const hash = desired.metadata.labels?.[templateHashLabel];
  const rank = ({ metadata }: KubeObject): string => {
    const isBeingDeleted = metadata.deletionTimestamp !== undefined;
    const hasHash = metadata.labels?.[templateHashLabel] === hash;
    const doubts = [isBeingDeleted, metadata.name !== active, !hasHash].map(Number).join('');
    return `${doubts} ${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`;
  };
  return bundles
    .filter((bundle) => hasContentOf(bundle, desired))
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .at(0);
}

function hasAll(texts: Texts = {}, desired: Texts = {}): boolean {
  return Object.entries(desired).every(([key, value]) => texts[key] === value);
}

/** Whether the Bundle has all metadata that the template gives it, the hash included. */
export function hasAllMetadata({ metadata }: KubeObject, desired: KubeObject): boolean {
  return hasAll(metadata.labels, desired.metadata.labels) && hasAll(metadata.annotations, desired.metadata.annotations);
}

function membersOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Keys of labels (annotations) that only the writers of templates have written, by its managed fields. */
function keysFromTemplates(metadata: ObjectMeta, field: 'labels' | 'annotations'): readonly string[] {
  const entries = (metadata.managedFields ?? []).map((entry) => ({
    isOurs: typeof entry['manager'] === 'string' && templateWriters.has(entry['manager']),
    keys: Object.keys(membersOf(membersOf(membersOf(entry['fieldsV1'])['f:metadata'])[`f:${field}`])),
  }));
  const others = new Set(entries.filter(({ isOurs }) => !isOurs).flatMap(({ keys }) => keys));
  const ours = new Set(entries.filter(({ isOurs }) => isOurs).flatMap(({ keys }) => keys));
  return [...ours].filter((key) => key.startsWith('f:') && !others.has(key)).map((key) => key.slice(2));
}

function textPatch(live: ObjectMeta, desired: ObjectMeta, field: 'labels' | 'annotations'): JsonObject {
  const gone = keysFromTemplates(live, field).filter((key) => live[field]?.[key] !== undefined);
  return { ...Object.fromEntries(gone.map((key) => [key, null])), ...desired[field] };
}

/** The merge patch of metadata that gives the Bundle what the template gives now, and takes away what only an earlier one gave.
 *  `live` is the Bundle as the server has it, with its `managedFields`. */
export function metadataPatch(live: KubeObject, desired: KubeObject): JsonObject {
  return {
    labels: textPatch(live.metadata, desired.metadata, 'labels'),
    annotations: textPatch(live.metadata, desired.metadata, 'annotations'),
  };
}
