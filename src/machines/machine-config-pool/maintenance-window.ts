import type { MaintenanceWindow } from '../../api/index.ts';
import { parseGoDuration, TerminalError } from '../../base/index.ts';

const dayMs = 86_400_000;
const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** Whether nodes may be started now; if not, when they may. */
export type WindowState =
  | { readonly isOpen: true; readonly untilMs: number }
  | { readonly isOpen: false; readonly nextMs: number };

function lengthOf({ duration }: MaintenanceWindow): number {
  const ms = Number(parseGoDuration(duration) ?? 0n) / 1e6;
  if (ms <= 0 || ms > dayMs) {
    const shown = duration.slice(0, 20);
    throw new TerminalError(
      'InvalidWindow',
      `maintenanceWindows: duration "${shown}" must be longer than 0 and at most 24h`,
    );
  }
  return ms;
}

/** The beginnings of a window around a time, from the day before to a week later. */
function beginnings({ days = [], start }: MaintenanceWindow, nowMs: number): readonly number[] {
  const [hours = 0, minutes = 0] = start.split(':').map(Number);
  const midnight = Math.floor(nowMs / dayMs) * dayMs;
  const all = Array.from({ length: 9 }, (_, index) => midnight + (index - 1) * dayMs);
  const isOn = (ms: number): boolean =>
    days.length === 0 || days.includes(dayNames[new Date(ms).getUTCDay()] ?? 'Sunday');
  return all.filter(isOn).map((ms) => ms + (hours * 60 + minutes) * 60_000);
}

/** Whether one of the windows is open. Without any, always.
 *  @throws TerminalError InvalidWindow */
export function windowState(windows: readonly MaintenanceWindow[], nowMs: number): WindowState {
  if (windows.length === 0) return { isOpen: true, untilMs: Number.POSITIVE_INFINITY };
  const spans = windows.flatMap((window) => {
    const length = lengthOf(window);
    return beginnings(window, nowMs).map((from) => ({ from, to: from + length }));
  });
  const open = spans.filter(({ from, to }) => from <= nowMs && nowMs < to);
  if (open.length > 0) return { isOpen: true, untilMs: Math.max(...open.map(({ to }) => to)) };
  return { isOpen: false, nextMs: Math.min(...spans.map(({ from }) => from).filter((from) => from > nowMs)) };
}
