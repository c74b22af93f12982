import {
  type CertifiedKey,
  type Clock,
  isJsonEqual,
  type Logger,
  objectAt,
  textAt,
  valueAt,
} from '../../src/base/index.ts';
import { clusterServiceResolver, type ServiceResolver } from '../admission/index.ts';
import { type ContentsElsewhere, runControllers, specOf } from '../controllers/index.ts';
import { asJson, type Cluster, type ClusterEvent, type KubeObject, sharerOf } from '../core/index.ts';
import type { ServedVersion, ServedVersions } from '../discovery/index.ts';
import { type DelegatedRequest, PlainError, type Reply } from '../http/index.ts';
import { localApiServices } from '../registry/index.ts';
import { Availability } from './availability.ts';
import { apiServiceType, type Backend, Backends, backendOf } from './backends.ts';
import { ExtensionDocuments } from './extension-documents.ts';
import { Forwarding } from './forward.ts';
import { ForwardLimits } from './forward-limits.ts';
import { ExtensionContents } from './namespace-contents.ts';

const automanaged = 'kube-aggregator.kubernetes.io/automanaged';
const checkWorkers = 16;

/** What aggregation is given. */
export interface AggregationDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Logger;
  /** What the server shows to extension servers. */
  readonly frontProxy: CertifiedKey;
  /** Where Services are; by default at the cluster's Endpoints and EndpointSlices. */
  readonly resolveService?: ServiceResolver | undefined;
}

function priorityOf(object: KubeObject, name: string): number {
  const value = valueAt(objectAt(asJson(object), 'spec'), name);
  return typeof value === 'number' ? value : 0;
}

/** The group and version of a path below `/apis`. */
function groupVersionIn(path: string): readonly [group: string, version: string] | undefined {
  const [, group, version] = /^\/+apis\/+([^/]+)\/+([^/]+)/.exec(path) ?? [];
  return group === undefined || version === undefined ? undefined : [group, version];
}

/** The extension servers of a cluster: which there are, what they serve, and the way to them. */
export class Aggregation implements ServedVersions, AsyncDisposable {
  readonly #deps: AggregationDeps;
  readonly #backends: Backends;
  readonly #documents: ExtensionDocuments;
  readonly #limits = new ForwardLimits();
  readonly #contents: ExtensionContents;
  readonly #subscription: Disposable;
  #running: AsyncDisposable | undefined;

  constructor(deps: AggregationDeps) {
    this.#deps = deps;
    const resolve = deps.resolveService ?? clusterServiceResolver(deps.cluster);
    this.#backends = new Backends({ cluster: deps.cluster, resolve, frontProxy: deps.frontProxy });
    this.#documents = new ExtensionDocuments(this.#backends, deps.log);
    const { cluster, clock } = deps;
    this.#contents = new ExtensionContents({ cluster, clock, backends: this.#backends, documents: this.#documents });
    this.#subscription = deps.cluster.subscribe((event) => {
      if (isListingChanged(event)) this.#documents.touch();
    });
  }

  /** Begins to check whether extension servers are available. */
  start(): void {
    const { cluster, clock, log } = this.#deps;
    const availability = new Availability({ cluster, clock, backends: this.#backends, documents: this.#documents });
    this.#running = runControllers({ cluster, log }, [availability, this.#contents], checkWorkers);
  }

  /** The objects that extension servers have in namespaces. */
  get namespaceContents(): ContentsElsewhere {
    return this.#contents;
  }

  get edition(): number {
    return this.#documents.edition;
  }

  all(): readonly ServedVersion[] {
    const live = this.#deps.cluster.list(apiServiceType(this.#deps.cluster));
    const names = new Set(live.map(({ metadata }) => metadata.name));
    const usual = localApiServices.filter(({ metadata }) => !names.has(metadata.name));
    return [...live, ...usual].filter(isListed).map((object) => this.#servedVersion(object));
  }

  /** Whether another server answers requests on the path. */
  isDelegated(path: string): boolean {
    return this.#backendFor(path) !== undefined;
  }

  /** Answers a request on a group and version that another server serves; undefined when this server does.
   *  @throws PlainError 503, when that server is not available · StatusError 429, 504 */
  delegate(request: DelegatedRequest): Promise<Reply | undefined> | undefined {
    const backend = this.#backendFor(request.exchange.path);
    return backend === undefined ? undefined : this.#forward(backend, request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    // Before the controllers, which wait for the answers to what they ask.
    this.#backends[Symbol.dispose]();
    await this.#running?.[Symbol.asyncDispose]();
  }

  #backendFor(path: string): Backend | undefined {
    const found = groupVersionIn(path);
    return found === undefined ? undefined : this.#backends.find(...found);
  }

  async #forward(backend: Backend, request: DelegatedRequest): Promise<Reply | undefined> {
    if (!backend.isAvailable) throw new PlainError(503, 'service unavailable\n');
    using _open = this.#limits.begin(sharerOf(request.user));
    return await new Forwarding(this.#backends, backend, request).run();
  }

  #servedVersion(object: KubeObject): ServedVersion {
    const spec = objectAt(asJson(object), 'spec');
    const nothing = { resources: undefined, isStale: true, openApiV2: undefined, openApiV3: undefined };
    const isRemote = backendOf(object) !== undefined;
    return {
      group: textAt(spec, 'group'),
      version: textAt(spec, 'version'),
      groupPriority: priorityOf(object, 'groupPriorityMinimum'),
      versionPriority: priorityOf(object, 'versionPriority'),
      extension: isRemote ? (this.#documents.of(object.metadata.name ?? '') ?? nothing) : undefined,
    };
  }
}

/** Those of custom resources follow from the types, which are served before and after them. */
function isListed(object: KubeObject): boolean {
  return backendOf(object) !== undefined || object.metadata.labels?.[automanaged] !== 'true';
}

/** Whether discovery changes with the event: statuses come with the documents. */
function isListingChanged({ type, resource, object, previous }: ClusterEvent): boolean {
  if (resource.storageKey !== 'apiservices.apiregistration.k8s.io') return false;
  if (!isListed(object) && (previous === undefined || !isListed(previous))) return false;
  return type !== 'MODIFIED' || previous === undefined || !isJsonEqual(specOf(object), specOf(previous));
}
