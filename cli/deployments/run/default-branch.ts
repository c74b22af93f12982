import { execFile } from 'node:child_process';
import { parse } from 'node:path';
import { promisify } from 'node:util';
import { redactUrl, TerminalError } from '../../../src/base/index.ts';

const deadlineMs = 30_000;
const head = /^ref: refs\/heads\/(\S+)\tHEAD$/m;

/** The branch that HEAD of a repository points to, as the program `git` of this machine sees it.
 *  @throws TerminalError NoDefaultBranch */
export async function defaultBranch(repository: string, signal: AbortSignal): Promise<string> {
  const refuse = (why: string, cause?: unknown): TerminalError => {
    const text = `${redactUrl(repository)}: the default branch is not known (${why}); name a --branch, --tag or --commit`;
    return new TerminalError('NoDefaultBranch', text, { cause });
  };
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  try {
    const args = ['ls-remote', '--symref', '--', repository, 'HEAD'];
    // The configuration of a repository in the current folder, which others may have written, can name programs to run.
    const cwd = parse(process.cwd()).root;
    const { stdout } = await promisify(execFile)('git', args, { cwd, env, timeout: deadlineMs, signal });
    const branch = head.exec(stdout)?.[1];
    if (branch === undefined) throw refuse('its HEAD points to no branch');
    return branch;
  } catch (thrown) {
    if (thrown instanceof TerminalError) throw thrown;
    const { stderr = '' } = thrown as { readonly stderr?: string };
    const lines = stderr.trim().split('\n');
    const why = redactUrl(lines.find((line) => line.startsWith('fatal:')) ?? lines[0] ?? '');
    throw refuse(why === '' ? 'the program git did not answer' : why, thrown);
  }
}
