import { type AdmissionResult, allowed, forbid } from '../review/result.ts';

/** Owners that an update adds to an object, and the user who adds them. */
export interface OwnersChange {
  readonly username: string;
  /** `bundledeployments.core.rukpak.io "shop"`. */
  readonly subject: string;
  /** `ConfigMap "gone"`. */
  readonly added: readonly string[];
}

/** The garbage collector deletes an object whose owners do not exist, so that an owner is added as the object is deleted: by users who may delete it. */
export function ownerReferences({ username, subject, added }: OwnersChange, mayDelete: boolean): AdmissionResult {
  const [first] = added;
  if (first === undefined || mayDelete) return allowed;
  const who = `user ${JSON.stringify(username.slice(0, 200))}`;
  return forbid(
    `metadata.ownerReferences: ${who} may not add ${first}: an object is deleted when its owners are gone, so that this requires permission to delete ${subject}`,
  );
}
