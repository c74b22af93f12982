import { SeededRandom } from '../../conformance/random.ts';

export type SourceKind = 'image' | 'git' | 'http' | 'configMaps' | 'upload';
/** What a version of a deployment consists of; the last two cannot be unpacked, or not be applied. */
export type Shape = 'small' | 'wide' | 'definition' | 'kept' | 'workload' | 'unreadable' | 'refused';

/** The desired state of a template. No two of a run have the same version. */
export interface DesiredState {
  readonly source: SourceKind;
  readonly shape: Shape;
  readonly version: number;
}

/** One thing that a user does to a deployment, or that happens to a source. */
export type Action =
  | { readonly what: 'apply'; readonly name: string; readonly desired: DesiredState }
  | { readonly what: 'relabel'; readonly name: string; readonly label: number }
  | { readonly what: 'delete' | 'pause' | 'unpause'; readonly name: string }
  | { readonly what: 'change an object' | 'delete an object' | 'delete a Bundle'; readonly name: string }
  | { readonly what: 'break' | 'recover'; readonly source: SourceKind }
  /** Wait until everything is as asked for. */
  | { readonly what: 'settle' };

const names = ['ant', 'bee', 'cat'] as const;
const sources = ['image', 'git', 'http', 'configMaps', 'upload'] as const;
/** Those that a test's own server stands behind. */
const servedSources = ['image', 'git', 'http'] as const;
const shapes = ['small', 'wide', 'definition', 'kept', 'workload', 'small', 'wide', 'unreadable', 'refused'] as const;
const disturbances = ['change an object', 'delete an object', 'delete a Bundle'] as const;

/** Kinds of actions, as often as they shall come. */
const weights = [
  ['apply', 9],
  ['disturb', 5],
  ['relabel', 2],
  ['delete', 2],
  ['pause', 1],
  ['unpause', 1],
  ['break', 1],
  ['recover', 1],
  ['settle', 2],
] as const;

const lots: readonly (typeof weights)[number][0][] = weights.flatMap(([what, count]) =>
  Array.from({ length: count }, () => what),
);

function actionOf(random: SeededRandom, version: number): Action {
  const name = random.pick(names);
  const what = lots[random.below(lots.length)] ?? 'apply';
  if (what === 'apply') {
    return { what, name, desired: { source: random.pick(sources), shape: random.pick(shapes), version } };
  }
  if (what === 'disturb') return { what: random.pick(disturbances), name };
  if (what === 'relabel') return { what, name, label: version };
  if (what === 'break' || what === 'recover') return { what, source: random.pick(servedSources) };
  return what === 'settle' ? { what } : { what, name };
}

/** A sequence of actions by chance; the same seed gives the same one. It begins with something to do. */
export function actionsOf(seed: number, count: number): readonly Action[] {
  const random = new SeededRandom(seed);
  const first = names.map((name, index): Action => {
    const shape = random.pick<Shape>(['small', 'wide', 'kept', 'definition']);
    return { what: 'apply', name, desired: { source: random.pick(sources), shape, version: index } };
  });
  const rest = Array.from({ length: count }, (_, index) => actionOf(random, index + first.length));
  return [...first, ...rest];
}

/** One line. */
export function describeAction(action: Action): string {
  if (action.what === 'apply') {
    const { name, desired } = action;
    return `apply ${name}: ${desired.shape} version ${desired.version} by ${desired.source}`;
  }
  if (action.what === 'relabel') return `relabel ${action.name}: ${action.label}`;
  if (action.what === 'settle') return action.what;
  return 'source' in action ? `${action.what} ${action.source}` : `${action.what} of ${action.name}`;
}
