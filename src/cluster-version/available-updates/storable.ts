import { TerminalError } from '../../base/index.ts';
import type { AvailableUpdates } from '../../update-graph/index.ts';
import type { Availability } from './availability.ts';

const maxConditional = 500;
const maxRisks = 200;
const maxAllRisks = 500;
/** An object takes 1.5 MiB at most. */
const maxBytes = 1024 * 1024;

/** Of the releases and risks as they are stored. Each risk is stored with each update that has it, but measured once: written out, a graph of a few
 *  megabytes may have terabytes. */
function storedBytes({ current, available, conditional }: AvailableUpdates): number {
  const sizes = new Map<object, number>();
  const sizeOf = (value: object): number => {
    const known = sizes.get(value) ?? Buffer.byteLength(JSON.stringify(value));
    sizes.set(value, known);
    return known;
  };
  const stored = [current, ...available, ...conditional.flatMap(({ release, risks }) => [release, ...risks])];
  return stored.reduce((sum, value) => sum + sizeOf(value), 0);
}

/** Refuses what the status of a ClusterVersion cannot hold: no status could be written any more, not even that this is the cause.
 *  @throws TerminalError ResponseInvalid */
export function assertStorable(updates: AvailableUpdates): void {
  const { conditional } = updates;
  const refuse = (text: string): never => {
    throw new TerminalError('ResponseInvalid', text);
  };
  if (conditional.length > maxConditional) {
    refuse(`${conditional.length} conditional updates, more than the limit of ${maxConditional}`);
  }
  for (const { release, risks } of conditional) {
    if (risks.length > maxRisks) {
      refuse(`update to ${release.version.slice(0, 100)}: ${risks.length} risks, more than the limit of ${maxRisks}`);
    }
  }
  const sizeBytes = storedBytes(updates);
  if (sizeBytes > maxBytes) refuse(`the updates take ${sizeBytes} bytes, more than the limit of ${maxBytes}`);
}

/** Why these updates cannot be stored; undefined if they can. Each risk is in the status several times, and with what its evaluation failed with. */
export function storageProblem(availability: Availability): string | undefined {
  const { length } = availability.conditionalUpdateRisks;
  if (length > maxAllRisks) return `${length} risks of all updates, more than the limit of ${maxAllRisks}`;
  const sizeBytes = Buffer.byteLength(JSON.stringify(availability));
  if (sizeBytes <= maxBytes) return undefined;
  return `the updates and their risks take ${sizeBytes} bytes of the status, more than the limit of ${maxBytes}`;
}
