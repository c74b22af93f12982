import { objectAt, textAt } from '../../../base/index.ts';
import { type Amendment, eachOfKind, without } from './amendment.ts';

const annotation = 'cert-manager.io/inject-ca-from';

/** Takes away a request to cert-manager that a CRD brings, where another provider makes the certificates. */
export const staleCaAnnotations: Amendment = {
  name: 'stale-ca-annotations',
  reason: 'The annotation names a Certificate that does not exist; cert-manager would overwrite the correct CA.',
  amend: (objects, { certificates }) =>
    eachOfKind(objects, 'CustomResourceDefinition', (crd) => {
      const annotations = objectAt(crd.metadata, 'annotations') ?? {};
      const isConverted = textAt(objectAt(crd, 'spec', 'conversion'), 'strategy') === 'Webhook';
      if (certificates?.name === 'cert-manager' || !isConverted || annotations[annotation] === undefined) return crd;
      return { ...crd, metadata: { ...crd.metadata, annotations: without(annotations, annotation) } };
    }),
};
