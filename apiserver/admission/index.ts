/** Admission: the plug-ins that every write passes, in kube-apiserver's order. Main type: `AdmissionPlugin`.
 *  Decides nothing about who may do what (that is `auth/`), and stores nothing.
 *  @imports apiserver/registry, apiserver/registry/crd, apiserver/auth, apiserver/cel, apiserver/quota,
 *    apiserver/schema, apiserver/core, src/pod-security, src/rbac, src/cel, src/schema, src/base */
import type { Authorizer } from '../auth/index.ts';
import type { AdmissionPlugin, Cluster } from '../core/index.ts';
import type { CallConversion } from '../registry/crd/index.ts';

export type { AdmissionPlugin, AdmissionRequest } from '../core/index.ts';

import { certificateSigners } from './certificates.ts';
import { claimResize } from './claim-resize.ts';
import { defaultClasses, storageObjectInUseProtection } from './default-class.ts';
import { limitRanger } from './limit-ranger.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { taintNodesByCondition } from './node-taints.ts';
import { defaultTolerationSeconds, priority, serviceAccount } from './pod-defaults.ts';
import { podSecurity } from './pod-security/index.ts';
import { validatingPolicies } from './policies/index.ts';
import { rbacEscalation } from './rbac-escalation.ts';
import { requestAuthor } from './request-author.ts';
import { resourceQuota } from './resource-quota.ts';
import { runtimeClass } from './runtime-class.ts';
import { HookCaller, type ServiceResolver } from './webhooks/call.ts';
import { type ApplyJsonPatch, mutatingWebhooks } from './webhooks/mutating.ts';
import { clusterServiceResolver } from './webhooks/service-resolver.ts';
import { validatingWebhooks } from './webhooks/validating.ts';

const conversionSeconds = 30;

export { type HoldWrite, heldWrites } from './held-writes.ts';
export type { ServiceEndpoint, ServiceResolver } from './webhooks/call.ts';
export { clusterServiceResolver } from './webhooks/service-resolver.ts';

/** What the plug-ins are given. */
export interface AdmissionDeps {
  readonly cluster: Cluster;
  readonly applyJsonPatch: ApplyJsonPatch;
  readonly authorizer: Authorizer;
  /** Where Services of webhooks are; by default the cluster's Endpoints and EndpointSlices. */
  readonly resolveService?: ServiceResolver | undefined;
}

/** All plug-ins, in order. Disposing of them closes the connections to webhooks. */
export interface AdmissionPlugins extends Disposable {
  readonly plugins: readonly AdmissionPlugin[];
  /** Calls the conversion webhooks of definitions, over the same kind of connections. */
  readonly callConversion: CallConversion;
}

/** Makes the plug-ins; they read the cluster at each request and keep nothing but connections. */
export function createAdmissionPlugins(deps: AdmissionDeps): AdmissionPlugins {
  const { cluster, applyJsonPatch, authorizer } = deps;
  const caller = new HookCaller(deps.resolveService ?? clusterServiceResolver(cluster), authorizer);
  return {
    callConversion: (webhook, review, signal) =>
      caller.call({ ...webhook, timeoutSeconds: conversionSeconds }, review, signal),
    plugins: [
      namespaceLifecycle(cluster),
      limitRanger(cluster),
      serviceAccount(cluster),
      taintNodesByCondition(),
      podSecurity(cluster),
      priority(cluster),
      defaultTolerationSeconds(),
      ...defaultClasses(cluster),
      storageObjectInUseProtection(),
      claimResize(cluster),
      runtimeClass(cluster),
      certificateSigners(authorizer),
      mutatingWebhooks(cluster, caller, applyJsonPatch),
      requestAuthor(),
      rbacEscalation(cluster, authorizer),
      validatingPolicies(cluster, authorizer),
      validatingWebhooks(cluster, caller),
      resourceQuota(cluster),
    ],
    [Symbol.dispose]: () => caller[Symbol.dispose](),
  };
}
