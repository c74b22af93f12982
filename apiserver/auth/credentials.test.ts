import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Credentials, loadCredentials } from './index.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const dayMs = 86_400_000;

let dataDir = '';
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'credentials-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const load = (atMs: number): Promise<Credentials> => loadCredentials({ dataDir, host: '127.0.0.1', nowMs: atMs });

const authorityFile = (): string => join(dataDir, 'pki', 'ca.pem');
const allOf = ({ authority, server, admin }: Credentials): string[] =>
  [authority, server, admin].map(({ certificatePem }) => certificatePem);

function expectGood(credentials: Credentials, atMs: number): void {
  const authority = new X509Certificate(credentials.authority.certificatePem);
  for (const pem of allOf(credentials)) {
    const certificate = new X509Certificate(pem);
    expect(certificate.validFromDate.getTime()).toBeLessThanOrEqual(atMs);
    expect(certificate.validToDate.getTime()).toBeGreaterThan(atMs);
    expect(certificate.verify(authority.publicKey)).toBe(true);
  }
}

test('keeps what it has issued from one start to the next', async () => {
  expect(await load(nowMs + dayMs)).not.toEqual(await loadCredentials({ dataDir: undefined, host: 'x', nowMs }));
  expect(await load(nowMs + 2 * dayMs)).toEqual(await load(nowMs + dayMs));
});

test.each([
  ['a day', dayMs],
  ['ten years', 3_650 * dayMs],
])('issues all certificates again that a clock %s ahead has issued', async (_how, aheadMs) => {
  const ahead = await load(nowMs + aheadMs);
  const credentials = await load(nowMs);
  expectGood(credentials, nowMs);
  expect(allOf(credentials).filter((pem) => allOf(ahead).includes(pem))).toEqual([]);
  expect(credentials.tokenKeyPem).toBe(ahead.tokenKeyPem);
  expect(credentials.adminToken).toBe(ahead.adminToken);
  expect(await load(nowMs)).toEqual(credentials);
});

test('issues a certificate again that a clock ahead has issued under an authority from before', async () => {
  await load(nowMs);
  const ahead = await load(nowMs + 350 * dayMs);
  const credentials = await load(nowMs + dayMs);
  expectGood(credentials, nowMs + dayMs);
  expect(credentials.authority).toEqual(ahead.authority);
  expect(credentials.admin).not.toEqual(ahead.admin);
});

test.each([
  ['eight months', 240],
  ['nine years and a day', 9 * 365 + 1],
])(
  'a server that is started after %s has certificates for half a year, none beyond its authority',
  async (_how, days) => {
    await load(nowMs);
    const startedMs = nowMs + days * dayMs;
    const credentials = await load(startedMs);
    expectGood(credentials, startedMs + 182 * dayMs);
    const endsMs = (pem: string): number => new X509Certificate(pem).validToDate.getTime();
    const [authorityMs = 0, ...leavesMs] = allOf(credentials).map(endsMs);
    for (const leafMs of leavesMs) expect(leafMs).toBeLessThanOrEqual(authorityMs);
  },
);

test('issues certificates again that are left of another authority', async () => {
  const before = await load(nowMs);
  await rm(authorityFile());
  await loadCredentials({ dataDir, host: 'other.example.com', nowMs });
  expectGood(await load(nowMs), nowMs);
  expect((await load(nowMs)).admin).not.toEqual(before.admin);
});

test('issues everything again when the authority is damaged', async () => {
  await load(nowMs);
  const text = await readFile(authorityFile(), 'utf8');
  await writeFile(authorityFile(), text.replace(/MII\w{6}/, 'AAAAAAAAA'));
  expectGood(await load(nowMs), nowMs);
});

test.each([
  ['emptied', () => ''],
  ['cut', (text: string) => text.slice(0, 12)],
  ['filled with NULs', (text: string) => '\0'.repeat(text.length)],
])('a token or key that a power cut has %s is made again', async (_how, damage) => {
  await load(nowMs);
  for (const name of ['admin.token', 'service-account.key']) {
    const file = join(dataDir, 'pki', name);
    await writeFile(file, damage(await readFile(file, 'utf8')));
  }
  const credentials = await load(nowMs);
  expect(credentials.adminToken.length).toBeGreaterThan(20);
  expect(credentials.tokenKeyPem).toContain('PRIVATE KEY');
});
