import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { cutText, printableLine, TransientError } from '../base/index.ts';
import { runConfined } from './confined-run.ts';
import { defaultRunLimits } from './limits.ts';

/** Where helm is looked for. */
export interface HelmPlace {
  /** A path, or a name that is looked up in `searchPath`. */
  readonly program: string;
  /** As PATH has it. */
  readonly searchPath: string;
}

/** The program helm, of a version that is known to work. */
export interface HelmProgram {
  readonly path: string;
  /** `v3.19.2` */
  readonly version: string;
  /** Whether its runs have a network of their own. */
  readonly hasOwnNetwork: boolean;
}

const oldest = [3, 10] as const;
const newestMajor = 4;

function unavailable(text: string, cause?: unknown): TransientError {
  return new TransientError('HelmUnavailable', text, { cause });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function findProgram({ program, searchPath }: HelmPlace): string {
  if (program.includes('/')) {
    const path = isAbsolute(program) ? program : resolve(program);
    if (isProgram(path)) return path;
    throw unavailable(
      `charts are rendered by the program helm, and there is none at ${path}: set --helm to that of Helm 3 or 4`,
    );
  }
  const found = searchPath
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, program))
    .find(isProgram);
  if (found !== undefined) return found;
  const text = `charts are rendered by the program ${program}, which was not found where Longshore runs: install Helm 3 or 4 there, or set --helm to its path`;
  throw unavailable(text);
}

/** @throws TransientError HelmUnavailable */
function assertVersion(path: string, version: string): void {
  const [, major, minor] = /^v(\d+)\.(\d+)(?![\d])/.exec(version) ?? [];
  const [first, second] = [Number(major), Number(minor)];
  const isKnown = (first === oldest[0] && second >= oldest[1]) || (first > oldest[0] && first <= newestMajor);
  if (isKnown) return;
  const shown = version === '' ? 'no version' : `version ${printableLine(version.slice(0, 100))}`;
  throw unavailable(
    `${path}: expected helm from version ${oldest.join('.')} to ${newestMajor}.x, found ${shown}; set --helm to another one`,
  );
}

interface Trial {
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Runs helm once, which shows its version and whether it can have a network of its own.
 *  @throws TransientError HelmUnavailable */
async function tryProgram(path: string, hasOwnNetwork: boolean, trial: Trial): Promise<HelmProgram> {
  const command = [path, 'version', '--template', '{{.Version}}'];
  const { output, complaint, status } = await runConfined({
    command,
    hasOwnNetwork,
    limits: defaultRunLimits,
    ...trial,
  });
  if (status !== 0) {
    const why = cutText(printableLine(complaint.trim()), 500);
    throw unavailable(`${path} version: ended with status ${status ?? 'none'}: ${why}`);
  }
  const version = output.toString('utf8').trim();
  assertVersion(path, version);
  return { path, version, hasOwnNetwork };
}

/** Finds helm and looks at its version.
 *  @throws TransientError HelmUnavailable */
export async function findHelm(place: HelmPlace, trial: Trial): Promise<HelmProgram> {
  const path = findProgram(place);
  if (isProgram('/usr/bin/unshare')) {
    const confined = await tryProgram(path, true, trial).catch(() => undefined);
    if (confined !== undefined) return confined;
  }
  try {
    return await tryProgram(path, false, trial);
  } catch (thrown) {
    trial.signal.throwIfAborted();
    if (thrown instanceof TransientError) throw thrown;
    throw unavailable(`${path}: cannot be run`, thrown);
  }
}

/** Changes when another program has the path. */
export function stateOfProgram({ path }: HelmProgram): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs}/${size}/${ino}`;
  } catch {
    return 'gone';
  }
}
