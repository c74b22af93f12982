const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** `1h2m3s`, without parts at the end that are zero; `now` for less than a second. */
export function shortDuration(ms: number): string {
  const left = Math.trunc(Math.abs(ms) / second) * second;
  if (left === 0) return 'now';
  const [hours, minutes, seconds] = [
    Math.floor(left / hour),
    Math.floor((left % hour) / minute),
    (left % minute) / second,
  ];
  const ofMinutes = hours > 0 && (minutes > 0 || seconds > 0) ? `${minutes}m` : minutes > 0 ? `${minutes}m` : '';
  return `${ms < 0 ? '-' : ''}${hours > 0 ? `${hours}h` : ''}${ofMinutes}${seconds > 0 ? `${seconds}s` : ''}`;
}

/** Precise to the second for short ones, to the minute for others. */
export function roundedDuration(ms: number): number {
  const step = ms > 10 * minute ? minute : second;
  return Math.round(ms / step) * step;
}
