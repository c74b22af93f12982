import { objectsAt } from '../../../base/index.ts';
import { servesApis, servesWebhooks } from '../rendering.ts';
import { type Amendment, eachOfKind, jsonList, withPodSpec } from './amendment.ts';

/** Init containers lose mounts of volumes that gave way to certificates, and get those of the certificates instead. */
export const initContainerMounts: Amendment = {
  name: 'init-container-mounts',
  reason: 'An init container that mounts a removed volume makes the API server refuse the Deployment.',
  amend: (objects, rendering) =>
    eachOfKind(objects, 'Deployment', (deployment) => {
      const name = deployment.metadata.name ?? '';
      const isServing = servesWebhooks(rendering, name) || servesApis(rendering, name);
      if (rendering.certificates === undefined || !isServing) return deployment;
      return withPodSpec(deployment, (podSpec) => {
        const present = new Set(objectsAt(podSpec, 'volumes').map(({ name }) => name));
        const certificates = objectsAt(objectsAt(podSpec, 'containers')[0], 'volumeMounts').filter(
          ({ name }) => name === 'webhook-cert' || name === 'apiservice-cert',
        );
        const places = new Set(certificates.map(({ mountPath }) => mountPath));
        const initContainers = objectsAt(podSpec, 'initContainers').map((container) => {
          const mounts = objectsAt(container, 'volumeMounts');
          const retained = mounts.filter(({ name, mountPath }) => present.has(name) && !places.has(mountPath));
          if (retained.length === mounts.length) return container;
          return { ...container, volumeMounts: jsonList([...retained, ...certificates]) };
        });
        return initContainers.length === 0 ? podSpec : { ...podSpec, initContainers: jsonList(initContainers) };
      });
    }),
};
