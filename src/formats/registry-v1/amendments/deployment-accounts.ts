import { objectAt, textAt } from '../../../base/index.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import { type Amendment, isOfKind } from './amendment.ts';

function accountsOf(objects: readonly RenderedObject[]): readonly string[] {
  return objects
    .filter(({ kind }) => kind === 'Deployment')
    .map((deployment) => textAt(objectAt(deployment, 'spec', 'template', 'spec'), 'serviceAccountName'))
    .filter((name) => name !== '' && name !== 'default');
}

/** ServiceAccounts that only a Deployment names. */
export const deploymentAccounts: Amendment = {
  name: 'deployment-accounts',
  reason: 'A Deployment whose ServiceAccount no permission mentions would wait for that account forever.',
  amend: (objects, { installNamespace: namespace }) => {
    const present = new Set(
      objects.filter((object) => isOfKind(object, 'ServiceAccount')).map(({ metadata }) => metadata.name ?? ''),
    );
    const missing = [...new Set(accountsOf(objects))].filter((name) => !present.has(name)).sort();
    const added = missing.map((name): RenderedObject => {
      return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
    });
    return [...added, ...objects];
  },
};
