import { isJsonEqual, type JsonObject, objectAt, textAt, valueAt } from '../../../src/base/index.ts';
import {
  dns1123SubdomainProblems,
  type FieldError,
  invalidField,
  qualifiedNameProblems,
  requiredField,
} from '../../../src/schema/index.ts';
import { asJson, countAt, type KindRules, type KubeObject } from '../../core/index.ts';
import { immutableErrors, invalids } from './checks.ts';
import { eventToStorage } from './conversions.ts';

/** Events, which are stored once for both of their groups. The newer group is stricter: its events never change.
 *  @see docs/spec/kube-api-types.md#validation-rules */

function lengthErrors(field: string, text: string, limit: number): FieldError[] {
  return Array.from(text).length > limit ? [invalidField(field, '', `can have at most ${limit} characters`)] : [];
}

function requiredTextErrors(field: string, text: string, limit: number): FieldError[] {
  return text === '' ? [requiredField(field)] : lengthErrors(field, text, limit);
}

function namespaceErrors(event: KubeObject, places: readonly string[]): FieldError[] {
  const { namespace = '' } = event.metadata;
  const involved = textAt(objectAt(asJson(event), 'involvedObject'), 'namespace');
  const isFine = involved === '' ? places.includes(namespace) : places.length > 2 || namespace === involved;
  return isFine ? [] : [invalidField('involvedObject.namespace', involved, 'does not match event.namespace')];
}

/** Errors of an event in its core form; `controllerField` is what its version calls the reporting controller. */
function eventErrors(event: KubeObject, controllerField: string): FieldError[] {
  const json = asJson(event);
  const { namespace = '' } = event.metadata;
  const inNamespace = invalids('namespace', namespace, dns1123SubdomainProblems(namespace));
  if (textAt(json, 'eventTime') === '') return [...namespaceErrors(event, ['', 'default']), ...inNamespace];
  const controller = textAt(json, 'reportingComponent');
  const involved = textAt(objectAt(json, 'involvedObject'), 'namespace');
  return [
    ...(involved === '' ? namespaceErrors(event, ['default', 'kube-system']) : []),
    ...(controller === '' ? [requiredField(controllerField)] : []),
    ...invalids(controllerField, controller, qualifiedNameProblems(controller)),
    ...requiredTextErrors('reportingInstance', textAt(json, 'reportingInstance'), 128),
    ...requiredTextErrors('action', textAt(json, 'action'), 128),
    ...requiredTextErrors('reason', textAt(json, 'reason'), 128),
    ...lengthErrors('message', textAt(json, 'message'), 1024),
    ...inNamespace,
  ];
}

function coreErrors(event: KubeObject): FieldError[] {
  return eventErrors(event, 'reportingComponent');
}

function seriesErrors(event: JsonObject): FieldError[] {
  const series = objectAt(event, 'series');
  if (series === undefined) return [];
  const errors = countAt(series, 'count') < 2 ? [invalidField('series.count', '', 'should be at least 2')] : [];
  const isTimed = textAt(series, 'lastObservedTime') !== '';
  return isTimed ? errors : [...errors, requiredField('series.lastObservedTime')];
}

/** Fields of the core form that a new event of events.k8s.io leaves alone. */
function oldFieldErrors(event: JsonObject): FieldError[] {
  const source = objectAt(event, 'source');
  const isSet = {
    firstTimestamp: textAt(event, 'firstTimestamp') !== '',
    lastTimestamp: textAt(event, 'lastTimestamp') !== '',
    count: countAt(event, 'count') !== 0,
    source: textAt(source, 'component') !== '' || textAt(source, 'host') !== '',
  };
  return Object.entries(isSet)
    .filter(([, isThere]) => isThere)
    .map(([key]) => invalidField(key, '', 'needs to be unset'));
}

function newEventErrors(served: KubeObject): FieldError[] {
  const event = eventToStorage(served);
  const json = asJson(event);
  const type = textAt(json, 'type');
  return [
    ...eventErrors(event, 'reportingController'),
    ...seriesErrors(json),
    ...(textAt(json, 'eventTime') === '' ? [requiredField('eventTime')] : []),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalidField('type', '', `has invalid value: ${type}`)]),
    ...oldFieldErrors(json),
  ];
}

const fixedFields: readonly (readonly [string, string])[] = [
  ['involvedObject', 'involvedObject'],
  ['reason', 'reason'],
  ['message', 'message'],
  ['source', 'source'],
  ['firstTimestamp', 'firstTimestamp'],
  ['lastTimestamp', 'lastTimestamp'],
  ['count', 'count'],
  ['reason', 'reason'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingController', 'reportingComponent'],
  ['reportingInstance', 'reportingInstance'],
];

function changedEventErrors(served: KubeObject, old: KubeObject): FieldError[] {
  const [event, before] = [asJson(eventToStorage(served)), asJson(eventToStorage(old))];
  const isKept = isJsonEqual(valueAt(event, 'series'), valueAt(before, 'series'));
  const fixed = fixedFields.flatMap(([field, key]) => {
    const now = valueAt(event, key) ?? '';
    return immutableErrors(field, now, isJsonEqual(now, valueAt(before, key) ?? ''));
  });
  return [
    ...eventErrors(eventToStorage(served), 'reportingController'),
    ...(isKept ? [] : seriesErrors(event)),
    ...fixed,
  ];
}

/** Rules of core Events. */
export const coreEventRules: KindRules = { validate: coreErrors, validateChange: coreErrors };

/** Rules of events.k8s.io. */
export const eventRules: KindRules = { validate: newEventErrors, validateChange: changedEventErrors };
