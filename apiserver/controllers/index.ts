/** The small controllers that a cluster cannot do without: garbage collection, namespaces, CRD instances, volume protection,
 *  signed certificates, expired Events.
 *  Main function: `startControllers`. They work through `Cluster` alone, wait for events and never poll, except for what time alone changes.
 *  @imports apiserver/registry/crd, apiserver/cel, apiserver/quota, apiserver/schema, apiserver/core, src/base */
import type { Clock, Logger } from '../../src/base/index.ts';
import type { Cluster } from '../core/index.ts';
import { accountSecrets, type IssueSecretToken } from './account-secrets.ts';
import { aggregatedRoles } from './aggregated-roles.ts';
import { apiServices } from './api-services.ts';
import { autoscalers } from './autoscalers.ts';
import { certificateSigning, type SignCertificate } from './certificate-signing.ts';
import { type ContentsElsewhere, nothingElsewhere } from './contents-elsewhere.ts';
import { runControllers } from './controller.ts';

import { crdInstances } from './crd-instances.ts';
import { serviceEndpoints } from './endpoints/index.ts';
import { expiredEvents } from './expired-events.ts';
import { garbageCollector } from './garbage-collector.ts';
import { namespaceContents } from './namespace-contents.ts';
import { namespaceDefaults } from './namespace-defaults.ts';
import { nodeTaints } from './node-taints.ts';
import { policyTypes } from './policy-types.ts';
import { resourceQuotas } from './resource-quotas.ts';
import { volumeProtection } from './volume-protection.ts';

export { Appointments } from './appointments.ts';
export type { ContentsElsewhere, Remaining, RemainingElsewhere } from './contents-elsewhere.ts';
export {
  type Controller,
  ignoreNotFound,
  listInTurns,
  objectsIn,
  runControllers,
  specOf,
  statusOf,
  typeOf,
} from './controller.ts';
export { NamespaceTurns } from './namespace-turns.ts';
export { PendingChanges } from './pending-changes.ts';

/** What the controllers are given. */
export interface ControllerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** PEM of the authority behind the API server, published in every namespace. */
  readonly authorityPem: string;
  readonly issueSecretToken: IssueSecretToken;
  readonly signCertificate: SignCertificate;
  /** Objects that other servers have in namespaces; none by default. */
  readonly contentsElsewhere?: ContentsElsewhere | undefined;
}

/** Starts all controllers; each looks at everything that is there first, so that what a restart interrupted goes on.
 *  Disposing of the result waits for the work at hand. */
export function startControllers(cluster: Cluster, deps: ControllerDeps): AsyncDisposable {
  const controllers = [
    garbageCollector(cluster),
    namespaceContents(cluster, deps.clock, deps.contentsElsewhere ?? nothingElsewhere),
    namespaceDefaults(cluster, deps.authorityPem),
    crdInstances(cluster, deps.clock),
    volumeProtection(cluster),
    aggregatedRoles(cluster),
    resourceQuotas(cluster, deps.clock),
    nodeTaints(cluster),
    policyTypes(cluster),
    certificateSigning(cluster, deps.clock, deps.signCertificate),
    serviceEndpoints(cluster),
    apiServices(cluster),
    autoscalers(cluster, deps.clock),
    expiredEvents(cluster, deps.clock),
    accountSecrets(cluster, { authorityPem: deps.authorityPem, issue: deps.issueSecretToken }),
  ];
  return runControllers({ cluster, log: deps.log }, controllers);
}
