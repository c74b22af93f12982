import { type JsonObject, objectAt, objectsAt, scalarText } from '../../../base/index.ts';
import { servingNames } from '../names.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import { type Rendering, servesApis, servesWebhooks } from '../rendering.ts';
import { type Amendment, identityOf, isOfKind, jsonList } from './amendment.ts';

/** Names of the Services that are generated for webhooks and aggregated APIs. */
function generatedNames(rendering: Rendering): ReadonlySet<string> {
  const { deployments } = rendering.bundle.csv.spec.install.spec;
  const names = (deployments ?? []).map(({ name }) => name);
  const serving = names.filter((name) => servesWebhooks(rendering, name) || servesApis(rendering, name));
  return new Set(serving.map((name) => servingNames(name).service));
}

/** The ports that webhooks are called on, and those shipped beside them. Ports of one Service have different names. */
function mergedPorts(generated: readonly JsonObject[], shipped: readonly JsonObject[]): JsonObject[] {
  const isSame = (a: JsonObject, b: JsonObject): boolean =>
    a['port'] === b['port'] && (a['protocol'] ?? 'TCP') === (b['protocol'] ?? 'TCP');
  const called = generated.map((port) => {
    const own = shipped.find((one) => isSame(one, port));
    return { ...own, ...port, name: own?.['name'] ?? port['name'] ?? null };
  });
  const others = shipped.filter((port) => !called.some((one) => isSame(one, port)));
  return [
    ...called,
    ...others.map((port) => ({ ...port, name: port['name'] ?? scalarText(port['port'] ?? null) ?? null })),
  ];
}

/** The generated Service with the fields that only the shipped one has. */
function merged(shipped: RenderedObject, generated: RenderedObject): RenderedObject {
  const [own, spec] = [objectAt(shipped, 'spec'), objectAt(generated, 'spec')];
  const annotations = { ...objectAt(shipped.metadata, 'annotations'), ...objectAt(generated.metadata, 'annotations') };
  return {
    ...generated,
    metadata: {
      ...shipped.metadata,
      ...generated.metadata,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: { ...own, ...spec, ports: jsonList(mergedPorts(objectsAt(spec, 'ports'), objectsAt(own, 'ports'))) },
  };
}

/** A Service that is both generated for webhooks and shipped as a manifest comes once, and serves both purposes. */
export const shippedServices: Amendment = {
  name: 'shipped-services',
  reason:
    'Two Services of one name overwrite each other: either the webhooks or the Service of the manifest would be lost.',
  amend: (objects, rendering) => {
    const names = generatedNames(rendering);
    const shipped = new Map<string, RenderedObject>();
    const last = new Map(objects.map((object) => [identityOf(object), object]));
    return objects.flatMap((object) => {
      if (!isOfKind(object, 'Service') || !names.has(object.metadata.name ?? '')) return [object];
      const key = identityOf(object);
      const before = shipped.get(key);
      shipped.set(key, object);
      // The generated one comes last.
      if (last.get(key) !== object) return [];
      return [before === undefined ? object : merged(before, object)];
    });
  },
};
