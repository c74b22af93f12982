/** One step of a document: a file to write, or a command and what it must print. */
export type DocumentStep =
  | { readonly kind: 'file'; readonly name: string; readonly content: string }
  | { readonly kind: 'server'; readonly command: string }
  | { readonly kind: 'command'; readonly command: string; readonly output: string };

/** A fenced block; `info` is what stands behind the opening fence. */
export interface Fence {
  readonly info: string;
  readonly lines: readonly string[];
}

/** The fenced blocks of a Markdown document. */
export function fencesOf(text: string): Fence[] {
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, info = '', body = '']) => ({
    info,
    lines: body.split('\n').slice(0, -1),
  }));
}

function commandsOf(lines: readonly string[]): DocumentStep[] {
  const steps: { kind: 'command'; command: string; output: string }[] = [];
  for (const line of lines) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ kind: 'command', command: line.slice(2), output: '' });
    else if (last !== undefined) last.output += `${line}\n`;
  }
  return steps;
}

/** The steps of a Markdown document: blocks fenced as `yaml file=NAME`, lines behind `$ ` in blocks fenced as `console`, and what runs in another
 *  terminal meanwhile, blocks fenced as `sh server`. */
export function stepsOf(text: string): DocumentStep[] {
  return fencesOf(text).flatMap(({ info, lines }): DocumentStep[] => {
    const name = /\bfile=(\S+)/.exec(info)?.[1];
    if (name !== undefined) return [{ kind: 'file', name, content: `${lines.join('\n')}\n` }];
    if (info === 'sh server') return [{ kind: 'server', command: lines.join('\n') }];
    return info === 'console' ? commandsOf(lines) : [];
  });
}

const placeholders: Readonly<Record<string, string>> = {
  // Tables of updates name less than a second so.
  '<age>': String.raw`(?:now|\d+[smhd]\S*)`,
  '<hash>': '[a-z0-9]+',
  '<commit>': '[0-9a-f]{40}',
  '<time>': String.raw`\d{4}-\d\d-\d\dT[\d:]+Z`,
};

/** Whether `printed` is what the document shows: `<age>`, `<hash>`, `<commit>` and `<time>` stand for what differs each time, columns may be wider. */
export function matchesDocument(shown: string, printed: string): boolean {
  const escaped = shown.trim().replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = Object.entries(placeholders)
    .reduce((text, [name, expression]) => text.replaceAll(name, expression), escaped)
    .replace(/ {2,}/g, ' +')
    .replace(/ +\n/g, '\n');
  return new RegExp(`^${pattern}$`).test(printed.trim().replace(/ +$/gm, ''));
}
