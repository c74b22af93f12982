/** Named changes to what the reference renderer makes, one file each. Applied in this order; each can be switched off. */
import { TerminalError } from '../../../base/index.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import type { Rendering } from '../rendering.ts';
import type { Amendment } from './amendment.ts';
import { annotationBudget } from './annotation-budget.ts';
import { apiServices } from './api-services.ts';
import { apiVersions } from './api-versions.ts';
import { autoscalerNamespace } from './autoscaler-namespace.ts';
import { clusterScope } from './cluster-scope.ts';
import { commonName } from './common-name.ts';
import { crdVersions } from './crd-versions.ts';
import { deploymentAccounts } from './deployment-accounts.ts';
import { equalObjects } from './equal-objects.ts';
import { initContainerMounts } from './init-container-mounts.ts';
import { lastOfIdentity } from './last-of-identity.ts';
import { operatorNamespace } from './operator-namespace.ts';
import { ownNamespaceRoles } from './own-namespace-roles.ts';
import { shippedAccounts } from './shipped-accounts.ts';
import { shippedServices } from './shipped-services.ts';
import { staleCaAnnotations } from './stale-ca-annotations.ts';
import { subjectNamespaces } from './subject-namespaces.ts';
import { volumeMounts } from './volume-mounts.ts';
import { webhookPorts } from './webhook-ports.ts';

export type { Amendment } from './amendment.ts';

/** All amendments, in the order in which they are applied. */
export const amendments: readonly Amendment[] = [
  apiVersions,
  crdVersions,
  deploymentAccounts,
  volumeMounts,
  apiServices,
  shippedAccounts,
  shippedServices,
  ownNamespaceRoles,
  operatorNamespace,
  annotationBudget,
  staleCaAnnotations,
  autoscalerNamespace,
  subjectNamespaces,
  clusterScope,
  webhookPorts,
  commonName,
  initContainerMounts,
  equalObjects,
  lastOfIdentity,
];

/** Which amendments are applied: all of them, none, or all but some. */
export type AmendmentChoice = 'all' | 'none' | { readonly without: readonly string[] };

/** The amendments that `choice` leaves switched on.
 *  @throws TerminalError UnknownAmendment naming those that there are */
export function chosenAmendments(choice: AmendmentChoice): readonly Amendment[] {
  if (choice === 'all') return amendments;
  if (choice === 'none') return [];
  const names = amendments.map(({ name }) => name);
  const unknown = choice.without.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new TerminalError(
      'UnknownAmendment',
      `there is no amendment "${unknown.join('", "')}": expected some of ${names.join(', ')}`,
    );
  }
  return amendments.filter(({ name }) => !choice.without.includes(name));
}

/** Applies the chosen amendments, one after the other. */
export function amend(
  objects: readonly RenderedObject[],
  rendering: Rendering,
  choice: AmendmentChoice,
): readonly RenderedObject[] {
  return chosenAmendments(choice).reduce((current, amendment) => amendment.amend(current, rendering), objects);
}
