/** The program: runs one command line and sets the exit status.
 *  @imports apiserver, provisioners, src/api, src/apply, src/base, src/bundle-checks, src/catalog, src/constraints, src/content, src/controller, src/formats, src/image-policy, src/kube, src/metrics, src/olm, src/rbac, src/resolver, src/sources, webhook
 *  @packages @opentelemetry/api, @opentelemetry/exporter-trace-otlp-http, @opentelemetry/resources, @opentelemetry/sdk-trace-base, diff */
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
