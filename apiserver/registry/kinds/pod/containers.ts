import { type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  duplicateField,
  type FieldError,
  forbiddenField,
  goLiteral,
  invalidField,
  notFoundField,
  requiredField,
  unsupportedField,
} from '../../../../src/schema/index.ts';
import { choice, each, invalids, requiredChoice } from '../checks.ts';
import { environmentErrors, environmentSourceErrors } from './environment.ts';
import { containerHandlerErrors, handlerFields } from './handlers.ts';
import { deviceErrors, mountErrors } from './mounts.ts';
import { containerPortErrors, hostPortErrors } from './network.ts';
import { resourceErrors } from './resources.ts';
import { containerSecurityErrors } from './security.ts';

/** What the rules of a container must know of its pod. */
export interface PodFacts {
  /** Those without faults, by name. */
  readonly volumes: ReadonlyMap<string, JsonObject>;
  readonly graceSeconds: number | undefined;
  readonly restartPolicy: string;
  /** The users in the containers are those of the host. */
  readonly sharesUsers: boolean;
}

const messagePolicies = ['File', 'FallbackToLogsOnError'];
const pullPolicies = ['Always', 'IfNotPresent', 'Never'];

function resizeErrors(container: JsonObject, path: string, restartPolicy: string): FieldError[] {
  const seen = new Set<string>();
  const list = `${path}.resizePolicy`;
  return each(container, { path, key: 'resizePolicy' }, (policy, at) => {
    const [resource, restart] = [textAt(policy, 'resourceName'), textAt(policy, 'restartPolicy')];
    // Go prints names of resources without quotes.
    const shown = goLiteral(resource);
    const errors = seen.has(resource) ? [duplicateField(at, shown)] : [];
    seen.add(resource);
    errors.push(
      ...(resource === '' ? [requiredField(list)] : []),
      ...(['', 'cpu', 'memory'].includes(resource) ? [] : [unsupportedField(list, shown, ['cpu', 'memory'])]),
      ...requiredChoice(list, restart, ['NotRequired', 'RestartContainer']),
    );
    if (restartPolicy === 'Never' && restart !== 'NotRequired') {
      errors.push(invalidField(list, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'"));
    }
    return errors;
  });
}

/** Rules of every container. */
function commonErrors(container: JsonObject, path: string, pod: PodFacts): FieldError[] {
  const name = textAt(container, 'name');
  const field = `${path}.name`;
  return [
    ...(name === '' ? [requiredField(field)] : invalids(field, name, dns1123LabelProblems(name))),
    ...(textAt(container, 'image') === '' ? [requiredField(`${path}.image`)] : []),
    ...requiredChoice(
      `${path}.terminationMessagePolicy`,
      textAt(container, 'terminationMessagePolicy'),
      messagePolicies,
    ),
    ...containerPortErrors(container, path),
    ...environmentErrors(container, path),
    ...environmentSourceErrors(container, path),
    ...mountErrors(container, path, pod.volumes),
    ...deviceErrors(container, path, pod.volumes),
    ...requiredChoice(`${path}.imagePullPolicy`, textAt(container, 'imagePullPolicy'), pullPolicies),
    ...resourceErrors(objectAt(container, 'resources'), `${path}.resources`),
    ...resizeErrors(container, path, pod.restartPolicy),
    ...containerSecurityErrors(container, path, pod.sharesUsers),
  ];
}

function takeName(container: JsonObject, path: string, names: Set<string>): FieldError[] {
  const name = textAt(container, 'name');
  if (names.has(name)) return [duplicateField(`${path}.name`, name)];
  names.add(name);
  return [];
}

function namesOf(spec: JsonObject, list: string): string[] {
  return objectsAt(spec, list).map((container) => textAt(container, 'name'));
}

/** Errors of `containers`. */
export function containerErrors(spec: JsonObject, path: string, pod: PodFacts): FieldError[] {
  const list = `${path}.containers`;
  const containers = objectsAt(spec, 'containers');
  if (containers.length === 0) return [requiredField(list)];
  const names = new Set<string>();
  const errors = each(spec, { path, key: 'containers' }, (container, at) => {
    const hasPolicy = typeof valueAt(container, 'restartPolicy') === 'string';
    return [
      ...commonErrors(container, at, pod),
      ...takeName(container, at, names),
      ...containerHandlerErrors(container, at, pod.graceSeconds),
      ...(hasPolicy ? [forbiddenField(`${at}.restartPolicy`, 'may not be set for non-init containers')] : []),
    ];
  });
  return [...errors, ...hostPortErrors(containers, list)];
}

function startErrors(container: JsonObject, path: string, pod: PodFacts): FieldError[] {
  if (valueAt(container, 'restartPolicy') === 'Always')
    return containerHandlerErrors(container, path, pod.graceSeconds);
  const text = 'may not be set for init containers without restartPolicy=Always';
  const given = handlerFields.filter((field) => objectAt(container, field) !== undefined);
  return given.map((field) => forbiddenField(`${path}.${field}`, text));
}

/** Errors of `initContainers`. */
export function initContainerErrors(spec: JsonObject, path: string, pod: PodFacts): FieldError[] {
  const names = new Set(namesOf(spec, 'containers'));
  return each(spec, { path, key: 'initContainers' }, (container, at) => [
    ...commonErrors(container, at, pod),
    ...choice(`${at}.restartPolicy`, valueAt(container, 'restartPolicy'), ['Always']),
    ...(textAt(container, 'name') === '' && !names.has('') ? [] : takeName(container, at, names)),
    ...hostPortErrors([container], `${path}.initContainers`),
    ...startErrors(container, at, pod),
  ]);
}

/** Fields that containers have and ephemeral ones do not, in the order in which they are refused. */
const notEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];

function isGiven(container: JsonObject, field: string): boolean {
  const value = valueAt(container, field);
  if (field !== 'resources') return value !== undefined && value !== null;
  return Object.keys(objectAt(container, field) ?? {}).length > 0;
}

function onlyPermanentErrors(container: JsonObject, path: string): FieldError[] {
  const text = 'cannot be set for an Ephemeral Container';
  const given = notEphemeral.filter((field) => isGiven(container, field));
  return [
    ...given.map((field) => forbiddenField(`${path}.${field}`, text)),
    ...each(container, { path, key: 'volumeMounts' }, (mount, at) =>
      ['subPath', 'subPathExpr']
        .filter((field) => textAt(mount, field) !== '')
        .map((field) => forbiddenField(`${at}.${field}`, text)),
    ),
  ];
}

/** Errors of an image that is looked at in pods only. */
export function imageErrors(container: JsonObject, path: string): FieldError[] {
  const image = textAt(container, 'image');
  const text = 'must not have leading or trailing whitespace';
  return image === image.trim() ? [] : [invalidField(`${path}.image`, image, text)];
}

/** Errors of `ephemeralContainers`. */
export function ephemeralContainerErrors(spec: JsonObject, path: string, pod: PodFacts): FieldError[] {
  const others = new Set([...namesOf(spec, 'containers'), ...namesOf(spec, 'initContainers')]);
  const names = new Set(others);
  return each(spec, { path, key: 'ephemeralContainers' }, (container, at) => {
    const target = textAt(container, 'targetContainerName');
    const isKnown = target === '' || others.has(target);
    return [
      ...commonErrors(container, at, pod),
      ...imageErrors(container, at),
      ...takeName(container, at, names),
      ...(isKnown ? [] : [notFoundField(`${at}.targetContainerName`, target)]),
      ...onlyPermanentErrors(container, at),
    ];
  });
}
