import type { ReleasePayload } from '../../../src/release/index.ts';
import { type OptionValues, type outputOption, printDocument, type registryOptions } from '../../command/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import { colouredDiff, createProgress } from '../../output/index.ts';
import {
  differenceText,
  loadedBy,
  type OpenedRelease,
  openRelease,
  releaseDifference,
} from '../../release-files/index.ts';
import type { diffOptions, inclusionOptions } from '../options.ts';

type Values = OptionValues<typeof diffOptions & typeof inclusionOptions & typeof registryOptions & typeof outputOption>;

const deadlineMs = 60 * 60_000;

/** Only what a cluster loads, when that is asked for. */
function selected({ payload }: OpenedRelease, values: Values): ReleasePayload {
  return values.included ? { ...payload, manifests: loadedBy(payload, values).manifests } : payload;
}

/** `longshore release diff OLD NEW`: with `--exit-code` 1 when they differ. */
export async function releaseDiff(values: Values, [old, fresh]: readonly [string, string]): Promise<number> {
  using progress = createProgress(process.stderr, { isQuiet: values.output !== 'text' });
  const signal = AbortSignal.timeout(deadlineMs);
  const releaseImage = values.all ? undefined : '<release>';
  const request = { values, progress, signal, profile: values.profile, releaseImage };
  await using oldWork = await openWorkFolder();
  await using freshWork = await openWorkFolder();
  await using before = await openRelease({ ...request, name: old, work: oldWork });
  await using after = await openRelease({ ...request, name: fresh, work: freshWork });
  const found = releaseDifference({ before: selected(before, values), after: selected(after, values) }, values.all);
  progress.clear();
  printDocument(values, found, () => colouredDiff(differenceText(found), process.stdout));
  return values['exit-code'] && found.images.length + found.manifests.length > 0 ? 1 : 0;
}
