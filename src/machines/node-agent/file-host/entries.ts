import { posix } from 'node:path';
import type { NodeConfig, NodeUnit } from '../node-config.ts';
import type { Entry } from './files.ts';

const unitFolder = '/etc/systemd/system';
const argumentsFile = '/etc/default/grub.d/50-longshore.cfg';
const unitMode = 0o644;

/** A file of the node, or that none is to be there. */
export type DesiredEntry = Entry;

function textFile(text: string): Entry {
  return { kind: 'file', content: Buffer.from(text), mode: unitMode, uid: 0, gid: 0 };
}

/** Targets and other units that the unit is a part of, by its section Install. */
function installed(content: string): readonly (readonly [folder: string, unit: string])[] {
  const section = /^\[Install\][^\n]*\n([\s\S]*?)(?=^\[|$(?![\s\S]))/m.exec(content)?.[1] ?? '';
  const lines = [...section.matchAll(/^(Want|Requir)edBy=(.*)$/gm)];
  return lines.flatMap(([, kind, names = '']) => {
    const folder = kind === 'Want' ? 'wants' : 'requires';
    const units = names
      .split(/\s+/)
      .filter((name) => /^[A-Za-z0-9:_.@\\-]{1,255}$/.test(name) && !name.startsWith('.'));
    return units.map((unit) => [folder, unit] as const);
  });
}

function unitEntries({ name, content, dropins, isEnabled, isMasked }: NodeUnit): readonly (readonly [string, Entry])[] {
  const place = posix.join(unitFolder, name);
  const extra = [...dropins].map(([file, text]) => [posix.join(`${place}.d`, file), textFile(text)] as const);
  if (isMasked) return [[place, { kind: 'link', target: '/dev/null' }], ...extra];
  const links = isEnabled === true ? installed(content ?? '') : [];
  const enabled = links.map(
    ([folder, unit]) => [posix.join(unitFolder, `${unit}.${folder}`, name), { kind: 'link', target: place }] as const,
  );
  return [...(content === undefined ? [] : [[place, textFile(content)] as const]), ...extra, ...enabled];
}

function argumentEntries(list: readonly string[]): readonly (readonly [string, Entry])[] {
  if (list.length === 0) return [];
  // Words are checked before: none ends the text, or is evaluated by the shell that reads it.
  const text = `# Written by the node agent.\nGRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX ${list.join(' ')}"\n`;
  return [[argumentsFile, textFile(text)]];
}

/** All files and links that a configuration stands for, by their paths. */
export function entriesOf({ files, units, kernelArguments }: NodeConfig): ReadonlyMap<string, Entry> {
  const own = [...files.values()].map(
    ({ path, content, mode, uid, gid }) => [path, { kind: 'file', content, mode, uid, gid }] as const,
  );
  return new Map<string, Entry>([
    ...[...units.values()].flatMap(unitEntries),
    ...argumentEntries(kernelArguments),
    ...own,
  ]);
}

/** Whether both are the same. */
export function isSameEntry(a: Entry, b: Entry): boolean {
  if (a.kind === 'link' || b.kind === 'link') return a.kind === 'link' && b.kind === 'link' && a.target === b.target;
  return a.mode === b.mode && a.uid === b.uid && a.gid === b.gid && a.content.equals(b.content);
}
