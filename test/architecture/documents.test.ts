import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf, proseOf } from './markdown.ts';

/** The tracked and new files of the repository that match these patterns. */
function filesOf(...patterns: string[]): { readonly path: string; readonly text: string }[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns]).toString();
  return [...new Set(listed.trim().split('\n'))]
    .filter((path) => path !== '' && existsSync(path))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

const documents = filesOf('*.md', ':!test/fixtures');
const anchors = new Map(documents.map(({ path, text }) => [path, anchorsOf(text)]));

/** Whether `path#anchor` is there; without an anchor the file or folder is enough. */
function isThere(path: string, anchor: string | undefined): boolean {
  if (!existsSync(path)) return false;
  if (anchor === undefined || statSync(path).isDirectory()) return anchor === undefined;
  return anchors.get(path)?.has(anchor) !== false;
}

test('every link between the documents leads to a file and an anchor of it', () => {
  const links = documents.flatMap(({ path, text }) =>
    proseOf(text).flatMap(({ number, line }) =>
      [...line.matchAll(/\]\(([\w./-]*)(?:#([\w-]+))?\)/g)].map(([, target = '', anchor]) => ({
        from: `${path}:${number}`,
        to: target === '' ? path : join(dirname(path), target),
        anchor,
      })),
    ),
  );
  expect(links.length).toBeGreaterThan(100);
  const broken = links.filter(({ to, anchor }) => !isThere(to, anchor));
  expect(broken.map(({ from, to, anchor }) => `${from}: ${to}${anchor === undefined ? '' : `#${anchor}`}`)).toEqual([]);
});

test('every citation of a document in code leads to a file and an anchor of it', () => {
  const citations = filesOf('*.ts', '*.yaml', '*.json', '*.sh', 'Dockerfile', ':!package-lock.json').flatMap(
    ({ path, text }) =>
      [...text.matchAll(/(?<![\w./-])(docs\/[\w./-]+\.md)(?:#([\w-]+))?/g)].map(([, to = '', anchor]) => ({
        from: path,
        to,
        anchor,
      })),
  );
  expect(citations.filter(({ to }) => to.startsWith('docs/spec/')).length).toBeGreaterThan(100);
  const broken = citations.filter(({ to, anchor }) => !isThere(to, anchor));
  expect(broken.map(({ from, to, anchor }) => `${from}: ${to}${anchor === undefined ? '' : `#${anchor}`}`)).toEqual([]);
});

test('code cites a section of the specification by its anchor', () => {
  const bySection = /(?<![\w/])[\w-]+\.md,? (?:sections?|row) |reference "\w+" \d|reference(?:'s)? section \d/;
  const offences = filesOf('*.ts', ':!test/architecture').flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (bySection.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(offences).toEqual([]);
});

test('every section of the specification has an anchor that does not depend on its heading', () => {
  const pages = documents.filter(({ path }) => path.startsWith('docs/spec/') && !path.endsWith('/README.md'));
  expect(pages.length).toBeGreaterThan(8);
  const bare = pages.flatMap(({ path, text }) => {
    const prose = proseOf(text);
    return prose
      .filter(({ line }, index) => /^#{2,} /.test(line) && !/^<a id="[^"]+"><\/a>$/.test(prose[index - 2]?.line ?? ''))
      .map(({ number, line }) => `${path}:${number}: ${line}`);
  });
  expect(bare).toEqual([]);
});
