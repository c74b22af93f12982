import {
  type ClusterServiceVersion,
  clusterServiceVersionResource,
  olmLabelPrefixes,
  olmLabels,
} from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { type ApiKey, apiLabelHash, isKubernetesGroup, isPlatformGroup, ownerLabels } from '../../operators/index.ts';
import type { PolicyRule } from '../../rbac/index.ts';
import { rbacTargets } from '../rbac-objects.ts';

/** An API that an operator owns, and the object that serves it. */
export interface OwnedApi {
  readonly api: ApiKey;
  readonly plural: string;
  readonly servedBy: { readonly kind: 'CustomResourceDefinition' | 'APIService'; readonly name: string };
}

/** Permissions do not distinguish versions: those on a version that an operator adds to a group of Kubernetes, or of the platform, would open what is
 *  there already, such as Roles or OperatorGroups, to the administrators of every namespace. */
function isOpenToUsers({ api }: OwnedApi): boolean {
  return !isKubernetesGroup(api.group) && !isPlatformGroup(api.group);
}

/** The APIs that an operator owns, and may have ClusterRoles. A definition whose name has no group is left out.
 *  @see docs/spec/olm-v0.md#for-users */
export function apisOwnedBy({ spec }: ClusterServiceVersion): readonly OwnedApi[] {
  const definitions = (spec.customresourcedefinitions?.owned ?? []).flatMap(({ name, version, kind }): OwnedApi[] => {
    const dot = name.indexOf('.');
    if (dot <= 0 || dot === name.length - 1) return [];
    const api = { group: name.slice(dot + 1), version, kind };
    return [{ api, plural: name.slice(0, dot), servedBy: { kind: 'CustomResourceDefinition', name } }];
  });
  const services = (spec.apiservicedefinitions?.owned ?? []).map(({ name, group, version, kind }): OwnedApi => {
    const servedBy = { kind: 'APIService', name: `${version}.${group}` } as const;
    return { api: { group, version, kind }, plural: name, servedBy };
  });
  return [...definitions, ...services].filter(isOpenToUsers);
}

const verbsOf = {
  admin: ['*'],
  edit: ['create', 'update', 'patch', 'delete'],
  view: ['get', 'list', 'watch'],
} as const;

interface RoleForm {
  /** End of the name. */
  readonly end: string;
  /** Whom it is for. */
  readonly suffix: keyof typeof verbsOf;
  readonly rule: PolicyRule;
}

function formsOf({ api, plural, servedBy }: OwnedApi): readonly RoleForm[] {
  const forms = (['admin', 'edit', 'view'] as const).map((suffix): RoleForm => {
    const rule = { verbs: verbsOf[suffix], apiGroups: [api.group], resources: [plural] };
    return { end: suffix, suffix, rule };
  });
  if (servedBy.kind === 'APIService') return forms;
  const resources = ['customresourcedefinitions'];
  const rule = { verbs: ['get'], apiGroups: ['apiextensions.k8s.io'], resources, resourceNames: [servedBy.name] };
  return [...forms, { end: 'crdview', suffix: 'view', rule }];
}

/** Qualified by the group: resources of one name in two groups are two. */
function nameOf({ api, plural }: OwnedApi, end: string): string {
  return `${plural}.${api.group}-${api.version}-${end}`;
}

/** The names of the ClusterRoles of an API. */
export function apiRoleNames(owned: OwnedApi): readonly string[] {
  return formsOf(owned).map(({ end }) => nameOf(owned, end));
}

/** The ClusterRoles of an API for its users, which are aggregated to those of the cluster and of OperatorGroups. They are deleted with `server`,
 *  the object that serves it. */
export function apiRoles(owned: OwnedApi, server: KubeObject): readonly KubeObject[] {
  const { apiVersion, kind, metadata } = server;
  const { name = '', uid = '' } = metadata;
  return formsOf(owned).map(({ end, suffix, rule }) => ({
    ...rbacTargets.clusterRoles,
    metadata: {
      name: nameOf(owned, end),
      labels: {
        [olmLabels.managed]: 'true',
        [`rbac.authorization.k8s.io/aggregate-to-${suffix}`]: 'true',
        [`${olmLabelPrefixes.aggregateTo}${apiLabelHash(owned.api)}-${suffix}`]: 'true',
      },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: false, blockOwnerDeletion: false }],
    },
    rules: [{ ...rule }] as never,
  }));
}

/** Whether an object that serves an API does so for this operator. A definition may have been there before; an APIService must be one that was made
 *  for it, or any operator could open the APIs of the cluster to all users. */
export function isServedFor(csv: ClusterServiceVersion, server: KubeObject): boolean {
  if (server.kind !== 'APIService') return true;
  const { kind } = clusterServiceVersionResource;
  const { name, namespace = '' } = csv.metadata;
  const labels = Object.entries(ownerLabels({ kind, namespace, name })).filter(([key]) => key !== olmLabels.managed);
  return labels.every(([key, value]) => server.metadata.labels?.[key] === value);
}
