import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Cluster, KubeObject } from '../../core/index.ts';
import { compileMatchConditions, type MatchConditions } from '../match-conditions.ts';

/** One entry of `webhooks` of a configuration, with the defaults that the API server would have written. */
export interface Hook {
  /** Unique in the cluster and stable while the configuration stays: configuration, index, name. */
  readonly key: string;
  readonly name: string;
  readonly rules: readonly JsonObject[];
  readonly clientConfig: JsonObject;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly matchPolicy: 'Exact' | 'Equivalent';
  readonly namespaceSelector: JsonValue | undefined;
  readonly objectSelector: JsonValue | undefined;
  readonly conditions: MatchConditions;
  readonly hasSideEffects: boolean;
  readonly timeoutSeconds: number;
  readonly reinvocationPolicy: 'Never' | 'IfNeeded';
}

export type HookKind = 'validating' | 'mutating';

function textOf(value: JsonValue | undefined, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function hookOf(webhook: JsonObject, key: string): Hook {
  const sideEffects = textOf(webhook.sideEffects, 'Unknown');
  return {
    key,
    name: textOf(webhook.name, ''),
    rules: objectsOf(webhook.rules),
    clientConfig: isJsonObject(webhook.clientConfig) ? webhook.clientConfig : {},
    failurePolicy: webhook.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    matchPolicy: webhook.matchPolicy === 'Exact' ? 'Exact' : 'Equivalent',
    namespaceSelector: webhook.namespaceSelector,
    objectSelector: webhook.objectSelector,
    conditions: compileMatchConditions(webhook.matchConditions, { hasParams: false, hasAuthorizer: true }),
    hasSideEffects: sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun',
    timeoutSeconds: typeof webhook.timeoutSeconds === 'number' ? webhook.timeoutSeconds : 10,
    reinvocationPolicy: webhook.reinvocationPolicy === 'IfNeeded' ? 'IfNeeded' : 'Never',
  };
}

function hooksOf(configuration: KubeObject): Hook[] {
  const name = configuration.metadata.name ?? '';
  return objectsOf(configuration.webhooks as JsonValue | undefined).map((webhook, index) =>
    hookOf(webhook, `${name}/${index}/${textOf(webhook.name, '')}`),
  );
}

/** Reads configurations once a version of them. */
export class HookReader {
  readonly #cluster: Cluster;
  readonly #plural: string;
  readonly #parsed = new WeakMap<KubeObject, Hook[]>();

  constructor(cluster: Cluster, kind: HookKind) {
    this.#cluster = cluster;
    this.#plural = `${kind}webhookconfigurations`;
  }

  /** All hooks, ordered by the name of their configuration, then by place. */
  read(): Hook[] {
    const type = this.#cluster.resource('admissionregistration.k8s.io', this.#plural);
    if (type === undefined) return [];
    const configurations = this.#cluster.list(type);
    const byName = configurations.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
    return byName.flatMap((configuration) => this.#hooksOf(configuration));
  }

  #hooksOf(configuration: KubeObject): Hook[] {
    const known = this.#parsed.get(configuration);
    if (known !== undefined) return known;
    const hooks = hooksOf(configuration);
    this.#parsed.set(configuration, hooks);
    return hooks;
  }
}
