import { expect, test } from 'vitest';
import type { ValuesDocument } from '../format.ts';
import { explainFailure } from './rendered.ts';

const names = Array.from({ length: 100 }, (_, index) => `a${index}`);
const complaint = `values do not fit:\n${names.map((name) => `- at '/${name}': got number, want string`).join('\n')}`;

/** Counts how often its text is asked for. */
function countedDocument(text: string): { readonly document: ValuesDocument; readonly count: () => number } {
  let count = 0;
  const document = {
    origin: 'Secret a/b',
    isWritten: true,
    get text(): string {
      count += 1;
      return text;
    },
  };
  return { document, count: () => count };
}

test('values are read a few times to find what does not fit, however much that is', () => {
  const { document, count } = countedDocument(names.map((name) => `${name}: 1\n`).join(''));
  expect(explainFailure(complaint, [document])).toContain("- at '/a7': got number, want string (Secret a/b:8:1)");
  expect(count()).toBeLessThan(10);
});

test('no places are looked for in values that are very long', () => {
  const { document } = countedDocument(`${names.map((name) => `${name}: 1\n`).join('')}b:\n${' c\n'.repeat(100_000)}`);
  expect(explainFailure(complaint, [document])).toContain("- at '/a7': got number, want string\n");
});
