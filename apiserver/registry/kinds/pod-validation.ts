import type { JsonObject } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import {
  duplicateField,
  forbiddenField,
  invalidField,
  notFoundField,
  requiredField,
  unsupportedField,
} from '../../schema/field-errors.ts';
import { dns1123LabelProblems } from '../names.ts';
import { listAt, numberAt, objectAt, objectsAt, textAt, textsAt, valueAt } from './reading.ts';

const portRange = 'must be between 1 and 65535, inclusive';
const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'];

/** Names used twice; the first `offset` items belong to another list and are not reported. */
function duplicates(list: readonly JsonObject[], path: string, offset = 0): FieldError[] {
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const name = textAt(item, 'name');
    const isNew = name === '' || !seen.has(name);
    seen.add(name);
    return isNew || index < offset ? [] : [duplicateField(`${path}[${index - offset}].name`, name)];
  });
}

function nameErrors(item: JsonObject, path: string): FieldError[] {
  const name = textAt(item, 'name');
  if (name === '') return [requiredField(`${path}.name`)];
  return dns1123LabelProblems(name).map((problem) => invalidField(`${path}.name`, name, problem));
}

function imageErrors(container: JsonObject, path: string): FieldError[] {
  const image = textAt(container, 'image');
  if (image === '') return [requiredField(`${path}.image`)];
  return image.trim() === image
    ? []
    : [invalidField(`${path}.image`, image, 'must not have leading or trailing whitespace')];
}

function portErrors(port: JsonObject, path: string): FieldError[] {
  const errors = portNameErrors(textAt(port, 'name'), `${path}.name`);
  const number = numberAt(port, 'containerPort') ?? 0;
  if (number === 0) errors.push(requiredField(`${path}.containerPort`));
  else if (number < 1 || number > 65_535) errors.push(invalidField(`${path}.containerPort`, number, portRange));
  const hostPort = numberAt(port, 'hostPort') ?? 0;
  if (hostPort < 0 || hostPort > 65_535) errors.push(invalidField(`${path}.hostPort`, hostPort, portRange));
  const protocol = textAt(port, 'protocol');
  if (!protocols.includes(protocol)) errors.push(unsupportedField(`${path}.protocol`, protocol, protocols));
  return errors;
}

function portNameErrors(name: string, field: string): FieldError[] {
  if (name === '') return [];
  const errors: FieldError[] = [];
  if (name.length > 15) errors.push(invalidField(field, name, 'must be no more than 15 characters'));
  if (!/[a-z]/.test(name)) errors.push(invalidField(field, name, 'must contain at least one letter (a-z)'));
  return errors;
}

function envErrors(variable: JsonObject, path: string): FieldError[] {
  const errors = textAt(variable, 'name') === '' ? [requiredField(`${path}.name`)] : [];
  const source = objectAt(variable, 'valueFrom');
  if (source === undefined) return errors;
  const kinds = Object.keys(source).length;
  if (kinds === 0) {
    errors.push(
      invalidField(
        `${path}.valueFrom`,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      ),
    );
  }
  if (textAt(variable, 'value') !== '' && kinds > 0) {
    errors.push(invalidField(`${path}.valueFrom`, '', 'may not be specified when `value` is not empty'));
  }
  if (kinds > 1)
    errors.push(invalidField(`${path}.valueFrom`, '', 'may not have more than one field specified at a time'));
  return errors;
}

function mountErrors(container: JsonObject, volumes: ReadonlySet<string>, path: string): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(container, 'volumeMounts').flatMap((mount, index) => {
    const at = `${path}.volumeMounts[${index}]`;
    const [name, mountPath] = [textAt(mount, 'name'), textAt(mount, 'mountPath')];
    const errors: FieldError[] = [];
    if (name === '') errors.push(requiredField(`${at}.name`));
    else if (!volumes.has(name)) errors.push(notFoundField(`${at}.name`, name));
    if (mountPath === '') errors.push(requiredField(`${at}.mountPath`));
    if (seen.has(mountPath)) errors.push(invalidField(`${at}.mountPath`, mountPath, 'must be unique'));
    seen.add(mountPath);
    return errors;
  });
}

function probeErrors(container: JsonObject, path: string): FieldError[] {
  return ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((name) => {
    const probe = objectAt(container, name);
    if (probe === undefined) return [];
    const at = `${path}.${name}`;
    const given = handlers.filter((handler) => objectAt(probe, handler) !== undefined);
    const errors = given.length === 0 ? [requiredField(at, 'must specify a handler type')] : [];
    for (const extra of given.slice(1))
      errors.push(forbiddenField(`${at}.${extra}`, 'may not specify more than 1 handler type'));
    const threshold = numberAt(probe, 'successThreshold') ?? 1;
    if (name !== 'readinessProbe' && threshold !== 1)
      errors.push(invalidField(`${at}.successThreshold`, threshold, 'must be 1'));
    return errors;
  });
}

const factors: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number that a quantity stands for; exact enough to compare two of them. */
function quantityValue(quantity: string): number {
  const match = /^([+-]?[0-9.]+(?:[eE][-+]?\d+)?)([numkKMGTPE]i?)?$/.exec(quantity);
  return match === null ? Number.NaN : Number(match[1]) * (factors[match[2] ?? ''] ?? Number.NaN);
}

function resourceErrors(container: JsonObject, path: string): FieldError[] {
  const limits = textsAt(container, 'resources', 'limits');
  return Object.entries(textsAt(container, 'resources', 'requests')).flatMap(([name, request]) => {
    const limit = limits[name];
    if (limit === undefined || quantityValue(request) <= quantityValue(limit)) return [];
    return [
      invalidField(`${path}.resources.requests`, request, `must be less than or equal to ${name} limit of ${limit}`),
    ];
  });
}

function containerErrors(container: JsonObject, volumes: ReadonlySet<string>, path: string): FieldError[] {
  const policy = textAt(container, 'imagePullPolicy');
  return [
    ...nameErrors(container, path),
    ...imageErrors(container, path),
    ...probeErrors(container, path),
    ...objectsAt(container, 'ports').flatMap((port, index) => portErrors(port, `${path}.ports[${index}]`)),
    ...duplicates(objectsAt(container, 'ports'), `${path}.ports`),
    ...objectsAt(container, 'env').flatMap((variable, index) => envErrors(variable, `${path}.env[${index}]`)),
    ...mountErrors(container, volumes, path),
    ...(pullPolicies.includes(policy) ? [] : [unsupportedField(`${path}.imagePullPolicy`, policy, pullPolicies)]),
    ...resourceErrors(container, path),
  ];
}

function volumeErrors(volume: JsonObject, path: string): FieldError[] {
  const sources = Object.keys(volume).filter((key) => key !== 'name' && valueAt(volume, key) !== undefined);
  const extra = sources
    .slice(1)
    .map((source) => forbiddenField(`${path}.${source}`, 'may not specify more than 1 volume type'));
  return [...nameErrors(volume, path), ...extra];
}

const restartPolicies = ['Always', 'OnFailure', 'Never'];

/** Errors of a PodSpec at `path`, in a pod or a template.
 *  @see reference "types" 4.5 */
export function podSpecErrors(spec: JsonObject | undefined, path: string): FieldError[] {
  const volumes = objectsAt(spec, 'volumes');
  const names = new Set(volumes.map((volume) => textAt(volume, 'name')));
  const containers = objectsAt(spec, 'containers');
  const init = objectsAt(spec, 'initContainers');
  const policy = textAt(spec, 'restartPolicy');
  return [
    ...volumes.flatMap((volume, index) => volumeErrors(volume, `${path}.volumes[${index}]`)),
    ...duplicates(volumes, `${path}.volumes`),
    ...(listAt(spec, 'containers').length === 0 ? [requiredField(`${path}.containers`)] : []),
    ...containers.flatMap((container, index) => containerErrors(container, names, `${path}.containers[${index}]`)),
    ...duplicates(containers, `${path}.containers`),
    ...init.flatMap((container, index) => containerErrors(container, names, `${path}.initContainers[${index}]`)),
    ...duplicates([...containers, ...init], `${path}.initContainers`, containers.length),
    ...(restartPolicies.includes(policy) ? [] : [unsupportedField(`${path}.restartPolicy`, policy, restartPolicies)]),
  ];
}
