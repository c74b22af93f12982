import { expect, test } from 'vitest';
import { healthText, type Insight } from './insight.ts';

const nowMs = Date.parse('2030-01-01T12:00:00Z');

function insight(summary: string, level: Insight['level'], sinceMs: number | undefined): Insight {
  return { summary, level, sinceMs, impact: 'None', description: '', object: summary, next: '' };
}

test('insights are listed by level, the latest first; those of one time keep their order', () => {
  const insights = [
    insight('a', 'Warning', nowMs),
    insight('b', 'Error', nowMs - 60_000),
    insight('c', 'Error', nowMs - 60_000),
    insight('d', 'Error', undefined),
    insight('e', 'Error', undefined),
    insight('f', 'Error', nowMs - 1_000),
  ];
  const text = healthText(insights, { isDetailed: false, nowMs, startedMs: nowMs });
  const rows = text.split('\n').filter((line) => /Error|Warning/.test(line));
  expect(rows.map((row) => row.slice(-1)).join('')).toBe('fbcdea');
});
