import { type ClusterCatalog, parseImageReference } from '../../api/index.ts';
import { goQuote, TerminalError } from '../../base/index.ts';
import type { CatalogRecord } from '../catalog-content/catalog-store.ts';

const minuteMs = 60_000;
/** Spreads the polls of catalogs. */
const jitterShare = 0.01;

/** Reason of errors that only another spec can fix. */
export const blocked = 'Blocked';

/** Reason of `Progressing` before the first outcome. */
export const unpacking = 'Unpacking';

/** When this process last polled the image of a catalog. */
export interface Poll {
  readonly uid: string;
  readonly generation: number;
  /** When the next poll is due; undefined: never. */
  readonly dueMs: number | undefined;
  readonly atMs: number;
}

/** What there is. */
export interface Situation {
  readonly catalog: ClusterCatalog;
  /** Of this very object. */
  readonly stored: CatalogRecord | undefined;
  readonly poll: Poll | undefined;
  /** Whether this process decides what is served; others take what is decided. */
  readonly isLeading: boolean;
  readonly nowMs: number;
}

/** What to do. `poll`: resolve the reference, and unpack it when it is something else; `restore`: unpack what others serve, or served. */
export type Plan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'keep'; readonly dueMs: number | undefined }
  | { readonly kind: 'poll' }
  | { readonly kind: 'restore'; readonly ref: string };

/** The reference of the image.
 *  @throws TerminalError Blocked */
export function askedRefOf({ metadata, spec }: ClusterCatalog): string {
  const { type, image } = spec.source;
  if (type !== 'Image') throw new TerminalError(blocked, `unknown source type ${goQuote(String(type))}`);
  if (image === undefined) {
    throw new TerminalError(blocked, `error parsing ClusterCatalog ${goQuote(metadata.name)}, image source is nil`);
  }
  try {
    parseImageReference(image.ref);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    const why = typeof thrown.cause === 'string' ? thrown.cause : thrown.message;
    throw new TerminalError(blocked, `error parsing image reference ${goQuote(image.ref)}: ${why}`, { cause: thrown });
  }
  return image.ref;
}

function generationOf({ metadata }: ClusterCatalog): number {
  return metadata.generation ?? 0;
}

/** The record of a poll at `nowMs`. */
export function pollOf(catalog: ClusterCatalog, nowMs: number, random: () => number = Math.random): Poll {
  const { uid = '' } = catalog.metadata;
  const minutes = catalog.spec.source.image?.pollIntervalMinutes;
  const dueMs = minutes === undefined ? undefined : nowMs + minutes * minuteMs * (1 + random() * jitterShare);
  return { uid, generation: generationOf(catalog), dueMs, atMs: nowMs };
}

/** What came of the spec as it is; undefined before that is known. */
function outcomeOf(catalog: ClusterCatalog): string | undefined {
  const progressing = catalog.status?.conditions?.find(({ type }) => type === 'Progressing');
  if (progressing?.observedGeneration !== generationOf(catalog) || progressing.reason === unpacking) return undefined;
  return progressing.reason;
}

function planWithout(catalog: ClusterCatalog): Plan {
  const resolved = catalog.status?.resolvedSource?.image.ref;
  return resolved !== undefined && outcomeOf(catalog) !== undefined
    ? { kind: 'restore', ref: resolved }
    : { kind: 'poll' };
}

function planAfter({ dueMs, atMs }: Poll, nowMs: number): Plan {
  // The last poll is in the future if the clock was set back.
  const isDue = dueMs !== undefined && (dueMs <= nowMs || nowMs < atMs);
  return isDue ? { kind: 'poll' } : { kind: 'keep', dueMs };
}

function planForLeader({ catalog, stored, poll, nowMs }: Situation): Plan {
  if (stored === undefined) return planWithout(catalog);
  const { uid } = catalog.metadata;
  if (poll?.uid === uid && poll?.generation === generationOf(catalog)) return planAfter(poll, nowMs);
  const isPolled = catalog.spec.source.image?.pollIntervalMinutes !== undefined;
  return isPolled || outcomeOf(catalog) !== 'Succeeded' ? { kind: 'poll' } : { kind: 'keep', dueMs: undefined };
}

/** Decides from what there is, whatever happened before. */
export function planOf(situation: Situation): Plan {
  const { catalog, stored, isLeading } = situation;
  if (isLeading) return planForLeader(situation);
  const resolved = catalog.status?.resolvedSource?.image.ref;
  if (resolved === undefined) return { kind: 'nothing' };
  return stored?.ref === resolved ? { kind: 'keep', dueMs: undefined } : { kind: 'restore', ref: resolved };
}
