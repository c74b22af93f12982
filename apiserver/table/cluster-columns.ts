import { formatAge, isJsonObject, type JsonValue } from '../../src/base/index.ts';
import type { KubeObject, TableColumn } from '../core/index.ts';
import { age, booleanColumn, column, countColumn, createdAt, integerColumn, textColumn } from './columns.ts';
import { at, conditionOf, listAt, numberAt, objectAt, textAt } from './object-values.ts';

function nodeStatus(node: KubeObject): string {
  const ready = textAt(conditionOf(node, 'Ready'), 'status');
  const readiness = ready === 'True' ? 'Ready' : 'NotReady';
  const states = [ready === '' ? 'Unknown' : readiness];
  if (at(node, 'spec', 'unschedulable') === true) states.push('SchedulingDisabled');
  return states.join(',');
}

const rolePrefix = 'node-role.kubernetes.io/';

function nodeRoles(node: KubeObject): string {
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([name, value]) => {
    if (name.startsWith(rolePrefix)) return [name.slice(rolePrefix.length)];
    return name === 'kubernetes.io/role' ? [value] : [];
  });
  return [...new Set(roles.filter(Boolean))].sort().join(',') || '<none>';
}

function nodeAddress(type: string): (node: KubeObject) => string {
  return (node) => {
    const found = listAt(node, 'status', 'addresses').find((address) => textAt(address, 'type') === type);
    return textAt(found, 'address') || '<none>';
  };
}

function nodeInfo(name: string, field: string): TableColumn {
  return textColumn(name, ['status', 'nodeInfo', field], '<unknown>');
}

function lastSeen(event: KubeObject): string {
  const candidates = [['series', 'lastObservedTime'], ['deprecatedLastTimestamp'], ['lastTimestamp'], ['eventTime']];
  return candidates.map((path) => textAt(event, ...path)).find(Boolean) ?? firstSeen(event);
}

function firstSeen(event: KubeObject): string {
  return (
    ['deprecatedFirstTimestamp', 'firstTimestamp', 'eventTime'].map((name) => textAt(event, name)).find(Boolean) ?? ''
  );
}

/** `involvedObject` in the core group, `regarding` in the other. */
function subjectOf(event: KubeObject): JsonValue | undefined {
  return at(event, 'involvedObject') ?? at(event, 'regarding');
}

function eventObject(event: KubeObject): string {
  const [kind, name] = [textAt(subjectOf(event), 'kind'), textAt(subjectOf(event), 'name')];
  return name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function eventSource(event: KubeObject): string {
  const source = objectAt(event, at(event, 'source') === undefined ? 'deprecatedSource' : 'source');
  const component =
    textAt(source, 'component') || textAt(event, 'reportingController') || textAt(event, 'reportingComponent');
  const host = textAt(source, 'host') || textAt(event, 'reportingInstance');
  return [component, host].filter(Boolean).join(', ');
}

function eventCount(event: KubeObject): number {
  if (at(event, 'series') !== undefined) return numberAt(event, 'series', 'count') + 1;
  return numberAt(event, 'count') || numberAt(event, 'deprecatedCount') || 1;
}

const eventColumns: readonly TableColumn[] = [
  column('Last Seen', (event, nowMs) => formatAge(lastSeen(event), nowMs)),
  textColumn('Type', ['type']),
  textColumn('Reason', ['reason']),
  column('Object', eventObject),
  column('Subobject*', (event) => textAt(subjectOf(event), 'fieldPath')),
  column('Source*', eventSource),
  column('Message', (event) => (textAt(event, 'message') || textAt(event, 'note')).trim()),
  column('First Seen*', (event, nowMs) => formatAge(firstSeen(event), nowMs)),
  column('Count*', eventCount),
  column('Name*', (event) => event.metadata.name ?? '', { format: 'name' }),
];

function quota(prefix: 'limits.' | ''): (object: KubeObject) => string {
  return (object) => {
    const hard = objectAt(object, 'status', 'hard');
    const names = Object.keys(hard).sort();
    const shown = names.filter((name) => name.startsWith('limits.') === (prefix === 'limits.'));
    return shown.map((name) => `${name}: ${textAt(object, 'status', 'used', name)}/${textAt(hard, name)}`).join(', ');
  };
}

function controllerOf(object: KubeObject): string {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return '<none>';
  const [group] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : [''];
  return `${owner.kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${owner.name}`;
}

function sizeOf(...paths: readonly string[][]): (object: KubeObject) => number {
  return (object) => paths.reduce((sum, path) => sum + Object.keys(objectAt(object, ...path)).length, 0);
}

/** A column of text in which numbers stay numbers. */
function plainColumn(name: string, path: readonly string[]): TableColumn {
  return column(name, (object) => at(object, ...path) ?? '<none>');
}

/** Columns after Name, by `group/Kind`, of the cluster itself and of plain data. */
export const clusterColumns: Readonly<Record<string, readonly TableColumn[]>> = {
  '/Node': [
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    age,
    textColumn('Version', ['status', 'nodeInfo', 'kubeletVersion']),
    column('Internal-IP*', nodeAddress('InternalIP')),
    column('External-IP*', nodeAddress('ExternalIP')),
    nodeInfo('OS-Image*', 'osImage'),
    nodeInfo('Kernel-Version*', 'kernelVersion'),
    nodeInfo('Container-Runtime*', 'containerRuntimeVersion'),
  ],
  '/Event': eventColumns,
  'events.k8s.io/Event': eventColumns,
  '/Namespace': [textColumn('Status', ['status', 'phase']), age],
  '/Secret': [textColumn('Type', ['type']), column('Data', sizeOf(['data'])), age],
  '/ConfigMap': [column('Data', sizeOf(['data'], ['binaryData'])), age],
  '/ServiceAccount': [column('Secrets', (object) => listAt(object, 'secrets').length), age],
  '/ResourceQuota': [column('Request', quota('')), column('Limit', quota('limits.')), age],
  '/LimitRange': [createdAt],
  '/ComponentStatus': ['Status', 'Message', 'Error'].map((name) => column(name, () => '')),
  'apps/ControllerRevision': [
    column('Controller', controllerOf),
    column('Revision', (object) => numberAt(object, 'revision')),
    age,
  ],
  'scheduling.k8s.io/PriorityClass': [
    integerColumn('Value', ['value']),
    booleanColumn('Global-Default', ['globalDefault']),
    age,
    textColumn('PreemptionPolicy', ['preemptionPolicy']),
  ],
  'node.k8s.io/RuntimeClass': [textColumn('Handler', ['handler']), age],
  'coordination.k8s.io/Lease': [textColumn('Holder', ['spec', 'holderIdentity']), age],
  'apiextensions.k8s.io/CustomResourceDefinition': [createdAt],
  'apiregistration.k8s.io/APIService': [
    column('Service', (object) => {
      const service = at(object, 'spec', 'service');
      return isJsonObject(service) ? `${textAt(service, 'namespace')}/${textAt(service, 'name')}` : 'Local';
    }),
    column('Available', (object) => {
      const condition = conditionOf(object, 'Available');
      const [status, reason] = [textAt(condition, 'status') || 'Unknown', textAt(condition, 'reason')];
      return status === 'True' || reason === '' ? status : `${status} (${reason})`;
    }),
    age,
  ],
  'flowcontrol.apiserver.k8s.io/FlowSchema': [
    textColumn('PriorityLevel', ['spec', 'priorityLevelConfiguration', 'name']),
    column('MatchingPrecedence', (object) => numberAt(object, 'spec', 'matchingPrecedence')),
    textColumn('DistinguisherMethod', ['spec', 'distinguisherMethod', 'type'], '<none>'),
    age,
    column('MissingPL', (object) => textAt(conditionOf(object, 'Dangling'), 'status') || '?'),
  ],
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': [
    textColumn('Type', ['spec', 'type']),
    plainColumn('NominalConcurrencyShares', ['spec', 'limited', 'nominalConcurrencyShares']),
    ...['queues', 'handSize', 'queueLengthLimit'].map((name) =>
      plainColumn(name.charAt(0).toUpperCase() + name.slice(1), ['spec', 'limited', 'limitResponse', 'queuing', name]),
    ),
    age,
  ],
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': [countColumn('Webhooks', ['webhooks']), age],
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': [countColumn('Webhooks', ['webhooks']), age],
};
