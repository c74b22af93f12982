import {
  isJsonEqual,
  type JsonObject,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import { type FieldError, invalidField } from '../../../src/schema/index.ts';
import { asJson, countAt, type RegistryView } from '../../core/index.ts';
import { goTexts, invalidPrinted } from '../../schema/index.ts';
import { settleFamilies } from './service-families.ts';
import {
  isBalanced,
  isNamed,
  isSameList,
  needsHealthCheckPort,
  nodePortsOf,
  usesNodePorts,
  wantsNodePorts,
} from './service-fields.ts';

/** Fills in what a PUT left out of what an earlier write was given. */
function keepAllocated(spec: JsonObject, before: JsonObject): void {
  if (!isNamed(before) && !isNamed(spec)) keepAddresses(spec, before);
  if (wantsNodePorts(before) && wantsNodePorts(spec)) keepNodePorts(spec, before);
  const isChecked = needsHealthCheckPort(before) && needsHealthCheckPort(spec);
  if (isChecked && countAt(spec, 'healthCheckNodePort') === 0) {
    spec['healthCheckNodePort'] = countAt(before, 'healthCheckNodePort');
  }
}

function keepAddresses(spec: JsonObject, before: JsonObject): void {
  if (textAt(spec, 'clusterIP') === '') copyText('clusterIP', before, spec);
  const addresses = listOfTexts(before, 'clusterIPs');
  if (listOfTexts(spec, 'clusterIPs').length === 0 && addresses.length > 0) spec['clusterIPs'] = addresses;
}

function copyText(key: string, from: JsonObject, to: JsonObject): void {
  const text = textAt(from, key);
  if (text !== '') to[key] = text;
}

/** Ports keep their node port by name, unless another port has taken it over. */
function keepNodePorts(spec: JsonObject, before: JsonObject): void {
  const [now, then] = [objectsAt(spec, 'ports'), objectsAt(before, 'ports')];
  const given = new Set(now.map((port) => countAt(port, 'nodePort')));
  const known = new Map(then.map((port) => [textAt(port, 'name'), countAt(port, 'nodePort')]));
  for (const port of now) {
    if (countAt(port, 'nodePort') !== 0) continue;
    const nodePort = known.get(textAt(port, 'name')) ?? 0;
    if (nodePort !== 0 && !given.has(nodePort)) port['nodePort'] = nodePort;
  }
}

/** Aligns `clusterIP` and `clusterIPs` where only one of them was changed. */
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
  if (isNamed(spec) || addresses[0] === 'None') return [];
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
  #isExhausted = false;

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
    const used = this.#allUsed();
    if (used.has(port)) return 'provided port is already allocated';
    used.add(port);
    return undefined;
  }

  /** 0 when none is left. */
  next(): number {
    const port = this.#isExhausted ? undefined : this.#view.freeNodePort(this.#allUsed());
    this.#isExhausted = port === undefined;
    if (port !== undefined) this.#allUsed().add(port);
    return port ?? 0;
  }

  /** Those of all services, which are read once: a service may have thousands of ports. */
  #allUsed(): Set<number> {
    this.#used ??= new Set([...this.#view.services()].flatMap((other) => nodePortsOf(objectAt(asJson(other), 'spec'))));
    return this.#used;
  }
}

/** The node port that a port of a new service is to have, 0 for any; `known` is what its number was given already. */
function requestedPort(port: JsonObject, known: number | undefined, requested: ReadonlyMap<number, number>): number {
  if (known === undefined) return requested.get(countAt(port, 'port')) ?? 0;
  return countAt(port, 'nodePort') || known;
}

/** Ports of a new service: the same port of several protocols has one node port. */
function allocateNewPorts(spec: JsonObject, ports: NodePorts): FieldError[] {
  const list = objectsAt(spec, 'ports');
  const requestedAt = requestedPorts(list);
  const given = new Map<number, number>();
  for (const [index, port] of list.entries()) {
    if (countAt(port, 'nodePort') === 0 && !wantsNodePorts(spec)) continue;
    const number = countAt(port, 'port');
    const known = given.get(number);
    const requested = requestedPort(port, known, requestedAt);
    const problem = requested === 0 || requested === known ? undefined : ports.problem(requested);
    if (problem !== undefined) return [invalidField(`spec.ports[${index}].nodePort`, requested, problem)];
    const nodePort = requested === 0 ? ports.next() : requested;
    port['nodePort'] = nodePort;
    if (known === undefined) given.set(number, nodePort);
  }
  return [];
}

/** The node ports that are requested, by the number of the port; of several protocols the first counts. */
function requestedPorts(ports: readonly JsonObject[]): ReadonlyMap<number, number> {
  const requested = new Map<number, number>();
  for (const port of ports) {
    const [number, nodePort] = [countAt(port, 'port'), countAt(port, 'nodePort')];
    if (nodePort !== 0 && !requested.has(number)) requested.set(number, nodePort);
  }
  return requested;
}

function allocateChangedPorts(spec: JsonObject, ports: NodePorts): FieldError[] {
  const asked = new Set<number>();
  for (const [index, port] of objectsAt(spec, 'ports').entries()) {
    const nodePort = countAt(port, 'nodePort');
    if (nodePort === 0) {
      if (wantsNodePorts(spec)) port['nodePort'] = ports.next();
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
  if (countAt(spec, 'healthCheckNodePort') === 0) spec['healthCheckNodePort'] = ports.next();
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
  const isNewlyInside = isNamed(before) && !isNamed(spec);
  const addresses = isNewlyInside ? allocateAddresses(spec, view) : [];
  if (addresses.length > 0) return addresses;
  const ports = new NodePorts(view, nodePortsOf(before));
  const errors = usesNodePorts(spec) ? allocateChangedPorts(spec, ports) : [];
  if (errors.length === 0) allocateHealthCheckPort(spec, before, ports);
  return errors;
}

const addressKeys = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const;

function isSameAt(spec: JsonObject, before: JsonObject, key: string): boolean {
  return isJsonEqual(valueAt(spec, key), valueAt(before, key));
}

/** Takes out fields that the new type has no use for, where the writer left them as they were. */
export function dropUnused(spec: JsonObject, before: JsonObject): void {
  const drop = (keys: readonly string[]): void => {
    for (const key of keys) if (isSameAt(spec, before, key)) delete spec[key];
  };
  if (!isNamed(before) && isNamed(spec)) {
    const isSame = ['clusterIP', 'clusterIPs'].every((key) => isSameAt(spec, before, key));
    drop(isSame ? addressKeys : addressKeys.slice(2));
  }
  if (usesNodePorts(before) && !usesNodePorts(spec)) dropNodePorts(spec, before);
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec)) drop(['healthCheckNodePort']);
  if (isBalanced(before) && !isBalanced(spec)) drop(['allocateLoadBalancerNodePorts', 'loadBalancerClass']);
}

function dropNodePorts(spec: JsonObject, before: JsonObject): void {
  const portsOf = (owner: JsonObject): number[] => objectsAt(owner, 'ports').map((port) => countAt(port, 'nodePort'));
  const known = new Set(portsOf(before));
  if (portsOf(spec).some((port) => port !== 0 && !known.has(port))) return;
  for (const port of objectsAt(spec, 'ports')) delete port['nodePort'];
}
