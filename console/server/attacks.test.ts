import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ConsoleVisitor, openTestConsole, type TestConsole } from '../../test/support/console.ts';
import { eventually } from '../../test/support/index.ts';
import { SteppedClock } from '../../test/support/stepped-clock.ts';
import type { CommandRun } from './index.ts';

const runs: CommandRun[] = [];
let console: TestConsole;

beforeAll(async () => {
  console = await openTestConsole({
    runCommand: async (run) => {
      runs.push(run);
      return await Promise.resolve({ exitCode: 0, stdout: '{}', stderr: '' });
    },
  });
});

afterAll(() => console[Symbol.asyncDispose]());

async function reasonOf(response: Response): Promise<string> {
  return ((await response.json()) as { reason: string }).reason;
}

/** Resolves when the server has ended a response. */
async function untilEnded(response: Response): Promise<void> {
  try {
    await response.text();
  } catch {
    // A connection that is cut off has ended as well.
  }
}

describe('an attacker who wants the session of someone else', () => {
  test('signs no one in from a page of another origin', async () => {
    for (const [path, body] of [
      ['/api/sign-in/token', { token: console.token }],
      ['/api/sign-in/link', { secret: console.link().split('#')[1] }],
    ] as const) {
      const response = await new ConsoleVisitor(console.url).send(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { origin: 'https://attacker.example.com', 'content-type': 'text/plain' },
      });
      expect([response.status, response.headers.get('set-cookie')], path).toEqual([403, null]);
    }
  });

  test('does not choose its name: signing in gives the session a new one', async () => {
    const planted = 'A'.repeat(43);
    const name = `longshore-${new URL(console.url).port}`;
    const victim = new ConsoleVisitor(console.url);
    victim.cookie = `${name}=${planted}`;
    expect((await victim.signIn('/api/sign-in/token', { token: console.token })).status).toBe(200);
    expect(victim.cookie).not.toContain(planted);
    const attacker = new ConsoleVisitor(console.url);
    attacker.cookie = `${name}=${planted}`;
    expect((await attacker.send('/api/session')).status).toBe(401);
  });

  // Programs of another user are started by root alone.
  test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'does not use it as another user of the machine, whose server the browser gave its cookie to',
    async () => {
      const { cookie } = await console.administrator();
      const program = `fetch(process.argv[1], { headers: { cookie: process.argv[2] } }).then(({ status }) => console.log(status))`;
      const ask = async (uid: number): Promise<string> => {
        const url = `${console.url}/api/session`;
        const child = spawn(process.execPath, ['-e', program, url, cookie], { uid, gid: uid, cwd: '/', env: {} });
        return (await text(child.stdout)).trim();
      };
      expect([await ask(65_534), await ask(0)]).toEqual(['401', '200']);
    },
  );

  test('does not use a link that is used at the same time', async () => {
    const secret = console.link().split('#')[1];
    const attempts = Array.from({ length: 8 }, () =>
      new ConsoleVisitor(console.url).signIn('/api/sign-in/link', { secret }),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 401)]);
  });

  test('finds nothing of it in the browser afterwards', async () => {
    const visitor = await console.administrator();
    for (const path of ['/api/session', '/k8s/api/v1/namespaces', '/api/packages']) {
      expect((await visitor.send(path)).headers.get('cache-control'), path).toBe('no-store');
    }
  });
});

describe('a name of the console', () => {
  const head = (lines: readonly string[]): string => `GET /api/session HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;

  test.each([
    ['a name that has it as a prefix', (host: string) => [`host: ${host}.attacker.example.com`]],
    ['another port', () => ['host: 127.0.0.1:1']],
    ['the name of the machine', () => ['host: 0.0.0.0']],
    ['a user before it', (host: string) => [`host: ${host}@attacker.example.com`]],
    [
      'what a proxy notes',
      (host: string) => ['host: attacker.example.com', `x-forwarded-host: ${host}`, `forwarded: host=${host}`],
    ],
  ])('is not %s', async (_, lines) => {
    const { host, port } = new URL(console.url);
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(head([...lines(host), 'connection: close']));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 421 /);
  });
});

describe('a stream', () => {
  const path = '/api/stream?watch=events';

  test('ends with its session: when the user signs out on another page', async () => {
    const visitor = await console.administrator();
    const stream = await visitor.send(path);
    expect(stream.status).toBe(200);
    await visitor.send('/api/session', { method: 'DELETE' });
    await untilEnded(stream);
    expect((await visitor.send(path)).status).toBe(401);
  });

  test('ends with its session: after twelve hours, though it is used all the time', async () => {
    const clock = new SteppedClock(Date.now());
    await using other = await openTestConsole({ clock });
    const visitor = await other.administrator();
    const stream = await visitor.send(path);
    await clock.pass(11 * 60 * 60_000);
    expect((await visitor.send('/api/session')).status).toBe(200);
    await clock.pass(60 * 60_000);
    await untilEnded(stream);
    expect((await visitor.send('/api/session')).status).toBe(401);
  });

  test('is one of eight; the ninth waits until another has ended', async () => {
    const visitor = await console.administrator();
    const stop = new AbortController();
    const streams = Array.from({ length: 8 }, () => visitor.send(path, { signal: stop.signal }));
    for (const { status } of await Promise.all(streams)) expect(status).toBe(200);
    const ninth = await visitor.send(path);
    expect([ninth.status, await reasonOf(ninth)]).toEqual([429, 'TooManyWatches']);
    stop.abort();
    await eventually(async () => {
      const next = await visitor.send(path);
      expect(next.status).toBe(200);
      await next.body?.cancel();
    });
  });
});

test('a body in very many parts, of a client without a session, is not held part by part', async () => {
  const { hostname, port, host } = new URL(console.url);
  const joined = vi.spyOn(Buffer, 'concat');
  const client = connect(Number(port), hostname);
  client.write(`POST /api/sign-in/token HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`);
  client.write('connection: close\r\ntransfer-encoding: chunked\r\n\r\n');
  client.write(`${'1\r\n \r\n'.repeat(20_000)}0\r\n\r\n`);
  expect(await text(client)).toMatch(/^HTTP\/1.1 400 /);
  expect(Math.max(...joined.mock.calls.map(([list]) => list.length))).toBeLessThanOrEqual(1024);
  joined.mockRestore();
});

describe('an upload', () => {
  const mebibyte = 1024 * 1024;
  const file = (path: string, size = 1): object => ({ path, base64: 'a'.repeat(size) });

  test('beyond the limit is refused, announced or not', async () => {
    const visitor = await console.administrator();
    const body = JSON.stringify({ files: [file('x.yaml', 33 * mebibyte)], form: 'json' });
    const announced = await visitor.send('/api/commands/validate', { method: 'POST', body });
    expect(announced.status).toBe(413);
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let sent = 0; sent < 33; sent++) controller.enqueue(new Uint8Array(mebibyte).fill(32));
        controller.close();
      },
    });
    const chunked = visitor.send('/api/commands/validate', {
      method: 'POST',
      body: stream,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    } as Parameters<ConsoleVisitor['send']>[1]);
    // The connection is cut off before the whole body was taken.
    const status = await chunked.then(
      (response) => response.status,
      () => 413,
    );
    expect(status).toBe(413);
    expect(runs).toEqual([]);
  });

  test.each([
    ['more files than a bundle has', Array.from({ length: 2_001 }, (_, index) => file(`f${index}`))],
    ['a name that no file system takes', [file(`${'n'.repeat(256)}.yaml`)]],
    ['folders without end', [file(`${'d/'.repeat(100)}x.yaml`)]],
    ['a file that is a folder too', [file('a'), file('a/b')]],
    ['a name with a zero', [file('a\0b')]],
    ['a name that leaves its folder', [file('manifests/../../x')]],
  ])('with %s is refused before it is written', async (_, files) => {
    const visitor = await console.administrator();
    const response = await visitor.post('/api/commands/validate', { files, form: 'json' });
    expect([response.status, await reasonOf(response)]).toEqual([400, 'InvalidRequest']);
    expect(runs).toEqual([]);
  });
});
