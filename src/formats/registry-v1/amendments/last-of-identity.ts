import { type Amendment, identityOf } from './amendment.ts';

/** Of several objects of one identity that differ the last one is installed, as `kubectl apply` of the manifests in order would leave it. */
export const lastOfIdentity: Amendment = {
  name: 'last-of-identity',
  reason: 'A bundle that ships two different objects of one identity would have each overwrite the other, forever.',
  amend: (objects) => {
    const last = new Map(objects.map((object, index) => [identityOf(object), index]));
    return objects.filter((object, index) => last.get(identityOf(object)) === index);
  },
};
