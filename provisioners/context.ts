import type { ApplyEngine } from '../src/apply/index.ts';
import type { Clock, Logger } from '../src/base/index.ts';
import type { Dependency } from '../src/constraints/index.ts';
import type { BackgroundWork } from '../src/controller/index.ts';
import type { EventRecorder, KindCache, KubeClient } from '../src/kube/index.ts';
import type { Metrics } from '../src/metrics/index.ts';
import type { AccountSecrets } from './account-secrets.ts';
import type { DependencyWaits } from './dependency-waits.ts';
import type { HandOvers } from './hand-overs.ts';
import type { PermissionWaits } from './permission-waits.ts';
import type { ServingCertificates } from './serving-certificates.ts';
import type { Shards } from './shards.ts';
import type { Unpacker } from './unpacker/index.ts';
import type { Unserved } from './unserved-objects.ts';
import type { ValuesWatches } from './values-watches.ts';

/** What both reconcilers work with. */
export interface ProvisionerContext {
  readonly kube: KubeClient;
  readonly unpacker: Unpacker;
  readonly fetches: BackgroundWork;
  /** Counts fetches and requested contents. */
  readonly metrics: Metrics | undefined;
  /** Names of Bundles whose evicted content is requested. */
  readonly requested: Set<string>;
  readonly engine: ApplyEngine;
  readonly dependencies: DependencyWaits;
  /** Clauses: which bundles of catalogs would meet a dependency. */
  readonly offersFor: (dependency: Dependency) => readonly string[];
  readonly servingCertificates: ServingCertificates;
  readonly permissions: PermissionWaits;
  readonly valuesWatches: ValuesWatches;
  /** Nothing is done for a deployment that names no service account. */
  readonly isAccountRequired: boolean;
  /** What is for this process to take care of. */
  readonly shards: Shards;
  /** What comes from other shards, and goes there. */
  readonly handOvers: HandOvers;
  readonly bundles: KindCache;
  readonly deployments: KindCache;
  readonly events: EventRecorder;
  readonly accountSecrets: AccountSecrets;
  readonly systemNamespace: string;
  /** Values of `provisionerClassName` that are served. */
  readonly classes: ReadonlySet<string>;
  /** Those that other provisioners of the cluster serve. */
  readonly foreignClasses: ReadonlySet<string>;
  readonly unserved: Unserved;
  /** Start of `status.contentURL`; no such field without it. */
  readonly contentBaseUrl: string | undefined;
  /** What writes inventories: `longshore/v1.2.3`. */
  readonly tool: string;
  /** How long an unhealthy installation keeps the Bundles of earlier templates. */
  readonly healthDeadlineMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}
