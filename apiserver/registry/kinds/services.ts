import { isIP } from 'node:net';
import type { JsonObject } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import {
  duplicateField,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../schema/field-errors.ts';
import type { KindRules, RegistryView } from '../kind-rules.ts';
import type { KubeObject } from '../kube-object.ts';
import { dns1035LabelProblems, dns1123LabelProblems } from '../names.ts';
import { labelErrors } from '../object-meta.ts';
import {
  asJson,
  ensureObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  setDefaults,
  specOf,
  textAt,
  textsAt,
  valueAt,
} from './reading.ts';

function hasNodePorts(spec: JsonObject): boolean {
  return ['NodePort', 'LoadBalancer'].includes(textAt(spec, 'type'));
}

function defaultService(object: KubeObject): void {
  const spec = specOf(object);
  setDefaults(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  if (textAt(spec, 'sessionAffinity') === 'ClientIP') {
    setDefaults(ensureObject(ensureObject(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: 10_800 });
  }
  for (const port of objectsAt(spec, 'ports')) {
    setDefaults(port, { protocol: 'TCP', targetPort: numberAt(port, 'port') });
    if (port['targetPort'] === 0) port['targetPort'] = numberAt(port, 'port');
  }
  if (textAt(spec, 'type') !== 'ExternalName') setDefaults(spec, { internalTrafficPolicy: 'Cluster' });
  if (hasNodePorts(spec)) setDefaults(spec, { externalTrafficPolicy: 'Cluster' });
  if (textAt(spec, 'type') === 'LoadBalancer') setDefaults(spec, { allocateLoadBalancerNodePorts: true });
}

function allocateIp(spec: JsonObject, view: RegistryView): void {
  if (textAt(spec, 'type') === 'ExternalName') return;
  const given = textAt(spec, 'clusterIP') || listAt(spec, 'clusterIPs').map(String)[0] || '';
  const address = given === '' ? view.freeClusterIp() : given;
  if (address === undefined) return;
  spec['clusterIP'] = address;
  if (listAt(spec, 'clusterIPs').length === 0) spec['clusterIPs'] = [address];
  setDefaults(spec, { ipFamilies: [address.includes(':') ? 'IPv6' : 'IPv4'], ipFamilyPolicy: 'SingleStack' });
}

function allocateNodePorts(spec: JsonObject, view: RegistryView): void {
  if (!hasNodePorts(spec) || valueAt(spec, 'allocateLoadBalancerNodePorts') === false) return;
  for (const port of objectsAt(spec, 'ports')) {
    if ((numberAt(port, 'nodePort') ?? 0) === 0) port['nodePort'] = view.freeNodePort();
  }
}

function prepareForCreate(object: KubeObject, view: RegistryView): void {
  const spec = specOf(object);
  allocateIp(spec, view);
  allocateNodePorts(spec, view);
  asJson(object)['status'] = { loadBalancer: {} };
}

/** A PUT that leaves out what was given at creation keeps it; a change of type gives back what the new type has not. */
function prepareForUpdate(object: KubeObject, old: KubeObject, view: RegistryView): void {
  const [spec, before] = [specOf(object), objectAt(asJson(old), 'spec') ?? {}];
  if (textAt(spec, 'type') === 'ExternalName') {
    if (textAt(before, 'type') !== 'ExternalName') releaseAddresses(spec, before);
    return;
  }
  if (textAt(spec, 'clusterIP') === '' && textAt(before, 'clusterIP') !== '') {
    for (const key of ['clusterIP', 'clusterIPs'])
      if (valueAt(before, key) !== undefined) spec[key] = structuredClone(before[key]);
  }
  setDefaults(spec, pick(before, ['ipFamilies', 'ipFamilyPolicy', 'healthCheckNodePort']));
  if (hasNodePorts(spec)) keepNodePorts(spec, before);
  allocateIp(spec, view);
  allocateNodePorts(spec, view);
}

function releaseAddresses(spec: JsonObject, before: JsonObject): void {
  if (textAt(spec, 'clusterIP') !== textAt(before, 'clusterIP')) return;
  for (const key of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) delete spec[key];
}

function pick(from: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => valueAt(from, key) !== undefined).map((key) => [key, from[key]]));
}

function keepNodePorts(spec: JsonObject, before: JsonObject): void {
  const key = (port: JsonObject): string => `${textAt(port, 'protocol')}/${numberAt(port, 'port') ?? 0}`;
  const known = new Map(objectsAt(before, 'ports').map((port) => [key(port), numberAt(port, 'nodePort') ?? 0]));
  for (const port of objectsAt(spec, 'ports')) {
    const nodePort = known.get(key(port)) ?? 0;
    if ((numberAt(port, 'nodePort') ?? 0) === 0 && nodePort !== 0) port['nodePort'] = nodePort;
  }
}

const portRange = 'must be between 1 and 65535, inclusive';

function isPort(value: number | undefined): boolean {
  return value !== undefined && value >= 1 && value <= 65_535;
}

function portNumberErrors(port: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const number = numberAt(port, 'port');
  if (!isPort(number)) errors.push(invalidField(`${field}.port`, number ?? 0, portRange));
  const protocol = textAt(port, 'protocol');
  const protocols = ['SCTP', 'TCP', 'UDP'];
  if (!protocols.includes(protocol)) errors.push(unsupportedField(`${field}.protocol`, protocol, protocols));
  const target = valueAt(port, 'targetPort');
  if (typeof target === 'number' && !isPort(target))
    errors.push(invalidField(`${field}.targetPort`, target, portRange));
  return errors;
}

function portErrors(
  port: JsonObject,
  field: string,
  facts: { readonly isSingle: boolean; readonly type: string },
): FieldError[] {
  const errors: FieldError[] = [];
  const name = textAt(port, 'name');
  if (name === '' && !facts.isSingle) errors.push(requiredField(`${field}.name`));
  if (name !== '') errors.push(...dns1123LabelProblems(name).map((text) => invalidField(`${field}.name`, name, text)));
  errors.push(...portNumberErrors(port, field));
  const nodePort = numberAt(port, 'nodePort') ?? 0;
  if (nodePort !== 0 && (facts.type === 'ClusterIP' || facts.type === 'ExternalName')) {
    errors.push(forbiddenField(`${field}.nodePort`, `may not be used when \`type\` is '${facts.type}'`));
  }
  return errors;
}

function nodePortErrors(object: KubeObject, view: RegistryView): FieldError[] {
  const others = [...view.services()].filter((other) => other.metadata.uid !== object.metadata.uid);
  const used = new Set(
    others.flatMap((other) =>
      objectsAt(objectAt(asJson(other), 'spec'), 'ports').map((port) => numberAt(port, 'nodePort')),
    ),
  );
  return objectsAt(specOf(object), 'ports').flatMap((port, index) => {
    const nodePort = numberAt(port, 'nodePort') ?? 0;
    const field = `spec.ports[${index}].nodePort`;
    if (nodePort === 0 || !hasNodePorts(specOf(object))) return [];
    if (nodePort < 30_000 || nodePort > 32_767) {
      return [
        invalidField(
          field,
          nodePort,
          'provided port is not in the valid range. The range of valid ports is 30000-32767',
        ),
      ];
    }
    return used.has(nodePort) ? [invalidField(field, nodePort, 'provided port is already allocated')] : [];
  });
}

function addressErrors(object: KubeObject, view: RegistryView): FieldError[] {
  const spec = specOf(object);
  const address = textAt(spec, 'clusterIP');
  if (address === '' || address === 'None') return [];
  if (isIP(address) === 0) {
    return [
      invalidField('spec.clusterIPs[0]', address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'),
    ];
  }
  const fail = (why: string): FieldError[] => [
    invalidField('spec.clusterIPs', [address], `failed to allocate IP ${address}: ${why}`),
  ];
  if (!view.isClusterIpInRange(address)) {
    return fail(`the provided IP (${address}) is not in the valid range. The range of valid IPs is 10.96.0.0/12`);
  }
  const isTaken = [...view.services()].some(
    (other) =>
      other.metadata.uid !== object.metadata.uid && textAt(objectAt(asJson(other), 'spec'), 'clusterIP') === address,
  );
  return isTaken ? fail('provided IP is already allocated') : [];
}

function typeErrors(spec: JsonObject): FieldError[] {
  const type = textAt(spec, 'type');
  const errors: FieldError[] = [];
  const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
  if (!types.includes(type)) errors.push(unsupportedField('spec.type', type, types));
  const isHeadless = textAt(spec, 'clusterIP') === 'None';
  if (isHeadless && hasNodePorts(spec))
    errors.push(invalidField('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`));
  if (type === 'ExternalName' && textAt(spec, 'externalName') === '') errors.push(requiredField('spec.externalName'));
  if (listAt(spec, 'ports').length === 0 && !isHeadless && type !== 'ExternalName')
    errors.push(requiredField('spec.ports'));
  return errors;
}

function duplicateNameErrors(ports: readonly JsonObject[]): FieldError[] {
  const names = ports.map((port) => textAt(port, 'name'));
  return names.flatMap((name, index) =>
    name === '' || names.indexOf(name) === index ? [] : [duplicateField(`spec.ports[${index}].name`, name)],
  );
}

function duplicatePortErrors(ports: readonly JsonObject[]): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const shown = { protocol: textAt(port, 'protocol'), port: numberAt(port, 'port') ?? 0 };
    const key = JSON.stringify(shown);
    const isNew = !seen.has(key);
    seen.add(key);
    const message = `Duplicate value: ${key}`;
    return isNew ? [] : [{ field: `spec.ports[${index}]`, reason: 'FieldValueDuplicate', message } as const];
  });
}

function validate(object: KubeObject, view: RegistryView): FieldError[] {
  const spec = specOf(object);
  const ports = objectsAt(spec, 'ports');
  const facts = { isSingle: ports.length === 1, type: textAt(spec, 'type') };
  const affinity = textAt(spec, 'sessionAffinity');
  const affinities = ['ClientIP', 'None'];
  return [
    ...typeErrors(spec),
    ...ports.flatMap((port, index) => portErrors(port, `spec.ports[${index}]`, facts)),
    ...duplicateNameErrors(ports),
    ...(affinities.includes(affinity) ? [] : [unsupportedField('spec.sessionAffinity', affinity, affinities)]),
    ...labelErrors(textsAt(spec, 'selector'), 'spec.selector'),
    ...duplicatePortErrors(ports),
    ...addressErrors(object, view),
    ...nodePortErrors(object, view),
  ];
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [specOf(object), objectAt(asJson(old), 'spec') ?? {}];
  const [address, previous] = [textAt(spec, 'clusterIP'), textAt(before, 'clusterIP')];
  if (textAt(before, 'type') === 'ExternalName' || textAt(spec, 'type') === 'ExternalName') return [];
  if (previous === '' || address === previous) return [];
  return [invalidField('spec.clusterIPs[0]', address === '' ? [] : [address], 'may not change once set')];
}

/** Services: addresses and node ports given out, kept on PUT, checked.
 *  @see reference "types" 4.3, 4.5, 4.7 */
export const serviceRules: KindRules = {
  applyDefaults: defaultService,
  prepareForCreate,
  prepareForUpdate,
  validate,
  validateUpdate,
  nameProblems: dns1035LabelProblems,
  allowsCreateOnUpdate: true,
  answersDeleteWithObject: true,
  selectableFields: {
    'spec.clusterIP': (object) => textAt(objectAt(asJson(object), 'spec'), 'clusterIP'),
    'spec.type': (object) => textAt(objectAt(asJson(object), 'spec'), 'type'),
  },
};
