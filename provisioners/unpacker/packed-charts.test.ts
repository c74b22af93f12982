import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packedChart } from '../../test/e2e/charts.ts';
import { neverAnswers, startRegistry } from '../../test/support/index.ts';
import { createUnpacker } from './index.ts';

const signal = new AbortController().signal;
const chartClass = 'core-rukpak-io-helm';
const plainClass = 'core-rukpak-io-plain';
const chartYaml = 'apiVersion: v2\nname: hostile\nversion: 1.0.0\n';
const widget = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
/** Takes twenty times its text in memory. */
const many = `${widget}data: [${'[],'.repeat(700_000)}[]]\n`;
const chart = { name: 'hostile', uid: 'u1' };

/** Renders every chart to `many`. */
const helm = `#!/bin/sh
[ "$1" = version ] && { printf v3.19.2; exit 0; }
exec /bin/cat "\${0%/*}/rendered"
`;

test.each([
  { what: 'read', files: { 'crds/a.yaml': many }, fault: { reason: 'InvalidBundle' } },
  { what: 'rendered', files: {}, fault: { reason: 'UnpackerRestarted' } },
])(
  'a packed chart that takes more memory than a thread has when it is $what ends no work for others',
  async ({ files, fault }) => {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'longshore-packed-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const program = join(folder, 'helm');
    await writeFile(program, helm, { mode: 0o755 });
    await writeFile(join(folder, 'rendered'), many);
    const registry = stack.use(await startRegistry({ intercept: neverAnswers('/slow/') }));
    const content = packedChart('hostile', { 'Chart.yaml': chartYaml, ...files });
    registry.putImage('chart:v1', [{ entries: [{ path: 'hostile-1.0.0.tgz', content }] }]);
    const limits = { answerDeadlineMs: 60_000, storeBytes: 1024 ** 3, threads: 1, threadHeapMebibytes: 40 };
    const searchPath = process.env['PATH'] ?? '';
    const unpacker = stack.use(
      await createUnpacker({ storeDir: join(folder, 'store'), helm: { program, searchPath }, ...limits }),
    );
    const imageOf = (name: string) => ({ type: 'image', image: { ref: `${registry.host}/${name}:v1` } });
    const stop = new AbortController();
    const isFetching = Promise.withResolvers<string>();
    const slow = {
      bundle: { name: 'slow', uid: 'u2' },
      provisionerClassName: plainClass,
      source: imageOf('slow/image'),
    };
    const other = unpacker.unpack(slow, { signal: stop.signal, onProgress: isFetching.resolve });
    await isFetching.promise;
    const installed = async (): Promise<void> => {
      await unpacker.unpack({ bundle: chart, provisionerClassName: chartClass, source: imageOf('chart') }, { signal });
      const release = { name: 'r', namespace: 'n', isUpgrade: false, valuesFrom: [] };
      const terms = { config: {}, cluster: { certificateProviders: [], kubeVersion: 'v1.33.1' }, release };
      await unpacker.load({ bundle: chart, provisionerClassName: chartClass, terms }, { signal });
    };
    await expect(installed()).rejects.toMatchObject(fault);
    stop.abort(new Error('still at work'));
    await expect(other).rejects.toThrow('still at work');
  },
);
