import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendEndlessly } from '../../test/faults/hostile-sources.ts';
import { object, packOf, refDelta, repetition } from '../../test/support/git-pack.ts';
import { type GitServer, sshKeys, startGitServer, startWebServer } from '../../test/support/index.ts';
import { defaultContentLimits, systemClock } from '../base/index.ts';
import { createLocks, type KeyedLocks, Staging } from '../content/index.ts';
import { textPacket } from './git/pkt-line.ts';
import { fetchGit } from './git.ts';
import type { ContentSource, SourceSecret } from './source.ts';

const { signal: never } = new AbortController();
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

interface Fetching {
  readonly ref?: object;
  readonly secret?: SourceSecret;
  readonly locks?: KeyedLocks;
  readonly signal?: AbortSignal;
}

/** Paths of what a repository holds. */
async function fetchFrom(
  repository: string,
  { ref = { branch: 'main' }, secret, locks = createLocks(), signal = never }: Fetching = {},
): Promise<string[]> {
  const limits = { ...defaultContentLimits, compressedLayerBytes: 1024 * 1024 };
  await using staging = await Staging.create(`${dir}/${Math.random()}`, limits);
  const deps = {
    caPem: [],
    answerDeadlineMs: 5_000,
    clock: { ...systemClock, sleep: () => Promise.resolve() },
    temporaryDir: dir,
    programPath: '',
    locks,
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

test.each(['git@2852039166:combo.git', 'ssh://git@169.254.169.254/combo.git', 'ssh://git@[fe80::1]/combo.git'])(
  'nothing is sent over SSH to %s, whose address is link-local',
  async (repository) => {
    const { privateKey } = await sshKeys();
    const data = { 'ssh-privatekey': Buffer.from(privateKey).toString('base64'), 'ssh-knownhosts': '' };
    await expect(fetchFrom(repository, { secret: { name: 'ssh', data } })).rejects.toMatchObject({
      name: 'TerminalError',
      reason: 'AddressRefused',
    });
  },
);

/** A tree, as packs have it. */
function treeOf(entries: readonly { mode: string; name: string; oid: Buffer }[]): Buffer {
  return Buffer.concat(entries.flatMap(({ mode, name, oid }) => [Buffer.from(`${mode} ${name}\0`), oid]));
}

function oidOf(type: string, content: Buffer): Buffer {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest();
}

/** What a server sends for a commit of that tree; `objects` are further entries of its pack. */
function answersOf(tree: Buffer, objects: readonly Buffer[]): { advertised: string; sent: Buffer } {
  const commit = Buffer.from(`tree ${oidOf('tree', tree).toString('hex')}\n\nx\n`);
  const head = oidOf('commit', commit).toString('hex');
  const pack = packOf([object(1, commit), object(2, tree), ...objects]);
  const advertised = `${textPacket('# service=git-upload-pack\n')}0000${textPacket(`${head} refs/heads/main\0shallow\n`)}0000`;
  return { advertised, sent: Buffer.concat([Buffer.from('00000008NAK\n'), pack]) };
}

function listenerOf({ advertised, sent }: { advertised: string; sent: Buffer }): RequestListener {
  return (request, response) => {
    const isPost = request.method === 'POST';
    const kind = isPost ? 'result' : 'advertisement';
    response.writeHead(200, { 'content-type': `application/x-git-upload-pack-${kind}` });
    response.end(isPost ? sent : advertised);
  };
}

describe('a pack that takes much', () => {
  const file = Buffer.from('a: 1\n');
  const good = answersOf(treeOf([{ mode: '100644', name: 'a.yaml', oid: oidOf('blob', file) }]), [object(3, file)]);

  test('of links and submodules is refused, before all of its trees are in memory', async () => {
    const names = Array.from({ length: 60_000 }, (_, index) => ({
      mode: '160000',
      name: `b${index}`,
      oid: Buffer.alloc(20),
    }));
    const inner = treeOf(names);
    const outer = treeOf([{ mode: '40000', name: 'a', oid: oidOf('tree', inner) }, ...names]);
    await using hostile = await startWebServer(listenerOf(answersOf(outer, [object(2, inner)])));
    await expect(fetchFrom(`${hostile.url}/x.git`)).rejects.toThrow(
      expect.objectContaining({ name: 'TerminalError', reason: 'TooManyEntries' }),
    );
  });

  test('does not delay that of another server', async () => {
    const empty = object(3, Buffer.alloc(0));
    const large = answersOf(
      treeOf([]),
      Array.from({ length: 100_000 }, () => empty),
    );
    const asked = Promise.withResolvers<void>();
    const respond = listenerOf(large);
    await using slow = await startWebServer((request, response) => {
      if (request.method === 'POST') asked.resolve();
      respond(request, response);
    });
    await using prompt = await startWebServer(listenerOf(good));
    const locks = createLocks();
    const stop = new AbortController();
    const first = fetchFrom(`${slow.url}/x.git`, { locks, signal: stop.signal });
    await asked.promise;
    const second = fetchFrom(`${prompt.url}/x.git`, { locks });
    expect(await Promise.race([first, second])).toEqual(['a.yaml']);
    stop.abort(new Error('long enough'));
    await expect(first).rejects.toThrow('long enough');
  });

  test('for the number of its bytes waits for others of that kind alone, and delays no large one', {
    tags: 'long',
  }, async () => {
    const base = Buffer.alloc(8 * 1024 ** 2);
    const delta = refDelta(oidOf('blob', base), repetition(base.length, 1));
    const deltas = Array.from({ length: 20 }, () => delta);
    const costly = answersOf(treeOf([]), [object(3, base), ...deltas]);
    const large = Buffer.concat([randomBytes(900 * 1024), Buffer.alloc(39 * 1024 ** 2)]);
    const tree = treeOf([{ mode: '100644', name: 'large', oid: oidOf('blob', large) }]);
    await using hostile = await startWebServer(listenerOf(costly));
    await using other = await startWebServer(listenerOf(answersOf(tree, [object(3, large)])));
    const locks = createLocks();
    const held = await locks.acquire('huge git pack', {});
    const waiting = Promise.withResolvers<void>();
    const acquire: KeyedLocks['acquire'] = (key, wait) => {
      if (key === 'huge git pack') waiting.resolve();
      return locks.acquire(key, wait);
    };
    const first = fetchFrom(`${hostile.url}/x.git`, { locks: { acquire } });
    await Promise.race([waiting.promise, first.then(() => Promise.reject(new Error('it has not waited')))]);
    expect(await fetchFrom(`${other.url}/x.git`, { locks })).toEqual(['large']);
    await held[Symbol.asyncDispose]();
    expect(await first).toEqual([]);
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

  const endless = async (answer: string | undefined, body: string): Promise<void> => {
    await using hostile = await startWebServer((request, response) => {
      response.writeHead(200, { 'content-type': type(request) });
      const line = request.method === 'POST' ? body : answer;
      if (line === undefined) response.end(advertisement);
      else sendEndlessly(response, textPacket(line).repeat(1000));
    });
    await fetchFrom(`${hostile.url}/x.git`);
  };

  test('with endless shallow commits is not read to the limit of its bytes', async () => {
    const failure = { name: 'TerminalError', reason: 'TooManyPackets' };
    await expect(endless(undefined, `shallow ${oid}`)).rejects.toMatchObject(failure);
  });

  test.each([`${oid} refs/heads/x\n`, '# service=x'])(
    'with endless lines %j is not read to the limit of its bytes',
    { tags: 'long' },
    async (line) => {
      await expect(endless(line, '')).rejects.toMatchObject({ name: 'TerminalError', reason: 'TooManyRefs' });
    },
  );

  test('that names its service again and again is refused', async () => {
    await using hostile = await startWebServer((request, response) => {
      response.writeHead(200, { 'content-type': type(request) });
      sendEndlessly(response, `${textPacket('# service=x')}0000`.repeat(1000));
    });
    await expect(fetchFrom(`${hostile.url}/x.git`)).rejects.toThrow('invalid git ref');
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
