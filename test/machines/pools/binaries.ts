import { createHash } from 'node:crypto';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkOut, type EditSource, findGoPrograms, type NoPrograms } from '../../support/go-programs.ts';

const repository = 'https://github.com/openshift/machine-config-operator';
const commit = '7ff337a4ffac8e7562692181178ede61e4b2eec5';
/** Of the folder below `cmd/` that the oracle is copied to. */
const program = 'longshore-pools';
const mainPath = join(import.meta.dirname, 'reference/main.go');
const tags = 'containers_image_openpgp exclude_graphdriver_btrfs exclude_graphdriver_devicemapper';

/** Shortens an interval. What it does is not changed. */
async function adapt(edit: EditSource): Promise<void> {
  await edit('pkg/controller/render/render_controller.go', [
    ['renderDelay = 5 * time.Second', 'renderDelay = 300 * time.Millisecond'],
  ]);
}

async function download(source: string): Promise<void> {
  await checkOut(repository, commit, source);
  const target = join(source, 'cmd', program);
  await mkdir(target, { recursive: true });
  await cp(mainPath, join(target, 'main.go'));
}

/** The render, node and drain controllers of the machine-config-operator.
 *  @returns the path of the program */
export async function findControllers(options: {
  readonly mayBuild: boolean;
  readonly report: (line: string) => void;
}): Promise<{ readonly program: string } | NoPrograms> {
  const variant = createHash('sha256')
    .update(await readFile(mainPath))
    .digest('hex')
    .slice(0, 8);
  const found = await findGoPrograms(
    {
      name: 'machine-config-operator',
      version: `${commit.slice(0, 12)}-${variant}`,
      programs: [program],
      download,
      adapt,
      buildArguments: ['-mod=vendor', '-buildvcs=false', '-tags', tags],
      // The scenarios run with the definitions of Longshore.
      copyCrds: async (_source, target) => {
        await mkdir(target);
      },
      command: 'npm run conformance:pools',
    },
    options,
  );
  return 'missing' in found ? found : { program: found.pathOf(program) };
}
