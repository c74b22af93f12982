import { generateServiceAccounts } from '../generate-rbac.ts';
import { isStandardKind } from '../kinds.ts';
import { type Amendment, identityOf } from './amendment.ts';

/** A ServiceAccount that is both made from permissions and shipped as a manifest comes once, as it is shipped. */
export const shippedAccounts: Amendment = {
  name: 'shipped-accounts',
  reason: 'Two objects of one identity overwrite each other: the account of the manifest would be lost.',
  amend: (objects, rendering) => {
    const shipped = rendering.bundle.others.filter(
      (object) => object.kind === 'ServiceAccount' && isStandardKind(object),
    );
    const names = new Set(shipped.map(({ metadata }) => metadata.name));
    const made = generateServiceAccounts(rendering).filter(({ metadata }) => names.has(metadata.name));
    const waiting = new Set(made.map(identityOf));
    return objects.filter((object) => !waiting.delete(identityOf(object)));
  },
};
