import { expect, test } from 'vitest';
import { readableLine } from './process-log.ts';

const time = '2026-11-21T17:08:13.123Z';

test.each([
  {
    name: 'facts follow what happened',
    line: { level: 30, time, controller: 'bundle', object: 'a', sizeBytes: 12, msg: 'bundle stored' },
    shown: '17:08:13.123 info  bundle stored controller=bundle object=a sizeBytes=12\n',
  },
  {
    name: 'what has spaces or could act upon a terminal is quoted',
    line: { level: 40, time, message: 'two words', object: '\u001b[2J', msg: 'reconcile failed' },
    shown: String.raw`17:08:13.123 warn  reconcile failed message="two words" object="\u001b[2J"` + '\n',
  },
  {
    name: 'a stack has lines of its own',
    line: { level: 50, time, stack: 'Error: x\u001b\n    at y', msg: 'defect' },
    shown: '17:08:13.123 error defect\nError: x \n    at y\n',
  },
])('$name', ({ line, shown }) => {
  expect(readableLine(`${JSON.stringify(line)}\n`, false)).toBe(shown);
});

test('what is no line of the log is passed on', () => {
  expect(readableLine('plain\n', false)).toBe('plain\n');
});
