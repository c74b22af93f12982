import { clusterServiceVersionResource, olmAnnotations, olmLabels } from '../api/index.ts';

/** Labels of what an object of a namespace owns. They find objects; identity is the owner's uid.
 *  @see docs/spec/olm-v0.md#install-strategy-deployment */
export function ownerLabels(owner: {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): Readonly<Record<string, string>> {
  return {
    [olmLabels.managed]: 'true',
    [olmLabels.owner]: owner.name,
    [olmLabels.ownerNamespace]: owner.namespace,
    [olmLabels.ownerKind]: owner.kind,
  };
}

interface Copyable {
  readonly kind?: string;
  readonly metadata: {
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status?: { readonly reason?: string };
}

/** Whether a ClusterServiceVersion is the copy of one in another namespace.
 *  @see docs/spec/olm-v0.md#clusterserviceversion */
export function isCopied({ kind, metadata, status }: Copyable): boolean {
  if (kind !== undefined && kind !== clusterServiceVersionResource.kind) return false;
  if (status?.reason === 'Copied' || metadata.labels?.[olmLabels.copiedFrom] !== undefined) return true;
  const operatorNamespace = metadata.annotations?.[olmAnnotations.operatorNamespace];
  return operatorNamespace !== undefined && operatorNamespace !== metadata.namespace;
}
