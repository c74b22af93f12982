import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JsonObject, parseYamlDocuments, TerminalError } from '../../src/base/index.ts';
import { groupOf, type KubeObject } from '../../src/kube/index.ts';
import type { Overlay } from './overlays.ts';

async function readDeployFile(path: string): Promise<JsonObject[]> {
  // Beside cli/ in a checkout and in dist/.
  const folder = fileURLToPath(new URL('../../deploy', import.meta.url));
  if (!existsSync(folder)) {
    throw new TerminalError('ManifestsMissing', `${folder}: the manifests are not there; install longshore again`);
  }
  return parseYamlDocuments(path, await readFile(join(folder, path), 'utf8')) as JsonObject[];
}

/** Every object of an overlay, CustomResourceDefinitions included, as `kubectl kustomize` builds it. */
export async function readManifests(overlay: Overlay): Promise<JsonObject[]> {
  return await readDeployFile(`rendered/${overlay}.yaml`);
}

/** The ClusterRoles that an administrator binds to those who use the content server, or look at what is installed. */
export async function readClientRoles(): Promise<JsonObject[]> {
  return await readDeployFile('base/client-roles.yaml');
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
