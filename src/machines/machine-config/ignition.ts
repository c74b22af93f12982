import { isAbsolute, normalize } from 'node:path/posix';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  objectsAt,
  TerminalError,
  textAt,
} from '../../base/index.ts';

const versionPattern = /^3\.[0-9]{1,2}\.[0-9]{1,3}(-experimental)?$/;
const unitPattern =
  /^[A-Za-z0-9:_.@\\-]{1,255}\.(service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$/;
const dropinPattern = /^[A-Za-z0-9:_.@\\-]{1,250}\.conf$/;
const argumentPattern = /^[A-Za-z0-9_.,:=@%+/*~^-]{1,4096}$/;
const maxFiles = 10_000;
const maxPathBytes = 4096;
const maxMode = 0o777;

/** Folders that no file is written to: they hold no files, or those of the agent. */
const forbiddenFolders: readonly string[] = ['/proc', '/sys', '/dev', '/var/lib/longshore/node-agent'];

function invalid(message: string): TerminalError {
  return new TerminalError('InvalidConfig', message);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}

/** Why a path may not be written to; undefined if it may. */
function pathProblem(path: string): string | undefined {
  if (!isAbsolute(path)) return 'it is not absolute';
  if (path.includes('\0')) return 'it contains a NUL';
  if (Buffer.byteLength(path) > maxPathBytes) return `it is longer than ${maxPathBytes} bytes`;
  if (normalize(path) !== path || path.endsWith('/')) return 'it is not a clean path to a file';
  const folder = forbiddenFolders.find((name) => path === name || path.startsWith(`${name}/`));
  return folder === undefined ? undefined : `${folder} is not managed`;
}

function modeText(mode: JsonValue): string {
  return typeof mode === 'number' && mode >= 0 ? `0${mode.toString(8)}` : JSON.stringify(mode);
}

function checkFile(file: JsonObject): void {
  const path = textAt(file, 'path');
  const problem = pathProblem(path);
  if (problem !== undefined) throw invalid(`file ${shown(path)}: ${problem}`);
  const { mode } = file;
  if (mode !== undefined && mode !== null) {
    const isValid = typeof mode === 'number' && Number.isInteger(mode) && mode >= 0 && mode <= maxMode;
    if (!isValid) throw invalid(`invalid mode ${modeText(mode)} for ${path}, cannot exceed 0777`);
  }
  const source = textAt(objectAt(file, 'contents'), 'source');
  if (source !== '' && !source.startsWith('data:')) {
    throw invalid(`file ${shown(path)}: contents.source must be a data URL, found ${shown(source.slice(0, 20))}`);
  }
}

function checkUnit(unit: JsonObject): void {
  const name = textAt(unit, 'name');
  if (!unitPattern.test(name)) throw invalid(`unit ${shown(name)}: not a name of a systemd unit`);
  for (const dropin of objectsAt(unit, 'dropins')) {
    const file = textAt(dropin, 'name');
    if (!dropinPattern.test(file)) throw invalid(`unit ${shown(name)}: drop-in ${shown(file)} must end with .conf`);
  }
}

function assertUnique(kind: string, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw invalid(`${kind} ${shown(name)} is there twice`);
    seen.add(name);
  }
}

/** Checks the number of files and units.
 *  @throws TerminalError InvalidConfig */
export function checkCount(config: JsonObject): void {
  const count =
    listAt(objectAt(config, 'storage'), 'files').length + listAt(objectAt(config, 'systemd'), 'units').length;
  if (count > maxFiles) throw invalid(`more than ${maxFiles} files and units`);
}

/** Checks the Ignition document of a MachineConfig: Ignition 3, files with contents of their own, units. Nothing of it may leave the places of files.
 *  @throws TerminalError InvalidConfig */
export function checkIgnition(config: JsonObject): void {
  const version = textAt(objectAt(config, 'ignition'), 'version');
  if (Object.keys(config).length === 0) return;
  if (!versionPattern.test(version)) throw invalid(`ignition.version: expected 3.x, found ${shown(version)}`);
  const storage = objectAt(config, 'storage');
  const [files, units] = [listAt(storage, 'files'), listAt(objectAt(config, 'systemd'), 'units')];
  checkCount(config);
  if (![...files, ...units].every(isJsonObject)) throw invalid('files and units must be objects');
  for (const file of objectsAt(storage, 'files')) checkFile(file);
  for (const unit of objectsAt(objectAt(config, 'systemd'), 'units')) checkUnit(unit);
  assertUnique(
    'file',
    objectsAt(storage, 'files').map((file) => textAt(file, 'path')),
  );
  assertUnique(
    'unit',
    objectsAt(objectAt(config, 'systemd'), 'units').map((unit) => textAt(unit, 'name')),
  );
}

/** Checks arguments of the kernel: words that neither a boot loader nor a shell reads as something else.
 *  @throws TerminalError InvalidConfig */
export function checkKernelArguments(list: readonly string[]): void {
  const wrong = list.find((argument) => !argument.split(' ').every((word) => argumentPattern.test(word)));
  if (wrong !== undefined) throw invalid(`kernel argument ${shown(wrong)} has characters that are not allowed`);
}
