import { type JsonObject, listOfTexts, objectAt, objectsAt, TerminalError } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { readDeployFile, readOlmCrds } from '../client/index.ts';
import { withContainers } from './containers.ts';
import { labelled } from './manifests.ts';

/** Has the controllers reconcile the kinds of Operator Lifecycle Manager. */
export const olmArgument = '--olm';
const coreName = 'core';
/** Deployments of another installation. */
const programs = ['olm-operator', 'catalog-operator'];

/** Whether a Deployment of the controllers has the argument. */
export function hasOlm(deployment: KubeObject): boolean {
  const pod = objectAt(deployment as unknown as JsonObject, 'spec', 'template', 'spec');
  return objectsAt(pod, 'containers').some((container) => listOfTexts(container, 'args').includes(olmArgument));
}

function withArgument(object: KubeObject): KubeObject {
  if (object.metadata.name !== coreName) return object;
  return withContainers(object, (container) => ({
    ...container,
    args: [...listOfTexts(container, 'args'), olmArgument],
  }));
}

const permissionsFile = 'olm/permissions.yaml';

/** The permissions that the controllers need for it. */
export async function olmPermissionObjects(): Promise<readonly KubeObject[]> {
  return (await readDeployFile(permissionsFile)) as unknown as KubeObject[];
}

/** The manifests with Operator Lifecycle Manager: its definitions, namespaces, groups and roles, and the argument of the controllers. */
export async function withOlm(objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const definitions = ((await readOlmCrds()) as unknown as KubeObject[]).map(labelled);
  const shipped = (await readDeployFile('olm/objects.yaml')) as unknown as KubeObject[];
  return [...objects.map(withArgument), ...definitions, ...shipped, ...(await olmPermissionObjects())];
}

/** Deployments of another installation that runs, as `NAMESPACE/NAME`. */
export async function findOtherOlm(kube: KubeClient, signal: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of programs) {
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', fieldSelector: `metadata.name=${name}` };
    const { items } = await kube.list(target, { signal });
    const running = items.filter((object) => objectAt(object as unknown as JsonObject, 'spec')?.['replicas'] !== 0);
    found.push(...running.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  }
  return found;
}

/** Two installations would work against each other.
 *  @throws TerminalError OlmPresent, naming the Deployments of the other one */
export async function assertNoOtherOlm(kube: KubeClient, signal: AbortSignal): Promise<void> {
  const found = await findOtherOlm(kube, signal);
  if (found.length === 0) return;
  const text = `Operator Lifecycle Manager runs on this cluster (Deployment ${found.join(', ')}): two of them would work against each other. Scale these to 0 first, or install without --olm; nothing was changed`;
  throw new TerminalError('OlmPresent', text);
}
