import type { Action, DesiredState, SourceKind } from './actions.ts';

/** What may be found of one deployment once everything has come to rest. */
export interface Expectation {
  /** What its template asks for; undefined: there is no such deployment. */
  readonly desired: DesiredState | undefined;
  /** What may be installed: the desired state alone where it can be, otherwise what was installed before. Undefined: nothing. */
  readonly installed: readonly (DesiredState | undefined)[];
  /** The content of what was installed may have been deleted: a version that cannot be installed may then leave objects of several. */
  readonly isMixed: boolean;
  /** A user has changed objects by hand since: without the content of what was installed the drift cannot be corrected. */
  readonly isChanged: boolean;
  /** Objects to be kept that may, or must, be there though nothing that is installed has them. */
  readonly kept: 'no' | 'maybe' | 'yes';
}

interface State {
  desired: DesiredState | undefined;
  candidates: (DesiredState | undefined)[];
  kept: Expectation['kept'];
  isPaused: boolean;
  hasLostBundles: boolean;
  isChanged: boolean;
}

/** Whether the desired content can be unpacked and applied. */
export function isGood({ shape }: DesiredState): boolean {
  return shape !== 'unreadable' && shape !== 'refused';
}

function fresh(): State {
  return {
    desired: undefined,
    candidates: [undefined],
    kept: 'no',
    isPaused: false,
    hasLostBundles: false,
    isChanged: false,
  };
}

/** The users' view: what the cluster has to hold after the actions so far, whatever went wrong in between. */
export class Model {
  readonly #states = new Map<string, State>();
  readonly #broken = new Set<SourceKind>();

  take(action: Action): void {
    if (action.what === 'settle') this.#settle();
    else if ('name' in action) this.#takeOf(action);
    else if (action.what === 'break') this.#broken.add(action.source);
    else this.#broken.delete(action.source);
  }

  #takeOf(action: Extract<Action, { name: string }>): void {
    const state = this.#stateOf(action.name);
    if (action.what === 'apply') this.#apply(state, action.desired);
    else if (action.what === 'delete') this.#states.set(action.name, { ...fresh(), kept: state.kept });
    else if (action.what === 'pause') state.isPaused = state.desired !== undefined;
    else if (action.what === 'unpause') state.isPaused = false;
    else if (action.what === 'delete a Bundle') state.hasLostBundles = true;
    else if (action.what === 'change an object') state.isChanged = true;
  }

  get broken(): ReadonlySet<SourceKind> {
    return this.#broken;
  }

  get paused(): readonly string[] {
    return [...this.#states].filter(([, { isPaused }]) => isPaused).map(([name]) => name);
  }

  /** Whether all that is asked for can come to be. */
  get canSettle(): boolean {
    return this.#broken.size === 0 && this.paused.length === 0;
  }

  expectations(): ReadonlyMap<string, Expectation> {
    const entries = [...this.#states].map(([name, state]): [string, Expectation] => {
      const { desired, candidates, kept, hasLostBundles, isChanged } = state;
      const isInstalled = desired !== undefined && isGood(desired);
      const isMixed = desired !== undefined && !isInstalled && hasLostBundles;
      return [name, { desired, installed: isInstalled ? [desired] : candidates, isMixed, isChanged, kept }];
    });
    return new Map(entries);
  }

  #stateOf(name: string): State {
    const state = this.#states.get(name) ?? fresh();
    this.#states.set(name, state);
    return state;
  }

  #apply(state: State, desired: DesiredState): void {
    state.desired = desired;
    if (!isGood(desired)) return;
    state.candidates.push(desired);
    if (desired.shape === 'kept' && state.kept === 'no') state.kept = 'maybe';
  }

  /** Everything is as requested: the desired state is installed. */
  #settle(): void {
    for (const state of this.#states.values()) {
      if (state.desired === undefined || !isGood(state.desired)) continue;
      state.candidates = [state.desired];
      state.hasLostBundles = false;
      state.isChanged = false;
      if (state.desired.shape === 'kept') state.kept = 'yes';
    }
  }
}
