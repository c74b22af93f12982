import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { optionTitle } from '../../cli/command/index.ts';
import { upOptions } from '../../cli/settings/up.ts';
import { helmForTests } from '../clients/helm-program.ts';
import { type DocumentStep, fencesOf, matchesDocument, stepsOf } from './documents.ts';
import { type ReaderOptions, startReader } from './reader.ts';

const pathOf = (name: string): string => `docs/${name}.md`;
const quickDocuments = ['getting-started', 'releases', 'update-service'].map(pathOf);
/** Those whose commands take several seconds. */
const longDocuments = [
  'first-bundle',
  'ci',
  'install-content',
  'catalogs',
  'private-sources',
  'upgrade-and-roll-back',
  'remove-safely',
  'operators',
  'troubleshooting',
  'deployments',
  'permissions',
  'crd-safety',
  'embedded-api-server',
  'platform-operators',
  'olm',
  'cluster-updates',
  'machines',
  'actuators',
  'node-updates',
  'content-store',
  'cli',
  'cluster-extensions',
].map(pathOf);
/** They need Operator Lifecycle Manager, or are the first that a user follows; the others are shown without it. */
const olmDocuments = ['docs/getting-started.md', 'docs/olm.md'];
/** They begin on a cluster without Longshore. */
const bareDocuments = ['docs/install.md'];
/** They begin on a cluster where another Operator Lifecycle Manager runs. */
const otherOlmDocuments = ['docs/migrate-from-olm.md'];
/** They name hosts that a proxy alone leads to, and start their own cluster. */
const networkDocuments = ['docs/proxies-and-certificates.md', 'docs/air-gap.md'];
const missing = ['kubectl', 'git', 'curl'].filter((program) => spawnSync(program, ['--help']).error !== undefined);
const why = missing.length === 0 ? '' : ` (skipped: ${missing.join(' and ')} not installed)`;

/** What `longshore run` waits for is printed once it takes a while. */
const waitingLine = /^Waiting for the .*\n/gm;

/** kubectl waits for a deletion without a word when the object was gone before it looked. */
function isShown({ command, output }: { command: string; output: string }, printed: string): boolean {
  const isDeleted = printed === '' && command.includes(' --for=delete ');
  return isDeleted || matchesDocument(output, printed) || matchesDocument(output, printed.replace(waitingLine, ''));
}

/** Does what a reader of `text` would do, and compares what is printed with what is shown. */
async function follow(
  text: string,
  toSteps: (text: string) => readonly DocumentStep[] = stepsOf,
  options: ReaderOptions = {},
): Promise<void> {
  await using reader = await startReader({ ...options, hasSshRepositories: text.includes('<git-host>') });
  for (const step of toSteps(reader.localise(text))) {
    if (step.kind === 'file') {
      await reader.write(step.name, step.content);
      continue;
    }
    if (step.kind === 'server') {
      await reader.serve(step.command);
      continue;
    }
    const printed = await reader.run(step.command);
    const problem = `$ ${step.command}\nshown:\n${step.output}\nprinted:\n${printed}`;
    expect(isShown(step, printed) ? '' : problem).toBe('');
  }
}

/** Follows a document of a cluster that has Longshore. */
async function followOnCluster(document: string): Promise<void> {
  const text = await readFile(document, 'utf8');
  expect(stepsOf(text).filter((step) => step.kind === 'command').length).toBeGreaterThan(3);
  await follow(text, stepsOf, { hasOlm: olmDocuments.includes(document) });
}

const testOutput = test.skipIf(missing.length > 0);

testOutput.each(quickDocuments)(`the output of %s is what it shows${why}`, followOnCluster);

testOutput.each(longDocuments)(`the output of %s is what it shows${why}`, { tags: 'long' }, followOnCluster);

const { path: helmPath, why: whyNoHelm } = await helmForTests();

test.skipIf(missing.length > 0 || whyNoHelm !== '')(
  `the output of docs/helm.md is what it shows${whyNoHelm}`,
  async () => {
    await follow(await readFile('docs/helm.md', 'utf8'), stepsOf, { helmPath });
  },
);

testOutput.each(bareDocuments)(`the output of %s is what it shows${why}`, { tags: 'long' }, async (document) => {
  const text = await readFile(document, 'utf8');
  expect(stepsOf(text).filter((step) => step.kind === 'command').length).toBeGreaterThan(5);
  await follow(text, stepsOf, { isBare: true });
});

testOutput.each(otherOlmDocuments)(`the output of %s is what it shows${why}`, { tags: 'long' }, async (document) => {
  const text = await readFile(document, 'utf8');
  expect(stepsOf(text).filter((step) => step.kind === 'command').length).toBeGreaterThan(3);
  await follow(text, stepsOf, { isBare: true, hasOtherOlm: true });
});

testOutput.each(networkDocuments)(
  `the output of %s is what it shows behind a proxy${why}`,
  { tags: 'long' },
  async (document) => {
    const text = await readFile(document, 'utf8');
    expect(stepsOf(text).filter((step) => step.kind === 'command').length).toBeGreaterThan(3);
    await follow(text, stepsOf, { isBehindProxy: true });
  },
);

test('every document with a transcript is run', () => {
  const withTranscripts = globSync('docs/**/*.md').filter((page) =>
    stepsOf(readFileSync(page, 'utf8')).some((step) => step.kind === 'command' && !step.command.startsWith('npm ')),
  );
  expect(
    withTranscripts.filter(
      (page) =>
        ![
          ...quickDocuments,
          ...longDocuments,
          'docs/helm.md',
          ...bareDocuments,
          ...otherOlmDocuments,
          ...networkDocuments,
        ].includes(page),
    ),
  ).toEqual([]);
});

/** A Bundle with this source, and the command that has the API check it. */
function trySource(source: string, index: number): DocumentStep[] {
  const head = `apiVersion: core.rukpak.io/v1alpha1\nkind: Bundle\nmetadata: {name: source-${index}}\nspec:\n`;
  const spec = `provisionerClassName: core-rukpak-io-plain\n${source}`.replaceAll(/^(?=.)/gm, '  ');
  const command = 'kubectl create --dry-run=server --validate=strict -o name -f bundle.yaml 2>/dev/null';
  return [
    { kind: 'file', name: 'bundle.yaml', content: head + spec },
    { kind: 'command', command, output: `bundle.core.rukpak.io/source-${index}` },
  ];
}

testOutput(`the API takes every source that docs/sources.md shows${why}`, async () => {
  const sourcesIn = (text: string): string[] =>
    fencesOf(text)
      .map(({ lines }) => lines.join('\n'))
      .filter((fence) => fence.startsWith('source:'));
  const text = await readFile('docs/sources.md', 'utf8');
  expect(sourcesIn(text).length).toBeGreaterThan(1);
  await follow(text, (localised) => sourcesIn(localised).flatMap(trySource));
});

test('the options that docs/sources.md names are those of longshore up', async () => {
  const known = Object.entries(upOptions).map(([name, spec]) => optionTitle(name, spec));
  const text = await readFile('docs/sources.md', 'utf8');
  const named = [...text.matchAll(/`(--[a-z-]+ [A-Z][^`]*)`/g)].map(([, option]) => option);
  expect(named.length).toBeGreaterThan(2);
  expect(known).toEqual(expect.arrayContaining(named));
});
