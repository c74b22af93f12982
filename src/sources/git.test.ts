import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GitServer, startGitServer, startWebServer } from '../../test/support/index.ts';
import { defaultContentLimits, systemClock } from '../base/index.ts';
import { createLocks, Staging } from '../content/index.ts';
import { textPacket } from './git/pkt-line.ts';
import { fetchGit } from './git.ts';
import type { ContentSource, SourceSecret } from './source.ts';

const { signal } = new AbortController();
const oid = '1'.repeat(40);
let dir: string;
let server: GitServer;
let fails: RequestListener | undefined;
beforeAll(async () => {
  dir = await mkdtemp(`${tmpdir()}/git-source-`);
  server = await startGitServer({
    intercept: (request, response) => {
      if (fails === undefined) return false;
      fails(request, response);
      return response.headersSent || response.writableEnded;
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

/** Paths of what a repository holds. */
async function fetchFrom(
  repository: string,
  { ref = { branch: 'main' }, secret }: { readonly ref?: object; readonly secret?: SourceSecret } = {},
): Promise<string[]> {
  const limits = { ...defaultContentLimits, compressedLayerBytes: 1024 * 1024 };
  await using staging = await Staging.create(`${dir}/${Math.random()}`, limits);
  const deps = {
    caPem: [],
    answerDeadlineMs: 5_000,
    clock: { ...systemClock, sleep: () => Promise.resolve() },
    temporaryDir: dir,
    programPath: '',
    locks: createLocks(),
    allowsUnnamedHosts: false,
  };
  const source = { type: 'git', git: { repository, ref } } as ContentSource;
  await fetchGit(deps, { source, staging, ...(secret === undefined ? {} : { secret }) }, { signal });
  return Array.from(staging.tree.entries(), ({ path }) => path);
}

function git(name: string, args: readonly string[], input?: string): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd: server.directoryOf(name), input })
    .toString()
    .trim();
}

describe('a repository is read as git reads it', () => {
  test.each([
    { name: 'whose HEAD names a branch that is not there', head: ['symbolic-ref', 'HEAD', 'refs/heads/absent'] },
    { name: 'whose HEAD is a commit', head: ['checkout', '-q', '--detach'] },
  ])('$name', async ({ name, head }) => {
    const id = `${name.replaceAll(' ', '-')}.git`;
    const [commit] = await server.createRepository(id, [{ files: { 'a/b.yaml': 'b' }, tags: ['v1!'] }]);
    git(id, head);
    for (const ref of [{ branch: 'main' }, { tag: 'v1' }, { commit }]) {
      expect(await fetchFrom(`${server.url}/${id}`, { ref })).toEqual(['a', 'a/b.yaml']);
    }
  });

  test('a server that breaks off a pack, or is busy, is asked again, and gives no half of it', async () => {
    await server.createRepository('torn.git', [{ files: { 'a.yaml': 'a' } }]);
    let count = 0;
    fails = (request, response) => {
      if (request.method !== 'POST' || (count += 1) > 2) return;
      if (count === 1) response.writeHead(503).end();
      else
        response
          .writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' })
          .end('0008NAK\n0023\x01PACK');
    };
    try {
      expect(await fetchFrom(`${server.url}/torn.git`)).toEqual(['a.yaml']);
      expect(count).toBe(3);
    } finally {
      fails = undefined;
    }
  });
});

describe('what no other try can help is final', () => {
  test.each([
    { name: 'a path that leaves the bundle', entry: '..', reason: 'UnsafePath' },
    { name: 'a name with a slash', entry: 'a/b', reason: 'InvalidObject' },
  ])('$name', async ({ name, entry, reason }) => {
    const id = `${name.replaceAll(' ', '-')}.git`;
    await server.createRepository(id, [{ files: { 'a.yaml': 'a' } }]);
    const blob = git(id, ['hash-object', '-w', '--stdin'], 'x');
    const body = Buffer.concat([Buffer.from(`100644 ${entry}\0`), Buffer.from(blob, 'hex')]);
    const cwd = server.directoryOf(id);
    const hash = ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'];
    const tree = execFileSync('git', hash, { cwd, input: body }).toString().trim();
    git(id, ['update-ref', 'refs/heads/main', git(id, ['commit-tree', '-m', 'x', tree])]);
    await expect(fetchFrom(`${server.url}/${id}`)).rejects.toThrow(
      expect.objectContaining({ name: 'TerminalError', reason }),
    );
  });
});

describe('a hostile server', () => {
  const advertisement = `${textPacket('# service=git-upload-pack\n')}0000${textPacket(`${oid} refs/heads/main\0side-band-64k shallow\n`)}0000`;
  const type = (request: { method?: string | undefined }): string =>
    `application/x-git-upload-pack-${request.method === 'POST' ? 'result' : 'advertisement'}`;

  test.each([
    { name: 'that is none', answer: 'hello', body: '', text: 'expected a git server' },
    { name: 'with an endless error', answer: textPacket(`ERR ${'x'.repeat(60_000)}`), body: '', text: 'remote: xxx' },
    { name: 'that sends no pack', answer: advertisement, body: '0000', text: 'ended its answer' },
    {
      name: 'that reports an error instead of a pack',
      answer: advertisement,
      body: `0008NAK\n${textPacket(`\x03${'y'.repeat(60_000)}`)}0000`,
      text: 'remote: yyy',
    },
    {
      name: 'with an unknown band',
      answer: advertisement,
      body: `0008NAK\n${textPacket('\x07z')}`,
      text: 'side band 7',
    },
  ])('$name is reported in a few words', async ({ answer, body, text }) => {
    const respond: RequestListener = (request, response) => {
      response
        .writeHead(200, { 'content-type': type(request) })
        .end(request.method === 'POST' ? `0000${body}` : answer);
    };
    await using hostile = await startWebServer(respond);
    const failed = fetchFrom(`${hostile.url}/x.git`);
    await expect(failed).rejects.toThrow(text);
    await failed.catch((thrown: Error) => expect(thrown.message.length).toBeLessThan(1300));
  });

  test.each([
    { name: 'in an error', path: 'x.git', text: 'remote: no access for Basic [hidden] which is [hidden]' },
    { name: 'as a type', path: 'type.git', text: 'got no access for Basic [hidden] which is [hidden]' },
    { name: 'in a redirect', path: 'moved.git', text: '/no%20access%20for%20Basic%20[hidden]%20which%20is%20[hidden]' },
  ])('that returns the credentials that it was sent $name does not have them shown', async ({ path, text }) => {
    await using hostile = await startWebServer((request, response) => {
      const { authorization = '' } = request.headers;
      const pair = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
      const echo = `no access for ${authorization} which is ${pair}`;
      const isMoved = request.url?.startsWith('/moved') === true;
      const contentType = request.url?.startsWith('/type') === true ? echo : type(request);
      const moved = { location: `http://127.0.0.1:1/${encodeURIComponent(echo)}` };
      response.writeHead(isMoved ? 302 : 200, { 'content-type': contentType, ...(isMoved ? moved : {}) });
      response.end(textPacket(`ERR ${echo}`));
    });
    const data = { username: btoa('ada'), password: btoa('open-sesame') };
    const secret = { name: 'git', data, hosts: hostile.url, allowsUnverifiedTls: true } as SourceSecret;
    await expect(fetchFrom(`${hostile.url}/${path}`, { secret })).rejects.toThrow(text);
    const withLogin = hostile.url.replace('//', '//ada:open-sesame@');
    await expect(fetchFrom(`${withLogin}/${path}`)).rejects.toThrow(text);
  });
});
