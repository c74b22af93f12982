import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JsonObject, parseYamlDocuments, TerminalError } from '../../src/base/index.ts';
import { groupOf, type KubeObject } from '../../src/kube/index.ts';

/** Ways to install; a folder of `deploy/overlays` each. */
export const overlays = ['self-signed', 'cert-manager', 'openshift', 'least', 'service-accounts'] as const;
/** One of `overlays`. */
export type Overlay = (typeof overlays)[number];

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

/** `deployment.apps/core`, as kubectl names objects. */
export function shownName({ apiVersion, kind, metadata }: KubeObject): string {
  const group = groupOf(apiVersion);
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${metadata.name ?? ''}`;
}
