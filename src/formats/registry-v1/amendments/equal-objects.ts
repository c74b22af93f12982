import { type Amendment, identityOf } from './amendment.ts';

/** What would come twice comes once; of two that differ another amendment chooses. */
export const equalObjects: Amendment = {
  name: 'equal-objects',
  reason:
    'Names follow from content or are cut: a repeated permission, or two Deployments with long names, make the same object twice.',
  amend: (objects) => {
    const identities = objects.map(identityOf);
    const counts = new Map<string, number>();
    for (const identity of identities) counts.set(identity, (counts.get(identity) ?? 0) + 1);
    const seen = new Set<string>();
    return objects.filter((object, index) => {
      if (counts.get(identities[index] ?? '') === 1) return true;
      const text = JSON.stringify(object);
      const isNew = !seen.has(text);
      seen.add(text);
      return isNew;
    });
  },
};
