/** The bundles of the conformance checklist, in small: path → text. */
export type Files = Readonly<Record<string, string>>;

/** A CRD of any content, as YAML. */
export function crd(kind: string, group = 'operators.example.com'): string {
  const plural = `${kind.toLowerCase()}s`;
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {kind: ${kind}, plural: ${plural}, singular: ${kind.toLowerCase()}, listKind: ${kind}List}
  versions:
    - name: v1alpha1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          x-kubernetes-preserve-unknown-fields: true
`;
}

/** A Namespace, as YAML. */
export function namespace(name: string): string {
  return `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`;
}

/** A ConfigMap, as YAML. */
export function configMap(name: string, place: string, data: Readonly<Record<string, string>>): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${place}}\ndata: ${JSON.stringify(data)}\n`;
}

const validKinds = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta', 'Eta', 'Theta'];

/** `plain-v0:valid`: eight CRDs in one file of several documents. */
export const valid: Files = { 'manifests/crds.yaml': validKinds.map((kind) => crd(kind)).join('---\n') };

/** `plain-v0:empty`: no `manifests` at all. */
export const withoutManifests: Files = { 'stray.txt': 'nothing to see' };

/** `plain-v0:no-manifests`: an empty `manifests/`. */
export const emptyManifests: Files = { 'manifests/': '' };

/** `plain-v0:subdir`. */
export const withSubdirectory: Files = {
  'manifests/namespace-a.yaml': namespace('a'),
  'manifests/emptydir/.gitignore': '!.gitignore',
  'manifests/subdir/namespace-b.yaml': namespace('b'),
};

/** `plain-v0:invalid-missing-crds`: objects of four kinds that the cluster does not serve. */
export const missingCrds: Files = {
  'manifests/objects.yaml': [
    ['CatalogSource', 'v1alpha1'],
    ['ClusterServiceVersion', 'v1alpha1'],
    ['OLMConfig', 'v1'],
    ['OperatorGroup', 'v1'],
  ]
    .map(
      ([kind, version]) =>
        `apiVersion: operators.coreos.com/${version}\nkind: ${kind}\nmetadata: {name: x, namespace: default}\n`,
    )
    .join('---\n'),
};

/** `plain-v0:invalid-crds-and-crs`: a Namespace, a CRD, and an object of it. */
export const crdAndObject: Files = {
  'manifests/00-object.yaml':
    'apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nmetadata: {name: one, namespace: catalogs}\nspec: {image: example.com/catalog}\n',
  'manifests/01-namespace.yaml': namespace('catalogs'),
  'manifests/02-crd.yaml': crd('CatalogSource', 'operators.coreos.com'),
};

/** Seven files, as the git repository of the checklist; `dev/deploy/manifests` beside them. */
export const repository: Files = {
  'manifests/00_namespace.yaml': namespace('combo-git'),
  'manifests/01_cluster_role.yaml':
    'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: combo-git}\nrules: []\n',
  'manifests/01_service_account.yaml':
    'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: combo-git, namespace: combo-git}\n',
  'manifests/02_settings.yaml': configMap('settings', 'combo-git', { version: 'v0.0.1' }),
  'manifests/03_more_settings.yaml': configMap('more-settings', 'combo-git', { a: 'b' }),
  'manifests/combo.io_combinations.yaml': crd('Combination', 'combo.example.org'),
  'manifests/combo.io_templates.yaml': crd('Template', 'combo.example.org'),
  'dev/deploy/manifests/namespace.yaml': namespace('combo-dev'),
};

/** Two versions of one small application: `settings` changes, `legacy` is not in the second. */
export function application(name: string, version: 1 | 2): Files {
  return {
    'manifests/00-namespace.yaml': namespace(name),
    'manifests/10-settings.yaml': configMap('settings', name, { version: String(version) }),
    'manifests/11-kept.yaml': configMap('kept', name, { same: 'always' }),
    ...(version === 1 ? { 'manifests/12-legacy.yaml': configMap('legacy', name, { gone: 'soon' }) } : {}),
  };
}

/** A third version that the API server refuses: a ConfigMap name no server takes. */
export function brokenApplication(name: string): Files {
  return {
    ...application(name, 2),
    'manifests/20-broken.yaml': configMap('Not_A_Name', name, {}),
  };
}

/** One Deployment in a namespace of its own. */
export function workload(name: string): Files {
  return {
    'manifests/00-namespace.yaml': namespace(name),
    'manifests/10-web.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ${name}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example.com/web:v1}]}
`,
  };
}
