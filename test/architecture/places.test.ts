import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Code spans of a text. */
function codeSpans(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
}

/** Whether a code span is a path of the repository: no placeholder, option, package or command. */
function isPath(span: string): boolean {
  return /^[\w.-]+\/[\w./-]*$/.test(span) && !/[A-Z]{3}/.test(span.replace(/(?:README|CONTRIBUTING)\.md$/, ''));
}

const contributing = readFileSync('CONTRIBUTING.md', 'utf8');

/** Rows of "Where to find things". */
function placeRows(): readonly { readonly question: string; readonly place: string }[] {
  const [, section = ''] = contributing.split('\n## Where to find things\n');
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| (?<question>.*?) \| (?<place>.*) \|$/gm)]
    .slice(1)
    .map(({ groups = {} }) => ({ question: groups['question'] ?? '', place: groups['place'] ?? '' }));
}

test('CONTRIBUTING.md answers where things are with places that exist', () => {
  const rows = placeRows();
  expect(rows.length).toBeGreaterThanOrEqual(10);
  for (const { question, place } of rows) {
    const paths = codeSpans(place).filter(isPath);
    expect(paths, question).not.toEqual([]);
    for (const path of paths) expect(existsSync(path), `${question}: ${path}`).toBe(true);
  }
});

test('an identifier that CONTRIBUTING.md names is in its file', () => {
  const named = placeRows().flatMap(({ place }) =>
    [...place.matchAll(/((?:`\w+`(?:, )?)+) in `([^`]+)`/g)].flatMap(([, names = '', path = '']) =>
      codeSpans(names).map((name) => ({ name, path })),
    ),
  );
  expect(named.length).toBeGreaterThan(5);
  for (const { name, path } of named) {
    expect(readFileSync(path, 'utf8'), `${name} in ${path}`).toMatch(new RegExp(`\\b${name}\\b`));
  }
});

test('the checklists of CONTRIBUTING.md name paths that exist', () => {
  const [, checklists = ''] = contributing.split('\n## Checklists\n');
  const [section = ''] = checklists.split('\n## ');
  const paths = codeSpans(section).filter(isPath);
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

test('the map of ARCHITECTURE.md shows folders and files that exist, and every folder of src, cli and apiserver', () => {
  const [, map = ''] = /^## Map\n\n```\n([\s\S]*?)\n```/m.exec(readFileSync('ARCHITECTURE.md', 'utf8')) ?? [];
  let parent = '';
  const shown = map.split('\n').flatMap((line) => {
    const [, indent = '', name = ''] = /^( {2})?([\w.-]+\/|[\w-]+\.ts)(?: |$)/.exec(line) ?? [];
    if (name === '') return [];
    if (indent === '') parent = name;
    return [indent === '' ? name : `${parent}${name}`];
  });
  expect(shown.length).toBeGreaterThan(60);
  expect(shown.filter((path) => !existsSync(path) || statSync(path).isDirectory() !== path.endsWith('/'))).toEqual([]);
  for (const folder of ['src', 'cli', 'apiserver']) {
    const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of folders) expect(map, `${folder}/${name}`).toContain(` ${name}/ `);
  }
});
