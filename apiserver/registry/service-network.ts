import { listAt, objectAt, textAt } from '../../src/base/index.ts';
import { asJson, type KubeObject, type RegistryView } from '../core/index.ts';

/** 10.96.0.0/12, the network that kubeadm gives to services; its first address is the `kubernetes` service's. */
const network = { first: 10 * 2 ** 24 + 96 * 2 ** 16, size: 2 ** 20, text: '10.96.0.0/12' };
const nodePorts = { first: 30_000, last: 32_767 };

function addressOf(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}

function isInRange(address: string): boolean {
  const [a, b] = address.split('.').map(Number);
  return a === 10 && b !== undefined && b >= 96 && b < 112;
}

function clusterIpsOf(service: KubeObject): string[] {
  const spec = objectAt(asJson(service), 'spec');
  return [textAt(spec, 'clusterIP'), ...listAt(spec, 'clusterIPs').map(String)];
}

/** Gives out cluster IPs and node ports that no service in `services` has. The same one is not given out twice in a row, even when the service
 *  that asked for it is not stored yet. */
export function createRegistryView(services: () => Iterable<KubeObject>, nowMs: () => number): RegistryView {
  let lastIp = 256;
  let lastPort = nodePorts.first + 85;
  return {
    services,
    nowMs,
    isClusterIpInRange: isInRange,
    freeClusterIp: () => {
      const used = new Set([...services()].flatMap(clusterIpsOf));
      for (let tries = 0; tries < network.size - 257; tries++) {
        lastIp = lastIp + 1 >= network.size - 1 ? 257 : lastIp + 1;
        const address = addressOf(network.first + lastIp);
        if (!used.has(address)) return address;
      }
      return undefined;
    },
    freeNodePort: (used) => {
      for (let tries = nodePorts.first; tries <= nodePorts.last; tries++) {
        lastPort = lastPort >= nodePorts.last ? nodePorts.first : lastPort + 1;
        if (!used.has(lastPort)) return lastPort;
      }
      return undefined;
    },
  };
}
