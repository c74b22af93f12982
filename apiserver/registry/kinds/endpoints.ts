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
  invalidField,
  labelValueProblems,
  qualifiedNameProblems,
  requiredField,
  tooManyField,
} from '../../../src/schema/index.ts';
import { asJson, countAt, type KindRules, type KubeObject, setDefaults } from '../../core/index.ts';
import {
  addressErrors,
  addressWarnings,
  endpointAddressErrors,
  parseAddress,
  portNumberErrors,
  strictAddressErrors,
} from './addresses.ts';
import { eachErrors, immutableErrors, invalids, requiredChoice } from './checks.ts';

/** Endpoints and EndpointSlices. @see docs/spec/kube-api-types.md#validation-rules */

const protocols = ['SCTP', 'TCP', 'UDP'];

function appProtocolErrors(port: JsonObject, field: string): FieldError[] {
  const text = valueAt(port, 'appProtocol');
  return typeof text === 'string' ? invalids(`${field}.appProtocol`, text, qualifiedNameProblems(text)) : [];
}

function nodeNameErrors(owner: JsonObject, field: string): FieldError[] {
  const name = valueAt(owner, 'nodeName');
  return typeof name === 'string' ? invalids(`${field}.nodeName`, name, dns1123SubdomainProblems(name)) : [];
}

function addressEntryErrors(entry: JsonObject, field: string): FieldError[] {
  const [address, host] = [textAt(entry, 'ip'), textAt(entry, 'hostname')];
  return [
    ...addressErrors(address, `${field}.ip`),
    ...(host === '' ? [] : invalids(`${field}.hostname`, host, dns1123LabelProblems(host))),
    ...nodeNameErrors(entry, field),
    ...endpointAddressErrors(address, `${field}.ip`),
  ];
}

function subsetErrors(subset: JsonObject, field: string): FieldError[] {
  const [ready, notReady] = [objectsAt(subset, 'addresses'), objectsAt(subset, 'notReadyAddresses')];
  const ports = objectsAt(subset, 'ports');
  const isEmpty = ready.length === 0 && notReady.length === 0;
  return [
    ...(isEmpty ? [requiredField(field, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...eachErrors(ready, `${field}.addresses`, addressEntryErrors),
    ...eachErrors(notReady, `${field}.notReadyAddresses`, addressEntryErrors),
    ...eachErrors(ports, `${field}.ports`, (port, path) => {
      const name = textAt(port, 'name');
      const unnamed = ports.length > 1 ? [requiredField(`${path}.name`)] : [];
      return [
        ...(name === '' ? unnamed : invalids(`${path}.name`, name, dns1123LabelProblems(name))),
        ...portNumberErrors(countAt(port, 'port'), `${path}.port`),
        ...requiredChoice(`${path}.protocol`, textAt(port, 'protocol'), protocols),
        ...appProtocolErrors(port, path),
      ];
    }),
  ];
}

function subsetsOf(object: KubeObject): JsonObject[] {
  return objectsAt(asJson(object), 'subsets');
}

function subsetWarnings(object: KubeObject): string[] {
  const manager = valueAt(object.metadata.labels, 'endpoints.kubernetes.io/managed-by');
  if (manager === 'endpoint-controller') return [];
  return subsetsOf(object).flatMap((subset, index) =>
    ['addresses', 'notReadyAddresses'].flatMap((key) =>
      objectsAt(subset, key).flatMap((entry, at) =>
        addressWarnings(textAt(entry, 'ip'), `subsets[${index}].${key}[${at}].ip`),
      ),
    ),
  );
}

/** Rules of Endpoints; unchanged subsets are not validated again. */
export const endpointsRules: KindRules = {
  applyDefaults: (object) => {
    for (const subset of subsetsOf(object)) {
      for (const port of objectsAt(subset, 'ports')) setDefaults(port, { protocol: 'TCP' });
    }
  },
  validate: (object) => eachErrors(subsetsOf(object), 'subsets', subsetErrors),
  validateChange: (object, old) =>
    isJsonEqual(subsetsOf(object), subsetsOf(old)) ? [] : eachErrors(subsetsOf(object), 'subsets', subsetErrors),
  warnings: subsetWarnings,
};

const families: Readonly<Record<string, string>> = { IPv4: 'an IPv4', IPv6: 'an IPv6' };

/** An address of a slice whose addresses are of one family. */
function sliceAddressErrors(address: string, field: string, type: string): FieldError[] {
  const path = field.slice(0, field.lastIndexOf('['));
  const errors = type === 'IPv4' ? addressErrors(address, field) : strictAddressErrors(address, field);
  if (errors.length > 0) return errors;
  const isRight = parseAddress(address)?.family === (type === 'IPv4' ? 4 : 6);
  const wrong = isRight ? [] : [invalidField(path, address, `must be ${families[type] ?? ''} address`)];
  return [...wrong, ...endpointAddressErrors(address, field)];
}

function fullNameErrors(name: string, field: string): FieldError[] {
  if (name === '') return [requiredField(field)];
  const bare = name.replace(/\.$/, '');
  const problems = dns1123SubdomainProblems(bare);
  if (problems.length > 0) return invalids(field, bare, problems);
  const isShort = !bare.includes('.');
  if (isShort) return [invalidField(field, bare, 'should be a domain with at least two segments separated by dots')];
  return [];
}

function hintErrors(hints: JsonObject | undefined, field: string): FieldError[] {
  const zones = objectsAt(hints, 'forZones').map((zone) => textAt(zone, 'name'));
  if (zones.length > 8) return [tooManyField(`${field}.forZones`, zones.length, 8)];
  return zones.flatMap((zone, index) => {
    const path = `${field}.forZones[${index}].name`;
    const doubled = zones.indexOf(zone) < index ? [duplicateField(path, zone)] : [];
    return [...doubled, ...invalids(path, zone, labelValueProblems(zone))];
  });
}

function addressesErrors(endpoint: JsonObject, field: string, type: string): FieldError[] {
  const addresses = listOfTexts(endpoint, 'addresses');
  const path = `${field}.addresses`;
  const errors = addresses.length === 0 ? [requiredField(path, 'must contain at least 1 address')] : [];
  if (addresses.length > 100) errors.push(tooManyField(path, addresses.length, 100));
  const check = (address: string, at: string): FieldError[] => {
    if (type === 'FQDN') return fullNameErrors(address, at);
    return type === 'IPv4' || type === 'IPv6' ? sliceAddressErrors(address, at, type) : [];
  };
  return [...errors, ...addresses.flatMap((address, index) => check(address, `${path}[${index}]`))];
}

function endpointErrors(endpoint: JsonObject, field: string, type: string): FieldError[] {
  const host = valueAt(endpoint, 'hostname');
  return [
    ...addressesErrors(endpoint, field, type),
    ...nodeNameErrors(endpoint, field),
    ...(typeof host === 'string' ? invalids(`${field}.hostname`, host, dns1123LabelProblems(host)) : []),
    ...hintErrors(objectAt(endpoint, 'hints'), `${field}.hints`),
  ];
}

function slicePortErrors(ports: readonly JsonObject[]): FieldError[] {
  if (ports.length > 20_000) return [tooManyField('ports', ports.length, 20_000)];
  const names = new Set<string>();
  return eachErrors(ports, 'ports', (port, field) => {
    const name = textAt(port, 'name');
    const errors = name === '' ? [] : invalids(`${field}.name`, name, dns1123LabelProblems(name));
    if (names.has(name)) errors.push(duplicateField(`${field}.name`, name));
    names.add(name);
    errors.push(...requiredChoice(`${field}.protocol`, textAt(port, 'protocol'), protocols));
    return [...errors, ...appProtocolErrors(port, field)];
  });
}

function endpointsErrors(slice: JsonObject): FieldError[] {
  const endpoints = objectsAt(slice, 'endpoints');
  if (endpoints.length > 1000) return [tooManyField('endpoints', endpoints.length, 1000)];
  const type = textAt(slice, 'addressType');
  return eachErrors(endpoints, 'endpoints', (endpoint, field) => endpointErrors(endpoint, field, type));
}

function sliceErrors(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const slice = asJson(object);
  const isKept = old !== undefined && isJsonEqual(valueAt(slice, 'endpoints'), valueAt(asJson(old), 'endpoints'));
  return [
    ...requiredChoice('addressType', textAt(slice, 'addressType'), ['FQDN', 'IPv4', 'IPv6']),
    ...slicePortErrors(objectsAt(slice, 'ports')),
    ...(isKept ? [] : endpointsErrors(slice)),
  ];
}

const sliceControllers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

function sliceWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const isNamed = old === undefined && textAt(asJson(object), 'addressType') === 'FQDN';
  const warnings = isNamed ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
  const manager = textAt(object.metadata.labels, 'endpointslice.kubernetes.io/managed-by');
  if (sliceControllers.includes(manager)) return warnings;
  const ofAddresses = objectsAt(asJson(object), 'endpoints').flatMap((endpoint, index) =>
    listOfTexts(endpoint, 'addresses').flatMap((address, at) =>
      addressWarnings(address, `endpoints[${index}].addresses[${at}]`),
    ),
  );
  return [...warnings, ...ofAddresses];
}

/** Rules of EndpointSlices. */
export const endpointSliceRules: KindRules = {
  generationOf: ['endpoints', 'ports', 'addressType', 'metadata.labels'],
  applyDefaults: (object) => {
    for (const port of objectsAt(asJson(object), 'ports')) setDefaults(port, { name: '', protocol: 'TCP' });
  },
  prepareForCreate: (object) => {
    for (const endpoint of objectsAt(asJson(object), 'endpoints')) delete endpoint['deprecatedTopology'];
  },
  validate: (object) => sliceErrors(object, undefined),
  validateChange: (object, old) => {
    const [now, before] = [textAt(asJson(object), 'addressType'), textAt(asJson(old), 'addressType')];
    return [...sliceErrors(object, old), ...immutableErrors('addressType', now, now === before)];
  },
  warnings: sliceWarnings,
};
