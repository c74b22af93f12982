import { type JsonObject, listAt, objectAt, objectsAt, textAt, valueAt } from '../../../../src/base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../../src/schema/index.ts';
import { numberAt } from '../../../core/index.ts';
import { portErrors } from '../addresses.ts';
import { invalids, notNegative } from '../checks.ts';

type HandlerRule = (handler: JsonObject, path: string, graceSeconds: number | undefined) => FieldError[];

const headerName = /^[-A-Za-z0-9]+$/;
const headerText =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

function execErrors(handler: JsonObject, path: string): FieldError[] {
  return listAt(handler, 'command').length === 0 ? [requiredField(`${path}.command`)] : [];
}

function httpErrors(handler: JsonObject, path: string): FieldError[] {
  const scheme = textAt(handler, 'scheme');
  const names = objectsAt(handler, 'httpHeaders').map((header) => textAt(header, 'name'));
  return [
    ...(textAt(handler, 'path') === '' ? [requiredField(`${path}.path`)] : []),
    ...portErrors(valueAt(handler, 'port'), `${path}.port`),
    ...(scheme === 'HTTP' || scheme === 'HTTPS' ? [] : [unsupportedField(`${path}.scheme`, scheme, ['HTTP', 'HTTPS'])]),
    ...names.flatMap((name) => invalids(`${path}.httpHeaders`, name, headerName.test(name) ? [] : [headerText])),
  ];
}

function portOnlyErrors(handler: JsonObject, path: string): FieldError[] {
  return portErrors(valueAt(handler, 'port'), `${path}.port`);
}

function sleepErrors(handler: JsonObject, path: string, graceSeconds: number | undefined): FieldError[] {
  const seconds = numberAt(handler, 'seconds') ?? 0;
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return [];
  const text = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [invalidField(path, seconds, text)];
}

const probeHandlers: readonly (readonly [string, HandlerRule])[] = [
  ['exec', execErrors],
  ['httpGet', httpErrors],
  ['tcpSocket', portOnlyErrors],
  ['grpc', portOnlyErrors],
];
const lifecycleHandlers: readonly (readonly [string, HandlerRule])[] = [
  ['exec', execErrors],
  ['httpGet', httpErrors],
  ['tcpSocket', portOnlyErrors],
  ['sleep', sleepErrors],
];

interface HandlerPlace {
  readonly path: string;
  readonly graceSeconds: number | undefined;
  readonly kinds: readonly (readonly [string, HandlerRule])[];
}

function handlerErrors(parent: JsonObject, { path, graceSeconds, kinds }: HandlerPlace): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const [name, rule] of kinds) {
    const handler = objectAt(parent, name);
    if (handler === undefined) continue;
    if (count === 0) errors.push(...rule(handler, `${path}.${name}`, graceSeconds));
    else errors.push(forbiddenField(`${path}.${name}`, 'may not specify more than 1 handler type'));
    count += 1;
  }
  return count === 0 ? [requiredField(path, 'must specify a handler type')] : errors;
}

const counts = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

function probeErrors(probe: JsonObject, path: string, graceSeconds: number | undefined): FieldError[] {
  const own = numberAt(probe, 'terminationGracePeriodSeconds');
  const errors = [
    ...handlerErrors(probe, { path, graceSeconds, kinds: probeHandlers }),
    ...notNegative(probe, path, counts),
  ];
  if (own === undefined || own > 0) return errors;
  return [...errors, invalidField(`${path}.terminationGracePeriodSeconds`, own, 'must be greater than 0')];
}

/** What only one success may end. */
function onceErrors(probe: JsonObject, path: string): FieldError[] {
  const threshold = numberAt(probe, 'successThreshold') ?? 0;
  return threshold === 1 ? [] : [invalidField(`${path}.successThreshold`, threshold, 'must be 1')];
}

function readinessErrors(probe: JsonObject, path: string): FieldError[] {
  const own = numberAt(probe, 'terminationGracePeriodSeconds');
  const text = 'must not be set for readinessProbes';
  return own === undefined ? [] : [invalidField(`${path}.terminationGracePeriodSeconds`, own, text)];
}

const probes = [
  ['livenessProbe', onceErrors],
  ['readinessProbe', readinessErrors],
  ['startupProbe', onceErrors],
] as const;

/** Fields of a container that only those have that run on. */
export const handlerFields = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** Errors of the lifecycle hooks and probes of a container. */
export function containerHandlerErrors(
  container: JsonObject,
  path: string,
  graceSeconds: number | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  const lifecycle = objectAt(container, 'lifecycle');
  for (const name of ['postStart', 'preStop']) {
    const hook = objectAt(lifecycle, name);
    const place = { path: `${path}.lifecycle.${name}`, graceSeconds, kinds: lifecycleHandlers };
    if (hook !== undefined) errors.push(...handlerErrors(hook, place));
  }
  for (const [name, rule] of probes) {
    const probe = objectAt(container, name);
    if (probe === undefined) continue;
    const at = `${path}.${name}`;
    errors.push(...probeErrors(probe, at, graceSeconds), ...rule(probe, at));
  }
  return errors;
}
