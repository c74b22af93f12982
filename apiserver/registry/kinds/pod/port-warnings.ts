import { type JsonObject, objectsAt, textAt } from '../../../../src/base/index.ts';
import { numberAt } from '../../../core/index.ts';

/** Of ports that get in each other's way, more than the headers of an answer have room for: there may be one for each two of very many ports. */
const maxClashes = 1000;

interface PlacedPort {
  readonly index: number;
  readonly path: string;
  readonly name: string;
  readonly hostIp: string;
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol: string;
}

function portsOf(containers: readonly (readonly [JsonObject, string])[]): PlacedPort[] {
  const placed = containers.flatMap(([container, path]) =>
    objectsAt(container, 'ports').map((port, index) => ({ port, path: `${path}.ports[${index}]` })),
  );
  return placed.map(({ port, path }, index) => ({
    index,
    path,
    name: textAt(port, 'name'),
    hostIp: textAt(port, 'hostIP'),
    hostPort: numberAt(port, 'hostPort') ?? 0,
    containerPort: numberAt(port, 'containerPort') ?? 0,
    protocol: textAt(port, 'protocol'),
  }));
}

/** What two definitions of the same port of a pod that clash are to each other. */
function relation(port: PlacedPort, other: PlacedPort): string {
  if (port.hostIp === other.hostIp && port.hostPort === other.hostPort) return 'duplicate';
  return port.hostPort === 0 || other.hostPort === 0 ? 'overlapping' : 'dangerously ambiguous';
}

/** The groups that a port belongs to. */
function ownGroups({ containerPort, protocol, hostPort, hostIp }: PlacedPort): string[] {
  const port = `${containerPort}/${protocol}`;
  const onHost = `${port} ${hostPort}`;
  if (hostPort === 0) return [port, onHost];
  return [port, `${onHost} at ${hostIp}`, ...(hostIp === '' ? [] : [`${onHost} addressed`])];
}

/** The groups of all ports that clash with one: the same port of the host, where one of them is open on all addresses, or none of the host. */
function clashingGroups({ containerPort, protocol, hostPort, hostIp }: PlacedPort): string[] {
  const port = `${containerPort}/${protocol}`;
  const onHost = `${port} ${hostPort}`;
  if (hostPort === 0) return [port];
  return [`${port} 0`, `${onHost} at ${hostIp}`, hostIp === '' ? `${onHost} addressed` : `${onHost} at `];
}

function strayAddress(port: PlacedPort): string[] {
  if (port.hostIp === '' || port.hostPort !== 0) return [];
  const { name, hostPort, containerPort, protocol, hostIp } = port;
  const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIp}}`;
  return [`${port.path}: hostIP set without hostPort: ${shown}`];
}

/** The first clashes, each with a port before it. */
function clashes(ports: readonly PlacedPort[]): string[] {
  const known = new Map<string, PlacedPort[]>();
  const warnings: string[] = [];
  for (const port of ports) {
    if (warnings.length >= maxClashes) break;
    const others = clashingGroups(port).flatMap((group) => known.get(group)?.slice(0, maxClashes) ?? []);
    const found = others
      .toSorted((a, b) => a.index - b.index)
      .map((other) => `${port.path}: ${relation(port, other)} port definition with ${other.path}`);
    warnings.push(...strayAddress(port), ...found);
    for (const group of ownGroups(port)) {
      const members = known.get(group);
      if (members === undefined) known.set(group, [port]);
      else members.push(port);
    }
  }
  return warnings;
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
