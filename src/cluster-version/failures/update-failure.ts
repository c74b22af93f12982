import { TransientError } from '../../base/index.ts';

/** What a failure means for an update. `None`: an operator is still on its way. `Report`: reported, but nothing waits for it. `FailAfterInterval`: a
 *  failure once it has lasted. `Fail`: a failure now. */
export type FailureEffect = 'Fail' | 'FailAfterInterval' | 'None' | 'Report';

/** From the weakest to the strongest. */
const effectOrder: readonly FailureEffect[] = ['Report', 'None', 'FailAfterInterval', 'Fail'];

interface FailureDetails {
  readonly cause?: unknown;
  readonly effect?: FailureEffect;
  /** The objects that it is about, by name. */
  readonly names?: readonly string[];
  /** For failures that are reported together: reason and message of several names. */
  readonly plural?: { readonly reason: string; readonly message: (names: string) => string };
  /** The failures that it sums up. */
  readonly members?: readonly UpdateFailure[];
  /** The object to look at, for instance `deployment/NAMESPACE/NAME`. */
  readonly object?: string;
  /** What objects report themselves, by name. Conditions leave it out, as the reference does. */
  readonly reported?: ReadonlyMap<string, string>;
}

/** Why a release could not be applied, with the reason and message of the conditions. */
export class UpdateFailure extends TransientError {
  readonly effect: FailureEffect | undefined;
  readonly names: readonly string[];
  readonly plural: FailureDetails['plural'];
  readonly members: readonly UpdateFailure[];
  readonly object: string;
  readonly reported: ReadonlyMap<string, string>;

  constructor(reason: string, message: string, details: FailureDetails = {}) {
    super(reason, message, { cause: details.cause });
    this.effect = details.effect;
    this.names = details.names ?? [];
    this.plural = details.plural;
    this.members = details.members ?? [];
    this.object = details.object ?? '';
    this.reported = details.reported ?? new Map();
  }
}

function strongest(failures: readonly UpdateFailure[]): FailureEffect {
  const ranks = failures.map(({ effect }) => effectOrder.indexOf(effect ?? 'Fail'));
  return effectOrder[Math.max(...ranks)] ?? 'Fail';
}

/** Failures of one reason about several operators, as one. */
function merge(failures: readonly UpdateFailure[]): UpdateFailure {
  const [first] = failures;
  const names = [...new Set(failures.flatMap((failure) => failure.names))].toSorted();
  if (first === undefined || names.length < 2 || first.plural === undefined) return first as UpdateFailure;
  const { reason, message } = first.plural;
  const { object } = first;
  return new UpdateFailure(reason, message(names.join(', ')), {
    effect: strongest(failures),
    names,
    object,
    reported: new Map(failures.flatMap((failure) => [...failure.reported])),
    cause: first,
  });
}

/** One failure that stands for several; its members are those without duplicates.
 *  @see docs/spec/cluster-version.md#combining-errors-of-one-round */
export function multipleFailures(failures: readonly UpdateFailure[]): UpdateFailure {
  const messages = [...new Set(failures.map(({ message }) => message))].toSorted();
  const text = `Multiple errors are preventing progress:\n* ${messages.join('\n* ')}`;
  return new UpdateFailure('MultipleErrors', text, { members: failures });
}

/** The failures of one round as one; undefined where there are none.
 *  @see docs/spec/cluster-version.md#combining-errors-of-one-round */
export function combineFailures(failures: readonly UpdateFailure[]): UpdateFailure | undefined {
  const byReason = new Map<string, UpdateFailure[]>();
  const combined: UpdateFailure[] = [];
  for (const failure of failures) {
    if (failure.plural === undefined) {
      combined.push(failure);
      continue;
    }
    const group = byReason.get(failure.reason);
    if (group === undefined) byReason.set(failure.reason, [failure]);
    else group.push(failure);
  }
  combined.push(...[...byReason.values()].map(merge));
  return combined.length < 2 ? combined[0] : multipleFailures(combined);
}
