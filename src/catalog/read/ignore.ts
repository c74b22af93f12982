import { matchesName, matchesSequence, type NamePattern, parseNamePattern } from './glob.ts';

/** `**`: any number of segments. */
type Segment = NamePattern | '**';

/** A line of an `.indexignore`. */
export interface IgnoreRule {
  /** The folder of the file, as segments below the root. */
  readonly domain: readonly string[];
  /** Takes back what an earlier rule ignores. */
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  /** Begins at the domain; else one segment that may stand anywhere below it. */
  readonly isAnchored: boolean;
  readonly segments: readonly Segment[];
}

const anything: NamePattern = [{ kind: 'star' }];

function readRule(line: string, domain: readonly string[]): IgnoreRule | undefined {
  const isNegated = line.startsWith('!');
  const pattern = isNegated ? line.slice(1) : line;
  const isForFolders = pattern.endsWith('/');
  const path = isForFolders ? pattern.slice(0, -1) : pattern;
  const isAnchored = path.includes('/');
  const segments: Segment[] = [];
  for (const text of path.replace(/^\//, '').split('/')) {
    const segment = parseNamePattern(text);
    if (segment === undefined || text === '') return undefined;
    segments.push(isAnchored && text === '**' ? text : segment);
  }
  return { domain, isNegated, isForFolders, isAnchored, segments };
}

/** The rules of an `.indexignore` in the folder `domain`, in the order of its lines; a line that is no pattern ignores nothing.
 *  @see docs/spec/catalogs.md#indexignore */
export function parseIgnoreRules(text: string, domain: readonly string[]): readonly IgnoreRule[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => readRule(line, domain))
    .filter((rule) => rule !== undefined);
}

/** The path lies below the domain; `path` ends with the name of a file. */
function matches({ domain, isForFolders, isAnchored, segments }: IgnoreRule, path: readonly string[]): boolean {
  if (path.length <= domain.length || domain.some((name, index) => path[index] !== name)) return false;
  const below = path.slice(domain.length, isForFolders ? -1 : undefined);
  const [first] = segments;
  if (!isAnchored) return first !== undefined && first !== '**' && below.some((name) => matchesName(first, name));
  // What lies below a folder that matches is ignored with it: more segments may follow, but not none.
  const isOpen = segments.at(-1) === '**';
  const pattern: readonly Segment[] = isOpen ? [...segments, anything] : [...segments, '**'];
  return matchesSequence(pattern, below, {
    isStar: (segment) => segment === '**',
    fits: (segment, name) => segment !== '**' && matchesName(segment, name),
  });
}

/** Whether the rules, of outer folders first, ignore a file: the last one that matches decides. */
export function isIgnored(rules: readonly IgnoreRule[], path: readonly string[]): boolean {
  const decisive = rules.findLast((rule) => matches(rule, path));
  return decisive !== undefined && !decisive.isNegated;
}
