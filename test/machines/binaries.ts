import { createHash } from 'node:crypto';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { editSource, findGoProgram, type NoProgram } from '../support/go-program.ts';

const name = 'machine-api-operator';
const mainPath = join(import.meta.dirname, 'oracle/main.go');

/** The commit of machine-api-operator that is compared with, of August 2026. */
export const referenceCommit = '951196122fe4f1115782da6c14660116905029c4';

/** Shortens its intervals. What it does is not changed. */
async function adapt(source: string): Promise<void> {
  const target = join(source, 'cmd', name, 'longshore');
  await mkdir(target, { recursive: true });
  await cp(mainPath, join(target, 'main.go'));
  await editSource(join(source, 'pkg/controller/machine/controller.go'), [
    ['requeueAfter   = 30 * time.Second', 'requeueAfter   = 1500 * time.Millisecond'],
  ]);
  await editSource(join(source, 'pkg/controller/machine/drain_controller.go'), [
    ['[reconcile.Request](5*time.Second, 1000*time.Second)', '[reconcile.Request](time.Second, 5*time.Second)'],
    ['Timeout: 20 * time.Second', 'Timeout: 2 * time.Second'],
    ['RequeueAfter: 20 * time.Second', 'RequeueAfter: 2 * time.Second'],
  ]);
}

/** The controllers of machine-api-operator, built with an actuator that asks a server.
 *  @returns the path of the program */
export async function findReference(options: {
  readonly mayBuild: boolean;
  readonly report: (line: string) => void;
}): Promise<{ readonly program: string } | NoProgram> {
  const variant = createHash('sha256')
    .update(await readFile(mainPath))
    .digest('hex')
    .slice(0, 8);
  const found = await findGoProgram(
    {
      name,
      repository: 'https://github.com/openshift/machine-api-operator',
      commit: referenceCommit,
      variant,
      package: `./cmd/${name}/longshore`,
      adapt,
    },
    options,
  );
  return 'missing' in found ? found : { program: join(found.folder, name) };
}
