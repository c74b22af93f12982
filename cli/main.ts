/** The program: runs one command line and sets the exit status.
 *  @imports cli/deployments, cli/catalog, cli/bundle, cli/install, cli/doctor, cli/demo, cli/client, cli/input,
 *    cli/process, cli/output, cli/command, apiserver, manager, provisioners, webhook, src/catalog, src/sources,
 *    src/image-policy, src/content, src/controller, src/kube, src/metrics, src/constraints, src/api, src/base
 *  @packages @opentelemetry/api, @opentelemetry/exporter-trace-otlp-http, @opentelemetry/resources,
 *    @opentelemetry/sdk-trace-base */
import { runCommandLine } from './command-line.ts';

/** A reader may stop reading, as `| head` does: that is no failure. */
function endWhenNobodyReads(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

endWhenNobodyReads(process.stdout);
endWhenNobodyReads(process.stderr);
process.exitCode = await runCommandLine(process.argv.slice(2));
