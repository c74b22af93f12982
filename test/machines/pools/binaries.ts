import { join } from 'node:path';
import { type EditSource, findHostedProgram, type NoPrograms } from '../../support/go-programs.ts';

const tags = 'containers_image_openpgp exclude_graphdriver_btrfs exclude_graphdriver_devicemapper';

/** Shortens an interval. What it does is not changed. */
async function adapt(edit: EditSource): Promise<void> {
  await edit('pkg/controller/render/render_controller.go', [
    ['renderDelay = 5 * time.Second', 'renderDelay = 300 * time.Millisecond'],
  ]);
}

/** The render, node and drain controllers of the machine-config-operator.
 *  @returns the path of the program */
export async function findControllers(options: {
  readonly mayBuild: boolean;
  readonly report: (line: string) => void;
}): Promise<{ readonly program: string } | NoPrograms> {
  return await findHostedProgram(
    {
      name: 'machine-config-operator',
      repository: 'https://github.com/openshift/machine-config-operator',
      commit: '7ff337a4ffac8e7562692181178ede61e4b2eec5',
      program: 'longshore-pools',
      mainPath: join(import.meta.dirname, 'reference/main.go'),
      adapt,
      buildArguments: ['-tags', tags],
      command: 'npm run conformance:pools',
    },
    options,
  );
}
