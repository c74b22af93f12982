import type { RenderedObject } from '../registry-bundle.ts';
import { type Amendment, identityOf } from './amendment.ts';

/** A ServiceAccount that is both made from permissions and shipped as a manifest comes once, as it is shipped. */
export const shippedAccounts: Amendment = {
  name: 'shipped-accounts',
  reason: 'Two objects of one identity overwrite each other: what the manifest says of the account would be lost.',
  amend: (objects) => {
    const shipped = new Map<string, RenderedObject>();
    for (const object of objects) if (object.kind === 'ServiceAccount') shipped.set(identityOf(object), object);
    const done = new Set<string>();
    return objects.flatMap((object) => {
      if (object.kind !== 'ServiceAccount') return [object];
      const identity = identityOf(object);
      if (done.has(identity)) return [];
      done.add(identity);
      return [shipped.get(identity) ?? object];
    });
  },
};
