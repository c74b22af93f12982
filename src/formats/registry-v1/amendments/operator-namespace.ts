import { objectAt } from '../../../base/index.ts';
import { type Amendment, eachOfKind } from './amendment.ts';

/** Sets the install namespace on the operator's Pods. */
export const operatorNamespace: Amendment = {
  name: 'operator-namespace',
  reason: 'Operators look for the annotation olm.operatorNamespace on their Pods, which newer reference renderers set.',
  amend: (objects, { installNamespace }) =>
    eachOfKind(objects, 'Deployment', (deployment) => {
      const spec = objectAt(deployment, 'spec');
      const template = objectAt(spec, 'template');
      const metadata = objectAt(template, 'metadata');
      const annotations = { ...objectAt(metadata, 'annotations'), 'olm.operatorNamespace': installNamespace };
      return {
        ...deployment,
        spec: { ...spec, template: { ...template, metadata: { ...metadata, annotations } } },
      };
    }),
};
