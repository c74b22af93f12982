import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { ConsoleVisitor, streamMessages } from '../support/console.ts';
import { startWebServer } from '../support/index.ts';

const heapMebibytes = 96;
const data = JSON.stringify({ filling: 'x'.repeat(64 * 1024) });
/** Of the namespace that is followed as a whole: more than the heap. */
const many = 2_000;
const resources = [
  { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
  { name: 'selfsubjectreviews', kind: 'SelfSubjectReview', namespaced: false },
];

/** A page of ConfigMaps, of which a namespace has that many. */
function page(total: number, query: URLSearchParams): string {
  const [start, limit] = [Number(query.get('continue')), Number(query.get('limit'))];
  const end = Math.min(start + limit, total);
  const items = Array.from({ length: end - start }, (_, index) => {
    const metadata = { namespace: 'many', name: `large-${start + index}`, resourceVersion: '1' };
    return `{"metadata":${JSON.stringify(metadata)},"data":${data}}`;
  });
  const metadata = { resourceVersion: '1', ...(end < total ? { continue: String(end) } : {}) };
  return `{"metadata":${JSON.stringify(metadata)},"items":[${items.join(',')}]}`;
}

function answerTo(path: string, query: URLSearchParams): string {
  if (path.endsWith('/configmaps')) return page(path.includes('/many/') ? many : 100_000, query);
  if (path.endsWith('/configmaps/small')) return JSON.stringify({ metadata: { name: 'small' } });
  if (!path.endsWith('/selfsubjectreviews')) return JSON.stringify({ resources });
  return JSON.stringify({ status: { userInfo: { username: 'tenant', groups: [] } } });
}

test('objects that a user creates fill neither the memory of what follows them nor that of the console', {
  tags: 'long',
}, async () => {
  await using server = await startWebServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    response.setHeader('content-type', 'application/json');
    if (searchParams.has('watch')) response.flushHeaders();
    else response.end(answerTo(pathname, searchParams));
  });
  const script = new URL('console-child.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMebibytes}`, script, server.url], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const first = (await Promise.race([
      once(createInterface({ input: child.stdout }), 'line'),
      once(child, 'exit').then(([code, signal]) => [JSON.stringify({ ended: String(code ?? signal) })]),
    ])) as [string];
    const started = JSON.parse(first[0]) as { url: string };
    expect(started).toEqual({ url: started.url, names: many });

    const visitor = new ConsoleVisitor(started.url);
    expect((await visitor.signIn('/api/sign-in/token', { token: 'of-the-tenant' })).status).toBe(200);
    const stream = await visitor.send('/api/stream?watch=objects%20v1%20ConfigMap');
    for await (const { state, message } of streamMessages(stream)) {
      if (state !== 'failed') continue;
      expect(message).toMatch(/^the objects of kind ConfigMap take more memory than the console has for you: /);
      break;
    }
    const list = '/k8s/api/v1/configmaps?limit=100';
    const answers = await Promise.all(Array.from({ length: 40 }, () => visitor.send(list)));
    const reasons = answers.map(async (answer) => ((await answer.json()) as { reason?: string }).reason);
    expect(await Promise.all(reasons)).toContain('NoRoomForBody');
    expect((await visitor.send('/k8s/api/v1/namespaces/default/configmaps/small')).status).toBe(200);
  } finally {
    child.kill('SIGKILL');
  }
});
