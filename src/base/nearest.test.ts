import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

const words = ['hive', 'project-quay', 'bundle build', 'content', 'demo', 'diff', 'run', 'tree', 'up', 'version'];

test.each([
  { word: 'verison', found: 'version' },
  { word: 'contnet', found: 'content' },
  { word: 'comp', found: undefined },
  { word: 'dif', found: 'diff' },
  { word: 'ver', found: 'version' },
  { word: 'pu', found: 'up' },
  { word: 'bundle biuld', found: 'bundle build' },
  { word: 'kubernetes', found: undefined },
  { word: 'knative', found: undefined },
  { word: 'native', found: undefined },
  { word: 'quay', found: 'project-quay' },
  { word: '', found: undefined },
])('"$word" was meant to be $found', ({ word, found }) => expect(nearest(word, words)).toBe(found));
