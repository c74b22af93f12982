import type { KubeObject } from '../registry/kube-object.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import { type FieldRequirement, matchesFields, parseFieldSelector, parseLabelSelector } from '../selectors/index.ts';
import { parameter } from './list-options.ts';
import type { ResourceRequest } from './request-info.ts';
import { badRequest } from './status-error.ts';

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
  if (type.strategy.selectableFields.size > 0) return badRequest(`field label not supported: ${field}`);
  return badRequest(
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

function checkFields(type: ResourceType, fields: readonly FieldRequirement[]): void {
  for (const { field } of fields) {
    const isKnown = field === 'metadata.name' || field === 'metadata.namespace';
    if (!isKnown && !type.strategy.selectableFields.has(field)) throw unknownField(type, field);
  }
}

/** Reads labelSelector and fieldSelector of a query.
 *  @throws StatusError 400 */
export function parseSelection(type: ResourceType, request: ResourceRequest, query: URLSearchParams): Selection {
  const labels = parseLabelSelector(parameter(query, 'labelSelector'));
  const fields = parseFieldSelector(parameter(query, 'fieldSelector'));
  checkFields(type, fields);
  const named = fields.find(({ field, operator }) => field === 'metadata.name' && operator === '=')?.value;
  const isOther = named !== undefined && named !== request.name;
  if (request.name !== '' && isOther) throw badRequest("fieldSelector metadata.name doesn't match requested name");
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
