import { errorMessage, TerminalError, TransientError } from '../base/index.ts';
import { isNotFound, NoKindMatch } from '../kube/index.ts';

/** Something that stands against an installation. */
export interface Problem {
  readonly message: string;
  readonly cause?: unknown;
  /** Whether it may go away without a change of the bundle. */
  readonly isTransient: boolean;
  readonly isConflict?: boolean;
}

const maxListed = 50;
/** Conditions and Events are for people; a server's message may have any length. */
const maxTextLength = 1000;
const maxListedLength = 12_000;

/** Why nothing, or not everything, was installed. `isConflict`: something belongs to another owner. */
export interface InstallFailure {
  readonly isConflict: boolean;
  readonly isMissingKind: boolean;
}

/** Another try may work without a new bundle: a kind or a namespace is missing, an object belongs to another owner. */
export class InstallBlocked extends TransientError implements InstallFailure {
  readonly isConflict: boolean;
  readonly isMissingKind: boolean;
  constructor(message: string, facts: InstallFailure) {
    super('InstallBlocked', message);
    this.isConflict = facts.isConflict;
    this.isMissingKind = facts.isMissingKind;
  }
}

/** The server refuses the bundle as it is. */
class InstallRefused extends TerminalError implements InstallFailure {
  readonly isConflict = false;
  readonly isMissingKind = false;
  constructor(message: string) {
    super('InstallRefused', message);
  }
}

/** A problem from what a request threw; `what` names the object. Errors that concern no object are thrown on. */
export function problemOf(what: string, thrown: unknown): Problem {
  if (!(thrown instanceof TransientError) && !(thrown instanceof TerminalError)) throw thrown;
  const message = `${what}: ${errorMessage(thrown)}`;
  return { message, cause: thrown, isTransient: thrown instanceof TransientError };
}

function isMissing({ cause }: Problem): boolean {
  return cause instanceof NoKindMatch || isNotFound(cause);
}

function shortened(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}

/** All problems, each once: a single one stands alone, several in brackets, as many as fit into a condition. */
export function listProblems(problems: readonly Problem[]): string {
  const texts = [...new Set(problems.map(({ message }) => message))];
  if (texts.length === 1) return texts.join('');
  const listed: string[] = [];
  let length = 0;
  for (const text of texts.slice(0, maxListed).map(shortened)) {
    length += text.length;
    if (length > maxListedLength) break;
    listed.push(text);
  }
  const more = texts.length - listed.length;
  return `[${[...listed, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')}]`;
}

/** One error that lists all problems (see `listProblems`).
 *  @throws InstallBlocked, InstallRefused */
export function throwProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const text = listProblems(problems);
  const message = problems.some(isMissing) ? `required resource not found: ${text}` : text;
  if (problems.every(({ isTransient }) => !isTransient)) throw new InstallRefused(message);
  throw new InstallBlocked(message, {
    isConflict: problems.some(({ isConflict }) => isConflict === true),
    isMissingKind: problems.some(({ cause }) => cause instanceof NoKindMatch),
  });
}
