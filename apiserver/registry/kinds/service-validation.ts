import {
  isJsonEqual,
  type JsonObject,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  duplicateField,
  type FieldError,
  forbiddenField,
  immutableText,
  invalidField,
  qualifiedNameProblems,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { countAt, type KubeObject, labelErrors, specOf, textsAt } from '../../core/index.ts';
import { goTexts, invalidPrinted } from '../../schema/index.ts';
import {
  addressErrors,
  addressWarnings,
  endpointAddressErrors,
  networkErrors,
  networkWarnings,
  portErrors,
  portNumberErrors,
} from './addresses.ts';
import { invalids, requiredChoice } from './checks.ts';
import { clusterAddressErrors } from './service-families.ts';
import {
  isBalanced,
  isHeadless,
  isNamed,
  isReachableFromOutside,
  isSameList,
  needsHealthCheckPort,
} from './service-fields.ts';

const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";
const hintsAnnotation = 'service.kubernetes.io/topology-aware-hints';
const modeAnnotation = 'service.kubernetes.io/topology-mode';
const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const notOnce = 'may not change once set';

function choiceErrors(spec: JsonObject, key: string, choices: readonly string[]): FieldError[] {
  return requiredChoice(`spec.${key}`, textAt(spec, key), choices);
}

function externalNameErrors(spec: JsonObject): FieldError[] {
  const given = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].filter((key) => {
    const value = valueAt(spec, key);
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
  const errors = given.map((key) => forbiddenField(`spec.${key}`, 'may not be set for ExternalName services'));
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  if (name === '') return [...errors, requiredField('spec.externalName')];
  return [...errors, ...invalids('spec.externalName', name, dns1123SubdomainProblems(name))];
}

function shapeErrors(spec: JsonObject): FieldError[] {
  const type = textAt(spec, 'type');
  const errors: FieldError[] = [];
  if (objectsAt(spec, 'ports').length === 0 && !isHeadless(spec) && type !== 'ExternalName') {
    errors.push(requiredField('spec.ports'));
  }
  if (type === 'ExternalName') return [...errors, ...externalNameErrors(spec)];
  if (isHeadless(spec) && (type === 'LoadBalancer' || type === 'NodePort')) {
    errors.push(invalidField('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`));
  }
  return errors;
}

function portsErrors(ports: readonly JsonObject[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`;
    const name = textAt(port, 'name');
    const errors = name === '' && ports.length > 1 ? [requiredField(`${field}.name`)] : [];
    if (name !== '') {
      errors.push(...invalids(`${field}.name`, name, dns1123LabelProblems(name)));
      if (names.has(name)) errors.push(duplicateField(`${field}.name`, name));
      names.add(name);
    }
    return [...errors, ...portFieldErrors(port, field)];
  });
}

function portFieldErrors(port: JsonObject, field: string): FieldError[] {
  const errors = portNumberErrors(countAt(port, 'port'), `${field}.port`);
  const [protocol, protocols] = [textAt(port, 'protocol'), ['SCTP', 'TCP', 'UDP']];
  if (!protocols.includes(protocol)) errors.push(unsupportedField(`${field}.protocol`, protocol, protocols));
  errors.push(...portErrors(valueAt(port, 'targetPort'), `${field}.targetPort`));
  const application = valueAt(port, 'appProtocol');
  if (typeof application === 'string') {
    errors.push(...invalids(`${field}.appProtocol`, application, qualifiedNameProblems(application)));
  }
  return errors;
}

function affinityErrors(spec: JsonObject): FieldError[] {
  const errors = choiceErrors(spec, 'sessionAffinity', ['ClientIP', 'None']);
  const config = valueAt(spec, 'sessionAffinityConfig');
  const affinity = textAt(spec, 'sessionAffinity');
  if (affinity === 'None' && config !== undefined) {
    errors.push(forbiddenField('spec.sessionAffinityConfig', 'must not be set when session affinity is None'));
  }
  if (affinity !== 'ClientIP') return errors;
  const timeout = countAt(objectAt(spec, 'sessionAffinityConfig', 'clientIP'), 'timeoutSeconds');
  const field = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds';
  if (timeout <= 0 || timeout > 86_400) {
    errors.push(invalidField(field, timeout, 'must be greater than 0 and less than 86400'));
  }
  return errors;
}

function externalAddressErrors(spec: JsonObject, before: JsonObject | undefined): FieldError[] {
  const known = new Set(listOfTexts(before, 'externalIPs'));
  return listOfTexts(spec, 'externalIPs').flatMap((address, index) => {
    const field = `spec.externalIPs[${index}]`;
    const errors = known.has(address) ? [] : addressErrors(address, field);
    return errors.length > 0 ? errors : endpointAddressErrors(address, field);
  });
}

/** Node ports of a service that has none, and ports that are there twice. */
function doubledPortErrors(spec: JsonObject): FieldError[] {
  const ports = objectsAt(spec, 'ports');
  const isInside = textAt(spec, 'type') === 'ClusterIP';
  const nodePort = (port: JsonObject): number => countAt(port, 'nodePort');
  /** Indexes of those that have the protocol and number of an earlier one. */
  const repeatedBy = (number: (port: JsonObject) => number): ReadonlySet<number> => {
    const known = new Set<string>();
    const repeated = new Set<number>();
    for (const [index, port] of ports.entries()) {
      const key = `${textAt(port, 'protocol')} ${number(port)}`;
      if (known.has(key)) repeated.add(index);
      known.add(key);
    }
    return repeated;
  };
  const repeatedNodePorts = repeatedBy(nodePort);
  const repeatedPorts = repeatedBy((port) => countAt(port, 'port'));
  return [
    ...ports.flatMap((port, index) =>
      isInside && nodePort(port) !== 0
        ? [forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")]
        : [],
    ),
    ...ports.flatMap((port, index) =>
      nodePort(port) !== 0 && repeatedNodePorts.has(index)
        ? [duplicateField(`spec.ports[${index}].nodePort`, nodePort(port))]
        : [],
    ),
    ...ports.flatMap((port, index) => (repeatedPorts.has(index) ? [doubledPort(port, `spec.ports[${index}]`)] : [])),
  ];
}

function doubledPort(port: JsonObject, field: string): FieldError {
  const target = 'TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0';
  const facts = `Protocol:"${textAt(port, 'protocol')}", AppProtocol:(*string)(nil), Port:${countAt(port, 'port')}`;
  const message = `Duplicate value: core.ServicePort{Name:"", ${facts}, ${target}}`;
  return { field, reason: 'FieldValueDuplicate', message };
}

function sourceRangeErrors(object: KubeObject, before: JsonObject | undefined): FieldError[] {
  const spec = specOf(object);
  const ranges = listOfTexts(spec, 'loadBalancerSourceRanges').map((range) => range.trim());
  if (ranges.length > 0) {
    const field = 'spec.LoadBalancerSourceRanges';
    const known = new Set(listOfTexts(before, 'loadBalancerSourceRanges').map((range) => range.trim()));
    const bad = ranges.flatMap((range, index) => (known.has(range) ? [] : networkErrors(range, `${field}[${index}]`)));
    return isBalanced(spec) ? bad : [forbiddenField(field, onlyLoadBalancer), ...bad];
  }
  const annotation = valueAt(object.metadata.annotations, rangesAnnotation);
  if (typeof annotation !== 'string') return [];
  const field = `metadata.annotations[${rangesAnnotation}]`;
  const parts = annotation.trim() === '' ? [] : annotation.split(',').map((part) => part.trim());
  const bad = parts.flatMap((part) => networkErrors(part, field));
  return isBalanced(spec) ? bad : [forbiddenField(field, onlyLoadBalancer), ...bad];
}

function classErrors(spec: JsonObject): FieldError[] {
  const name = valueAt(spec, 'loadBalancerClass');
  if (typeof name !== 'string') return [];
  if (!isBalanced(spec)) return [forbiddenField('spec.loadBalancerClass', onlyLoadBalancer)];
  return invalids('spec.loadBalancerClass', name, qualifiedNameProblems(name));
}

function healthCheckErrors(spec: JsonObject): FieldError[] {
  const [field, port] = ['spec.healthCheckNodePort', countAt(spec, 'healthCheckNodePort')];
  if (needsHealthCheckPort(spec)) return port === 0 ? [requiredField(field)] : portNumberErrors(port, field);
  const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return port === 0 ? [] : [invalidField(field, port, why)];
}

function trafficErrors(spec: JsonObject): FieldError[] {
  const external = textAt(spec, 'externalTrafficPolicy');
  const policies = ['Cluster', 'Local'];
  const errors: FieldError[] = [];
  if (isReachableFromOutside(spec)) errors.push(...choiceErrors(spec, 'externalTrafficPolicy', policies));
  else if (external !== '') {
    const why = 'may only be set for externally-accessible services';
    errors.push(invalidField('spec.externalTrafficPolicy', external, why));
  }
  errors.push(...healthCheckErrors(spec));
  const internal = textAt(spec, 'internalTrafficPolicy');
  if (internal !== '' && !policies.includes(internal)) {
    errors.push(unsupportedField('spec.internalTrafficPolicy', internal, policies));
  }
  const distribution = valueAt(spec, 'trafficDistribution');
  if (distribution !== undefined && distribution !== 'PreferClose') {
    errors.push(unsupportedField('spec.trafficDistribution', distribution, ['PreferClose']));
  }
  return errors;
}

function balancerErrors(object: KubeObject, before: JsonObject | undefined): FieldError[] {
  const spec = specOf(object);
  const errors = sourceRangeErrors(object, before);
  if (valueAt(spec, 'allocateLoadBalancerNodePorts') !== undefined && !isBalanced(spec)) {
    errors.push(forbiddenField('spec.allocateLoadBalancerNodePorts', onlyLoadBalancer));
  }
  return [...errors, ...classErrors(spec)];
}

function hintErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  const [hints, mode] = [valueAt(annotations, hintsAnnotation), valueAt(annotations, modeAnnotation)];
  if (typeof hints !== 'string' || typeof mode !== 'string' || hints === mode) return [];
  const why = `must match annotations[${hintsAnnotation}] when both are specified`;
  return [invalidField(`metadata.annotations[${modeAnnotation}]`, mode, why)];
}

/** Errors of a Service by itself; what it had before may stay as it was. */
export function validateService(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = specOf(object);
  const before = old === undefined ? undefined : specOf(old);
  const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
  return [
    ...hintErrors(object.metadata.annotations ?? {}),
    ...shapeErrors(spec),
    ...portsErrors(objectsAt(spec, 'ports')),
    ...labelErrors(textsAt(spec, 'selector'), 'spec.selector'),
    ...affinityErrors(spec),
    ...clusterAddressErrors(spec),
    ...externalAddressErrors(spec, before),
    ...choiceErrors(spec, 'type', types),
    ...doubledPortErrors(spec),
    ...balancerErrors(object, before),
    ...trafficErrors(spec),
  ];
}

function keptErrors(spec: JsonObject, before: JsonObject, key: 'clusterIPs' | 'ipFamilies'): FieldError[] {
  const [now, then] = [listOfTexts(spec, key), listOfTexts(before, key)];
  const shown = goTexts(now, key === 'ipFamilies' ? 'core.IPFamily' : 'string');
  const first = `spec.${key}[0]`;
  if (now.length === 0 && then.length > 0) {
    const what = key === 'clusterIPs' ? 'clusterIP' : 'ipFamily';
    return [invalidPrinted(first, shown, `primary ${what} can not be unset`)];
  }
  if (now.length !== then.length) {
    return then.length > 0 && now[0] !== then[0] ? [invalidPrinted(first, shown, notOnce)] : [];
  }
  return then.flatMap((item, index) => {
    const field = key === 'clusterIPs' ? `spec.${key}[${index}]` : first;
    return item === now[index] ? [] : [invalidPrinted(field, shown, notOnce)];
  });
}

function keptPortErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  const isChecked = needsHealthCheckPort(before) && needsHealthCheckPort(spec);
  const isKept = countAt(before, 'healthCheckNodePort') === countAt(spec, 'healthCheckNodePort');
  return isChecked && !isKept ? [forbiddenField('spec.healthCheckNodePort', immutableText)] : [];
}

/** Errors of the step from one state of a Service to the next. */
export function validateServiceChange(object: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [specOf(object), specOf(old)];
  const errors: FieldError[] = [];
  const [was, is] = [isHeadless(before), isHeadless(spec)];
  if (!isNamed(before) && !isNamed(spec)) {
    if (!was || !is) errors.push(...keptErrors(spec, before, 'clusterIPs'));
    if (!was && !is) errors.push(...keptErrors(spec, before, 'ipFamilies'));
  }
  const name = valueAt(spec, 'loadBalancerClass');
  const isKept = isJsonEqual(name, valueAt(before, 'loadBalancerClass'));
  if (isBalanced(before) && isBalanced(spec) && !isKept) {
    errors.push(invalidField('spec.loadBalancerClass', name, notOnce));
  }
  errors.push(...classErrors(spec));
  errors.push(...keptPortErrors(spec, before));
  return errors;
}

/** What is accepted but better written otherwise. */
export function serviceWarnings(object: KubeObject): string[] {
  const spec = specOf(object);
  const warnings: string[] = [];
  if (valueAt(object.metadata.annotations, hintsAnnotation) !== undefined) {
    warnings.push(`annotation ${hintsAnnotation} is deprecated, please use ${modeAnnotation} instead`);
  }
  const addresses = isHeadless(spec) ? [] : listOfTexts(spec, 'clusterIPs');
  addresses.forEach((address, index) => warnings.push(...addressWarnings(address, `spec.clusterIPs[${index}]`)));
  listOfTexts(spec, 'externalIPs').forEach((address, index) =>
    warnings.push(...addressWarnings(address, `spec.externalIPs[${index}]`)),
  );
  warnings.push(...addressWarnings(textAt(spec, 'loadBalancerIP'), 'spec.loadBalancerIP'));
  listOfTexts(spec, 'loadBalancerSourceRanges').forEach((range, index) =>
    warnings.push(...networkWarnings(range, `spec.loadBalancerSourceRanges[${index}]`)),
  );
  if (isNamed(spec) && !isSameList(listOfTexts(spec, 'externalIPs'), [])) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (!isNamed(spec) && textAt(spec, 'externalName') !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  return warnings;
}

/** Errors of the addresses at which a Service or an Ingress is reached. `spec` is a Service's. */
export function balancerStatusErrors(status: JsonObject | undefined, spec: JsonObject): FieldError[] {
  const field = 'status.loadBalancer.ingress';
  const points = objectsAt(objectAt(status, 'loadBalancer'), 'ingress');
  if (points.length > 0 && !isBalanced(spec)) {
    return [forbiddenField(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return points.flatMap((point, index) => balancerPointErrors(point, `${field}[${index}]`));
}

function balancerPointErrors(point: JsonObject, field: string): FieldError[] {
  const [address, mode, host] = ['ip', 'ipMode', 'hostname'].map((key) => textAt(point, key)) as [
    string,
    string,
    string,
  ];
  const errors = address === '' ? [] : addressErrors(address, `${field}.ip`);
  const modes = ['Proxy', 'VIP'];
  if (mode === '') {
    if (address !== '') errors.push(requiredField(`${field}.ipMode`, 'must be specified when `ip` is set'));
  } else if (address === '') {
    errors.push(forbiddenField(`${field}.ipMode`, 'may not be specified when `ip` is not set'));
  } else if (!modes.includes(mode)) errors.push(unsupportedField(`${field}.ipMode`, mode, modes));
  if (host === '') return errors;
  errors.push(...invalids(`${field}.hostname`, host, dns1123SubdomainProblems(host)));
  const isAddress = addressErrors(host, '').length === 0;
  return isAddress
    ? [...errors, invalidField(`${field}.hostname`, host, 'must be a DNS name, not an IP address')]
    : errors;
}
