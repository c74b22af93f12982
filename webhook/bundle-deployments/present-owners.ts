import type { ObjectIdentity } from '../review/facts.ts';
import { type AdmissionResult, allowed, forbid } from '../review/result.ts';

/** A saved object that is applied names the owner of that time: the garbage collector would delete it, and the controllers what belongs to it. */
export function presentOwners(absent: ObjectIdentity | undefined, loss: string): AdmissionResult {
  if (absent === undefined) return allowed;
  const owner = `${absent.kind} "${absent.name.slice(0, 300)}" with the uid ${JSON.stringify(absent.uid.slice(0, 100))}`;
  return forbid(
    `metadata.ownerReferences: there is no ${owner}, so that the garbage collector would delete ${loss}: leave the reference out`,
  );
}
