import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { eventually } from '../../../test/support/index.ts';
import { Listeners, type Row, rowOf, type Source } from './source.ts';
import { EventStream } from './stream.ts';

/** Rows that a test sets. */
class SetSource implements Source {
  readonly listeners = new Listeners();
  #rows: readonly Row[] = [];

  set(rows: readonly Row[]): void {
    this.#rows = rows;
    this.listeners.call();
  }

  state() {
    return { state: 'live', message: '' } as const;
  }

  rows(): readonly Row[] {
    return this.#rows;
  }

  subscribe(listener: () => void): Disposable {
    return this.listeners.add(listener);
  }

  [Symbol.dispose](): void {}
}

test('a browser that reads nothing takes little memory, and gets everything as it is when it reads', async () => {
  const text = 'x'.repeat(64 * 1024);
  const rows = (generation: number): readonly Row[] =>
    Array.from({ length: 100 }, (_, index) => rowOf(`row-${index}`, { generation, text }));
  const source = new SetSource();
  source.set(rows(1));
  const response = new PassThrough();
  using _ = new EventStream(response as unknown as ServerResponse, [['objects', source]]);
  source.set(rows(2).slice(0, 99));
  expect(response.writableLength + response.readableLength).toBeLessThan(1024 * 1024);

  const shown = new Map<string, { readonly generation: number }>();
  let unread = '';
  response.setEncoding('utf8').on('data', (part: string) => {
    const events = (unread + part).split('\n\n');
    unread = events.pop() ?? '';
    for (const event of events.filter((one) => one.startsWith('data: {"watch"'))) {
      const message = JSON.parse(event.slice('data: '.length)) as { removed: string[]; put: Record<string, never> };
      for (const key of message.removed) shown.delete(key);
      for (const [key, row] of Object.entries(message.put)) shown.set(key, row);
    }
  });
  await eventually(() => {
    expect(shown.size).toBe(99);
    expect(new Set([...shown.values()].map(({ generation }) => generation))).toEqual(new Set([2]));
  });
  source.set(rows(2).slice(1, 99));
  await eventually(() => expect(shown.has('row-0')).toBe(false));
});
