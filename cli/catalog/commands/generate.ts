import { stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { TerminalError } from '../../../src/base/index.ts';
import { catalogDockerfile } from '../../../src/catalog/index.ts';
import type { OptionValues } from '../../command/index.ts';
import type { dockerfileOptions } from '../author-options.ts';

type Values = OptionValues<typeof dockerfileOptions>;

/** @throws TerminalError NotFound */
async function assertFolder(path: string): Promise<void> {
  const found = await stat(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined;
    throw thrown;
  });
  if (found === undefined) throw new TerminalError('NotFound', `stat ${path}: no such file or directory`);
  if (!found.isDirectory()) throw new TerminalError('NotFound', `"${path}" is not a directory`);
}

/** `longshore catalog generate dockerfile DIR`: writes `DIR.Dockerfile`, never over a file that is there. */
export async function catalogGenerate(values: Values, [what, dir]: readonly [string, string]): Promise<number> {
  if (what !== 'dockerfile') {
    throw new TerminalError('InvalidOption', `catalog generate: expected dockerfile, found "${what}"`);
  }
  await assertFolder(dir);
  const folder = resolve(dir);
  const text = catalogDockerfile({
    folder: basename(folder),
    baseImage: values['base-image'],
    builderImage: values['builder-image'],
    labels: values['extra-labels'],
  });
  const path = join(dirname(folder), `${basename(folder)}.Dockerfile`);
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    const hint = 'remove it first: existing files are not overwritten';
    throw new TerminalError('FileExists', `${path} exists already: ${hint}`, { cause: thrown });
  }
  process.stdout.write(`${path}\n`);
  return 0;
}
