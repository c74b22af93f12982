import type { Session } from '../sessions.ts';
import type { Words } from './command.ts';
import type { Input } from './input.ts';

/** A command that pages may run. */
export interface CommandDefinition {
  /** Whether it changes the cluster. */
  readonly isChange: boolean;
  /** Whether it fetches what the request names from outside of the cluster. */
  readonly isFetching: boolean;
  readonly words: (input: Input, session: Session) => Words | Promise<Words>;
}

/** How pages read the output of a command. */
export const json: readonly string[] = ['-o', 'json'];

/** A command that reads the cluster alone. */
export function reads(words: CommandDefinition['words']): CommandDefinition {
  return { isChange: false, isFetching: false, words };
}

/** A command that changes the cluster. */
export function changes(words: CommandDefinition['words']): CommandDefinition {
  return { isChange: true, isFetching: false, words };
}
