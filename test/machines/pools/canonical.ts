import { isJsonObject, type JsonObject, type JsonValue, objectAt, objectsAt, textAt } from '../../../src/base/index.ts';

const prefix = 'machineconfiguration.openshift.io/';
const recordedAnnotations = ['currentConfig', 'desiredConfig', 'state', 'reason', 'desiredDrain', 'lastAppliedDrain'];
const recordedConditions = ['Updated', 'Updating', 'NodeDegraded', 'RenderDegraded', 'Degraded'];
const counts = [
  'machineCount',
  'updatedMachineCount',
  'readyMachineCount',
  'unavailableMachineCount',
  'degradedMachineCount',
];

function conditionsOf(status: JsonObject | undefined): JsonObject {
  const all = objectsAt(status, 'conditions').filter((one) => recordedConditions.includes(textAt(one, 'type')));
  const shown = all.map(
    (one) =>
      [
        textAt(one, 'type'),
        [textAt(one, 'status'), textAt(one, 'reason'), textAt(one, 'message')].filter(Boolean).join(' | '),
      ] as const,
  );
  return Object.fromEntries(shown.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function sourcesOf(configuration: JsonObject | undefined): JsonObject {
  const source = objectsAt(configuration, 'source').map((one) => textAt(one, 'name'));
  return { name: textAt(configuration, 'name'), source };
}

function poolOf(object: JsonObject): JsonObject {
  const [spec, status] = [objectAt(object, 'spec'), objectAt(object, 'status')];
  return {
    target: sourcesOf(objectAt(spec, 'configuration')),
    status: {
      ...Object.fromEntries(counts.map((key) => [key, status?.[key] ?? 0])),
      configuration: sourcesOf(objectAt(status, 'configuration')),
      conditions: conditionsOf(status),
    },
  };
}

function nodeOf(object: JsonObject): JsonObject {
  const annotations = objectAt(object, 'metadata', 'annotations');
  const own = recordedAnnotations
    .map((key) => [key, textAt(annotations, prefix + key)] as const)
    .filter(([, value]) => value !== '');
  const spec = objectAt(object, 'spec');
  const taints = objectsAt(spec, 'taints').map((taint) => `${textAt(taint, 'key')}:${textAt(taint, 'effect')}`);
  return {
    ...Object.fromEntries(own),
    unschedulable: spec?.['unschedulable'] === true,
    taints: taints.filter((text) => !text.startsWith('node.kubernetes.io/')),
  };
}

/** Without what is empty: Go writes empty members too. */
function withoutEmpty(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isJsonObject(value)) return value ?? null;
  const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)] as const);
  const full = members.filter(([, member]) => {
    if (member === null || member === '' || member === false) return false;
    return !(typeof member === 'object' && Object.keys(member).length === 0);
  });
  return Object.fromEntries(full.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What is recorded of an object; undefined if nothing is. */
export function canonicalObject(object: JsonObject): JsonObject | undefined {
  const kind = textAt(object, 'kind');
  if (kind === 'MachineConfigPool') return poolOf(object);
  if (kind === 'Node') return nodeOf(object);
  const name = textAt(objectAt(object, 'metadata'), 'name');
  if (kind === 'MachineConfig' && name.startsWith('rendered-'))
    return withoutEmpty(objectAt(object, 'spec')) as JsonObject;
  if (kind !== 'Pod') return undefined;
  return { isBeingDeleted: textAt(objectAt(object, 'metadata'), 'deletionTimestamp') !== '' };
}
