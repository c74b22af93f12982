import { formatPath } from '../base/index.ts';
import type { BundleUnderCheck } from './bundle.ts';
import { type Check, type CheckContext, type Hit, type Place, stages } from './check.ts';
import type { Finding } from './finding.ts';

function whereOf(place: Place | undefined): Pick<Finding, 'file' | 'line' | 'column' | 'fieldPath'> {
  if (place === undefined) return {};
  const { file, document = 0, path, line, column } = place;
  const fieldPath = path === undefined || path.length === 0 ? {} : { fieldPath: formatPath(path) };
  if (typeof file === 'string') return { file, ...fieldPath };
  if (line !== undefined) return { file: file.path, line, ...(column === undefined ? {} : { column }), ...fieldPath };
  const found = path === undefined ? undefined : file.positions.find(document, path);
  return { file: file.path, ...found, ...fieldPath };
}

/** Names of 10,000 characters help no one. */
const maxMessageLength = 4000;

function findingOf(check: Check, hit: Hit): Finding {
  return {
    id: check.id,
    severity: hit.severity ?? check.severity,
    suite: check.suite,
    message: hit.message.length > maxMessageLength ? `${hit.message.slice(0, maxMessageLength)}…` : hit.message,
    ...whereOf(hit.place),
    whatToDo: hit.whatToDo ?? check.whatToDo,
  };
}

const maxHits = 100;

interface Found {
  readonly rank: number;
  readonly finding: Finding;
}

function compare(a: Found, b: Found): number {
  const [left, right] = [a.finding, b.finding];
  const files = [left.file ?? '', right.file ?? ''] as const;
  return (
    a.rank - b.rank ||
    Number(files[0] > files[1]) - Number(files[0] < files[1]) ||
    (left.line ?? 0) - (right.line ?? 0) ||
    (left.column ?? 0) - (right.column ?? 0)
  );
}

/** Thousands of one kind add nothing to the first ones. */
function limited(hits: readonly Hit[]): readonly Hit[] {
  if (hits.length <= maxHits) return hits;
  const shown = hits.slice(0, maxHits);
  const file = shown.at(-1)?.place?.file;
  const rest: Hit = { message: `and ${hits.length - maxHits} more of these` };
  return [...shown, file === undefined ? rest : { ...rest, place: { file } }];
}

/** Runs checks over a bundle. Findings come by stage, then file, then place, then in the order of the checks; each once.
 *  The first 100 of each check are reported, and the number of the others. */
export function runChecks(
  bundle: BundleUnderCheck,
  checks: readonly Check[],
  context: CheckContext,
): readonly Finding[] {
  const found = checks.flatMap((check) => {
    const rank = stages.indexOf(check.stage);
    return limited([...check.find(bundle, context)]).map((hit) => ({ rank, finding: findingOf(check, hit) }));
  });
  const sorted = found.sort(compare).map(({ finding }) => finding);
  return [...new Map(sorted.map((finding) => [JSON.stringify(finding), finding])).values()];
}
