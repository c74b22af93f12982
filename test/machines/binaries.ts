import { join } from 'node:path';
import { type EditSource, findHostedProgram, type NoPrograms } from '../support/go-programs.ts';

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

/** The controllers of machine-api-operator, built with an actuator that asks a server.
 *  @returns the path of the program */
export async function findReference(options: {
  readonly mayBuild: boolean;
  readonly report: (line: string) => void;
}): Promise<{ readonly program: string } | NoPrograms> {
  return await findHostedProgram(
    {
      name: 'machine-api-operator',
      repository: 'https://github.com/openshift/machine-api-operator',
      commit: referenceCommit,
      program: 'longshore-machines',
      mainPath: join(import.meta.dirname, 'oracle/main.go'),
      adapt,
      command: 'npm run conformance:machines',
    },
    options,
  );
}
