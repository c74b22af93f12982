import type { Serving, ServingHealth } from './serving/index.ts';

/** Result of the requirement check. */
export type RequirementsResult =
  | { readonly state: 'Met' }
  | { readonly state: 'Unmet' }
  /** The strategy or a permission is invalid. */
  | { readonly state: 'Invalid'; readonly message: string };

/** The Deployments compared with those that are desired. */
export type StrategyHealth =
  | { readonly state: 'Healthy' }
  /** Rolling out, or missing; or changed, and nothing is known of that yet. */
  | { readonly state: 'Waiting'; readonly message: string; readonly isUnobserved?: true }
  /** Applied again in place. */
  | { readonly state: 'Outdated'; readonly message: string }
  /** Past its progress deadline. */
  | { readonly state: 'Unrecoverable'; readonly message: string };

/** Rows I1 to I10. */
export interface InstallCheck {
  readonly strategy: StrategyHealth;
  readonly apiServices: ServingHealth;
  readonly webhooks: ServingHealth;
  /** The API server answered 503. */
  readonly isServerUnavailable?: boolean;
}

/** What became of an attempt to install. */
export type InstallResult =
  | { readonly state: 'Done'; readonly certificates?: Serving['certificates'] }
  /** The service account of the group lacks a permission: not retried before permissions change. */
  | { readonly state: 'Forbidden'; readonly message: string }
  | { readonly state: 'Failed'; readonly message: string; readonly mayPass?: boolean };

/** Facts of Pending. */
export interface PendingFacts {
  /** Why the replaced operator may not be upgraded. */
  readonly gate: string | undefined;
  readonly requirements: RequirementsResult;
  readonly webhookFault: string | undefined;
  /** Another operator owns one of the CustomResourceDefinitions. */
  readonly hasForeignDefinition: boolean;
  readonly foreignApiService: string | undefined;
  /** The replaced one exists and does not give way yet. */
  readonly isAwaitingReplaced: boolean;
  /** Time for objects that are created together with the operator; 0 when it is over. */
  readonly graceMs: number;
}

/** Facts of Installing. `check` is undefined where the Deployments cannot be computed. */
export interface InstallingFacts {
  readonly check: InstallCheck | undefined;
  /** Time until the installation counts as failed; 0 when it is over. */
  readonly remainingMs: number;
}

/** Facts of Succeeded. */
export interface SucceededFacts {
  /** Name of the one that replaces it. */
  readonly replacement: string | undefined;
  readonly servingProblem: { readonly message: string } | undefined;
  readonly areCertificatesDue: boolean;
  readonly requirements: RequirementsResult;
  readonly check: InstallCheck | undefined;
}

/** Facts of Failed. */
export interface FailedFacts extends Omit<SucceededFacts, 'servingProblem'> {
  readonly reason: string;
  readonly isFailForward: boolean;
  readonly servingProblem: { readonly message: string; readonly isActionable: boolean } | undefined;
  readonly webhookFault: string | undefined;
  readonly hasForeignDefinition: boolean;
  readonly foreignApiService: string | undefined;
  /** Of what failed to install: another attempt. */
  readonly retry: InstallResult | undefined;
}

/** Facts of Replacing. */
export interface ReplacingFacts {
  /** What it replaces exists still. */
  readonly isReplacedPresent: boolean;
  readonly hasReplacement: boolean;
  readonly isReplacementInstalled: boolean;
}
