import {
  bundleDeploymentResource,
  plainProvisionerClass,
  platformChoiceAnnotation,
  platformOperatorResource,
  platformPackageLabel,
  registryProvisionerClass,
} from '../../api/index.ts';
import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue, objectAt } from '../../base/index.ts';
import type { KubeObject, OwnerReference } from '../../kube/index.ts';
import { formatChoice, type PlacedChoice } from './choice.ts';

/** The reference by which a PlatformOperator keeps a BundleDeployment; the last one that goes takes it along. */
export function ownerReference({ metadata }: KubeObject, isMain: boolean): OwnerReference {
  const { apiVersion, kind } = platformOperatorResource;
  const { name = '', uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: isMain, blockOwnerDeletion: isMain };
}

/** References of a BundleDeployment to PlatformOperators. */
export function platformOwners({ metadata }: KubeObject): readonly OwnerReference[] {
  return (metadata.ownerReferences ?? []).filter(({ kind }) => kind === platformOperatorResource.kind);
}

/** Whether it was made for a package. */
export function isMadeForPackage({ metadata }: KubeObject): boolean {
  return metadata.labels?.[platformPackageLabel] !== undefined;
}

/** The BundleDeployment that installs a choice: the fields that this controller manages. */
export function desiredDeployment(choice: PlacedChoice, ownerReferences: readonly OwnerReference[]): KubeObject {
  const { apiVersion, kind } = bundleDeploymentResource;
  return {
    apiVersion,
    kind,
    metadata: {
      name: choice.bundleDeployment,
      labels: { [platformPackageLabel]: choice.package },
      annotations: { [platformChoiceAnnotation]: formatChoice(choice) },
      ownerReferences: ownerReferences.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    },
    spec: {
      provisionerClassName: plainProvisionerClass,
      template: {
        spec: {
          provisionerClassName: registryProvisionerClass,
          source: { type: 'image', image: { ref: choice.image } },
        },
      },
    },
  };
}

/** The fields that this controller manages, by name. */
function managedFields({ metadata, spec }: KubeObject): JsonObject {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const own = spec as JsonObject | undefined;
  return {
    label: labels[platformPackageLabel] ?? '',
    annotation: annotations[platformChoiceAnnotation] ?? '',
    owners: ownerReferences.map(({ uid, controller = false }) => `${uid} ${controller}`).toSorted(),
    'spec.provisionerClassName': own?.['provisionerClassName'] ?? null,
    'spec.template.spec': objectAt(objectAt(own, 'template'), 'spec') ?? null,
  };
}

/** Names of the managed fields of `live` that differ from `desired`. */
export function differences(live: KubeObject, desired: KubeObject): readonly string[] {
  const [is, should] = [managedFields(live), managedFields(desired)];
  return Object.keys(should).filter((field) => !isJsonEqual(is[field] ?? null, should[field] ?? null));
}

/** Members that only `live` has are removed. */
export function replacing(live: JsonValue | undefined, desired: JsonValue): JsonValue {
  if (!isJsonObject(live) || !isJsonObject(desired)) return desired;
  const removed = Object.keys(live).filter((key) => desired[key] === undefined);
  return {
    ...Object.fromEntries(removed.map((key) => [key, null])),
    ...Object.fromEntries(Object.entries(desired).map(([key, value]) => [key, replacing(live[key], value ?? null)])),
  };
}

/** A merge patch that changes the managed fields of `live` to `desired`. It fails with a conflict on another version of the object. */
export function repair(live: KubeObject, desired: KubeObject): JsonObject {
  const { labels = {}, annotations = {}, ownerReferences = [] } = desired.metadata;
  const { provisionerClassName = null, template = null } = desired['spec'] as JsonObject;
  const specOf = ({ spec }: KubeObject): JsonValue | undefined =>
    objectAt(objectAt(spec as JsonObject, 'template'), 'spec');
  const { resourceVersion = null } = live.metadata;
  return {
    metadata: { resourceVersion, labels, annotations, ownerReferences: ownerReferences as unknown as JsonValue },
    spec: {
      provisionerClassName,
      template: { spec: replacing(specOf(live), objectAt(template as JsonObject, 'spec') ?? null) },
    },
  };
}
