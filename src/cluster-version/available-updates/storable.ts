import { TerminalError } from '../../base/index.ts';
import type { AvailableUpdates } from '../../update-graph/index.ts';
import type { Availability } from './availability.ts';

const maxConditional = 500;
const maxRisks = 200;
const maxAllRisks = 500;
/** An object takes 1.5 MiB at most. */
const maxBytes = 1024 * 1024;

/** Refuses what the status of a ClusterVersion cannot hold: no status could be written any more, not even that this is the cause.
 *  @throws TerminalError ResponseInvalid */
export function assertStorable({ available, conditional }: AvailableUpdates): void {
  const refuse = (text: string): never => {
    throw new TerminalError('ResponseInvalid', text);
  };
  if (conditional.length > maxConditional) {
    refuse(`${conditional.length} conditional updates, more than the limit of ${maxConditional}`);
  }
  for (const { release, risks } of conditional) {
    if (risks.length > maxRisks) {
      refuse(`update to ${release.version}: ${risks.length} risks, more than the limit of ${maxRisks}`);
    }
  }
  const sizeBytes = Buffer.byteLength(JSON.stringify({ available, conditional }));
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
