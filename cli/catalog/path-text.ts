import { type JsonObject, printableLine } from '../../src/base/index.ts';
import { formatVersion } from '../../src/constraints/index.ts';
import { type CatalogPackage, describeEdge, type Policy, type UpdatePath } from '../../src/resolver/index.ts';
import { formatTable } from '../output/index.ts';

/** A path, and what it was asked for. */
export interface AskedPath {
  readonly package: CatalogPackage;
  readonly policy: Policy;
  readonly channel: string | undefined;
  readonly isInstalled: boolean;
  readonly path: UpdatePath;
}

/** A path for programs. */
export function pathDocument({ package: found, policy, channel, path }: AskedPath): JsonObject {
  return {
    package: found.name,
    policy,
    ...(channel !== undefined && { channel }),
    from: { bundle: path.start.name, version: formatVersion(path.start.version) },
    isReached: path.isReached,
    hops: path.hops.map(({ to, edge, others, ...hop }) => ({
      bundle: to.name,
      version: formatVersion(to.version),
      channel: hop.channel,
      edge: { ...edge },
      reason: `${to.name} ${describeEdge(edge)}`,
      isPinned: hop.isPinned,
      others: [...others],
      ...(to.deprecation !== undefined && { deprecation: to.deprecation }),
    })),
    end: [...path.end],
  };
}

const maxListed = 3;

function listed(names: readonly string[]): string {
  const more = names.length > maxListed ? ` and ${names.length - maxListed} more` : '';
  return `${names.slice(0, maxListed).join(', ')}${more}`;
}

/** A path for people: a line a hop, and why it ends. */
export function formatPath({ package: found, policy, isInstalled, path }: AskedPath): string {
  const from = formatVersion(path.start.version);
  const start = isInstalled ? `from ${path.start.name} (${from})` : `installed first: ${path.start.name} (${from})`;
  const rows = path.hops.map(({ to, edge, isPinned, others, channel }) => [
    to.name,
    formatVersion(to.version),
    channel,
    describeEdge(edge),
    [
      isPinned ? 'only when asked for' : '',
      others.length === 0 ? '' : `instead of ${listed(others)}`,
      to.deprecation === undefined ? '' : `deprecated: ${to.deprecation}`,
    ]
      .filter((text) => text !== '')
      .join('; '),
  ]);
  const table = rows.length === 0 ? '' : formatTable(['BUNDLE', 'VERSION', 'CHANNEL', 'BECAUSE IT', 'NOTE'], rows);
  const end = path.end.map((sentence) => `${printableLine(sentence)}\n`).join('');
  return `${printableLine(`package ${found.name}, policy ${policy}, ${start}`)}\n${table}${end}`;
}
