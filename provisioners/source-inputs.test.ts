import { expect, test } from 'vitest';
import type { BundleSource } from '../src/api/index.ts';
import { placeOf } from './source-inputs.ts';

function git(repository: string): BundleSource {
  return { type: 'git', git: { repository, ref: { branch: 'main' } } };
}

test.each(['git@example.com:one', 'git@example.com:two/three', 'example.com:one', 'ssh://me@example.com/one'])(
  'fetching %s counts towards the programs of its host, whatever its path is',
  (repository) => {
    expect(placeOf(git(repository))).toEqual({ group: 'example.com:22', runsProgram: true });
  },
);

test.each([
  { source: git('https://me@example.com:8443/one.git'), group: 'example.com:8443' },
  { source: git('ssh://git@-oProxyCommand=x/one'), group: '-oProxyCommand=x' },
  { source: { type: 'image', image: { ref: 'example.com:5000/one:v1' } } as const, group: 'example.com:5000' },
  { source: { type: 'http', http: { url: 'https://example.com/one.tgz' } } as const, group: 'example.com' },
  { source: { type: 'upload', upload: {} } as const, group: 'upload' },
])('$group is asked without a program', ({ source, group }) => {
  expect(placeOf(source)).toEqual({ group, runsProgram: false });
});
