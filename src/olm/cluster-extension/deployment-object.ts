import {
  bundleDeploymentResource,
  type ClusterExtension,
  clusterExtensionResource,
  extensionChoiceAnnotation,
  group,
  plainProvisionerClass,
  registryProvisionerClass,
  safeCrdUpgradeAnnotation,
} from '../../api/index.ts';
import { isJsonEqual, type JsonObject, type JsonValue, objectAt, textAt } from '../../base/index.ts';
import type { KubeObject, OwnerReference } from '../../kube/index.ts';
import { bundleAnnotations, choiceAnnotation, type ExtensionChoice } from '../../operators/index.ts';
import { replacing } from '../platform-operator/deployment-object.ts';

/** Whether the BundleDeployment was made for this very ClusterExtension. */
export function isOwnedBy({ metadata }: KubeObject, uid: string | undefined): boolean {
  const owners = metadata.ownerReferences ?? [];
  return uid !== undefined && owners.some((owner) => owner.controller === true && owner.uid === uid);
}

function ownerOf({ metadata: { name, uid = '' } }: ClusterExtension): OwnerReference {
  const { apiVersion, kind } = clusterExtensionResource;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** `spec.config` of the BundleDeployment: place and account, which the configuration of the bundle must not replace. */
function configOf({ spec }: ClusterExtension, isMain: boolean): JsonObject {
  const { namespace = '', serviceAccount, config } = spec ?? {};
  const name = serviceAccount?.name ?? '';
  return {
    ...(isMain ? (config?.inline as JsonObject | undefined) : {}),
    installNamespace: namespace,
    ...(name !== '' && { serviceAccount: { namespace, name } }),
  };
}

/** What is asked of the BundleDeployment. */
export interface DeploymentRequest {
  readonly name: string;
  readonly choice: ExtensionChoice;
  /** Whether it is the package itself, not a dependency. */
  readonly isMain: boolean;
}

/** The BundleDeployment that installs a choice: the fields that this controller manages. */
export function desiredDeployment(
  extension: ClusterExtension,
  { name, choice, isMain }: DeploymentRequest,
): KubeObject {
  const { apiVersion, kind } = bundleDeploymentResource;
  const isUnsafe = extension.spec?.install?.preflight?.crdUpgradeSafety.enforcement === 'None';
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      annotations: {
        ...choiceAnnotation(choice),
        ...(isUnsafe && { [safeCrdUpgradeAnnotation]: 'false' }),
      },
      ownerReferences: [ownerOf(extension)],
    },
    spec: {
      provisionerClassName: plainProvisionerClass,
      config: configOf(extension, isMain),
      template: {
        metadata: { annotations: bundleAnnotations(choice) },
        spec: {
          provisionerClassName: registryProvisionerClass,
          source: { type: 'image', image: { ref: choice.image } },
        },
      },
    },
  };
}

function accountIn(config: JsonObject | undefined): JsonValue {
  return config?.['serviceAccount'] ?? null;
}

/** Whether a BundleDeployment installs with the account of the ClusterExtension: the user who has chosen its content and its annotations may use that
 *  account. */
export function hasAccountOf(extension: ClusterExtension, live: KubeObject): boolean {
  const config = objectAt(live as unknown as JsonObject, 'spec', 'config');
  return isJsonEqual(accountIn(config), accountIn(configOf(extension, false)));
}

/** The image that a BundleDeployment installs. */
export function imageOf(deployment: KubeObject): string {
  return textAt(objectAt(deployment as unknown as JsonObject, 'spec', 'template', 'spec', 'source', 'image'), 'ref');
}

const managedAnnotations = [extensionChoiceAnnotation, safeCrdUpgradeAnnotation];

/** The fields that this controller manages, by name. */
function managedFields({ metadata, spec }: KubeObject): JsonObject {
  const own = (spec ?? {}) as JsonObject;
  const annotations = metadata.annotations ?? {};
  return {
    annotations: Object.fromEntries(managedAnnotations.map((key) => [key, annotations[key] ?? null])),
    'spec.provisionerClassName': own['provisionerClassName'] ?? null,
    'spec.config': own['config'] ?? null,
    'spec.template': objectAt(own, 'template') ?? null,
  };
}

/** Names of the managed fields of `live` that differ from `desired`. */
export function differences(live: KubeObject, desired: KubeObject): readonly string[] {
  const [is, should] = [managedFields(live), managedFields(desired)];
  return Object.keys(should).filter((field) => !isJsonEqual(is[field] ?? null, should[field] ?? null));
}

/** Annotations that change what is done with an account, such as `adopt`, of users who may use the one before, but perhaps not this one. */
function annotationsOfFormerAccount(live: KubeObject, extension: ClusterExtension): JsonObject {
  if (hasAccountOf(extension, live)) return {};
  const own = Object.keys(live.metadata.annotations ?? {}).filter((key) => key.startsWith(`${group}/`));
  return Object.fromEntries(own.map((key) => [key, null]));
}

/** A merge patch that changes the managed fields of `live` to `desired`. It fails with a conflict on another version of the object. */
export function correction(live: KubeObject, desired: KubeObject, extension: ClusterExtension): JsonObject {
  const { uid = null, resourceVersion = null } = live.metadata;
  const { annotations } = managedFields(desired);
  return {
    metadata: {
      uid,
      resourceVersion,
      annotations: { ...annotationsOfFormerAccount(live, extension), ...(annotations as JsonObject) },
    },
    spec: replacing((live['spec'] ?? {}) as JsonObject, (desired['spec'] ?? {}) as JsonObject),
  };
}
