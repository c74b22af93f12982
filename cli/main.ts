/** The program: runs one command line and sets the exit status.
 *  @imports cli/up, cli/demo, cli/console, cli/deployments, cli/operator, cli/catalog, cli/release, cli/upgrade, cli/machine, cli/node, cli/pool, cli/node-agent, cli/bundle,
 *    cli/install, cli/controllers, cli/webhook,
 *    cli/doctor, cli/completion, cli/process, cli/command, src/kube, src/api, src/base */
import { basename } from 'node:path';
import { isDiskFull } from '../src/base/index.ts';
import { runCommandLine } from './command-line.ts';
import { requestStop, runsUntilStopped } from './process/index.ts';

const closedCodes = ['EPIPE', 'EIO'];

/** A reader may close the pipe, as `| head` does, and a terminal may be closed: that is no failure. What runs until it is stopped stops in order. The disk of a
 *  log may be full: what runs then goes on, without the lines that have no room. */
function outliveErrors(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isDiskFull(error) && runsUntilStopped()) return;
    if (!closedCodes.includes(error.code ?? '')) throw error;
    if (!requestStop()) process.exit();
  });
}

outliveErrors(process.stdout);
outliveErrors(process.stderr);
/** kubectl runs a program of this name as its plug-in. */
const isKubectlOperator = basename(process.argv[1] ?? '').startsWith('kubectl-operator');
const words = process.argv.slice(2);
process.exitCode = await runCommandLine(isKubectlOperator ? ['operator', ...words] : words);
