import type { DependencyPolicy } from '../../src/api/index.ts';
import type { Permissions } from '../../src/controller/index.ts';
import type { FactsReader } from './facts.ts';
import type { ReviewRequest } from './request.ts';
import type { AdmissionResult } from './result.ts';
import type { RuleEvaluator } from './rule-evaluator.ts';

/** Settings of the administrator. */
export interface ReviewSettings {
  /** Where ConfigMaps are guarded. */
  readonly systemNamespace: string;
  readonly dependencyPolicy: DependencyPolicy;
  /** BundleDeployments must name a service account. */
  readonly isAccountRequired: boolean;
  /** Classes that other provisioners of the cluster serve. */
  readonly foreignClasses: readonly string[];
}

/** What a check may use. */
export interface ReviewContext extends ReviewSettings {
  readonly facts: FactsReader;
  /** Evaluates the rules of the table, and counts what they find. */
  readonly rules: RuleEvaluator;
  readonly signal: AbortSignal;
}

/** Reads the facts that the rules for a kind need, and evaluates these rules.
 *  @throws TerminalError InvalidObject for an object of another form · what the reader throws */
export type Check = (request: ReviewRequest, context: ReviewContext) => Promise<AdmissionResult>;

/** `rules` of a webhook configuration. */
export interface RequestMatch {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly ReviewRequest['operation'][];
  readonly resources: readonly string[];
  readonly scope?: '*';
}

/** A webhook: its name in the configuration, its path, the requests that it reviews, and how. */
export interface WebhookDefinition {
  readonly name: string;
  readonly path: string;
  readonly check: Check;
  readonly requests: RequestMatch;
  /** What reading the facts of its rules needs. */
  readonly permissions: Permissions;
  /** The configuration that it is part of. */
  readonly configuration:
    | 'rukpak-validating-webhook-configuration'
    | 'crd-validation-webhook'
    | 'longshore-mutating-webhook-configuration'
    | 'longshore-machine-webhook-configuration';
  /** Whether it may change objects; all webhooks of a configuration are alike in this. Default false. */
  readonly isMutating?: boolean;
  /** It reviews objects of the system namespace alone. Default false. */
  readonly isForSystemNamespace?: boolean;
  /** It is about ClusterCatalogs, which another program may serve. Default false. */
  readonly isForCatalogs?: boolean;
  /** It is about Machines, which most installations leave alone. Default false. */
  readonly isForMachines?: boolean;
  /** CEL conditions that a request must meet to be reviewed. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** Labels that the object must have, before or after the change. */
  readonly objectLabels?: Readonly<Record<string, string>>;
}
