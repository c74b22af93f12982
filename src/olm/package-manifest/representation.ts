import type { JsonObject } from '../../base/index.ts';
import { packagesApiVersion, packagesKind } from './api.ts';
import type { FoundPackage } from './packages.ts';
import { type IncludedObject, partialObject, tableHead, tableRow } from './table.ts';

/** How objects are written. */
export interface Representation {
  readonly type: string;
  /** The list without its items, and the member that has them. */
  readonly head: JsonObject;
  readonly items: 'items' | 'rows';
  /** Undefined for one that cannot be read any more. */
  readonly item: (found: FoundPackage) => JsonObject | undefined;
  /** A single object. */
  readonly one: (found: FoundPackage) => JsonObject | undefined;
}

const json = 'application/json';

function plain(): Representation {
  const head = { kind: `${packagesKind}List`, apiVersion: packagesApiVersion, metadata: {} };
  const one = ({ manifest }: FoundPackage): JsonObject | undefined => manifest();
  return { type: json, head, items: 'items', item: one, one };
}

function table(included: IncludedObject, nowMs: number): Representation {
  const item = (found: FoundPackage): JsonObject => tableRow(found, included, nowMs);
  const one = (found: FoundPackage): JsonObject => ({ ...tableHead, rows: [item(found)] });
  return { type: `${json};as=Table;v=v1;g=meta.k8s.io`, head: tableHead, items: 'rows', item, one };
}

function metadata(): Representation {
  const head = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata: {} };
  const one = (found: FoundPackage): JsonObject => partialObject(found.metadata);
  return { type: json, head, items: 'items', item: one, one };
}

function includedIn(query: URLSearchParams): IncludedObject {
  const included = query.get('includeObject');
  return included === 'None' || included === 'Object' ? included : 'Metadata';
}

/** The form that one media type asks for: '' is the plain one; undefined for one that is not served. */
function formOf(entry: string): string | undefined {
  const [type = '', ...parameters] = entry.split(';').map((part) => part.trim());
  if (![json, '*/*', 'application/*'].includes(type)) return undefined;
  const asked = new Map(parameters.map((parameter) => parameter.split('=') as [string, string | undefined]));
  const form = asked.get('as') ?? '';
  return form === '' || asked.get('v') === 'v1' ? form : undefined;
}

const forms: Readonly<Record<string, (query: URLSearchParams, nowMs: number) => Representation>> = {
  '': plain,
  Table: (query, nowMs) => table(includedIn(query), nowMs),
  PartialObjectMetadata: metadata,
  PartialObjectMetadataList: metadata,
};

/** The first form of `accept` that is served; undefined where none is. */
export function representationFor(accept: string, query: URLSearchParams, nowMs: number): Representation | undefined {
  const asked = accept.trim() === '' ? [''] : accept.split(',').map(formOf);
  const first = asked.find((form) => form !== undefined && Object.hasOwn(forms, form));
  return first === undefined ? undefined : forms[first]?.(query, nowMs);
}
