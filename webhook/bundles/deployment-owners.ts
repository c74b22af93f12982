import { bundleDeploymentResource } from '../../src/api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import { type AdmissionResult, allowed, forbid } from '../review/result.ts';

/** Uid of each BundleDeployment that owns the Bundle → its name. */
function deploymentsOf(bundle: JsonObject | undefined): ReadonlyMap<string, string> {
  const owners = objectsAt(objectAt(bundle, 'metadata'), 'ownerReferences');
  const deployments = owners.filter((owner) => textAt(owner, 'kind') === bundleDeploymentResource.kind);
  return new Map(deployments.map((owner) => [textAt(owner, 'uid'), textAt(owner, 'name').slice(0, 253)]));
}

/** Names of the BundleDeployments that a change adds to the owners of an existing Bundle. */
export function addedDeployments(before: JsonObject | undefined, after: JsonObject | undefined): readonly string[] {
  const old = deploymentsOf(before);
  return [...deploymentsOf(after)].flatMap(([uid, name]) => (old.has(uid) ? [] : [name]));
}

/** A Bundle that has lost its BundleDeployment shows that what is installed is to stay without it: only users who may write what is recorded of
 *  installations change that. */
export function deploymentOwners(added: readonly string[], mayWriteRecords: boolean): AdmissionResult {
  const [name] = added;
  if (name === undefined || mayWriteRecords) return allowed;
  return forbid(
    `metadata.ownerReferences: ${bundleDeploymentResource.kind} "${name}": added by the controllers alone when they create a Bundle; leave it out`,
  );
}
