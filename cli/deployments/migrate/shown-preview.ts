import type { ObjectChange, Preview } from '../../../src/apply/index.ts';
import { TerminalError } from '../../../src/base/index.ts';
import { colouredDiff } from '../../output/index.ts';
import { shownChange, titleOf } from '../diff/text.ts';
import { print } from './context.ts';
import { hasSamePods } from './release.ts';

function podsLine({ ref, before, after }: ObjectChange): string | undefined {
  if (ref.kind !== 'Deployment' || before === undefined || after === undefined) return undefined;
  const what = hasSamePods(before, after) ? 'the Pods stay' : 'THE PODS RESTART: their template changes';
  return `${titleOf(ref)}: ${what}`;
}

/** Prints what changes, and whether Pods restart.
 *  @throws TerminalError Blocked */
export function showPreview({ changes, blockers }: Preview): void {
  for (const change of changes) {
    const found = shownChange(change);
    if (found !== undefined) process.stdout.write(colouredDiff(found.diff, process.stdout));
  }
  for (const line of changes.map(podsLine)) if (line !== undefined) print(line);
  if (blockers.length === 0) return;
  throw new TerminalError(
    'Blocked',
    `the operator cannot be migrated, and nothing was changed: ${blockers.join('; ')}`,
  );
}
