import type { ApiObject } from '../installation/kinds.ts';

/** A condition of an object. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** A release of the cluster. */
export interface Release {
  readonly version?: string;
  readonly image?: string;
  readonly url?: string;
  readonly channels?: readonly string[];
}

/** A known problem of an update, and whether it applies to this cluster. */
export interface Risk {
  readonly name: string;
  readonly message?: string;
  readonly url?: string;
  readonly matchingRules?: readonly { readonly type: string; readonly promql?: { readonly promql?: string } }[];
  readonly conditions?: readonly Condition[];
}

/** An update with risks. */
export interface ConditionalUpdate {
  readonly release?: Release;
  readonly risks?: readonly Risk[];
  readonly conditions?: readonly Condition[];
}

/** A run level of the release that is applied. */
export interface Level {
  readonly level: string;
  readonly done: number;
  readonly total: number;
  readonly components?: readonly string[];
}

/** What an update waits for, or what prevents it. */
export interface Blocker {
  readonly object: string;
  readonly reason: string;
  readonly message: string;
  readonly since?: string;
}

/** How far the release is applied. */
export interface Progress {
  readonly state?: string;
  readonly done: number;
  readonly total: number;
  readonly levels?: readonly Level[];
  readonly waitingFor?: readonly Blocker[];
  readonly blockers?: readonly Blocker[];
}

/** The ClusterVersion as pages read it. */
export interface ClusterVersion extends ApiObject {
  readonly spec?: {
    readonly channel?: string;
    readonly upstream?: string;
    readonly desiredUpdate?: Release & { readonly acceptRisks?: readonly { readonly name: string }[] };
  };
  readonly status?: {
    readonly desired?: Release;
    readonly history?: readonly {
      readonly version?: string;
      readonly state?: string;
      readonly startedTime?: string;
      readonly completionTime?: string | null;
      readonly verified?: boolean;
      readonly acceptedRisks?: string;
    }[];
    readonly availableUpdates?: readonly Release[] | null;
    readonly conditionalUpdates?: readonly ConditionalUpdate[];
    readonly conditionalUpdateRisks?: readonly Risk[];
    readonly conditions?: readonly Condition[];
    readonly progress?: Progress;
  };
}

/** The watch of all of them; the engine honors the one named version. */
export const clusterVersionWatch = 'objects config.openshift.io/v1 ClusterVersion - version';
/** The watch of the components of the release. */
export const operatorsWatch = 'objects config.openshift.io/v1 ClusterOperator';
/** Who may request updates. */
export const updateAccess = {
  verb: 'patch',
  group: 'config.openshift.io',
  resource: 'clusterversions',
  name: 'version',
} as const;

/** A condition with the status True. */
export function isTrue(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((one) => one.type === type && one.status === 'True');
}
