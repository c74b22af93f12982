import { posix } from 'node:path';
import { TerminalError } from '../base/index.ts';
import type { Staging } from '../content/index.ts';
import type { ContentSource, FetchOptions, SourceConfigMap } from './source.ts';

interface SourceFile {
  readonly path: string;
  readonly configMapName: string;
  readonly content: Buffer;
}

function filesOf(configMap: SourceConfigMap, directory: string): SourceFile[] {
  const { name, data = {}, binaryData = {} } = configMap;
  const at = (key: string, content: Buffer): SourceFile => ({
    path: posix.join(directory, key),
    configMapName: name,
    content,
  });
  return [
    ...Object.entries(data).map(([key, text]) => at(key, Buffer.from(text))),
    ...Object.entries(binaryData).map(([key, base64]) => at(key, Buffer.from(base64, 'base64'))),
  ];
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
 *  @throws TerminalError InvalidSource, DuplicatePath, UnsafePath and the staging area's limits */
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
  const files = entries.flatMap(({ configMap, path = '' }) => {
    const found = request.configMaps.find(({ name }) => name === configMap.name);
    return found === undefined ? [] : filesOf(found, path);
  });
  assertDistinct(files);
  const layer = request.staging.beginLayer('configmaps');
  for (const { path, content } of files) {
    options.signal.throwIfAborted();
    layer.addFile(path, { sizeBytes: content.length, isExecutable: false })(content);
    await layer.relieve();
  }
  return request.source;
}
