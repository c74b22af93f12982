import { type MachineConfigPool, poolNames } from '../../api/index.ts';
import { TerminalError } from '../../base/index.ts';

const tooLarge = 1_000_000;

function invalid(text: string): TerminalError {
  return new TerminalError('InvalidMaxUnavailable', `maxUnavailable: ${text}`);
}

function scaled(value: number | string, nodes: number): number {
  if (typeof value === 'number') return value;
  const [, digits] = /^([+-]?\d+)%$/.exec(value) ?? [];
  if (digits !== undefined) return Math.floor((Number(digits) * nodes) / 100);
  const shown = value.slice(0, 40);
  throw invalid(
    value.endsWith('%')
      ? `invalid value for IntOrString: "${shown}" is not a percentage such as 25%`
      : `invalid value for IntOrString: invalid type: string "${shown}" is not a percentage`,
  );
}

/** How many nodes of a pool may be unavailable at a time.
 *  @throws TerminalError InvalidMaxUnavailable
 *  @see docs/spec/machine-lifecycle.md#maxunavailable */
export function maxUnavailableOf({ metadata, spec }: MachineConfigPool, nodes: number): number {
  if (metadata.name === poolNames.arbiter) return 1;
  const { maxUnavailable = 1 } = spec;
  const most = scaled(maxUnavailable, nodes);
  if (most < 0 || String(maxUnavailable).startsWith('-')) {
    throw invalid(`${String(maxUnavailable).slice(0, 40)} is negative; set paused to stop updates`);
  }
  return Math.min(Math.max(most, 1), tooLarge);
}

/** How many nodes of a control plane may be unavailable without the loss of its quorum. A control plane of one or two nodes has none to lose. */
export function quorumLimit(nodes: number): number {
  return Math.max(1, Math.floor((nodes - 1) / 2));
}
