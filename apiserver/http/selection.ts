import {
  badRequest,
  type FieldRequirement,
  type KubeObject,
  type LabelSelector,
  matchesFields,
  parseFieldSelector,
  parseLabelSelector,
  type ResourceType,
} from '../core/index.ts';
import { parameter } from './query-values.ts';
import type { ResourceRequest } from './request-info.ts';

/** Which objects of a collection a list, watch or deletecollection is about. */
export interface Selection {
  readonly isEverything: boolean;
  /** Set when one object is asked for by name. */
  readonly name: string | undefined;
  /** `object` is in the type's version. */
  matches(object: KubeObject): boolean;
}

function fieldValue(type: ResourceType, field: string, object: KubeObject): string {
  if (field === 'metadata.name') return object.metadata.name ?? '';
  if (field === 'metadata.namespace') return object.metadata.namespace ?? '';
  return type.strategy.selectableFields.get(field)?.(object) ?? '';
}

function unknownField(type: ResourceType, field: string): Error {
  const quoted = JSON.stringify(field);
  if (type.storageKey === 'jobs.batch') return badRequest(`field label ${quoted} not supported for Job`);
  if (!type.isCustom && !hasOwnFields(type)) {
    return badRequest(`${quoted} is not a known field selector: only "metadata.name", "metadata.namespace"`);
  }
  return badRequest(`field label not supported: ${field}`);
}

function hasOwnFields(type: ResourceType): boolean {
  return type.strategy.selectableFields.size > 0;
}

/** Kinds of the cluster that list their own fields leave the namespace out. */
function isSelectable(type: ResourceType, field: string): boolean {
  if (field === 'metadata.name') return true;
  if (field === 'metadata.namespace') return type.namespaced || !hasOwnFields(type);
  return type.strategy.selectableFields.has(field);
}

function checkFields(type: ResourceType, fields: readonly FieldRequirement[]): void {
  for (const { field } of fields) if (!isSelectable(type, field)) throw unknownField(type, field);
}

/** Selectors as they were sent, well formed; whether the kind has these fields is not looked at. */
export interface Selectors {
  readonly labels: LabelSelector;
  readonly fields: readonly FieldRequirement[];
}

/** Reads labelSelector and fieldSelector of a query.
 *  @throws StatusError 400 */
export function parseSelectors(query: URLSearchParams): Selectors {
  return {
    labels: parseLabelSelector(parameter(query, 'labelSelector')),
    fields: parseFieldSelector(parameter(query, 'fieldSelector')),
  };
}

/** What selectors mean for a type and a request.
 *  @throws StatusError 400 for fields that the type does not offer */
export function selectionOf(type: ResourceType, request: ResourceRequest, { labels, fields }: Selectors): Selection {
  checkFields(type, fields);
  const named = fields.find(({ field, operator }) => field === 'metadata.name' && operator === '=')?.value;
  if (request.name !== '' && fields.length > 0 && named !== request.name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  const name = request.name === '' ? named : request.name;
  const isInName = (object: KubeObject): boolean => request.name === '' || object.metadata.name === request.name;
  return {
    isEverything: fields.length === 0 && labels.isEverything && name === undefined,
    name,
    matches: (object) =>
      isInName(object) &&
      labels.matches(object.metadata.labels) &&
      matchesFields(fields, (field) => fieldValue(type, field, object)),
  };
}
