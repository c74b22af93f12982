import type { Resource } from '../../src/api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import type { ReviewRequest } from './request.ts';
import type { AdmissionResult } from './result.ts';
import type { ReviewContext } from './webhook-definition.ts';

function ownersOf(object: JsonObject | undefined): ReadonlyMap<string, string> {
  const owners = objectsAt(objectAt(object, 'metadata'), 'ownerReferences');
  return new Map(
    owners.map((owner) => {
      const [apiVersion, kind, name, uid] = ['apiVersion', 'kind', 'name', 'uid'].map((key) => textAt(owner, key));
      return [JSON.stringify([apiVersion, kind, name, uid]), `${kind} "${name}"`.slice(0, 300)];
    }),
  );
}

/** Owners of a new object are no matter. */
export async function checkOwnerReferences(
  { object, oldObject, user, name }: ReviewRequest,
  { rules, facts, signal }: ReviewContext,
  { apiVersion, plural: resource }: Resource,
): Promise<AdmissionResult> {
  const before = ownersOf(oldObject);
  const after = oldObject === undefined ? [] : [...ownersOf(object)];
  const added = after.flatMap(([key, text]) => (before.has(key) ? [] : [text]));
  const [group = ''] = apiVersion.split('/');
  const attributes = { verb: 'delete', group, resource, name };
  const mayDelete = added.length === 0 || (await facts.mayDo(user, attributes, { signal }));
  const subject = `${resource}.${group} "${name}"`;
  return rules.evaluate('owner-references', { username: textAt(user, 'username'), subject, added }, mayDelete);
}
