import { createHash } from 'node:crypto';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkOut, type EditSource, findGoPrograms, type NoPrograms } from '../support/go-programs.ts';

const repository = 'https://github.com/openshift/machine-api-operator';
/** Of the folder below `cmd/` that the oracle is copied to. */
const program = 'longshore-machines';
const mainPath = join(import.meta.dirname, 'oracle/main.go');

/** The commit of machine-api-operator that is compared with, of August 2026. */
export const referenceCommit = '951196122fe4f1115782da6c14660116905029c4';

/** Shortens its intervals. What it does is not changed. */
async function adapt(edit: EditSource): Promise<void> {
  await edit('pkg/controller/machine/controller.go', [
    ['requeueAfter   = 30 * time.Second', 'requeueAfter   = 1500 * time.Millisecond'],
  ]);
  await edit('pkg/controller/machine/drain_controller.go', [
    ['[reconcile.Request](5*time.Second, 1000*time.Second)', '[reconcile.Request](time.Second, 5*time.Second)'],
    ['Timeout: 20 * time.Second', 'Timeout: 2 * time.Second'],
    ['RequeueAfter: 20 * time.Second', 'RequeueAfter: 2 * time.Second'],
  ]);
}

async function download(source: string): Promise<void> {
  await checkOut(repository, referenceCommit, source);
  const target = join(source, 'cmd', program);
  await mkdir(target, { recursive: true });
  await cp(mainPath, join(target, 'main.go'));
}

/** The controllers of machine-api-operator, built with an actuator that asks a server.
 *  @returns the path of the program */
export async function findReference(options: {
  readonly mayBuild: boolean;
  readonly report: (line: string) => void;
}): Promise<{ readonly program: string } | NoPrograms> {
  const variant = createHash('sha256')
    .update(await readFile(mainPath))
    .digest('hex')
    .slice(0, 8);
  const found = await findGoPrograms(
    {
      name: 'machine-api-operator',
      version: `${referenceCommit.slice(0, 12)}-${variant}`,
      programs: [program],
      download,
      adapt,
      buildArguments: ['-mod=vendor', '-buildvcs=false'],
      // The scenarios run with the definitions of Longshore.
      copyCrds: async (_source, target) => {
        await mkdir(target);
      },
      command: 'npm run conformance:machines',
    },
    options,
  );
  return 'missing' in found ? found : { program: found.pathOf(program) };
}
