import { spawnSync } from 'node:child_process';
import { type GoProgram, goInstalled } from './go-program.ts';

/** The program helm of PATH, or the one that was built for tests; or why there is none. */
async function findHelmProgram(): Promise<GoProgram> {
  const onPath = spawnSync('helm', ['version']).status === 0;
  return onPath ? { path: 'helm' } : await goInstalled('helm.sh/helm/v3/cmd/helm', 'v3.19.2');
}

/** Whether helm can be had, and a reason for the names of tests that are skipped. */
export async function helmForTests(): Promise<{ readonly path: string; readonly why: string }> {
  const program = await findHelmProgram();
  return 'path' in program
    ? { path: program.path, why: '' }
    : { path: '', why: ` (skipped: no helm: ${program.missing})` };
}
