/** The program: runs one command line and sets the exit status.
 *  @imports cli/up, cli/demo, cli/deployments, cli/catalog, cli/bundle, cli/install, cli/controllers, cli/webhook,
 *    cli/doctor, cli/completion, cli/process, cli/command, src/kube, src/api, src/base */
import { runCommandLine } from './command-line.ts';

/** A reader may close the pipe, as `| head` does: that is no failure. */
function endWhenReaderCloses(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

endWhenReaderCloses(process.stdout);
endWhenReaderCloses(process.stderr);
process.exitCode = await runCommandLine(process.argv.slice(2));
