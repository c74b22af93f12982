import { createTwoFilesPatch } from 'diff';
import { dump } from 'js-yaml';
import { messageOf } from '../../../ui/action.tsx';
import { type FieldErrors, isValues } from '../../../ui/schema/schema.ts';
import type { Created } from '../install/objects.ts';
import { causesOf, create } from '../install/try-out.ts';

/** What the API server answered without writing. */
export interface InstanceTrial {
  /** Why it is refused; empty where it is accepted. */
  readonly refusal: string;
  readonly errors: FieldErrors;
  /** The object as it would be stored, with what the server adds to it; empty where it is refused. */
  readonly diff: string;
}

const ofServer: ReadonlySet<string> = new Set([
  'managedFields',
  'uid',
  'creationTimestamp',
  'generation',
  'resourceVersion',
]);
const everything = 100_000;
const maxEdits = 2_000;

function text(value: unknown): string {
  return dump(value, { noRefs: true, sortKeys: true });
}

/** Without what every object gets. */
function shown(stored: unknown): unknown {
  if (!isValues(stored)) return stored;
  const { metadata, ...rest } = stored;
  const own = Object.entries(isValues(metadata) ? metadata : {}).filter(([key]) => !ofServer.has(key));
  return { ...rest, metadata: Object.fromEntries(own) };
}

function differenceOf(object: unknown, stored: unknown): string {
  const [before, after] = [text(object), text(shown(stored))];
  const options = { context: everything, maxEditLength: maxEdits };
  if (before === after) return after.replaceAll(/^/gm, ' ').trimEnd();
  const patch = createTwoFilesPatch('', '', before, after, undefined, undefined, options) ?? after;
  return patch.slice(patch.indexOf('\n', patch.indexOf('@@')) + 1);
}

/** Asks the API server, admission included, what it would store. */
export async function tryInstance(created: Created, signal: AbortSignal): Promise<InstanceTrial> {
  try {
    const stored = await create(created, true, signal);
    return { refusal: '', errors: new Map(), diff: differenceOf(created.object, stored) };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return { refusal: messageOf(thrown), errors: causesOf(thrown, (field) => field), diff: '' };
  }
}
