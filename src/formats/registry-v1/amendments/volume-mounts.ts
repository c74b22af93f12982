import { type JsonObject, objectAt, objectsAt } from '../../../base/index.ts';
import { generateDeployments } from '../generate-deployments.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import type { Rendering } from '../rendering.ts';
import { type Amendment, eachOfKind, jsonList, withPodSpec } from './amendment.ts';

/** A configured mount replaces what is mounted at its path; else the last mount of its volume, if no other configured one did. */
function merged(existing: readonly JsonObject[], configured: readonly JsonObject[]): JsonObject[] {
  const result = [...existing];
  const taken = new Set<number>();
  const paths = new Set(configured.map(({ mountPath }) => mountPath));
  for (const mount of configured) {
    const samePath = existing.findIndex(({ mountPath }) => mountPath === mount['mountPath']);
    const sameName = existing.findLastIndex(
      ({ name, mountPath }, index) => name === mount['name'] && !paths.has(mountPath) && !taken.has(index),
    );
    const index = samePath >= 0 ? samePath : sameName;
    if (index < 0) result.push(mount);
    else {
      result[index] = mount;
      taken.add(index);
    }
  }
  return result;
}

/** The mounts of each main container as they are without the configured ones, by Deployment. */
function mountsBefore(rendering: Rendering): ReadonlyMap<string, readonly (readonly JsonObject[])[]> {
  const { volumeMounts: _mounts, ...rest } = rendering.deploymentConfig ?? {};
  const plain = generateDeployments({ ...rendering, deploymentConfig: rest });
  const ofContainers = (deployment: RenderedObject): readonly (readonly JsonObject[])[] =>
    objectsAt(objectAt(deployment, 'spec', 'template', 'spec'), 'containers').map((one) =>
      objectsAt(one, 'volumeMounts'),
    );
  return new Map(plain.map((deployment) => [deployment.metadata.name ?? '', ofContainers(deployment)]));
}

/** `deploymentConfig.volumeMounts` replace what is mounted at their paths. */
export const volumeMounts: Amendment = {
  name: 'volume-mounts',
  reason: 'Replaced by volume alone, two mounts of one volume at different paths would become one.',
  amend: (objects, rendering) => {
    const configured = rendering.deploymentConfig?.volumeMounts ?? [];
    if (configured.length === 0) return objects;
    const before = mountsBefore(rendering);
    return eachOfKind(objects, 'Deployment', (deployment) =>
      withPodSpec(deployment, (podSpec) => {
        if (!Array.isArray(podSpec['containers'])) return podSpec;
        const existing = before.get(deployment.metadata.name ?? '') ?? [];
        const containers = objectsAt(podSpec, 'containers').map((container, index) => {
          return { ...container, volumeMounts: jsonList(merged(existing[index] ?? [], configured)) };
        });
        return { ...podSpec, containers: jsonList(containers) };
      }),
    );
  },
};
