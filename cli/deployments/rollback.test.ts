import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { Revision } from '../../src/installations/index.ts';
import { chooseRevision, specOfRevision } from './rollback.ts';

const digest = `sha256:${'ab'.repeat(32)}`;

function revision(source: JsonObject, resolvedSource?: JsonObject): Revision {
  const template = { spec: { provisionerClassName: 'core-rukpak-io-plain', source } };
  const spec = { provisionerClassName: 'core-rukpak-io-plain', config: { installNamespace: 'a' }, template };
  return { revision: 1, bundle: 'b', version: 'v1', source: '', installedAt: '', resolvedSource, spec };
}

const upload = revision({ type: 'upload', upload: {} });

test.each([
  {
    name: 'an image by its digest, with tag and pull secret',
    of: revision(
      { type: 'image', image: { ref: 'localhost:5000/combo:v1', pullSecret: 'login' } },
      { type: 'image', image: { ref: `localhost:5000/combo@${digest}` } },
    ),
    source: { type: 'image', image: { ref: `localhost:5000/combo:v1@${digest}`, pullSecret: 'login' } },
  },
  {
    name: 'a repository by its commit',
    of: revision(
      { type: 'git', git: { repository: 'https://git.example.com/a.git', directory: 'd', ref: { branch: 'main' } } },
      { type: 'git', git: { repository: 'https://git.example.com/a.git', ref: { commit: 'c'.repeat(40) } } },
    ),
    source: {
      type: 'git',
      git: { repository: 'https://git.example.com/a.git', directory: 'd', ref: { commit: 'c'.repeat(40) } },
    },
  },
])('pins $name', ({ of, source }) => {
  expect(specOfRevision(of, { hasBundle: false })).toMatchObject({
    config: { installNamespace: 'a' },
    template: { spec: { source } },
  });
});

test('an upload can be restored only while its Bundle exists', () => {
  expect(() => specOfRevision(upload, { hasBundle: false })).toThrow(
    /revision 1: its content was uploaded and is no longer/,
  );
  expect(specOfRevision(upload, { hasBundle: true })).toEqual(upload.spec);
});

describe('the revision to go back to', () => {
  const revisions = [1, 2, 3].map((number) => ({ ...upload, revision: number }));
  test.each([
    { name: 'the one before the installed one', desired: { number: undefined, isInstalled: true }, found: 2 },
    {
      name: 'the installed one, when the present spec is not',
      desired: { number: undefined, isInstalled: false },
      found: 3,
    },
    { name: 'the one that is asked for', desired: { number: 1, isInstalled: true }, found: 1 },
  ])('is $name', ({ desired, found }) => {
    expect(chooseRevision(revisions, { ...desired, title: 'bd "combo"' }).revision).toBe(found);
  });

  test.each([
    { revisions, number: 7, text: '"combo" has no revision 7; recorded: 1, 2, 3' },
    { revisions, number: 3, text: '"combo": revision 3 is installed' },
    { revisions: revisions.slice(0, 1), number: undefined, text: 'has no earlier revision; recorded: 1' },
    { revisions: [], number: undefined, text: 'has no earlier revision; recorded: none' },
  ])('is refused: $text', ({ revisions: known, number, text }) => {
    expect(() => chooseRevision(known, { number, isInstalled: true, title: 'bd "combo"' })).toThrow(text);
  });
});
