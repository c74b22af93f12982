import type { KubeObject } from '../registry/kube-object.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import { matchesFields, parseFieldSelector, parseLabelSelector } from '../selectors/index.ts';
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

/** Reads labelSelector and fieldSelector of a query.
 *  @throws StatusError 400 */
export function parseSelection(type: ResourceType, request: ResourceRequest, query: URLSearchParams): Selection {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
  for (const { field } of fields) {
    const isKnown = field === 'metadata.name' || field === 'metadata.namespace';
    if (!isKnown && !type.strategy.selectableFields.has(field)) throw unknownField(type, field);
  }
  const named = fields.find(({ field, operator }) => field === 'metadata.name' && operator === '=')?.value;
  if (request.name !== '' && named !== undefined && named !== request.name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  const name = request.name === '' ? named : request.name;
  return {
    isEverything: fields.length === 0 && labels.isEverything && name === undefined,
    name,
    matches: (object) =>
      (request.name === '' || object.metadata.name === request.name) &&
      labels.matches(object.metadata.labels) &&
      matchesFields(fields, (field) => fieldValue(type, field, object)),
  };
}
