const steps: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
];

/** How long ago a time was, as kubectl shows ages: `45s`, `3m`, `2d`; empty for no time. */
export function ageOf(timestamp: string, nowMs: number): string {
  const thenMs = Date.parse(timestamp);
  if (Number.isNaN(thenMs)) return '';
  const seconds = Math.max(0, Math.floor((nowMs - thenMs) / 1000));
  const [size, unit] = steps.find(([least]) => seconds >= least * 2) ?? [1, 's'];
  return `${Math.floor(seconds / size)}${unit}`;
}
