import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  checkOut,
  type EditSource,
  findGoPrograms,
  type GoPrograms,
  type GoProject,
  type NoPrograms,
  runTool,
} from '../support/go-programs.ts';

const repository = 'https://github.com/operator-framework/operator-controller';
const boxcutter = { repository: 'https://github.com/package-operator/boxcutter', tag: 'v0.14.0' };
const definitions = [
  'helm/olmv1/base/operator-controller/crd/experimental/olm.operatorframework.io_clusterextensions.yaml',
  'helm/olmv1/base/catalogd/crd/standard/olm.operatorframework.io_clustercatalogs.yaml',
];

/** The release of operator-controller and catalogd that is compared with. */
export const operatorControllerVersion = 'v1.11.0';

async function download(source: string): Promise<void> {
  await checkOut(repository, `refs/tags/${operatorControllerVersion}`, source);
  // Its module has a path of its own, which not every module proxy serves.
  await checkOut(boxcutter.repository, `refs/tags/${boxcutter.tag}`, join(source, 'boxcutter'));
  const replace = 'pkg.package-operator.run/boxcutter=./boxcutter';
  await runTool('go', ['mod', 'edit', '-replace', replace], source);
}

/** Lets several of them run on one machine, outside of a cluster. What they do is not changed. */
async function adapt(edit: EditSource): Promise<void> {
  await edit('internal/shared/util/sa/serviceaccount.go', [
    [
      'os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/token")',
      'os.ReadFile(os.Getenv("SERVICE_ACCOUNT_TOKEN_FILE"))',
    ],
  ]);
}

async function copyCrds(source: string, target: string): Promise<void> {
  await mkdir(target);
  for (const path of definitions) await copyFile(join(source, path), join(target, basename(path)));
}

/** How they are built. */
export const operatorControllerProject: GoProject = {
  name: 'operator-controller',
  version: operatorControllerVersion,
  programs: ['operator-controller', 'catalogd'],
  download,
  adapt,
  buildArguments: ['-mod=mod', '-buildvcs=false', '-tags', 'containers_image_openpgp,exclude_graphdriver_btrfs'],
  copyCrds,
  command: 'npm run conformance:cluster-extensions',
};

/** The real programs: from the cache, or, where `mayBuild`, built once with git and Go. `report` takes lines of progress. */
export async function findOperatorController(options: {
  readonly mayBuild: boolean;
  readonly report: (line: string) => void;
}): Promise<GoPrograms | NoPrograms> {
  return await findGoPrograms(operatorControllerProject, options);
}
