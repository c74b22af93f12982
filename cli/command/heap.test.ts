import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

const heap = new URL('./heap.ts', import.meta.url).href;

/** Grows by 160 MiB, most of it garbage, and reports its memory; then again once it is less by half. */
const program = `
const { collectWhenIdle } = await import('${heap}');
collectWhenIdle();
const kept = [];
for (let index = 0; index < 80_000; index += 1) {
  const text = JSON.stringify({ index, text: 'x'.repeat(2000) });
  kept.push(text);
  if (kept.length > 40_000) kept.splice(0, 39_000);
}
const grown = process.memoryUsage.rss();
console.log(grown);
const check = setInterval(() => {
  if (process.memoryUsage.rss() > grown / 2) return;
  clearInterval(check);
  console.log(kept.length > 0 ? 'less' : '');
}, 200);
`;

test('a process that has been busy gives memory back once it is idle', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  expect(Number(lines[0])).toBeGreaterThan(100 * 1024 * 1024);
  expect(lines[1]).toBe('less');
});
