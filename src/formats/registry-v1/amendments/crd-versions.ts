import { TerminalError } from '../../../base/index.ts';
import { type Amendment, eachOfKind } from './amendment.ts';

const apiVersion = 'apiextensions.k8s.io/v1';

/** Refuses CustomResourceDefinitions of a version that is gone. */
export const crdVersions: Amendment = {
  name: 'crd-versions',
  reason: 'No cluster since Kubernetes 1.22 takes apiextensions.k8s.io/v1beta1, and reading it as v1 loses its schema.',
  amend: (objects) =>
    eachOfKind(objects, 'CustomResourceDefinition', (crd) => {
      if (crd.apiVersion === apiVersion) return crd;
      const name = crd.metadata.name ?? '';
      throw new TerminalError(
        'InvalidBundle',
        `custom resource definition '${name}' has apiVersion ${crd.apiVersion}, expected ${apiVersion}: no cluster since Kubernetes 1.22 takes another; the bundle's author has to convert it`,
      );
    }),
};
