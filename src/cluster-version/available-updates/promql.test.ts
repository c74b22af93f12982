import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, freePort, loopbackCertificate, startWebServer } from '../../../test/support/index.ts';
import { createPromqlEvaluator, type PrometheusTarget } from './promql.ts';

const signal = new AbortController().signal;

async function matches(target: PrometheusTarget, query: string): Promise<boolean> {
  using evaluator = createPromqlEvaluator(target);
  return await evaluator.matches(query, signal);
}

const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;

/** A real one that scrapes itself. */
async function startPrometheus(): Promise<AsyncDisposable & { readonly url: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-prometheus-test-'));
  const port = await freePort();
  const config = `global: {scrape_interval: 1s}\nscrape_configs: [{job_name: self, static_configs: [{targets: ["127.0.0.1:${port}"]}]}]\n`;
  await writeFile(join(dir, 'prometheus.yml'), config);
  const options = [`--config.file=${dir}/prometheus.yml`, `--storage.tsdb.path=${dir}/data`];
  const child = spawn('prometheus', [...options, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200));
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

test.skipIf(!hasPrometheus)('rules are evaluated by a real Prometheus (skipped without the program)', async () => {
  await using prometheus = await startPrometheus();
  const ask = (query: string): Promise<boolean> => matches({ url: `${prometheus.url}/` }, query);
  await eventually(async () => expect(await ask('max(up{job="self"})')).toBe(true));
  expect(await ask('0 * max(up{job="self"})')).toBe(false);
  expect(await ask('topk(1, group(up{job="self"}) or 0 * group(prometheus_build_info))')).toBe(true);
  await expect(ask('absent_metric')).rejects.toThrow('invalid PromQL result length must be one, but is 0');
  await expect(ask('up or prometheus_build_info')).rejects.toThrow(
    'invalid PromQL result length must be one, but is 2',
  );
  await expect(ask('2 * max(up{job="self"})')).rejects.toThrow('invalid PromQL result (must be 0 or 1): 2');
  await expect(ask('max(up) / 4')).rejects.toThrow('invalid PromQL result (must be 0 or 1): 0.25');
  await expect(ask('max(up) / 0')).rejects.toThrow('invalid PromQL result (must be 0 or 1): +Inf');
  await expect(ask('scalar(vector(1))')).rejects.toThrow('invalid PromQL result type is scalar, not vector');
  await expect(ask('up[1m]')).rejects.toThrow('invalid PromQL result type is matrix, not vector');
  await expect(ask('max(')).rejects.toThrow(/^executing PromQL query: bad_data: .*parse error/);
});

test('a server that returns the token that it was sent does not bring it into conditions', async () => {
  await using server = await startWebServer((request, response) => {
    const error = `no permission for ${request.headers.authorization}`;
    response.writeHead(422).end(JSON.stringify({ status: 'error', errorType: 'execution', error }));
  });
  const asked = matches({ url: server.url, token: () => Promise.resolve('a/"secret"\n') }, 'q');
  await expect(asked).rejects.toThrow('executing PromQL query: execution: no permission for Bearer [hidden]');
});

describe('a server that answers with', () => {
  test.each<[string, number, string, string | RegExp]>([
    ['status 500', 500, 'a stack trace', 'executing PromQL query: server_error: server error: 500'],
    ['status 403', 403, 'Forbidden', 'executing PromQL query: client_error: client error: 403'],
    ['a page', 200, '<html>', /^executing PromQL query: bad_response: /],
    ['no vector', 200, '{"status":"success","data":{}}', 'invalid PromQL result type is , not vector'],
    [
      'an error',
      422,
      '{"status":"error","errorType":"execution","error":"query timed out"}',
      'executing PromQL query: execution: query timed out',
    ],
    ['success and status 422', 422, '{"status":"success"}', /inconsistent body for response code/],
    [
      'an empty value',
      200,
      '{"status":"success","data":{"resultType":"vector","result":[{"value":[0,""]}]}}',
      'invalid PromQL result (must be 0 or 1): ',
    ],
    ['more than it may', 200, ' '.repeat(4 * 1024 * 1024 + 1), /larger than the limit of 4194304 bytes/],
  ])('%s is unknown', async (_, ...[status, body, message]) => {
    await using server = await startWebServer((__, response) => response.writeHead(status).end(body));
    await expect(matches({ url: server.url }, 'q')).rejects.toThrow(message);
  });

  test('nothing is given up at the deadline', async () => {
    await using server = await startWebServer(() => undefined);
    await expect(matches({ url: server.url, deadlineMs: 50 }, 'q')).rejects.toThrow(
      /^executing PromQL query: .*no answer within 0.05 s$/,
    );
  });

  test('a certificate of a configured authority is trusted; no other is', async () => {
    const { tls, caPem } = await loopbackCertificate();
    const body = '{"status":"success","data":{"resultType":"vector","result":[{"value":[0,"1"]}]}}';
    await using server = await startWebServer((_, response) => response.end(body), tls);
    expect(await matches({ url: server.url, caPem: [caPem] }, 'q')).toBe(true);
    await expect(matches({ url: server.url }, 'q')).rejects.toThrow(/^executing PromQL query: /);
  });
});

test('a server that does not listen is unknown', async () => {
  const port = await freePort();
  await expect(matches({ url: `http://127.0.0.1:${port}` }, 'secret{query="x"}')).rejects.toThrow(
    /^executing PromQL query: GET http:\/\/127.0.0.1:\d+\/api\/v1\/query: connect ECONNREFUSED/,
  );
});

test('an address of another kind is refused', () => {
  expect(() => createPromqlEvaluator({ url: 'prometheus:9090' })).toThrow(
    'prometheus:9090: expected http://HOST or https://HOST of a Prometheus',
  );
});
