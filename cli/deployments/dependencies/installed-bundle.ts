import { bundleDeploymentResource, type ClusterServiceVersion, subscriptionResource } from '../../../src/api/index.ts';
import { type JsonObject, objectAt, textAt } from '../../../src/base/index.ts';
import type { Property } from '../../../src/constraints/index.ts';
import { dependenciesOf, type Participant, readProperties } from '../../../src/dependencies/index.ts';
import { conditionsOf, type KubeObject } from '../../../src/kube/index.ts';
import { listedProperties, ownedApis, requiredApis } from '../../../src/operators/index.ts';

/** An object by its kind and name. */
export interface Reference {
  readonly kind: string;
  /** Empty for objects of the cluster. */
  readonly namespace: string;
  readonly name: string;
}

/** Identifies an object in texts and among participants. */
export function formatReference({ kind, namespace, name }: Reference): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** A reference to an object. */
export function referenceTo({ kind, metadata }: KubeObject): Reference {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/** A bundle that is installed, or waits for what it needs. */
export interface InstalledBundle {
  readonly object: KubeObject;
  /** What a user made for it: the object itself, or what controls it. */
  readonly installation: Reference;
  readonly version: string;
  /** It is not installed yet. */
  readonly isPending: boolean;
  readonly participant: Participant;
}

function participantOf(
  object: KubeObject,
  properties: readonly Property[],
  annotations: Readonly<Record<string, string>> = {},
): Participant {
  return {
    name: formatReference(referenceTo(object)),
    properties,
    dependencies: dependenciesOf(properties, annotations),
  };
}

/** The Bundle that is installed; of a deployment that waits, the newest one that it controls. */
function bundleOf(deployment: KubeObject, bundles: readonly KubeObject[]): KubeObject | undefined {
  const active = textAt(objectAt(deployment as unknown as JsonObject, 'status'), 'activeBundle');
  const found = bundles.find(({ metadata }) => metadata.name === active);
  if (found !== undefined) return found;
  const isWaiting = conditionsOf(deployment).some(({ reason }) => reason === 'DependenciesNotMet');
  return isWaiting
    ? bundles.toSorted((a, b) =>
        String(a.metadata.creationTimestamp) < String(b.metadata.creationTimestamp) ? 1 : -1,
      )[0]
    : undefined;
}

function controllerOf({ metadata }: KubeObject): Reference | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner && { kind: owner.kind, namespace: metadata.namespace ?? '', name: owner.name };
}

/** The bundles of BundleDeployments; those that are being deleted are left out. */
export function bundlesOfDeployments(
  deployments: readonly KubeObject[],
  bundles: readonly KubeObject[],
): readonly InstalledBundle[] {
  const byOwner = Map.groupBy(
    bundles,
    ({ metadata }) => metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? '',
  );
  return deployments.flatMap((deployment): InstalledBundle[] => {
    const { uid = '', deletionTimestamp } = deployment.metadata;
    const bundle = bundleOf(deployment, byOwner.get(uid) ?? []);
    if (bundle === undefined || deletionTimestamp !== undefined) return [];
    const { annotations } = bundle.metadata;
    const status = objectAt(deployment as unknown as JsonObject, 'status');
    const object = { ...deployment, kind: bundleDeploymentResource.kind };
    return [
      {
        object,
        installation: controllerOf(deployment) ?? referenceTo(object),
        version: textAt(status, 'activeVersion'),
        isPending: textAt(status, 'activeBundle') !== bundle.metadata.name,
        participant: participantOf(object, readProperties(annotations), annotations),
      },
    ];
  });
}

function propertiesOf(csv: ClusterServiceVersion): readonly Property[] {
  const provided = (ownedApis(csv)?.values() ?? []).map((api): Property => ({ type: 'olm.gvk', value: { ...api } }));
  const required = (requiredApis(csv)?.values() ?? []).map((api): Property => {
    return { type: 'olm.gvk.required', value: { ...api } };
  });
  return [...(listedProperties(csv) ?? []), ...provided, ...required];
}

/** The bundles of ClusterServiceVersions that are no copies. */
export function bundlesOfOperators(
  csvs: readonly KubeObject[],
  subscriptions: readonly KubeObject[],
): readonly InstalledBundle[] {
  const bySubscribed = new Map(
    subscriptions.map((one) => {
      const installed = textAt(objectAt(one as unknown as JsonObject, 'status'), 'installedCSV');
      return [`${one.metadata.namespace ?? ''}/${installed}`, { ...one, kind: subscriptionResource.kind }] as const;
    }),
  );
  return csvs
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((object): InstalledBundle => {
      const subscription = bySubscribed.get(`${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`);
      return {
        object,
        installation: referenceTo(subscription ?? object),
        version: textAt(objectAt(object as unknown as JsonObject, 'spec'), 'version'),
        isPending: false,
        participant: participantOf(object, propertiesOf(object as unknown as ClusterServiceVersion)),
      };
    });
}
