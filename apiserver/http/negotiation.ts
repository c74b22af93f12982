import { StatusError } from '../core/index.ts';

/** How a body is written. */
export type Syntax = 'json' | 'yaml' | 'protobuf';

/** The form of an answer: its syntax and what is shown of an object. */
export interface OutputForm {
  readonly syntax: Syntax;
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

/** What an answer can be. */
export interface Offer {
  readonly isList: boolean;
  readonly isPretty: boolean;
  readonly isStream?: boolean;
  /** Custom resources have no protobuf form; their metadata have. */
  readonly isCustom?: boolean;
  /** Whether the router of built-in paths decides; that of custom resources does not. */
  readonly isRouted?: boolean;
  /** Whether a Table is out of the question. */
  readonly hasNoTable?: boolean;
}

/** The media type of protobuf bodies. */
export const protobufType = 'application/vnd.kubernetes.protobuf';

const types: readonly string[] = ['application/json', 'application/yaml', protobufType];
const syntaxes = new Map<string, Syntax>([
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['*/*', 'json'],
  ['application/yaml', 'yaml'],
  [protobufType, 'protobuf'],
]);

/** Clauses of an Accept header that count: to sort them takes the square of their number, and clients send fewer than ten. */
const maxClauses = 100;

/** Clauses of an Accept header, of which the first hundred count, best first. */
export function parseAccept(header: string): Clause[] {
  const clauses = header.split(',', maxClauses).map((text) => {
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
  return sortClauses(clauses.filter(({ type }) => type !== ''));
}

/** Whether a clause is taken before another: for its quality, or because it has fewer wildcards, whatever its quality. */
function isBefore(a: Clause, b: Clause): boolean {
  if (a.quality > b.quality) return true;
  const wildcards = ({ type }: Clause): readonly boolean[] => type.split('/').map((part) => part === '*');
  const [[major, minor], [otherMajor, otherMinor]] = [wildcards(a), wildcards(b)];
  return (major === false && otherMajor === true) || (minor === false && otherMinor === true);
}

/** That rule is no order, so its result depends on how it is sorted by: every clause is moved to the front while it is before its neighbour. */
function sortClauses(clauses: readonly Clause[]): Clause[] {
  const sorted: Clause[] = [];
  for (const clause of clauses) {
    let at = sorted.length;
    for (let before = sorted[at - 1]; before !== undefined && isBefore(clause, before); before = sorted[at - 1])
      at -= 1;
    sorted.splice(at, 0, clause);
  }
  return sorted;
}

function conversionOf(clause: Clause): OutputForm['as'] | undefined {
  const as = clause.parameters.get('as') ?? '';
  if (as === '') return 'Object';
  const groupVersion = `${clause.parameters.get('g')}/${clause.parameters.get('v')}`;
  if (groupVersion !== 'meta.k8s.io/v1' && groupVersion !== 'meta.k8s.io/v1beta1') return undefined;
  if (as === 'Table') return 'Table';
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? as : undefined;
}

/** Whether JSON is to be indented. */
export function wantsPretty(query: URLSearchParams, userAgent: string | undefined): boolean {
  const pretty = query.get('pretty');
  if (pretty !== null) return pretty !== 'false' && pretty !== '0';
  return /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent ?? '');
}

/** Whether an answer can be written in a syntax: Tables have no protobuf, custom objects neither, streams no YAML. */
function isOffered(syntax: Syntax, as: OutputForm['as'], offer: Offer): boolean {
  if (as === 'Table' && offer.hasNoTable === true) return false;
  if (syntax === 'json') return true;
  if (syntax === 'yaml') return offer.isStream !== true;
  return as !== 'Table' && !(as === 'Object' && offer.isCustom === true);
}

function parseClauses(accept: string | undefined): Clause[] {
  return parseAccept(accept === undefined || accept.trim() === '' ? '*/*' : accept);
}

/** Whether the client takes any media type that the path has, before anything else is asked of the header.
 *  @throws StatusError 406 */
export function checkRepresentations(accept: string | undefined, offer: Offer): void {
  if (offer.isRouted ?? offer.isCustom !== true) checkRoute(parseClauses(accept), offer);
}

/** Chooses the form of an answer by the Accept header.
 *  @throws StatusError 406 */
export function negotiateOutput(accept: string | undefined, offer: Offer): OutputForm {
  checkRepresentations(accept, offer);
  const clauses = parseClauses(accept);
  for (const clause of clauses) {
    const syntax = syntaxes.get(clause.type);
    const as = conversionOf(clause);
    if (syntax === undefined || as === undefined || !isOffered(syntax, as, offer)) continue;
    const isPretty = offer.isPretty || clause.parameters.get('pretty') === '1';
    return { syntax, as, metaVersion: clause.parameters.get('v') ?? 'v1', isPretty };
  }
  throw notAcceptable(isLackingStream(clauses, offer) ? streamTypes : types);
}

/** Whether there is a form that the client takes, only no stream of it. */
function isLackingStream(clauses: readonly Clause[], offer: Offer): boolean {
  if (offer.isStream !== true) return false;
  return clauses.some((clause) => {
    const as = conversionOf(clause);
    return syntaxes.has(clause.type) && as !== undefined && !(as === 'Table' && offer.hasNoTable === true);
  });
}

const streamTypes: readonly string[] = ['application/json;stream=watch', `${protobufType};stream=watch`];

/** The kind of aggregated discovery. */
export const aggregatedKind = 'APIGroupDiscoveryList';

/** Chooses the form of `/api` and `/apis`: all in one document where that is asked for by name, else the plain one.
 *  @throws StatusError 406 */
export function negotiateRoot(
  accept: string | undefined,
  isCore: boolean,
): { readonly syntax: Syntax; readonly isAggregated: boolean } {
  const clauses = parseClauses(accept);
  if (isCore) checkRoute(clauses, { isList: false, isPretty: false });
  for (const { type, parameters } of clauses) {
    const syntax = syntaxes.get(type);
    const as = parameters.get('as') ?? '';
    const isKnown = parameters.get('g') === 'apidiscovery.k8s.io' && parameters.get('v') === 'v2';
    if (syntax === undefined || (as !== '' && !(as === aggregatedKind && isKnown))) continue;
    return { syntax, isAggregated: as !== '' };
  }
  throw notAcceptable(types);
}

/** The same of a header, for what has to be known before the response starts.
 *  @throws StatusError 406 */
export function checkAcceptRoute(accept: string | undefined, isList: boolean): void {
  checkRoute(parseClauses(accept), { isList, isPretty: false });
}

/** The router of built-in paths looks for a type that it knows by name before anything else is asked of the header.
 *  @throws StatusError 406 */
function checkRoute(clauses: readonly Clause[], offer: Offer): void {
  if (clauses.some(({ type }) => type === '*/*' || types.includes(type))) return;
  throw unroutable(offer.isList || offer.isStream === true ? [...types, ...streamTypes] : types);
}

/** 406 of the router, which names what there is. */
export function unroutable(available: readonly string[]): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`;
  return new StatusError({ code: 406, reason: 'NotAcceptable', message, details: {} });
}

function notAcceptable(accepted: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return new StatusError({ code: 406, reason: 'NotAcceptable', message });
}

/** The syntax of a Status of failure: the first that the client takes, JSON where it takes none. */
export function negotiateFailure(accept: string | undefined): Syntax {
  if (accept === undefined) return 'json';
  const clause = parseClauses(accept).find(({ type, parameters }) => syntaxes.has(type) && !parameters.has('as'));
  return (clause === undefined ? undefined : syntaxes.get(clause.type)) ?? 'json';
}

/** Syntax of a request body by its Content-Type. Custom resources are not taken in protobuf.
 *  @throws StatusError 415 */
export function negotiateInput(contentType: string | undefined, isCustom = false): Syntax {
  const type = mediaType(contentType);
  if (type === '' || type === 'application/json') return 'json';
  if (type === 'application/yaml') return 'yaml';
  if (type === protobufType && !isCustom) return 'protobuf';
  throw unsupportedMediaType(types);
}

const patchTypes: ReadonlySet<string> = new Set([
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]);

/** The router looks at the type of patches of built-in kinds before anybody else does.
 *  @throws StatusError 415 */
export function checkPatchRoute(contentType: string | undefined): void {
  if (patchTypes.has(mediaType(contentType))) return;
  const message = '415: Unsupported Media Type';
  throw new StatusError({ code: 415, reason: 'UnsupportedMediaType', message, details: {} });
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
