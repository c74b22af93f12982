import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkOut, type EditSource, findGoPrograms, type GoProject, type NoPrograms } from '../support/go-programs.ts';

const repository = 'https://github.com/openshift/cluster-version-operator';
const program = 'cluster-version-operator';
const definitions = 'vendor/github.com/openshift/api/config/v1/zz_generated.crd-manifests';
/** What the program watches. Other kinds of the group come with payloads. */
const definitionPattern =
  /_(?:clusterversions-Default|clusteroperators|featuregates|proxies|apiservers-Default|infrastructures-Default)\.crd\.yaml$/;

/** The commit of the cluster-version-operator that is compared with, of July 2026. */
export const operatorCommit = '6e719331fb5863141397f35b1f47bed42148a6dd';

/** The built cluster-version-operator, and the CustomResourceDefinitions that it needs. */
export interface OperatorBinary {
  readonly program: string;
  /** Paths of YAML files. */
  readonly crds: readonly string[];
}

/** Shortens its intervals, all but the throttling of risks, and lets several run on one machine. What it does is not changed. */
async function adapt(edit: EditSource): Promise<void> {
  await edit('pkg/start/start.go', [
    [
      'const (\n\tminResyncPeriod = 2 * time.Minute\n)',
      'var minResyncPeriod = func() time.Duration {\n' +
        '\tperiod, err := time.ParseDuration(os.Getenv("MIN_RESYNC_PERIOD"))\n' +
        '\tif err != nil {\n\t\tpanic(err)\n\t}\n\treturn period\n}()',
    ],
  ]);
  await edit('pkg/cvo/updatepayload.go', [
    [
      'const (\n\ttargetUpdatePayloadsDir = "/etc/cvo/updatepayloads"\n)',
      'var targetUpdatePayloadsDir = os.Getenv("UPDATE_PAYLOADS_DIR")',
    ],
    // No kubelet runs the pod that downloads a payload.
    ['retrieveTimeout: 4 * time.Minute', 'retrieveTimeout: 6 * time.Second'],
  ]);
  await edit('pkg/cvo/cvo.go', [
    ['statusInterval:             15 * time.Second', 'statusInterval:             500 * time.Millisecond'],
    ['Duration: time.Second * 10,', 'Duration: time.Millisecond * 300,'],
    ['Cap:      time.Second * 15,', 'Cap:      time.Millisecond * 450,'],
  ]);
  await edit('pkg/cvo/sync_worker.go', [
    ['Duration: time.Second, Cap: 15 * time.Second', 'Duration: 100 * time.Millisecond, Cap: time.Second'],
  ]);
  // Of operators that take long: a second stands for a minute.
  await edit('pkg/cvo/status.go', [
    ['m := 30 * time.Minute', 'm := 30 * time.Second'],
    ['-(40 * time.Minute)', '-(40 * time.Second)'],
  ]);
}

async function copyCrds(source: string, target: string): Promise<void> {
  await mkdir(target);
  for (const name of await readdir(join(source, definitions))) {
    if (definitionPattern.test(name)) await cp(join(source, definitions, name), join(target, name));
  }
}

const project: GoProject = {
  name: program,
  version: operatorCommit.slice(0, 12),
  programs: [program],
  download: (source) => checkOut(repository, operatorCommit, source),
  adapt,
  buildArguments: ['-mod=vendor', '-buildvcs=false'],
  copyCrds,
  command: 'npm run conformance:cluster-version',
};

/** The real cluster-version-operator: from the cache, or, where `mayBuild`, built once with git and the Go toolchain. `report` takes lines of progress. */
export async function findOperator(options: {
  readonly mayBuild: boolean;
  readonly report: (line: string) => void;
}): Promise<OperatorBinary | NoPrograms> {
  const found = await findGoPrograms(project, options);
  return 'missing' in found ? found : { program: found.pathOf(program), crds: found.crds };
}
