import { objectAt, objectsAt } from '../../src/base/index.ts';
import { asJson, type KubeObject } from '../core/index.ts';
import type { Store, StoredEntry } from '../storage/index.ts';

/** Of a service what it has of the network. */
function networkPart(service: KubeObject): KubeObject {
  const spec = objectAt(asJson(service), 'spec') ?? {};
  const { clusterIP = '', clusterIPs = [], healthCheckNodePort = 0 } = spec;
  const ports = objectsAt(spec, 'ports').map(({ nodePort = 0 }) => ({ nodePort }));
  return {
    apiVersion: service.apiVersion,
    kind: service.kind,
    metadata: {},
    spec: { clusterIP, clusterIPs, healthCheckNodePort, ports },
  };
}

/** What all services have of the network, read when each is stored: they may be large, and every new one must differ from all. */
export class StoredServices {
  readonly #store: Pick<Store, 'list'>;
  readonly #known = new WeakMap<StoredEntry, KubeObject>();

  constructor(store: Pick<Store, 'list' | 'subscribe'>) {
    this.#store = store;
    store.subscribe('services', ({ type, entry }) => {
      if (type !== 'DELETED') this.#partOf(entry);
    });
  }

  list(): KubeObject[] {
    return this.#store.list('services').map((entry) => this.#partOf(entry));
  }

  #partOf(entry: StoredEntry): KubeObject {
    const known = this.#known.get(entry);
    if (known !== undefined) return known;
    const part = networkPart(entry.object);
    this.#known.set(entry, part);
    return part;
  }
}
