import { objectsIn, specOf, typeOf } from '../controllers/index.ts';
import type { Cluster } from '../core/index.ts';
import type { Backend } from './backends.ts';

/** The condition `Available` of an APIService, as kube-aggregator words it. */
export interface AvailableCondition {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export const local: AvailableCondition = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};
export const passed: AvailableCondition = { status: 'True', reason: 'Passed', message: 'all checks passed' };

export function unavailable(reason: string, message: string): AvailableCondition {
  return { status: 'False', reason, message };
}

/** What is wrong with the Service of a backend; undefined when it can be asked. Only a Service of type ClusterIP must have the port and endpoints. */
export function serviceProblem(cluster: Cluster, { service: key }: Backend): AvailableCondition | undefined {
  const { namespace, name, port } = key;
  const where = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = cluster.get(typeOf(cluster, 'services'), { namespace, name });
  if (service === undefined) return unavailable('ServiceNotFound', `${where} is not present`);
  const spec = specOf(service);
  if (spec['type'] !== 'ClusterIP') return undefined;
  const found = objectsIn(spec['ports']).find((own) => own['port'] === port);
  if (found === undefined) return unavailable('ServicePortError', `${where} is not listening on port ${port}`);
  const endpoints = cluster.get(typeOf(cluster, 'endpoints'), { namespace, name });
  if (endpoints === undefined) return unavailable('EndpointsNotFound', `cannot find endpoints for ${where}`);
  const portName = found['name'] ?? '';
  const isReady = objectsIn(endpoints['subsets']).some(
    ({ addresses, ports }) =>
      objectsIn(addresses).length > 0 && objectsIn(ports).some((own) => (own['name'] ?? '') === portName),
  );
  const message = `endpoints for ${where} have no addresses with port name ${JSON.stringify(portName)}`;
  return isReady ? undefined : unavailable('MissingEndpoints', message);
}
