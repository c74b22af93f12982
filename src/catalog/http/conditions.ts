/** What is served under a path, as conditions of requests compare it. */
export interface Representation {
  /** Strong tags of all its encodings, in quotes. */
  readonly etags: readonly string[];
  readonly modifiedAtMs: number;
}

/** Headers of a request that are conditions. */
export interface ConditionHeaders {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-modified-since'?: string | undefined;
  readonly 'if-unmodified-since'?: string | undefined;
}

function names(header: string, { etags }: Representation, isWeakEnough: boolean): boolean {
  if (header.trim() === '*') return true;
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => etags.includes(isWeakEnough ? tag.replace(/^W\//, '') : tag));
}

/** Dates of headers count whole seconds; undefined for what is no date, which counts as absent. */
function isModifiedSince(header: string, { modifiedAtMs }: Representation): boolean | undefined {
  const sinceMs = Date.parse(header);
  return Number.isNaN(sinceMs) ? undefined : Math.floor(modifiedAtMs / 1000) > Math.floor(sinceMs / 1000);
}

/** What a GET or HEAD with such conditions is answered with instead of the content; undefined for the content.
 *  @see RFC 9110, section 13.2.2 */
export function refusedCondition(headers: ConditionHeaders, served: Representation): 304 | 412 | undefined {
  const match = headers['if-match'];
  const unmodified = headers['if-unmodified-since'];
  if (match !== undefined) {
    if (!names(match, served, false)) return 412;
  } else if (unmodified !== undefined && isModifiedSince(unmodified, served) === true) return 412;
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) return names(noneMatch, served, true) ? 304 : undefined;
  const modified = headers['if-modified-since'];
  return modified !== undefined && isModifiedSince(modified, served) === false ? 304 : undefined;
}

/** A part of a content: from `startByte` to before `endByte`. */
export interface ByteRange {
  readonly startByte: number;
  readonly endByte: number;
}

/** What `bytes=<first>-<last>` means; either may be empty, both are nothing. */
function partOf(first: string, last: string, lengthBytes: number): ByteRange {
  if (first === '') return { startByte: Math.max(0, lengthBytes - Number(last)), endByte: lengthBytes };
  const endByte = last === '' ? lengthBytes : Math.min(lengthBytes, Number(last) + 1);
  return { startByte: Number(first), endByte };
}

/** Without a pattern that allows for blanks: at a header full of them it would look for too long. */
function rangeIn(header: string): readonly [string, string] | undefined {
  const [first = '', last, ...more] = header
    .replace(/^bytes=/, '')
    .split('-', 3)
    .map((text) => text.trim());
  if (!header.startsWith('bytes=') || last === undefined || more.length > 0) return undefined;
  return /^\d*$/.test(first) && /^\d*$/.test(last) ? [first, last] : undefined;
}

/** The part that a request asks for: undefined for the whole, which several parts are answered with, too; `unsatisfiable` when there is no such
 *  part.
 *  @see RFC 9110, section 14 */
export function requestedRange(
  headers: { readonly range?: string | undefined; readonly 'if-range'?: string | undefined },
  served: Representation & { readonly lengthBytes: number },
): ByteRange | 'unsatisfiable' | undefined {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined || /^bytes=.*,/.test(range)) return undefined;
  if (ifRange !== undefined && !isStillThat(ifRange, served)) return undefined;
  const limits = rangeIn(range);
  const part = limits === undefined ? undefined : partOf(...limits, served.lengthBytes);
  return part !== undefined && part.startByte < part.endByte ? part : 'unsatisfiable';
}

function isStillThat(ifRange: string, served: Representation): boolean {
  if (ifRange.startsWith('"')) return served.etags[0] === ifRange;
  return isModifiedSince(ifRange, served) === false;
}

/** Whether a client takes gzip, and likes it no less than plain bytes. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const weights = new Map<string, number>();
  for (const item of (acceptEncoding ?? '').split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  const weight = weights.get('gzip') ?? weights.get('*') ?? 0;
  return weight > 0 && weight >= (weights.get('identity') ?? 0);
}
