import { type CatalogSource, parseImageReference } from '../../api/index.ts';
import { goQuote, parseGoDuration, TerminalError } from '../../base/index.ts';

const defaultMs = 15 * 60_000;
/** Registries are not asked more often, whatever the spec has. */
const shortestMs = 10_000;
const nanosPerMs = 1_000_000n;

/** How often the content of a CatalogSource is looked for again. */
export interface PollInterval {
  /** Undefined: never. */
  readonly everyMs: number | undefined;
  /** Why the interval in the spec is not used. */
  readonly fault?: string;
}

const never: PollInterval = { everyMs: undefined };

/** Why Go does not read a text as a duration, in its words. */
function durationFault(text: string): string {
  const [, number, unit] = /^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)[a-zµμ]+)*(\d+(?:\.\d*)?|\.\d+)([^\d.]*)/u.exec(text) ?? [];
  if (number === undefined) return `time: invalid duration ${goQuote(text)}`;
  if (unit === '') return `time: missing unit in duration ${goQuote(text)}`;
  return `time: unknown unit ${goQuote(unit ?? '')} in duration ${goQuote(text)}`;
}

function isByDigest(image: string): boolean {
  try {
    return parseImageReference(image).digest !== undefined;
  } catch (thrown) {
    if (thrown instanceof TerminalError) return false;
    throw thrown;
  }
}

/** Images by digest are never polled: they cannot change.
 *  @see docs/spec/olm-v0.md#catalogsource-reconcile */
export function pollIntervalOf({ spec }: CatalogSource): PollInterval {
  const text = spec.updateStrategy?.registryPoll?.interval;
  if (text === undefined || spec.sourceType !== 'grpc') return never;
  if (spec.image !== undefined && isByDigest(spec.image)) return never;
  const nanos = parseGoDuration(text);
  if (nanos === undefined) {
    const fault = `error parsing spec.updateStrategy.registryPoll.interval. Using the default value of 15m0s instead. Error: ${durationFault(text)}`;
    return { everyMs: defaultMs, fault };
  }
  if (nanos <= 0n) return never;
  return { everyMs: Math.max(shortestMs, Number(nanos / nanosPerMs)) };
}
