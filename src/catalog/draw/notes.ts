import type { Row } from './layout.ts';

/** A remark on a bundle. */
export interface Note {
  readonly kind: 'head' | 'installed' | 'target' | 'path' | 'deprecated' | 'fault' | 'range' | 'absent';
  readonly text: string;
}

const kindNotes: Readonly<Partial<Record<Row['kind'], Note>>> = {
  head: { kind: 'head', text: 'head' },
  stranded: { kind: 'fault', text: 'nothing leads on from here' },
  elsewhere: { kind: 'absent', text: 'not in this channel' },
  absent: { kind: 'absent', text: 'not in the catalog' },
};

function* markNotes({ isInstalled, isTarget, isOnPath }: Row): Iterable<Note> {
  if (isInstalled) yield { kind: 'installed', text: 'installed' };
  if (isTarget) yield { kind: 'target', text: 'target' };
  if (isOnPath && !isInstalled && !isTarget) yield { kind: 'path', text: 'on the path' };
}

/** The notes beside a bundle. */
export function rowNotes(row: Row): readonly Note[] {
  const { kind, deprecation, skipRange } = row;
  const own = kindNotes[kind];
  const marks = [...markNotes(row)];
  const first = own === undefined ? marks : kind === 'head' ? [own, ...marks] : [...marks, own];
  return [
    ...first,
    ...(deprecation === undefined ? [] : [{ kind: 'deprecated' as const, text: `deprecated: ${deprecation}` }]),
    ...(skipRange === undefined ? [] : [{ kind: 'range' as const, text: `skipRange ${skipRange}` }]),
  ];
}
