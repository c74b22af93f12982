import type { JsonObject } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import { invalidField } from '../../schema/field-errors.ts';
import { goTexts, invalidPrinted } from '../../schema/go-prints.ts';
import type { RegistryView } from '../kind-rules.ts';
import { asJson, listOfTexts, numberAt, objectAt, objectsAt, textAt } from './reading.ts';
import { settleFamilies } from './service-families.ts';
import { isSameList, needsHealthCheckPort, nodePortsOf, usesNodePorts, wantsNodePorts } from './service-fields.ts';

/** Fills in what a PUT left out of what an earlier write was given. */
function keepAllocated(spec: JsonObject, before: JsonObject): void {
  if (textAt(before, 'type') !== 'ExternalName' && textAt(spec, 'type') !== 'ExternalName') {
    if (textAt(spec, 'clusterIP') === '') copyText('clusterIP', before, spec);
    const addresses = listOfTexts(before, 'clusterIPs');
    if (listOfTexts(spec, 'clusterIPs').length === 0 && addresses.length > 0) spec['clusterIPs'] = addresses;
  }
  if (wantsNodePorts(before) && wantsNodePorts(spec)) keepNodePorts(spec, before);
  if (needsHealthCheckPort(before) && needsHealthCheckPort(spec) && !(numberAt(spec, 'healthCheckNodePort') ?? 0)) {
    const port = numberAt(before, 'healthCheckNodePort');
    if (port !== undefined) spec['healthCheckNodePort'] = port;
  }
}

function copyText(key: string, from: JsonObject, to: JsonObject): void {
  const text = textAt(from, key);
  if (text !== '') to[key] = text;
}

/** Ports keep their node port by name, unless another port has taken it over. */
function keepNodePorts(spec: JsonObject, before: JsonObject): void {
  const [now, then] = [objectsAt(spec, 'ports'), objectsAt(before, 'ports')];
  const given = new Set(now.map((port) => numberAt(port, 'nodePort') ?? 0));
  const known = new Map(then.map((port) => [textAt(port, 'name'), numberAt(port, 'nodePort') ?? 0]));
  for (const port of now) {
    if ((numberAt(port, 'nodePort') ?? 0) !== 0) continue;
    const nodePort = known.get(textAt(port, 'name')) ?? 0;
    if (nodePort !== 0 && !given.has(nodePort)) port['nodePort'] = nodePort;
  }
}

/** Makes `clusterIP` and `clusterIPs` say the same where only one of them was changed. */
function alignAddresses(spec: JsonObject, before: JsonObject | undefined): void {
  const [now, then] = [textAt(spec, 'clusterIP'), textAt(before, 'clusterIP')];
  const addresses = listOfTexts(spec, 'clusterIPs');
  if (before === undefined) {
    if (now !== '' && addresses.length === 0) spec['clusterIPs'] = [now];
    return;
  }
  const known = listOfTexts(before, 'clusterIPs');
  if (known.length > 0 && addresses.length === 0 && now === then) spec['clusterIPs'] = known;
  if (now === then || !isSameList(addresses, known)) return;
  if (now === '') delete spec['clusterIPs'];
  else spec['clusterIPs'] = [now];
}

/** Addresses for the families that have none; those asked for must be free. */
function allocateAddresses(spec: JsonObject, view: RegistryView): FieldError[] {
  const addresses = listOfTexts(spec, 'clusterIPs');
  if (textAt(spec, 'type') === 'ExternalName' || addresses[0] === 'None') return [];
  const address = addresses[0] ?? '';
  if (address === '') {
    const free = view.freeClusterIp();
    if (free === undefined) return [];
    Object.assign(spec, { clusterIP: free, clusterIPs: [free] });
    return [];
  }
  const fail = (why: string): FieldError[] => [
    invalidPrinted('spec.clusterIPs', goTexts(addresses), `failed to allocate IP ${address}: ${why}`),
  ];
  if (!view.isClusterIpInRange(address)) {
    return fail(`the provided IP (${address}) is not in the valid range. The range of valid IPs is 10.96.0.0/12`);
  }
  const isTaken = [...view.services()].some((other) =>
    listOfTexts(objectAt(asJson(other), 'spec'), 'clusterIPs').includes(address),
  );
  return isTaken ? fail('provided IP is already allocated') : [];
}

/** Node ports given out to a service while it is written: those asked for are checked, the others chosen. */
class NodePorts {
  readonly #view: RegistryView;
  readonly #own: Set<number>;
  #used: Set<number> | undefined;

  constructor(view: RegistryView, own: readonly number[]) {
    this.#view = view;
    this.#own = new Set(own);
  }

  /** Why `port` cannot be had. */
  problem(port: number): string | undefined {
    if (this.#own.has(port)) return undefined;
    if (port < 30_000 || port > 32_767) {
      return 'provided port is not in the valid range. The range of valid ports is 30000-32767';
    }
    this.#used ??= new Set([...this.#view.services()].flatMap((other) => nodePortsOf(objectAt(asJson(other), 'spec'))));
    if (this.#used.has(port)) return 'provided port is already allocated';
    this.#used.add(port);
    return undefined;
  }

  next(): number | undefined {
    return this.#view.freeNodePort();
  }
}

/** Ports of a new service: the same port of several protocols has one node port. */
function allocateNewPorts(spec: JsonObject, ports: NodePorts): FieldError[] {
  const list = objectsAt(spec, 'ports');
  const given = new Map<number, number>();
  for (const [index, port] of list.entries()) {
    const [number, asked] = [numberAt(port, 'port') ?? 0, numberAt(port, 'nodePort') ?? 0];
    if (asked === 0 && !wantsNodePorts(spec)) continue;
    const known = given.get(number);
    const wanted = known === undefined ? requestedFor(number, list) : asked || known;
    const problem = wanted === 0 || wanted === known ? undefined : ports.problem(wanted);
    if (problem !== undefined) return [invalidField(`spec.ports[${index}].nodePort`, wanted, problem)];
    const nodePort = wanted === 0 ? (ports.next() ?? 0) : wanted;
    port['nodePort'] = nodePort;
    if (known === undefined) given.set(number, nodePort);
  }
  return [];
}

function requestedFor(number: number, ports: readonly JsonObject[]): number {
  const match = ports.find((port) => numberAt(port, 'port') === number && (numberAt(port, 'nodePort') ?? 0) !== 0);
  return numberAt(match, 'nodePort') ?? 0;
}

function allocateChangedPorts(spec: JsonObject, ports: NodePorts): FieldError[] {
  const asked = new Set<number>();
  for (const [index, port] of objectsAt(spec, 'ports').entries()) {
    const nodePort = numberAt(port, 'nodePort') ?? 0;
    if (nodePort === 0) {
      if (wantsNodePorts(spec)) port['nodePort'] = ports.next() ?? 0;
      continue;
    }
    const problem = asked.has(nodePort) ? undefined : ports.problem(nodePort);
    if (problem !== undefined) return [invalidField(`spec.ports[${index}].nodePort`, nodePort, problem)];
    asked.add(nodePort);
  }
  return [];
}

function allocateHealthCheckPort(spec: JsonObject, before: JsonObject | undefined, ports: NodePorts): void {
  if (!needsHealthCheckPort(spec) || (before !== undefined && needsHealthCheckPort(before))) return;
  if ((numberAt(spec, 'healthCheckNodePort') ?? 0) === 0) spec['healthCheckNodePort'] = ports.next() ?? 0;
}

/** Gives a new service its addresses and node ports. Changes `spec`.
 *  @returns why it cannot have them */
export function allocateForCreate(spec: JsonObject, view: RegistryView): FieldError[] {
  alignAddresses(spec, undefined);
  const families = settleFamilies(spec, undefined);
  if (families.length > 0) return families;
  const addresses = allocateAddresses(spec, view);
  if (addresses.length > 0) return addresses;
  const ports = new NodePorts(view, []);
  const errors = usesNodePorts(spec) ? allocateNewPorts(spec, ports) : [];
  if (errors.length === 0) allocateHealthCheckPort(spec, undefined, ports);
  return errors;
}

/** The same for a changed service: it keeps what it has, and gets what it newly needs. */
export function allocateForUpdate(spec: JsonObject, before: JsonObject, view: RegistryView): FieldError[] {
  keepAllocated(spec, before);
  alignAddresses(spec, before);
  const families = settleFamilies(spec, before);
  if (families.length > 0) return families;
  const isNewlyInside = textAt(before, 'type') === 'ExternalName' && textAt(spec, 'type') !== 'ExternalName';
  const addresses = isNewlyInside ? allocateAddresses(spec, view) : [];
  if (addresses.length > 0) return addresses;
  const ports = new NodePorts(view, nodePortsOf(before));
  const errors = usesNodePorts(spec) ? allocateChangedPorts(spec, ports) : [];
  if (errors.length === 0) allocateHealthCheckPort(spec, before, ports);
  return errors;
}

const addressKeys = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const;

/** Takes out fields that the new type has no use for, where the writer left them as they were. */
export function dropUnused(spec: JsonObject, before: JsonObject): void {
  const drop = (key: string): void => {
    if (JSON.stringify(spec[key]) === JSON.stringify(before[key])) delete spec[key];
  };
  if (textAt(before, 'type') !== 'ExternalName' && textAt(spec, 'type') === 'ExternalName') {
    const isSame = ['clusterIP', 'clusterIPs'].every((key) => JSON.stringify(spec[key]) === JSON.stringify(before[key]));
    for (const key of isSame ? addressKeys : addressKeys.slice(2)) drop(key);
  }
  if (usesNodePorts(before) && !usesNodePorts(spec)) dropNodePorts(spec, before);
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec)) drop('healthCheckNodePort');
  if (textAt(before, 'type') === 'LoadBalancer' && textAt(spec, 'type') !== 'LoadBalancer') {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
}

function dropNodePorts(spec: JsonObject, before: JsonObject): void {
  const portsOf = (owner: JsonObject): number[] =>
    objectsAt(owner, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0);
  const known = new Set(portsOf(before));
  if (portsOf(spec).some((port) => port !== 0 && !known.has(port))) return;
  for (const port of objectsAt(spec, 'ports')) delete port['nodePort'];
}
