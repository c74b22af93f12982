import {
  type ClusterOperator,
  clusterOperatorResource,
  clusterVersionName,
  parseClusterVersion,
} from '../../api/index.ts';
import { type JsonObject, objectAt, textAt } from '../../base/index.ts';
import { type Manager } from '../../controller/index.ts';
import { conditionsOf, type KindCache, type KubeObject, type ListTarget } from '../../kube/index.ts';
import type { LabelledValue, MetricValues } from '../../metrics/index.ts';
import type { EngineContext } from '../engine.ts';
import { clusterVersionMetrics } from './metrics.ts';

const installerName = { namespace: 'openshift-config', name: 'openshift-install' };
const installerTarget: ListTarget = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: installerName.namespace,
  fieldSelector: `metadata.name=${installerName.name}`,
};

function statuses(object: KubeObject | undefined): ReadonlyMap<string, string> {
  return new Map(object === undefined ? [] : conditionsOf(object).map(({ type, status }) => [type, status]));
}

/** Counts how often conditions of operators have changed their status. Those of an operator that is deleted are forgotten. */
class Transitions {
  readonly #counts = new Map<string, Map<string, number>>();

  note(before: KubeObject | undefined, after: KubeObject | undefined): void {
    const name = (after ?? before)?.metadata.name ?? '';
    if (after === undefined) {
      this.#counts.delete(name);
      return;
    }
    const counts = this.#counts.get(name) ?? new Map<string, number>();
    const old = statuses(before);
    for (const [type, status] of statuses(after)) {
      const known = old.get(type);
      const isChange = known !== undefined && known !== status;
      counts.set(type, (counts.get(type) ?? 0) + (isChange ? 1 : 0));
    }
    this.#counts.set(name, counts);
  }

  get rows(): readonly LabelledValue[] {
    return [...this.#counts].flatMap(([name, counts]) =>
      [...counts].map(([condition, value]) => ({ labels: { name, condition }, value })),
    );
  }
}

function installerOf(cache: KindCache): readonly LabelledValue[] {
  const object = cache.get(installerName.name, installerName.namespace);
  if (object === undefined) return [];
  const data = objectAt(object as JsonObject, 'data');
  const labels = { type: installerName.name, version: textAt(data, 'version'), invoker: textAt(data, 'invoker') };
  return [{ labels, value: 1 }];
}

/** Serves the metrics of cluster updates while this process leads. */
export function reportMetrics(manager: Manager, { versions, worker, updates }: EngineContext): void {
  if (manager.metrics === undefined) return;
  const operators = manager.cache(clusterOperatorResource);
  const installer = manager.cache(installerTarget);
  const transitions = new Transitions();
  operators.subscribe(({ before, after }) => transitions.note(before, after));
  const read = (): MetricValues => {
    const version = versions.get(clusterVersionName);
    if (version === undefined || !manager.isLeading()) return {};
    return {
      ...clusterVersionMetrics({
        version: parseClusterVersion(version),
        operators: operators.values() as unknown as readonly ClusterOperator[],
        worker: worker.status,
        retrievedAtMs: updates.availability?.retrievedAtMs,
      }),
      cluster_operator_condition_transitions: transitions.rows,
      cluster_installer: installerOf(installer),
    };
  };
  manager.metrics.readFrom(() => Promise.resolve(read()));
}
