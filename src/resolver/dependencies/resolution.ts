import type { Edge } from '../graph/steps.ts';
import type { Candidate, Origin } from './candidate.ts';
import type { PresentBundle } from './request.ts';
import type { Rule } from './rule.ts';

/** A bundle of the answer. */
export interface ChosenBundle {
  readonly candidate: Candidate;
  /** Undefined: it is installed, and stays. */
  readonly origin: Origin | undefined;
  /** What it replaces, and by which edge. */
  readonly updates: { readonly from: PresentBundle; readonly edge: Edge | undefined } | undefined;
  /** Names of the requests for it. */
  readonly requestedBy: readonly string[];
  /** Sentences: why it is there. */
  readonly reasons: readonly string[];
  /** Sentences: why not a newer version, or one that would be preferred. */
  readonly newer: readonly string[];
  /** The one of these sentences that is about what would be preferred most, and cannot be had; undefined: nothing is preferred. */
  readonly passedOver: string | undefined;
}

/** What goes together. */
export interface Resolution {
  readonly outcome: 'resolved';
  /** Dependencies before their dependents, unless they form a cycle. */
  readonly bundles: readonly ChosenBundle[];
  /** Sentences: what was passed over because it is faulty or deprecated. */
  readonly notices: readonly string[];
}

/** Why nothing goes together. */
export interface Conflict {
  readonly outcome: 'conflict';
  readonly reason: 'ConstraintsNotSatisfiable' | 'ErrorPreventedResolution';
  /** For machines, as the reference has it. */
  readonly message: string;
  /** For people: one line, sentences, and what to do. */
  readonly summary: string;
  readonly sentences: readonly string[];
  readonly action: string;
  /** The smallest set of rules that contradict one another. */
  readonly rules: readonly Rule[];
  /** Names of the requests that take part. */
  readonly requestedBy: readonly string[];
  readonly notices: readonly string[];
}
