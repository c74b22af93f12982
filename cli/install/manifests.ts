import { type JsonObject } from '../../src/base/index.ts';
import { groupOf, type KubeObject } from '../../src/kube/index.ts';
import { readCrds, readDeployFile } from '../client/index.ts';
import { foreignDefinitions, type Overlay } from './overlays.ts';

/** The object labelled as everything that belongs to an installation. */
export function labelled(object: KubeObject): KubeObject {
  const labels = { ...object.metadata.labels, 'app.kubernetes.io/part-of': 'longshore' };
  return { ...object, metadata: { ...object.metadata, labels } };
}

/** The CustomResourceDefinitions of an overlay, labelled as everything that belongs to an installation. */
async function readDefinitions(overlay: Overlay): Promise<JsonObject[]> {
  const definitions = (await readCrds()) as unknown as KubeObject[];
  const own = definitions.filter(({ metadata }) => foreignDefinitions[overlay]?.includes(metadata.name ?? '') !== true);
  return own.map((definition) => labelled(definition) as unknown as JsonObject);
}

/** Every object of an overlay, as `kubectl kustomize` builds it: the CustomResourceDefinitions of `crds/`, and the others from `deploy/rendered/`. */
export async function readManifests(overlay: Overlay): Promise<JsonObject[]> {
  return [...(await readDefinitions(overlay)), ...(await readDeployFile(`rendered/${overlay}.yaml`))];
}

/** The ClusterRoles that an administrator binds to those who use the content server, or look at what is installed, labelled as well. */
export async function readClientRoles(): Promise<JsonObject[]> {
  const roles = (await readDeployFile('base/client-roles.yaml')) as unknown as KubeObject[];
  return roles.map((role) => labelled(role) as unknown as JsonObject);
}

/** Names of ClusterRoles, and of their bindings, that earlier versions have installed; and the names that they have now. */
const formerNames: Readonly<Record<string, string>> = {
  'metrics-reader': 'longshore-metrics-reader',
  'bundle-viewer': 'longshore-bundle-viewer',
  'core-content': 'rukpak-core-content',
  'core-service-accounts': 'rukpak-core-service-accounts',
};

/** What earlier versions have installed under a name that anybody may use; whether it is ours is for the caller to check. */
export function formerObjects(): readonly { readonly object: KubeObject; readonly currentName: string }[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  return Object.entries(formerNames).flatMap(([name, currentName]) =>
    ['ClusterRoleBinding', 'ClusterRole'].map((kind) => ({
      object: { apiVersion, kind, metadata: { name } },
      currentName,
    })),
  );
}

/** `deployment.apps/core`, as kubectl names objects. */
export function shownName({ apiVersion, kind, metadata }: KubeObject): string {
  const group = groupOf(apiVersion);
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${metadata.name ?? ''}`;
}
