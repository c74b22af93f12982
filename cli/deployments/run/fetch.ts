import { readProxySettings, systemClock } from '../../../src/base/index.ts';
import { createLocks, type Staging } from '../../../src/content/index.ts';
import { fetchGit, fetchHttp } from '../../../src/sources/index.ts';
import { type BundleRequest, stageBundle } from '../../bundle-files/index.ts';
import { openStaging, readAuthorities } from '../../input/index.ts';
import type { RunSource } from './source.ts';

const answerDeadlineMs = 30_000;

/** `spec.source` of the template: what the cluster is asked to fetch. `secret` is a Secret of the system namespace. */
export function sourceSpec(source: RunSource, branch: string | undefined, secret: string | undefined): object {
  const auth = secret === undefined ? {} : { auth: { secret: { name: secret } } };
  switch (source.kind) {
    case 'local':
      return { type: 'upload', upload: {} };
    case 'image':
      return {
        type: 'image',
        image: { ref: source.ref, ...(secret === undefined ? {} : { pullSecret: secret }) },
      };
    case 'git': {
      const { repository, ref = { branch }, directory } = source;
      const place = directory === undefined ? {} : { directory };
      return { type: 'git', git: { repository, ref, ...place, ...auth } };
    }
    case 'http':
      return { type: 'http', http: { url: source.url, ...auth } };
    default:
      return source satisfies never;
  }
}

/** Fetches the bundle to this machine the way the cluster does, without the Secrets of the cluster. Dispose of the answer before the work folder.
 *  @throws TerminalError and TransientError, naming what could not be fetched */
export async function fetchHere(
  source: RunSource,
  spec: object,
  bundle: Omit<BundleRequest, 'name'>,
): Promise<Staging> {
  if (source.kind === 'local') return (await stageBundle({ ...bundle, name: source.name })).staging;
  if (source.kind === 'image') return (await stageBundle({ ...bundle, name: `oci://${source.ref}` })).staging;
  const caPem = await readAuthorities(bundle.values['registry-ca']);
  const deps = {
    caPem,
    answerDeadlineMs,
    clock: systemClock,
    temporaryDir: bundle.work.path,
    proxies: readProxySettings(process.env),
    // No Secret is used here.
    allowsUnnamedHosts: false,
  };
  const options = { signal: bundle.signal, onProgress: (line: string): void => bundle.progress.show(line) };
  await using stack = new AsyncDisposableStack();
  const staging = stack.use(await openStaging(bundle.work));
  const request = { source: spec as Parameters<typeof fetchHttp>[1]['source'], staging };
  if (source.kind === 'http') await fetchHttp(deps, request, options);
  else await fetchGit({ ...deps, locks: createLocks(), programPath: process.env['PATH'] ?? '' }, request, options);
  stack.move();
  return staging;
}
