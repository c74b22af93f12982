import { StatusError } from './status-error.ts';

/** The form of an answer: its syntax and what is shown of an object. */
export interface OutputForm {
  readonly syntax: 'json' | 'yaml';
  readonly as: 'Object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** Version of meta.k8s.io for Table and metadata: `v1` or `v1beta1`. */
  readonly metaVersion: string;
  readonly isPretty: boolean;
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const acceptedTypes = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const syntaxes = new Map<string, 'json' | 'yaml'>([
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['*/*', 'json'],
  ['application/yaml', 'yaml'],
]);

/** Clauses of an Accept header, best first. */
export function parseAccept(header: string): Clause[] {
  const clauses = header.split(',').map((text) => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const parameters = new Map(
      rest.map((part): [string, string] => {
        const at = part.indexOf('=');
        return at < 0 ? [part.toLowerCase(), ''] : [part.slice(0, at).toLowerCase(), part.slice(at + 1)];
      }),
    );
    const quality = Number(parameters.get('q') ?? '1');
    return { type: type.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 0 };
  });
  return clauses.filter(({ type }) => type !== '').sort((a, b) => b.quality - a.quality);
}

function conversionOf(clause: Clause, isList: boolean): OutputForm['as'] | undefined {
  const as = clause.parameters.get('as') ?? '';
  if (as === '') return 'Object';
  const groupVersion = `${clause.parameters.get('g')}/${clause.parameters.get('v')}`;
  if (groupVersion !== 'meta.k8s.io/v1' && groupVersion !== 'meta.k8s.io/v1beta1') return undefined;
  if (as === 'Table') return 'Table';
  const partial = isList ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return as === partial ? partial : undefined;
}

/** Whether JSON is to be indented. */
export function wantsPretty(query: URLSearchParams, userAgent: string | undefined): boolean {
  const pretty = query.get('pretty');
  if (pretty !== null) return pretty !== 'false' && pretty !== '0';
  return /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent ?? '');
}

/** Chooses the form of an answer by the Accept header.
 *  @throws StatusError 406 */
export function negotiateOutput(
  accept: string | undefined,
  options: { readonly isList: boolean; readonly isPretty: boolean; readonly isStream?: boolean },
): OutputForm {
  for (const clause of parseAccept(accept === undefined || accept === '' ? '*/*' : accept)) {
    const syntax = syntaxes.get(clause.type);
    const as = conversionOf(clause, options.isList);
    if (syntax === undefined || as === undefined) continue;
    if (options.isStream === true && syntax === 'yaml') continue;
    const isPretty = options.isPretty || clause.parameters.get('pretty') === '1';
    return { syntax, as, metaVersion: clause.parameters.get('v') ?? 'v1', isPretty };
  }
  const message = `only the following media types are accepted: ${acceptedTypes}`;
  throw new StatusError({ code: 406, reason: 'NotAcceptable', message });
}

/** Syntax of a request body by its Content-Type. Protobuf is not decoded yet.
 *  @throws StatusError 415 */
export function negotiateInput(contentType: string | undefined): 'json' | 'yaml' {
  const type = mediaType(contentType);
  if (type === '' || type === 'application/json') return 'json';
  if (type === 'application/yaml') return 'yaml';
  throw unsupportedMediaType(['application/json', 'application/yaml']);
}

/** The media type without parameters, in lower case. */
export function mediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** 415 that names what would have been accepted. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const list = accepted.join(', ');
  const message = `the body of the request was in an unknown format - accepted media types include: ${list}`;
  return new StatusError({ code: 415, reason: 'UnsupportedMediaType', message });
}
