import type { JsonObject } from '../../../src/base/index.ts';

/** What a command of the program ended with. */
export interface CommandOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command of the program, run as the viewer. */
export interface CommandRun {
  readonly args: readonly string[];
  /** The cluster and the credentials of the viewer: a file that exists, or one to write for the run alone. */
  readonly kubeconfig: { readonly path: string } | { readonly document: JsonObject };
  /** Files for the command, by their names below its working folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly signal: AbortSignal;
}

/** Runs a command in a process of its own, so that content from outside costs the console neither memory nor time. */
export type RunCommand = (run: CommandRun) => Promise<CommandOutput>;

/** What a command is made of: words for the program, and files that they name. */
export interface Words {
  readonly args: readonly string[];
  readonly files?: ReadonlyMap<string, Uint8Array>;
  /** The same for a user, where files have other names. */
  readonly shown?: readonly string[];
}
