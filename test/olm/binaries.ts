import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { type EditSource, findGoPrograms, type GoProject, type NoPrograms, runTool } from '../support/go-programs.ts';

const moduleName = 'github.com/operator-framework/operator-lifecycle-manager';

/** The release of Operator Lifecycle Manager that is compared with. */
export const olmVersion = 'v0.46.0';

/** Where the programs of OLM are, and its CustomResourceDefinitions. */
export interface OlmBinaries {
  readonly olm: string;
  readonly catalog: string;
  readonly packageServer: string;
  /** Paths of YAML files. */
  readonly crds: readonly string[];
}

/** Lets several of them run on one machine, outside of a cluster. What they do is not changed. */
async function adapt(edit: EditSource): Promise<void> {
  // Metrics have no address of their own: all programs would listen on one port.
  await edit('pkg/lib/server/server.go', [
    ['return ":8080"', 'return os.Getenv("METRICS_ADDRESS")'],
    ['\t"net/http"\n', '\t"net/http"\n\t"os"\n'],
  ]);
  // The package server takes a kubeconfig for everything but authorization.
  await edit('pkg/package-server/server/server.go', [
    [
      'authorizationOptions := genericoptions.NewDelegatingAuthorizationOptions().',
      'authorizationOptions := genericoptions.NewDelegatingAuthorizationOptions()\n' +
        '\tauthorizationOptions.RemoteKubeConfigFile = o.Kubeconfig\n' +
        '\tauthorizationOptions = authorizationOptions.',
    ],
  ]);
}

/** A copy of the module's folder in Go's read-only cache. */
async function download(source: string, work: string): Promise<void> {
  const printed = await runTool('go', ['mod', 'download', '-json', `${moduleName}@${olmVersion}`], work);
  await cp((JSON.parse(printed) as { Dir: string }).Dir, source, { recursive: true });
  await runTool('chmod', ['-R', 'u+w', source], work);
}

const project: GoProject = {
  name: 'olm',
  version: olmVersion,
  programs: ['olm', 'catalog', 'package-server'],
  download,
  adapt,
  buildArguments: ['-mod=mod', '-tags', 'containers_image_openpgp'],
  copyCrds: (source, target) => cp(join(source, 'deploy/chart/crds'), target, { recursive: true }),
  command: 'npm run conformance:olm',
};

/** The programs of the real OLM: from the cache, or, where `mayBuild`, built once with the Go toolchain. `report` takes lines of progress. */
export async function findOlm(options: {
  readonly mayBuild: boolean;
  readonly report: (line: string) => void;
}): Promise<OlmBinaries | NoPrograms> {
  const found = await findGoPrograms(project, options);
  if ('missing' in found) return found;
  const { pathOf, crds } = found;
  return { olm: pathOf('olm'), catalog: pathOf('catalog'), packageServer: pathOf('package-server'), crds };
}
