const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

function pair(
  ms: number,
  [big, bigUnit]: readonly [number, string],
  [small, smallUnit]: readonly [number, string],
): string {
  const rest = Math.floor((ms % big) / small);
  return `${Math.floor(ms / big)}${bigUnit}${rest === 0 ? '' : `${rest}${smallUnit}`}`;
}

const forms: readonly (readonly [belowMs: number, format: (ms: number) => string])[] = [
  [120 * second, (ms) => `${Math.floor(ms / second)}s`],
  [10 * minute, (ms) => pair(ms, [minute, 'm'], [second, 's'])],
  [180 * minute, (ms) => `${Math.floor(ms / minute)}m`],
  [8 * hour, (ms) => pair(ms, [hour, 'h'], [minute, 'm'])],
  [48 * hour, (ms) => `${Math.floor(ms / hour)}h`],
  [8 * day, (ms) => pair(ms, [day, 'd'], [hour, 'h'])],
  [2 * year, (ms) => `${Math.floor(ms / day)}d`],
  [8 * year, (ms) => pair(ms, [year, 'y'], [day, 'd'])],
];

/** `3s`, `5m10s`, `47h`, `2y3d`: a span of time as kubectl prints it; more than a second below zero is `<invalid>`. */
export function formatDuration(ms: number): string {
  if (ms < -second) return '<invalid>';
  if (ms < 0) return '0s';
  const form = forms.find(([belowMs]) => ms < belowMs);
  return form === undefined ? `${Math.floor(ms / year)}y` : form[1](ms);
}

/** The time since an RFC 3339 timestamp; `<unknown>` when there is none, `<invalid>` when it cannot be read. */
export function formatAge(timestamp: unknown, nowMs: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>';
  const thenMs = Date.parse(timestamp);
  return Number.isNaN(thenMs) ? '<invalid>' : formatDuration(nowMs - thenMs);
}
