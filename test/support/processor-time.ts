/** A vitest setup file that records the processor time of each test file, its child processes included, in the file that LONGSHORE_TEST_TIMES names: one
 *  line of JSON a file. `npm run test:profile` reads it. The kernel counts the time of children for Linux alone. */
import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const target = process.env['LONGSHORE_TEST_TIMES'] ?? '';

/** Of children that have ended. @see proc(5), /proc/pid/stat: fields 16 and 17, in ticks of 10 ms */
function childSeconds(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

function ownSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const [own, children] = [ownSeconds(), childSeconds()];

afterAll(() => {
  const path = expect.getState().testPath;
  const times = { path, ownSeconds: ownSeconds() - own, childSeconds: childSeconds() - children };
  appendFileSync(target, `${JSON.stringify(times)}\n`);
});
