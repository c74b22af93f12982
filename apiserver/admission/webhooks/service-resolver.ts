import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../../../src/base/index.ts';
import type { Cluster, KubeObject, ObjectKey } from '../../core/index.ts';
import { HookCallError, type ServiceEndpoint, type ServiceResolver } from './call.ts';

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function find(cluster: Cluster, plural: string, key: ObjectKey): KubeObject | undefined {
  const type = cluster.resource('', plural);
  return type === undefined ? undefined : cluster.get(type, key);
}

function portNamed(ports: readonly JsonObject[], name: JsonValue | undefined): number | undefined {
  const found = ports.length === 1 ? ports[0] : ports.find((port) => (port.name ?? '') === (name ?? ''));
  return typeof found?.port === 'number' ? found.port : undefined;
}

function fromEndpoints(endpoints: KubeObject | undefined, name: JsonValue | undefined): ServiceEndpoint | undefined {
  for (const subset of objects(endpoints?.subsets as JsonValue | undefined)) {
    const port = portNamed(objects(subset.ports), name);
    const ip = objects(subset.addresses)[0]?.ip;
    if (port !== undefined && typeof ip === 'string') return { host: ip, port };
  }
  return undefined;
}

function fromSlices(slices: Iterable<KubeObject>, name: JsonValue | undefined): ServiceEndpoint | undefined {
  for (const slice of slices) {
    const port = portNamed(objects(slice.ports as JsonValue | undefined), name);
    const ready = objects(slice.endpoints as JsonValue | undefined).find(
      ({ conditions }) => !isJsonObject(conditions) || conditions.ready !== false,
    );
    const address = Array.isArray(ready?.addresses) ? ready.addresses[0] : undefined;
    if (port !== undefined && typeof address === 'string') return { host: address, port };
  }
  return undefined;
}

/** One after another, and only those of the Service: a namespace may have many large ones. */
function slicesOf(cluster: Cluster, { namespace, name }: ObjectKey): Iterable<KubeObject> {
  const type = cluster.resource('discovery.k8s.io', 'endpointslices');
  if (type === undefined) return [];
  return cluster.each(type, { namespace, selects: ({ labels }) => labels['kubernetes.io/service-name'] === name });
}

/** Resolves a Service through its Endpoints or EndpointSlices: a process on this machine is an endpoint on a loopback address.
 *  An ExternalName is a host as kube-apiserver takes it; there is no cluster network, so a cluster IP leads nowhere. */
export function clusterServiceResolver(cluster: Cluster): ServiceResolver {
  return ({ namespace, name, port }) => {
    const key = { namespace, name };
    const service = find(cluster, 'services', key);
    if (service === undefined) throw new HookCallError(`service "${name}" not found`);
    const spec = isJsonObject(service.spec) ? service.spec : {};
    if (spec.type === 'ExternalName') return { host: textAt(spec, 'externalName'), port };
    const servicePort = objects(spec.ports).find((candidate) => candidate.port === port);
    if (servicePort === undefined) throw new HookCallError(`no service port ${port} found for service "${name}"`);
    const found =
      fromEndpoints(find(cluster, 'endpoints', key), servicePort.name) ??
      fromSlices(slicesOf(cluster, key), servicePort.name);
    if (found === undefined) throw new HookCallError(`no endpoints available for service "${name}"`);
    return found;
  };
}
