import {
  bundleDeploymentResource,
  bundleResource,
  clusterCatalogResource,
  clusterExtensionResource,
  group,
  ownSecretNames,
  platformOperatorResource,
} from '../api/index.ts';
import { type JsonObject, objectsAt, textAt } from '../base/index.ts';
import { groupOf, type KubeObject } from '../kube/index.ts';
import { partOfLabel } from './inventory.ts';
import { isCrd, isNamespace } from './kind-list.ts';

type Marks = Readonly<Record<string, string>>;

const partOf = 'app.kubernetes.io/part-of';

const ownKinds = [
  bundleResource,
  bundleDeploymentResource,
  clusterCatalogResource,
  clusterExtensionResource,
  platformOperatorResource,
];
const ownDefinitions = new Set(ownKinds.map(({ plural, apiVersion }) => `${plural}.${groupOf(apiVersion)}`));
const ownApiServices = new Set(ownKinds.map(({ apiVersion }) => apiVersion.split('/').toReversed().join('.')));
/** Webhooks that Longshore registers beside those of its first group. */
const ownWebhooks: ReadonlySet<string> = new Set([
  'mclustercatalogs.olm.operatorframework.io',
  'vclusterextensions.olm.operatorframework.io',
  'vplatformoperators.platform.openshift.io',
  'webhook.crdvalidator.io',
]);

function hasOwnWebhook(object: KubeObject): boolean {
  const names = objectsAt(object as unknown as JsonObject, 'webhooks').map((webhook) => textAt(webhook, 'name'));
  return names.some((name) => name.endsWith(`.${group}`) || ownWebhooks.has(name));
}

/** Whether the object belongs to an installation of Longshore: by its label, which kinds and Secrets of `longshore up` do not have and users may remove,
 *  or because nothing works without it. */
function isOfLongshore(object: KubeObject, systemNamespace: string): boolean {
  const { name = '', namespace, labels } = object.metadata;
  if (labels?.[partOf] === 'longshore') return true;
  if (isNamespace(object)) return name === systemNamespace;
  if (isCrd(object)) return ownDefinitions.has(name);
  if (object.kind === 'APIService') return ownApiServices.has(name);
  if (object.kind === 'Secret') return namespace === systemNamespace && ownSecretNames.includes(name);
  return hasOwnWebhook(object);
}

/** Roles that a cluster comes with, of users and of its own parts, by the label that kube-apiserver gives them. */
const bootstrapping = 'kubernetes.io/bootstrapping';

/** The system that an object is a part of, and that would fail without it: no deployment adopts it, and so deletes it later. */
export function systemOf(object: KubeObject, systemNamespace: string): 'Longshore' | 'Kubernetes' | undefined {
  if (isOfLongshore(object, systemNamespace)) return 'Longshore';
  return object.metadata.labels?.[bootstrapping] === 'rbac-defaults' ? 'Kubernetes' : undefined;
}

function placed(marks: Marks, nameKey: string, namespaceKey: string): string | undefined {
  const { [nameKey]: name, [namespaceKey]: namespace } = marks;
  if (name === undefined) return undefined;
  return namespace === undefined ? `"${name}"` : `"${namespace}/${name}"`;
}

/** The marks by which other tools claim an object, the most specific first. */
const tools: readonly ((labels: Marks, annotations: Marks) => readonly [string, string | undefined])[] = [
  (labels) => [
    'Kustomization',
    placed(labels, 'kustomize.toolkit.fluxcd.io/name', 'kustomize.toolkit.fluxcd.io/namespace'),
  ],
  (labels) => ['HelmRelease', placed(labels, 'helm.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/namespace')],
  (_, annotations) => [
    'Helm release',
    placed(annotations, 'meta.helm.sh/release-name', 'meta.helm.sh/release-namespace'),
  ],
  (_, annotations) => ['the Argo CD Application of', placed(annotations, 'argocd.argoproj.io/tracking-id', '')],
  (labels) => ['the Argo CD Application', placed(labels, 'argocd.argoproj.io/instance', '')],
  (labels) => [labels['olm.owner.kind'] ?? 'ClusterServiceVersion', placed(labels, 'olm.owner', 'olm.owner.namespace')],
  (labels) => ['ClusterExtension', placed(labels, 'olm.operatorframework.io/owner-name', '')],
  (labels) => ['the ApplySet', placed(labels, partOfLabel, '')],
];

/** Who manages an object that no BundleDeployment has, by its controller or the marks of other tools; undefined where nothing names
 *  one. For messages only: anyone may set them. */
export function otherManager({ metadata }: KubeObject): string | undefined {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const controller = ownerReferences.find((reference) => reference.controller === true);
  if (controller !== undefined) return `${controller.kind} "${controller.name}"`;
  for (const read of tools) {
    const [what, name] = read(labels, annotations);
    if (name !== undefined) return `${what} ${name}`;
  }
  return undefined;
}
