import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWebServer, type WebServer } from '../../../../test/support/index.ts';
import { machineObject } from '../../../../test/support/machine-cluster.ts';
import { parseMachine } from '../../../api/index.ts';
import { ActuatorError, RequeueAfter } from '../../actuator.ts';
import { type Ask, ExternalProvider } from './external.ts';
import { askByHttp } from './http.ts';
import { askByProgram } from './program.ts';

const machine = parseMachine(machineObject('a', { labels: { 'machine.openshift.io/cluster-api-cluster': 'test' } }));
const call = { signal: new AbortController().signal };
let folder: string;
let server: WebServer;
let answer: (response: ServerResponse) => void;
let received: { readonly body: string; readonly token: string | undefined; readonly method: string | undefined }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-provider-'));
  server = await startWebServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { authorization: token } = request.headers;
      received.push({ body: Buffer.concat(pieces).toString(), token, method: request.method });
      answer(response);
    });
  });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const provider = (text: string): ExternalProvider => new ExternalProvider(() => Promise.resolve(text));

async function program(
  name: string,
  script: string,
  options: { readonly deadlineMs?: number; readonly environment?: Record<string, string> } = {},
): Promise<Ask> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o700);
  return askByProgram({ program: path, deadlineMs: 20_000, ...options });
}

describe('an answer', () => {
  test('has what the provider knows of the instance', async () => {
    const instance = {
      providerID: 'cloud:///1',
      state: 'running',
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      labels: { 'machine.openshift.io/zone': 'b' },
      providerStatus: { rack: 7 },
    };
    expect(await provider(JSON.stringify({ instance })).create(machine, call)).toEqual(instance);
    expect(await provider('{"exists": false}').exists(machine, call)).toBe(false);
    await expect(provider('{}').delete(machine, call)).resolves.toBeUndefined();
  });

  test('is an error with the reason of the provider, or asks for time', async () => {
    const error = { reason: 'InvalidConfiguration', message: 'no such image' };
    await expect(provider(JSON.stringify({ error })).create(machine, call)).rejects.toEqual(
      new ActuatorError('InvalidConfiguration', 'no such image'),
    );
    await expect(provider('{"requeueAfterSeconds": 10}').delete(machine, call)).rejects.toEqual(
      new RequeueAfter(10_000),
    );
    await expect(provider('{"requeueAfterSeconds": 1e9}').delete(machine, call)).rejects.toEqual(
      new RequeueAfter(3_600_000),
    );
  });

  test.each([
    ['empty', '{}', 'expected "exists"'],
    ['a number', '{"exists": 0}', 'answered 0, expected "exists"'],
    ['null', '{"exists": null}', 'expected "exists"'],
    ['a list', '[]', 'expected an object'],
    ['a word', 'gone', 'Unexpected token'],
    ['nothing', '', 'Unexpected end'],
    ['an unknown reason', '{"error": {"reason": "Sorry", "message": "later"}}', 'later'],
    ['an error without a form', '{"error": true}', 'expected an object "error"'],
    ['a negative time', '{"requeueAfterSeconds": -1, "exists": false}', 'requeueAfterSeconds above 0'],
    ['deeply nested', `{"exists": ${'['.repeat(5000)}${']'.repeat(5000)}}`, 'nested'],
  ])('that is %s does not count as the absence of an instance', async (_name, text, problem) => {
    await expect(provider(text).exists(machine, call)).rejects.toThrow(problem);
  });

  test.each([
    ['nothing', {}, '"instance"'],
    ['a long id', { instance: { providerID: 'x'.repeat(3000) } }, 'providerID'],
    ['control characters', { instance: { state: 'a\u001b[2J' } }, 'state'],
    ['many addresses', { instance: { addresses: Array.from({ length: 65 }, () => ({})) } }, 'addresses'],
    ['another set', { instance: { labels: { 'machine.openshift.io/cluster-api-machineset': 'x' } } }, 'labels'],
    ['a label that is none', { instance: { labels: { 'machine.openshift.io/zone': 'a b' } } }, 'labels'],
    ['a large status', { instance: { providerStatus: { text: 'x'.repeat(70_000) } } }, 'providerStatus'],
  ])('with %s is refused', async (_name, body, problem) => {
    await expect(provider(JSON.stringify(body)).create(machine, call)).rejects.toThrow(problem);
  });

  test('with a long message is cut', async () => {
    const text = JSON.stringify({ error: { reason: 'CreateError', message: '\n'.repeat(9) + 'x'.repeat(100_000) } });
    const thrown = await provider(text)
      .create(machine, call)
      .catch((error: unknown) => error as Error);
    expect((thrown as Error).message.length).toBeLessThan(1100);
  });
});

describe('over HTTP', () => {
  test('the machine is posted with the token of the file', async () => {
    received = [];
    answer = (response) => response.end('{"exists": true}');
    const ask = askByHttp({ url: server.url, token: () => Promise.resolve('secret\n') });
    expect(await new ExternalProvider(ask).exists(machine, call)).toBe(true);
    expect(received).toMatchObject([{ token: 'Bearer secret', method: 'POST' }]);
    const sent = JSON.parse(received[0]?.body ?? '') as { operation: string; machine: { metadata: { name: string } } };
    expect([sent.operation, sent.machine.metadata.name]).toEqual(['exists', 'a']);
  });

  test.each([
    ['a status', (r: ServerResponse) => void r.writeHead(503).end('overloaded'), 'status 503: overloaded'],
    ['a redirect', (r: ServerResponse) => void r.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), '302'],
    ['no end', (r: ServerResponse) => void r.write('{'), 'no answer within 0.3 s'],
    ['nothing', () => undefined, 'no answer within 0.3 s'],
    ['2 MiB', (r: ServerResponse) => void r.end('x'.repeat(2 * 1024 * 1024)), 'longer than 1048576 bytes'],
    ['a closed connection', (r: ServerResponse) => void r.destroy(), 'socket hang up'],
    ['an echo', (r: ServerResponse) => void r.writeHead(401).end(`not known: ${received.at(-1)?.token}`), '[hidden]'],
  ])('%s is an error that is tried again, without the token', async (_name, respond, problem) => {
    answer = respond;
    const deadlineMs = _name === '2 MiB' ? 20_000 : 300;
    const ask = askByHttp({ url: server.url, token: () => Promise.resolve('secret'), deadlineMs });
    const thrown = (await ask('{}', call).catch((error: unknown) => error)) as Error;
    expect(thrown).toMatchObject({ reason: 'ProviderUnavailable' });
    expect(thrown.message).toContain(problem);
    expect(thrown.message).not.toContain('secret');
  });

  test('an error that a provider reports has no token', async () => {
    answer = (response) => response.end(JSON.stringify({ error: { message: `not known: ${received.at(-1)?.token}` } }));
    const ask = askByHttp({ url: server.url, token: () => Promise.resolve('secret-token') });
    const thrown = await new ExternalProvider(ask).create(machine, call).catch((error: unknown) => error as Error);
    expect((thrown as Error).message).toContain('not known: Bearer [hidden]');
    expect((thrown as Error).message).not.toContain('secret-token');
  });

  test('a server that does not listen is an error that is tried again', async () => {
    await expect(askByHttp({ url: 'http://127.0.0.1:1/' })('{}', call)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('by a program', () => {
  test('the machine is read from standard input, the answer from standard output', async () => {
    const ask = await program('exists', `cat > ${folder}/request; echo '{"exists": true}'`);
    expect(await new ExternalProvider(ask).exists(machine, call)).toBe(true);
    expect(JSON.parse(await readFile(join(folder, 'request'), 'utf8'))).toMatchObject({ operation: 'exists' });
  });

  test.each([
    ['fails', 'echo "no credentials" >&2; exit 3', 'status 3: no credentials'],
    ['ends by a signal', 'kill -9 $$', 'SIGKILL'],
    ['never ends', 'sleep 600', 'no answer within 0.5 s'],
    ['leaves a process behind', 'sleep 600 & exec 1>&- ; exit 4', 'status 4'],
    ['writes without end', 'yes', 'longer than 1048576 bytes'],
  ])('that %s is an error that is tried again', async (name, script, problem) => {
    const deadlineMs = name === 'never ends' ? 500 : 20_000;
    const ask = await program(name.replaceAll(' ', '-'), script, { deadlineMs });
    await expect(ask('{}', call)).rejects.toThrow(problem);
  });

  test('that writes the credentials of its environment does not show them', async () => {
    const environment = { CLOUD_API_TOKEN: 'a-token-of-the-cloud', WORD: 'refused-for-good' };
    const { CLOUD_API_TOKEN: token, WORD: word } = environment;
    const failing = await program('failing', `echo "${word}: ${token}" >&2; exit 3`, { environment });
    await expect(failing('{}', call)).rejects.toThrow(`status 3: ${word}: [hidden]`);
    const answering = await program('answering', `echo '{"error": {"message": "${token}"}}'`, { environment });
    expect(await answering('{}', call)).toBe('{"error": {"message": "[hidden]"}}\n');
  });

  test('that does not read a long request is no fault', async () => {
    const ask = await program('deaf', `echo '{"exists": false}'`);
    expect(await ask('x'.repeat(500_000), call)).toBe('{"exists": false}\n');
  });

  test('that does not exist is named', async () => {
    await expect(askByProgram({ program: '/nowhere/actuator' })('{}', call)).rejects.toThrow('/nowhere/actuator');
  });
});
