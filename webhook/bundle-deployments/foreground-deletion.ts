import { type BundleDeployment, clusterExtensionResource, orphanAnnotation } from '../../src/api/index.ts';
import type { ReviewRequest } from '../review/request.ts';
import { type AdmissionResult, allowed, forbid } from '../review/result.ts';

/** The deletion of a BundleDeployment. */
export interface DeploymentDeletion {
  readonly deployment: BundleDeployment;
  /** What has references to it is deleted before it, by the garbage collector. */
  readonly isForeground: boolean;
}

const foregroundFinalizer = 'foregroundDeletion';

/** As the API server decides: by the request, and if that names no policy, by the finalizers. */
export function deletionOf(deployment: BundleDeployment, { propagationPolicy }: ReviewRequest): DeploymentDeletion {
  const isAsked = deployment.metadata.finalizers?.includes(foregroundFinalizer) === true;
  return { deployment, isForeground: propagationPolicy === '' ? isAsked : propagationPolicy === 'Foreground' };
}

/** In the foreground the garbage collector deletes what is installed, whatever is to stay of it. The controllers delete in their own order in the
 *  background. */
export function foregroundDeletion({ deployment, isForeground }: DeploymentDeletion): AdmissionResult {
  const { name, annotations, ownerReferences = [] } = deployment.metadata;
  if (!isForeground) return allowed;
  const subject = `bundledeployment "${name}"`;
  const collector = 'the garbage collector deletes what it has installed: delete it with --cascade=background';
  if (annotations?.[orphanAnnotation] === 'true') {
    return forbid(`${subject} leaves its objects (${orphanAnnotation}), but in the foreground ${collector}`);
  }
  const { kind } = clusterExtensionResource;
  const extension = ownerReferences.find((owner) => owner.controller === true && owner.kind === kind);
  if (extension === undefined) return allowed;
  return forbid(
    `${subject} is deleted by ${kind} "${extension.name}", which retains what others need; in the foreground ${collector}`,
  );
}
