import { expect, test } from 'vitest';
import { ReviewMemory, type ReviewShare } from './review-memory.ts';

const kibibyte = 1024;

function open(memory: ReviewMemory, closed: string[]): (peer: string, name: string, bytes: number) => ReviewShare {
  return (peer, name, bytes) => {
    const share = memory.begin(peer, () => closed.push(name));
    share.received(bytes);
    return share;
  };
}

test('where bodies are too large together, the largest of the peer with the most is closed', () => {
  const closed: string[] = [];
  const begin = open(new ReviewMemory({ bodyBytes: 100 * kibibyte, parsedBytes: 1 }), closed);
  begin('api-server', 'large review', 40 * kibibyte);
  begin('other', 'first', 20 * kibibyte);
  begin('other', 'second', 30 * kibibyte);
  expect(closed).toEqual([]);
  const third = begin('other', 'third', 25 * kibibyte);
  expect(closed).toEqual(['second']);
  third.end();
  begin('other', 'fourth', 25 * kibibyte);
  expect(closed).toEqual(['second']);
});

test('very many parts count, also those of a byte', () => {
  const closed: string[] = [];
  const share = open(new ReviewMemory({ bodyBytes: 100 * kibibyte, parsedBytes: 1 }), closed)('peer', 'parts', 1);
  for (let part = 0; part < 1_000; part += 1) share.received(1);
  expect(closed).toEqual(['parts']);
});

test('what is parsed has a limit together; the smallest goes first, and a closed one never', async () => {
  const memory = new ReviewMemory({ bodyBytes: 100 * kibibyte, parsedBytes: 100 * kibibyte });
  const parsed: string[] = [];
  const begin = (name: string, bytes: number): ReviewShare => {
    const share = memory.begin('peer', () => undefined);
    share.received(bytes);
    void share.parse(() => parsed.push(name));
    return share;
  };
  const first = begin('first', 4 * kibibyte);
  const [large, closed, small] = [
    begin('large', 3 * kibibyte),
    begin('closed', kibibyte),
    begin('small', 2 * kibibyte),
  ];
  expect(parsed).toEqual(['first']);
  closed.end();
  first.end();
  expect(parsed).toEqual(['first', 'small']);
  small.end();
  expect(parsed).toEqual(['first', 'small', 'large']);
  large.end();
  const share = memory.begin('peer', () => undefined);
  await expect(share.parse(() => JSON.parse('{') as unknown)).rejects.toThrow(SyntaxError);
});

test('long work leaves others half of the time', async () => {
  const memory = new ReviewMemory();
  const parsed: string[] = [];
  const work = (name: string): void => {
    const begunMs = performance.now();
    while (performance.now() - begunMs < 12);
    parsed.push(name);
  };
  const share = (name: string): Promise<void> => memory.begin('peer', () => undefined).parse(() => work(name));
  const both = Promise.all([share('first'), share('second')]);
  expect(parsed).toEqual(['first']);
  await both;
  expect(parsed).toEqual(['first', 'second']);
});
