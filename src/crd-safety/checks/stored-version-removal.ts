import type { CheckInfo, CrdCheck } from '../check.ts';
import { type Crd, versionOf } from '../crd.ts';
import { aboutExistingObjects } from '../wording.ts';

function missingVersions(before: Crd, after: Crd): readonly string[] {
  return before.storedVersions.filter((name) => versionOf(after, name) === undefined).toSorted();
}

const info: CheckInfo = {
  name: 'storedVersionRemoval',
  refuses: 'a version is removed that stored objects may use (`status.storedVersions`).',
};

/** A version that objects are stored in stays among `spec.versions`. In the words of RukPak's webhook. */
export const storedVersionRemoval: CrdCheck = {
  ...info,
  find: (before, after) => {
    if (after.versions.length === 0) return ['could not find any versions in the new CRD'];
    const missing = missingVersions(before, after);
    const removed = missing.filter((name) => versionOf(before, name) !== undefined);
    if (removed.length > 0) {
      return [aboutExistingObjects(before.name, `cannot remove stored versions [${removed.join(' ')}]`)];
    }
    return missing.map(
      (name) =>
        `risk of data loss updating "${before.name}": new CRD removes version ${name} that is listed as a stored version on the existing CRD`,
    );
  },
};

/** The same finding with the message of OLM v1, next to all others about the definition. */
export const storedVersions: CrdCheck = {
  ...info,
  find: (before, after) => {
    const missing = missingVersions(before, after);
    return missing.length === 0 ? [] : [`stored versions removed : [${missing.join(' ')}]`];
  },
};
