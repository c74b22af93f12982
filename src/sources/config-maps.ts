import { gunzipSync } from 'node:zlib';
import { errorMessage, normalizePath, TerminalError } from '../base/index.ts';
import type { Staging } from '../content/index.ts';
import type { ContentSource, FetchOptions, SourceConfigMap } from './source.ts';

/** What one compressed file may become. */
const maxDecodedBytes = 32 * 1024 * 1024;
const gzipEncoding = 'gzip+base64';

interface SourceFile {
  readonly path: string;
  readonly configMapName: string;
  readonly key: string;
  /** Made when it is needed: what is compressed may be large. */
  readonly read: () => Buffer;
}

function decoded(what: string, value: Buffer): Buffer {
  const text = value.toString('latin1').trim();
  if (!/^[A-Za-z0-9+/\s]*={0,2}$/.test(text)) {
    throw new TerminalError('InvalidSource', `${what}: expected ${gzipEncoding}, found text that is not base64`);
  }
  try {
    return gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: maxDecodedBytes });
  } catch (thrown) {
    const isTooLarge = (thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge) {
      const text = `${what}: unpacks to more than the limit of ${maxDecodedBytes} bytes`;
      throw new TerminalError('UnpackedTooLarge', text, { cause: thrown });
    }
    const text = `${what}: expected ${gzipEncoding}, found data that gzip cannot read: ${errorMessage(thrown)}`;
    throw new TerminalError('InvalidSource', text, { cause: thrown });
  }
}

/** The values of `binaryData`, decoded; those of `data` are plain. */
function decoderOf({ name, contentEncoding = '' }: SourceConfigMap): (key: string, base64: string) => Buffer {
  if (contentEncoding === '') return (_key, base64) => Buffer.from(base64, 'base64');
  if (contentEncoding !== gzipEncoding) {
    const found = contentEncoding.slice(0, 60);
    const text = `configmap "${name}": annotation olm.contentEncoding: expected ${gzipEncoding}, found "${found}"`;
    throw new TerminalError('InvalidSource', text);
  }
  return (key, base64) => decoded(`configmap "${name}", key "${key}"`, Buffer.from(base64, 'base64'));
}

function filesOf(configMap: SourceConfigMap, directory: string): SourceFile[] {
  const { name, data = {}, binaryData = {} } = configMap;
  const decode = decoderOf(configMap);
  const at = (key: string, read: () => Buffer): SourceFile => ({
    path: normalizePath(directory === '' ? key : `${directory}/${key}`),
    configMapName: name,
    key,
    read,
  });
  return [
    ...Object.entries(data).map(([key, text]) => at(key, () => Buffer.from(text))),
    ...Object.entries(binaryData).map(([key, base64]) => at(key, () => decode(key, base64))),
  ];
}

interface Entry {
  readonly configMap: SourceConfigMap;
  readonly directory: string;
}

/** One ConfigMap may be named very many times: its keys are counted before there is a file for each.
 *  @throws TerminalError TooManyEntries */
function assertFew(entries: readonly Entry[], most: number): void {
  const counts = new Map<SourceConfigMap, number>();
  let total = 0;
  for (const { configMap } of entries) {
    const { data = {}, binaryData = {} } = configMap;
    const count = counts.get(configMap) ?? Object.keys(data).length + Object.keys(binaryData).length;
    counts.set(configMap, count);
    total += count;
  }
  if (total > most) throw new TerminalError('TooManyEntries', `configmaps: more than the limit of ${most} entries`);
}

/** Adds files; what has been decoded once is not again for another path. */
async function addFiles(files: readonly SourceFile[], staging: Staging, signal: AbortSignal): Promise<void> {
  const layer = staging.beginLayer('configmaps');
  const paths = new Map<string, string>();
  for (const { path, configMapName, key, read } of files) {
    signal.throwIfAborted();
    const content = `${configMapName}/${key}`;
    const known = paths.get(content);
    if (known !== undefined) {
      layer.addHardLink(path, known);
      continue;
    }
    const bytes = read();
    layer.addFile(path, { sizeBytes: bytes.length, isExecutable: false })(bytes);
    paths.set(content, path);
    await layer.relieve();
  }
}

/** @throws TerminalError DuplicatePath, naming every path that two ConfigMaps bring */
function assertDistinct(files: readonly SourceFile[]): void {
  const owners = Map.groupBy(files, ({ path }) => path);
  const problems = [...owners].flatMap(([path, entries]) => {
    const names = [...new Set(entries.map(({ configMapName }) => configMapName))].sort();
    return names.length < 2 ? [] : [`duplicate path "${path}" found in configmaps [${names.join(' ')}]`];
  });
  if (problems.length > 0) throw new TerminalError('DuplicatePath', problems.join(', '));
}

/** Puts each key of the ConfigMaps into the staging area, as a file in the directory that the source names for its ConfigMap (default: the root).
 *  The answer is the source as it is: its ConfigMaps are immutable.
 *  The annotation `olm.contentEncoding` of their ConfigMap gives the encoding of binary values.
 *  @throws TerminalError InvalidSource, DuplicatePath, TooManyEntries, UnsafePath, UnpackedTooLarge and the staging area's limits
 *  @see docs/spec/bundle-format.md#sizes-compression-configmaps */
export async function fetchConfigMaps(
  request: {
    readonly source: ContentSource;
    /** Every ConfigMap that the source names. */
    readonly configMaps: readonly SourceConfigMap[];
    readonly staging: Staging;
  },
  options: FetchOptions,
): Promise<ContentSource> {
  const entries = request.source.configMaps;
  if (entries === undefined)
    throw new TerminalError('InvalidSource', 'bundle source configmaps configuration is unset');
  const { staging } = request;
  const byName = new Map(request.configMaps.map((configMap) => [configMap.name, configMap]));
  const found = entries.flatMap(({ configMap: { name = '' }, path: directory = '' }): Entry[] => {
    const configMap = byName.get(name);
    return configMap === undefined ? [] : [{ configMap, directory }];
  });
  assertFew(found, staging.limits.entries);
  const files = found.flatMap(({ configMap, directory }) => filesOf(configMap, directory));
  assertDistinct(files);
  await addFiles(files, staging, options.signal);
  return request.source;
}
