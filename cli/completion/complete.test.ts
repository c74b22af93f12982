import { expect, test } from 'vitest';
import { commands } from '../commands.ts';
import { type Completion, complete, completionScript, optionValue } from './complete.ts';

const after = (line: string): Completion => complete(commands, line.split(' '));

test.each([
  { line: '', words: ['up', 'run', 'bundle', 'completion'] },
  { line: 'bun', words: ['bundle'] },
  { line: 'bundle ', words: ['build', 'inspect'] },
  { line: 'version --', words: ['--output', '--help'] },
  { line: 'version -o ', words: ['text', 'json'] },
  { line: 'bundle build --as ', words: ['image', 'artifact'] },
  { line: 'completion ', words: ['bash', 'zsh', 'fish'] },
  { line: 'catalog list ', words: ['packages', 'channels', 'bundles', 'images'] },
])('"$line" may go on with $words', ({ line, words }) => {
  expect(after(line).words).toEqual(expect.arrayContaining(words));
});

test.each([
  { line: 'run combo ', paths: 'files' },
  { line: 'run --kubeconfig file combo ', paths: 'files' },
  { line: 'bundle build ', paths: 'folders' },
  { line: 'bundle build . -o ', paths: 'files' },
  { line: 'bundle inspect ', paths: 'files' },
  { line: 'catalog list packages ', paths: 'files' },
  { line: 'catalog diff ./old ', paths: 'files' },
  { line: 'up --kubeconfig ', paths: 'files' },
  { line: 'up --data-dir ', paths: 'folders' },
  { line: 'up --port ', paths: 'none' },
  { line: 'version ', paths: 'none' },
])('"$line" wants $paths', ({ line, paths }) => expect(after(line).paths).toBe(paths));

test('names that only the cluster knows are asked for', () => {
  expect(after('content ').names).toEqual([{ kind: 'Bundle', prefix: '' }]);
  expect(after('run ').names).toEqual([{ kind: 'BundleDeployment', prefix: '' }]);
  expect(after('content one ').names).toEqual([]);
  expect(after('run combo . --namespace ').names).toEqual([]);
});

test.each([
  { command: 'tree', kinds: ['BundleDeployment', 'Bundle', 'ClusterExtension'] },
  { command: 'diff', kinds: ['BundleDeployment', 'ClusterExtension'] },
  { command: 'history', kinds: ['BundleDeployment', 'ClusterExtension'] },
  { command: 'rollback', kinds: ['BundleDeployment', 'ClusterExtension'] },
  { command: 'delete', kinds: ['BundleDeployment', 'ClusterExtension'] },
])('"$command" is completed by names of $kinds', ({ command, kinds }) => {
  const { names, paths } = after(`${command} `);
  expect(names.map(({ kind }) => kind)).toEqual(kinds);
  expect(names).toContainEqual({ kind: 'ClusterExtension', prefix: 'clusterextension/' });
  expect(paths).toBe('none');
});

test('where a bundle may stand as well, files are offered beside names', () => {
  const { names, paths } = after('permissions ');
  expect(names.map(({ prefix }) => prefix)).toEqual(['bd/', 'clusterextension/']);
  expect(paths).toBe('files');
});

test('what is hidden is not offered, and what does not exist has nothing after it', () => {
  expect(after('').words).not.toContain('__complete');
  expect(after('').words).not.toContain('alpha');
  expect(after('nonsense ')).toEqual({ words: [], paths: 'none', names: [] });
});

test('the value of an option is found in both of its forms', () => {
  expect(optionValue(['content', '--kubeconfig', 'a', ''], 'kubeconfig')).toBe('a');
  expect(optionValue(['content', '--kubeconfig=b', ''], 'kubeconfig')).toBe('b');
  expect(optionValue(['content', ''], 'kubeconfig')).toBeUndefined();
});

test('there is a script for three shells', () => {
  for (const shell of ['bash', 'zsh', 'fish']) expect(completionScript(shell)).toContain('__complete');
  expect(completionScript('toString')).toBeUndefined();
});
