import { expect, test } from 'vitest';
import { startWebServer } from '../../test/support/index.ts';
import { systemClock } from '../base/index.ts';
import { ArtifactRepository } from './artifact.ts';
import { createHttpClient } from './http-client.ts';
import { RateLimits } from './rate-limits.ts';

test('a registry that lists tags without end is heard to the limit, and what was found counts', async () => {
  const tags = ['ours-1', 'x'.repeat(3_000_000), ...Array.from({ length: 130_000 }, () => 'ours-')];
  const page = JSON.stringify({ name: 'kept', tags });
  let pages = 0;
  await using server = await startWebServer((request, response) => {
    if (request.url?.includes('/tags/list') === true) {
      pages += 1;
      response.setHeader('link', `</v2/kept/tags/list?last=${pages}>; rel="next"`);
      response.end(page);
    } else response.end('{}');
  });
  using http = createHttpClient({ answerDeadlineMs: 30_000 });
  const registry = new URL(server.url).host;
  const repository = new ArtifactRepository({
    http,
    clock: systemClock,
    limits: new RateLimits(systemClock),
    insecureRegistries: [registry],
    registry,
    repository: 'kept',
    readCredentials: () => Promise.resolve({ credentials: undefined, note: 'no credentials were found' }),
  });
  const found = await repository.tags('ours-', { signal: AbortSignal.timeout(60_000) });
  expect(new Set(found)).toEqual(new Set(['ours-1', 'ours-']));
  expect(found).toHaveLength(130_001 * pages);
  expect(pages * page.length).toBeLessThan(70 * 1024 * 1024);
  expect(pages).toBeGreaterThan(1);
});
