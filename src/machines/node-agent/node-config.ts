import { gunzipSync } from 'node:zlib';
import type { MachineConfig, MachineConfigSpec } from '../../api/index.ts';
import { isTrueAt, type JsonObject, objectAt, objectsAt, TerminalError, textAt, valueAt } from '../../base/index.ts';
import { checkIgnition, checkKernelArguments } from '../machine-config/ignition.ts';

/** A file of a node. */
export interface NodeFile {
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  readonly content: Buffer;
  /** Owner and group as numbers. */
  readonly uid: number;
  readonly gid: number;
}

/** A systemd unit of a node. */
export interface NodeUnit {
  readonly name: string;
  /** Undefined where the operating system brings the unit, and only drop-ins are added. */
  readonly content: string | undefined;
  readonly dropins: ReadonlyMap<string, string>;
  readonly isEnabled: boolean | undefined;
  readonly isMasked: boolean;
}

/** What a node is to have, read from a rendered MachineConfig. */
export interface NodeConfig {
  readonly name: string;
  readonly files: ReadonlyMap<string, NodeFile>;
  readonly units: ReadonlyMap<string, NodeUnit>;
  readonly kernelArguments: readonly string[];
  readonly spec: MachineConfigSpec;
}

const defaultMode = 0o644;
const maxContentBytes = 16 * 1024 * 1024;
const dataUrlPattern = /^data:(?<type>[^,]{0,200}),(?<data>[\s\S]*)$/;
const maxId = 2 ** 31;

function invalid(message: string): TerminalError {
  return new TerminalError('InvalidConfig', message);
}

function decode(source: string): Buffer {
  if (source === '') return Buffer.alloc(0);
  const { type, data } = dataUrlPattern.exec(source)?.groups ?? {};
  if (type === undefined || data === undefined) throw invalid('contents.source is not a data URL');
  try {
    return type.endsWith(';base64')
      ? Buffer.from(decodeURIComponent(data), 'base64')
      : Buffer.from(decodeURIComponent(data));
  } catch (thrown) {
    throw invalid(`contents.source cannot be decoded: ${thrown instanceof Error ? thrown.message : ''}`);
  }
}

function contentOf(contents: JsonObject | undefined): Buffer {
  const raw = decode(textAt(contents, 'source'));
  const compression = textAt(contents, 'compression');
  if (compression === '') return raw;
  if (compression !== 'gzip') throw invalid(`compression ${compression.slice(0, 20)} is not supported`);
  try {
    return gunzipSync(raw, { maxOutputLength: maxContentBytes });
  } catch (thrown) {
    throw invalid(`contents cannot be decompressed: ${thrown instanceof Error ? thrown.message : ''}`);
  }
}

function idOf(file: JsonObject, member: 'user' | 'group'): number {
  const owner = objectAt(file, member);
  if (owner === undefined) return 0;
  const id = valueAt(owner, 'id');
  if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < maxId) return id;
  if (textAt(owner, 'name') === 'root') return 0;
  throw invalid(`${member} must be a number, or root`);
}

function fileOf(file: JsonObject): NodeFile {
  const path = textAt(file, 'path');
  try {
    const { mode } = file;
    if (objectsAt(file, 'append').length > 0) throw invalid('append is not supported');
    const content = contentOf(objectAt(file, 'contents'));
    return {
      path,
      mode: typeof mode === 'number' ? mode : defaultMode,
      content,
      uid: idOf(file, 'user'),
      gid: idOf(file, 'group'),
    };
  } catch (thrown) {
    throw invalid(`file ${JSON.stringify(path)}: ${thrown instanceof Error ? thrown.message : ''}`);
  }
}

function unitOf(unit: JsonObject): NodeUnit {
  const enabled = valueAt(unit, 'enabled');
  const content = valueAt(unit, 'contents');
  const dropins = objectsAt(unit, 'dropins').map((one) => [textAt(one, 'name'), textAt(one, 'contents')] as const);
  return {
    name: textAt(unit, 'name'),
    content: typeof content === 'string' ? content : undefined,
    dropins: new Map(dropins),
    isEnabled: typeof enabled === 'boolean' ? enabled : undefined,
    isMasked: isTrueAt(unit, 'mask'),
  };
}

/** Reads what a node is to have; contents are decoded, 16 MiB of them at most.
 *  @throws TerminalError InvalidConfig */
export function readNodeConfig({ metadata, spec = {} }: Pick<MachineConfig, 'metadata' | 'spec'>): NodeConfig {
  const config = spec.config ?? {};
  checkIgnition(config);
  const kernelArguments = spec.kernelArguments ?? [];
  checkKernelArguments(kernelArguments);
  const files = new Map<string, NodeFile>();
  let bytes = 0;
  for (const one of objectsAt(objectAt(config, 'storage'), 'files')) {
    const file = fileOf(one);
    bytes += file.content.length;
    if (bytes > maxContentBytes) throw invalid(`the files have more than ${maxContentBytes} bytes`);
    files.set(file.path, file);
  }
  const units = objectsAt(objectAt(config, 'systemd'), 'units').map(unitOf);
  return { name: metadata.name, files, units: new Map(units.map((unit) => [unit.name, unit])), kernelArguments, spec };
}
