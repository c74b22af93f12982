import { afterEach, expect, test, vi } from 'vitest';
import { ReviewMemory, type ReviewShare } from './review-memory.ts';

const kibibyte = 1024;

afterEach(() => {
  vi.useRealTimers();
});

/** Reviews by name: which were admitted, and which were closed. */
class Reviews {
  readonly closed: string[] = [];
  readonly #admitted: string[] = [];
  readonly #memory = new ReviewMemory({ bodyBytes: 1000 * kibibyte, parsedBytes: 1000 * kibibyte });

  begin(peer: string, name: string, bytes?: number): ReviewShare {
    const share = this.#memory.begin({ peer, bytes, close: () => this.closed.push(name) });
    void Promise.resolve(share.whenAdmitted).then(() => this.#admitted.push(name));
    return share;
  }

  /** Those that were admitted since the last call. */
  async admitted(): Promise<string[]> {
    await Promise.resolve();
    await Promise.resolve();
    return this.#admitted.splice(0);
  }
}

test('large bodies of a peer wait until there is room for them, the smallest goes first; small ones and those of others do not', async () => {
  const reviews = new Reviews();
  const first = reviews.begin('api-server', 'first', 400 * kibibyte);
  reviews.begin('api-server', 'large', 400 * kibibyte);
  reviews.begin('api-server', 'smaller', 200 * kibibyte);
  const closed = reviews.begin('api-server', 'closed', 150 * kibibyte);
  reviews.begin('api-server', 'small', 64 * kibibyte);
  reviews.begin('api-server', 'of unknown size');
  reviews.begin('other', 'of another', 400 * kibibyte);
  expect(await reviews.admitted()).toEqual(['first', 'small', 'of unknown size', 'of another']);
  closed.end();
  first.end();
  expect(await reviews.admitted()).toEqual(['smaller']);
  expect(reviews.closed).toEqual([]);
});

test('a large body that does not arrive makes room for one that waits; those that arrive, or are there, stay', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const reviews = new Reviews();
  const [arriving, complete] = ['arriving', 'complete', 'silent'].map((name) =>
    reviews.begin('peer', name, 160 * kibibyte),
  );
  reviews.begin('other', 'of another', 160 * kibibyte);
  void complete?.parse(() => undefined);
  await reviews.admitted();
  reviews.begin('peer', 'waiting', 160 * kibibyte);
  arriving?.received(20 * kibibyte);
  expect(await reviews.admitted()).toEqual([]);
  vi.runOnlyPendingTimers();
  expect(reviews.closed).toEqual(['silent']);
  expect(await reviews.admitted()).toEqual(['waiting']);
});

test('where bodies are too large together, the largest of the peer with the most is closed', () => {
  const reviews = new Reviews();
  const begin = (peer: string, name: string, bytes: number): ReviewShare => {
    const share = reviews.begin(peer, name);
    share.received(bytes * kibibyte);
    return share;
  };
  begin('api-server', 'large review', 400);
  begin('other', 'first', 200);
  begin('other', 'second', 300);
  expect(reviews.closed).toEqual([]);
  const third = begin('other', 'third', 250);
  expect(reviews.closed).toEqual(['second']);
  third.end();
  begin('other', 'fourth', 250);
  expect(reviews.closed).toEqual(['second']);
});

test('very many parts count, also those of a byte', () => {
  const reviews = new Reviews();
  const share = reviews.begin('peer', 'parts', 1);
  for (let part = 0; part < 10_000; part += 1) share.received(1);
  expect(reviews.closed).toEqual(['parts']);
});

test('a body whose end arrives after it was closed takes no memory from those that are parsed later', async () => {
  const reviews = new Reviews();
  const closed = reviews.begin('peer', 'closed');
  closed.received(2000 * kibibyte);
  expect(reviews.closed).toEqual(['closed']);
  const parsed: string[] = [];
  void closed.parse(() => parsed.push('closed'));
  const next = reviews.begin('peer', 'next');
  next.received(kibibyte);
  await next.parse(() => parsed.push('next'));
  expect(parsed).toEqual(['next']);
});

test('what is parsed has a limit together; the smallest goes first, and a closed one never', async () => {
  const memory = new ReviewMemory({ bodyBytes: 100 * kibibyte, parsedBytes: 100 * kibibyte });
  const parsed: string[] = [];
  const begin = (name: string, bytes: number): ReviewShare => {
    const share = memory.begin({ peer: 'peer', bytes, close: () => undefined });
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
  const share = memory.begin({ peer: 'peer', bytes: 1, close: () => undefined });
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
  const request = { peer: 'peer', bytes: 1, close: () => undefined };
  const share = (name: string): Promise<void> => memory.begin(request).parse(() => work(name));
  const both = Promise.all([share('first'), share('second')]);
  expect(parsed).toEqual(['first']);
  await both;
  expect(parsed).toEqual(['first', 'second']);
});
