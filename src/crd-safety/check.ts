import type { Schema } from '../schema/index.ts';
import type { Crd } from './crd.ts';

/** The name of a check, by which it is disabled, and its description. */
export interface CheckInfo {
  readonly name: string;
  /** What is refused: continues "Refused:". Markdown. */
  readonly refuses: string;
}

/** A check of the CRD as a whole; each text is a finding. Pure. */
export interface CrdCheck extends CheckInfo {
  readonly find: (before: Crd, after: Crd) => readonly string[];
}

/** A check of one place in a schema, without the places below it. Pure. */
export interface SchemaCheck extends CheckInfo {
  /** The keywords that it handles: others are `unhandled`. */
  readonly keywords: readonly string[];
  readonly find: (before: Schema, after: Schema) => string | undefined;
}

/** Something that a check found. */
export interface Finding {
  readonly check: string;
  /** What was found, and in which version and at which path. */
  readonly text: string;
  /** Whether it follows from the two definitions alone, whatever objects there are. */
  readonly isStatic: boolean;
}
