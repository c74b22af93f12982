import { type JsonObject, objectsAt, textAt } from '../../../../src/base/index.ts';
import { numberAt } from '../../../core/index.ts';

interface PlacedPort {
  readonly path: string;
  readonly name: string;
  readonly hostIp: string;
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol: string;
}

function portsOf(containers: readonly (readonly [JsonObject, string])[]): PlacedPort[] {
  return containers.flatMap(([container, path]) =>
    objectsAt(container, 'ports').map((port, index) => ({
      path: `${path}.ports[${index}]`,
      name: textAt(port, 'name'),
      hostIp: textAt(port, 'hostIP'),
      hostPort: numberAt(port, 'hostPort') ?? 0,
      containerPort: numberAt(port, 'containerPort') ?? 0,
      protocol: textAt(port, 'protocol'),
    })),
  );
}

/** What two definitions of the same port of a pod are to each other. */
function relation(port: PlacedPort, other: PlacedPort): string | undefined {
  if (port.hostIp === other.hostIp && port.hostPort === other.hostPort) return 'duplicate';
  if (port.hostPort === 0 || other.hostPort === 0) return 'overlapping';
  const isOneOpen = (port.hostIp === '') !== (other.hostIp === '');
  return port.hostPort === other.hostPort && isOneOpen ? 'dangerously ambiguous' : undefined;
}

function strayAddress(port: PlacedPort): string[] {
  if (port.hostIp === '' || port.hostPort !== 0) return [];
  const { name, hostPort, containerPort, protocol, hostIp } = port;
  const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIp}}`;
  return [`${port.path}: hostIP set without hostPort: ${shown}`];
}

function clashes(ports: readonly PlacedPort[]): string[] {
  const known = new Map<string, PlacedPort[]>();
  return ports.flatMap((port) => {
    const key = `${port.containerPort}/${port.protocol}`;
    const others = known.get(key) ?? [];
    known.set(key, [...others, port]);
    const found = others.flatMap((other) => {
      const word = relation(port, other);
      return word === undefined ? [] : [`${port.path}: ${word} port definition with ${other.path}`];
    });
    return [...strayAddress(port), ...found];
  });
}

function nameClashes(ports: readonly PlacedPort[]): string[] {
  const known = new Map<string, string>();
  return ports.flatMap(({ name, path }) => {
    if (name === '') return [];
    const other = known.get(name);
    if (other === undefined) {
      known.set(name, path);
      return [];
    }
    const shown = JSON.stringify(name);
    const text = `services and probes that select ports by name will use ${other}`;
    return [`${path}: duplicate port name ${shown} with ${other}, ${text}`];
  });
}

/** Warnings about ports of a pod's containers that get in each other's way. */
export function portWarnings(containers: readonly (readonly [JsonObject, string])[]): string[] {
  const ports = portsOf(containers);
  return ports.length === 0 ? [] : [...clashes(ports), ...nameClashes(ports)];
}
