import { isJsonObject, type JsonObject, parseYamlDocuments } from '../../src/base/index.ts';
import { keyOf } from './canonical.ts';
import type { Payload } from './scenario.ts';

/** As a file name states them; the engine's own folder comes first. */
const namePattern = /^0000_(\d+)_([a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*?)_/;

/** `50 alpha`, or the file's name where it states no level. */
function nodeOf(folder: string, name: string): string {
  const [, level, component] = namePattern.exec(name) ?? [];
  return `${folder}${level === undefined ? name : `${level} ${component}`}`;
}

function documentsOf(content: readonly JsonObject[] | string): readonly JsonObject[] {
  if (typeof content !== 'string') return content;
  try {
    const filled = content.replace(/\{\{[^}]*\}\}/g, 'template');
    return parseYamlDocuments('manifest', filled, { isLastKeyTaken: true }).filter(isJsonObject);
  } catch {
    return []; // some are broken on purpose
  }
}

/** In which node of the task graph an object is written, by its key. */
export function nodesOf(payloads: readonly Payload[]): ReadonlyMap<string, string> {
  const files = payloads.flatMap(({ files: own, engineFiles = {} }) => [
    ...Object.entries(engineFiles).map(([name, content]) => ({ node: nodeOf('manifests ', name), content })),
    ...Object.entries(own).map(([name, content]) => ({ node: nodeOf('', name), content })),
  ]);
  const keyed = files.flatMap(({ node, content }) =>
    documentsOf(content).map((document): [string, string] => [keyOf(document), node]),
  );
  // The first one that has an object counts.
  return new Map(keyed.toReversed());
}

/** Writes by node; within a node their order is that of the file names. */
export function writesByNode(
  writes: readonly string[],
  nodes: ReadonlyMap<string, string>,
): Record<string, readonly string[]> {
  const byNode = new Map<string, string[]>();
  for (const write of writes) {
    const node = nodes.get(write.slice(write.indexOf(' ') + 1)) ?? '(no manifest)';
    byNode.set(node, [...(byNode.get(node) ?? []), write]);
  }
  return Object.fromEntries([...byNode].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Levels in the order of the writes, each run once. */
export function levelsOf(writes: readonly string[], nodes: ReadonlyMap<string, string>): string[] {
  const all = writes.flatMap((write) => {
    const node = nodes.get(write.slice(write.indexOf(' ') + 1));
    return node === undefined ? [] : [node.replace(/ [^ ]*$/, '')];
  });
  return all.filter((level, index) => level !== all[index - 1]);
}
