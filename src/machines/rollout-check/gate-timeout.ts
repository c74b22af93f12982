import type { MachineConfigPool } from '../../api/index.ts';
import { parseGoDuration } from '../../base/index.ts';

const defaultTimeoutMs = 600_000;
const dayMs = 86_400_000;

/** How long gates of a node may stay closed before it is degraded, and how long the Job of a check may take. */
export function gateTimeoutMs({ spec }: MachineConfigPool): number {
  const { timeout } = spec.rollout?.gates ?? {};
  const ms = timeout === undefined ? defaultTimeoutMs : Number(parseGoDuration(timeout) ?? 0n) / 1e6;
  return ms > 0 ? Math.min(ms, dayMs) : defaultTimeoutMs;
}
