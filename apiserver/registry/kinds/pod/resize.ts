import { isJsonEqual, type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../../../../src/base/index.ts';
import { type FieldError, forbiddenField, invalidField } from '../../../../src/schema/index.ts';
import { asJson, type KubeObject, textsAt } from '../../../core/index.ts';
import { compareQuantities } from '../../../schema/index.ts';
import { readSpec } from '../workload-rules.ts';
import { mirrorAnnotation } from './annotations.ts';
import { qosClass } from './qos.ts';

/** Changing the requests and limits of a pod that is there. */

const lists = ['containers', 'initContainers'] as const;
const resizable = ['cpu', 'memory'];

function mergedList(list: readonly JsonObject[], old: readonly JsonObject[]): JsonObject[] | undefined {
  const isSame = list.every((container, index) => textAt(container, 'name') === textAt(old[index], 'name'));
  if (!isSame) return undefined;
  return old.map((container, index) => {
    const { resources, resizePolicy } = list[index] ?? {};
    const { resources: _resources, resizePolicy: _policy, ...rest } = container;
    return {
      ...rest,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy }),
    };
  });
}

/** Takes back all but the resources and resize policies of the containers; other containers, which are refused later, stay. */
export function keepAllButResources(object: KubeObject, old: KubeObject): void {
  const [spec, before] = [readSpec(object), readSpec(old)];
  const isOther = lists.some((list) => objectsAt(spec, list).length !== objectsAt(before, list).length);
  if (isOther) return;
  const kept = structuredClone(before);
  for (const list of lists) {
    const given = objectsAt(spec, list);
    if (given.length > 0) kept[list] = mergedList(given, objectsAt(kept, list)) ?? given;
  }
  asJson(object)['spec'] = kept;
  const status = objectAt(asJson(old), 'status');
  if (status !== undefined) asJson(object)['status'] = structuredClone(status);
}

function orderErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  return lists.flatMap((list) => {
    const [now, before] = [objectsAt(spec, list), objectsAt(old, list)];
    if (now.length !== before.length) {
      return [forbiddenField(`spec.${list}`, `${list} may not be added or removed on resize`)];
    }
    return before.flatMap((container, index) =>
      textAt(now[index], 'name') === textAt(container, 'name')
        ? []
        : [forbiddenField(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)],
    );
  });
}

function memoryErrors(container: JsonObject, old: JsonObject, path: string): FieldError[] {
  const policy = objectsAt(container, 'resizePolicy').find((item) => textAt(item, 'resourceName') === 'memory');
  if (textAt(policy, 'restartPolicy') === 'RestartContainer') return [];
  const [now, before] = [container, old].map((item) => textsAt(item, 'resources', 'limits')['memory']);
  if (now === undefined) return [];
  const verb = before === undefined ? 'added' : 'decreased';
  const isFine = before !== undefined && compareQuantities(now, before) >= 0;
  const text = `memory limits cannot be ${verb} unless resizePolicy is RestartContainer`;
  return isFine ? [] : [forbiddenField(`${path}.limits[memory]`, text)];
}

function containerErrors(container: JsonObject, old: JsonObject, path: string): FieldError[] {
  const removed = (['requests', 'limits'] as const).flatMap((kind) => {
    const [now, before] = [container, old].map((item) => textsAt(item, 'resources', kind));
    const isRemoved = Object.keys(before ?? {}).some((name) => !Object.hasOwn(now ?? {}, name));
    return isRemoved ? [forbiddenField(`${path}.${kind}`, `resource ${kind} cannot be removed`)] : [];
  });
  return [...removed, ...memoryErrors(container, old, path)];
}

function amountErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const isSidecar = (container: JsonObject): boolean => valueAt(container, 'restartPolicy') === 'Always';
  return (['initContainers', 'containers'] as const).flatMap((list) =>
    objectsAt(old, list).flatMap((container, index) => {
      if (list === 'initContainers' && !isSidecar(container)) return [];
      const now = objectsAt(spec, list)[index] ?? {};
      return containerErrors(now, container, `spec.${list}[${index}].resources`);
    }),
  );
}

/** The container without the amounts that may change. */
function fixedPart(container: JsonObject): JsonObject {
  const { resources: _resources, ...rest } = container;
  const amounts = (kind: string): JsonObject =>
    Object.fromEntries(
      Object.entries(textsAt(container, 'resources', kind)).filter(([name]) => !resizable.includes(name)),
    );
  return { ...rest, limits: amounts('limits'), requests: amounts('requests') };
}

function fixedErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const isSame = (one: JsonObject, other: JsonObject): boolean => isJsonEqual(fixedPart(one), fixedPart(other));
  const ofContainers = objectsAt(old, 'containers').flatMap((container, index) =>
    isSame(objectsAt(spec, 'containers')[index] ?? {}, container)
      ? []
      : [forbiddenField('spec', 'only cpu and memory resources are mutable')],
  );
  const ofInit = objectsAt(old, 'initContainers').flatMap((container, index) => {
    const now = objectsAt(spec, 'initContainers')[index] ?? {};
    if (valueAt(container, 'restartPolicy') !== 'Always') {
      const text = 'resources for non-sidecar init containers are immutable';
      return isJsonEqual(now, container) ? [] : [forbiddenField('spec', text)];
    }
    const text = 'only cpu and memory resources for sidecar containers are mutable';
    return isSame(now, container) ? [] : [forbiddenField('spec', text)];
  });
  return [...ofContainers, ...ofInit];
}

/** A kind of pod that cannot be resized at all. */
function kindProblem(old: KubeObject): string | undefined {
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) return 'static pods cannot be resized';
  const system = textAt(objectAt(readSpec(old), 'os'), 'name');
  return system === 'windows' ? 'windows pods cannot be resized' : undefined;
}

function supportErrors(old: KubeObject): FieldError[] {
  const running = objectsAt(objectAt(asJson(old), 'status'), 'containerStatuses').find(
    (status) => objectAt(status, 'state', 'running') !== undefined,
  );
  const isSupported = running === undefined || objectAt(running, 'resources') !== undefined;
  return isSupported ? [] : [forbiddenField('spec', 'Pod running on node without support for resize')];
}

/** Errors of a write to `/resize`, beside what is wrong with the pod itself (`own`). */
export function resizeChangeErrors(object: KubeObject, old: KubeObject, own: readonly FieldError[]): FieldError[] {
  const problem = kindProblem(old);
  if (problem !== undefined) return [forbiddenField('', problem)];
  const [spec, before] = [readSpec(object), readSpec(old)];
  const errors = [...own];
  if (qosClass(spec) !== qosClass(before)) {
    const shown = textAt(objectAt(asJson(object), 'status'), 'qosClass');
    errors.push(invalidField('spec', shown, 'Pod QOS Class may not change as a result of resizing'));
  }
  const order = orderErrors(spec, before);
  errors.push(...supportErrors(old), ...order);
  if (order.length > 0) return errors;
  return [...errors, ...amountErrors(spec, before), ...fixedErrors(spec, before)];
}
