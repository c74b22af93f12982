import type { ClusterRelease, UpdateHistory } from '../../api/index.ts';
import { cutText } from '../../base/index.ts';
import { parseVersion, type Version } from '../../constraints/index.ts';

/** What is known of the release that is being applied. */
export interface HistoryFacts {
  readonly desired: ClusterRelease;
  readonly isCompleted: boolean;
  readonly isVerified: boolean;
  /** Undefined leaves what was recorded. */
  readonly acceptedRisks: string | undefined;
  /** RFC 3339. */
  readonly now: string;
}

const maxEntries = 100;
/** Names of risks, and what verification and preconditions reported, of one entry. */
const maxRiskCharacters = 4_096;

const completedState = 'Completed';
const partialState = 'Partial';

/** Whether one of two texts is unknown, or both are the same. */
function areCompatible(a: string, b: string): boolean {
  return a === b || a === '' || b === '';
}

function isSame(entry: UpdateHistory, { version = '', image = '' }: ClusterRelease): boolean {
  const known = entry.version ?? '';
  if (entry.image === image) return areCompatible(known, version);
  return known === version && version !== '' && areCompatible(entry.image, image);
}

function entryOf({ desired, isCompleted, now }: HistoryFacts): UpdateHistory {
  return {
    state: isCompleted ? completedState : partialState,
    startedTime: now,
    completionTime: isCompleted ? now : null,
    version: desired.version ?? '',
    image: desired.image ?? '',
    verified: false,
  };
}

function continued(entry: UpdateHistory, { desired, isCompleted, now }: HistoryFacts): UpdateHistory {
  const known = {
    ...entry,
    version: (entry.version ?? '') === '' ? (desired.version ?? '') : (entry.version ?? ''),
    image: entry.image === '' ? (desired.image ?? '') : entry.image,
  };
  if (!isCompleted || entry.state === completedState) return known;
  return { ...known, state: completedState, completionTime: entry.completionTime ?? now };
}

/** The history with the release that is being applied as its newest entry.
 *  @see docs/spec/cluster-version.md#history-rules */
export function mergeHistory(history: readonly UpdateHistory[], facts: HistoryFacts): readonly UpdateHistory[] {
  if ((facts.desired.image ?? '') === '') return history;
  const [newest, ...older] = history;
  const merged =
    newest === undefined
      ? [entryOf(facts)]
      : isSame(newest, facts.desired)
        ? [continued(newest, facts), ...older]
        : [entryOf(facts), { ...newest, completionTime: newest.completionTime ?? facts.now }, ...older];
  const [first, ...rest] = merged;
  if (first === undefined) return merged;
  const { isVerified, acceptedRisks } = facts;
  const noted: UpdateHistory = {
    ...first,
    verified: first.verified || isVerified,
    ...(acceptedRisks === undefined || acceptedRisks === ''
      ? {}
      : { acceptedRisks: cutText(acceptedRisks, maxRiskCharacters) }),
  };
  return pruneHistory([noted, ...rest]);
}

function versionOf({ version = '' }: UpdateHistory): Version | undefined {
  try {
    return parseVersion(version);
  } catch {
    return undefined;
  }
}

function isSameMinor(a: UpdateHistory | undefined, b: UpdateHistory | undefined): boolean {
  const [left, right] = [a && versionOf(a), b && versionOf(b)];
  return left !== undefined && right !== undefined && left.major === right.major && left.minor === right.minor;
}

/** How much an entry is worth; the lowest one is removed. */
function rankOf(history: readonly UpdateHistory[], index: number): number {
  const entry = history[index];
  if (entry === undefined) return 0;
  const latestCompleted = history.findIndex(({ state }) => state === completedState);
  const isEssential = index < 5 || index === latestCompleted || index === history.length - 1;
  const penalty = -1.01 * index;
  if (isEssential) return 1_000 + penalty;
  const [newer, older] = [history[index - 1], history[index + 1]];
  if (entry.state === completedState) {
    const isEdge = !isSameMinor(entry, newer) || !isSameMinor(entry, older);
    return (isEdge ? 30 : 0) + penalty;
  }
  return (isSameMinor(newer, older) ? -20 : 20) + penalty;
}

/** Removes one entry, the one of least interest, when there are too many.
 *  @see docs/spec/cluster-version.md#history-rules */
export function pruneHistory(history: readonly UpdateHistory[]): readonly UpdateHistory[] {
  if (history.length <= maxEntries) return history;
  const ranks = history.map((_, index) => rankOf(history, index));
  const lowest = ranks.indexOf(Math.min(...ranks));
  return history.filter((_, index) => index !== lowest);
}

/** How the release is to be applied, as the history has it. The newest entry counts.
 *  @see docs/spec/cluster-version.md#history-rules */
export function stateOf(history: readonly UpdateHistory[], image: string): 'Initializing' | 'Reconciling' | 'Updating' {
  if (!history.some(({ state }) => state === completedState)) return 'Initializing';
  const [newest] = history;
  return newest?.state === completedState && newest.image === image ? 'Reconciling' : 'Updating';
}
