import { execFile } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { acmeCsv } from './registry-bundle.ts';

const mebibyte = 2 ** 20;
const fileBytes = 20 * mebibyte;
const line = 'a line of the text that is in this document\n';

function repeated(makePiece: (index: number) => string): string {
  const pieces: string[] = [];
  for (let length = 0; length < fileBytes; length += pieces.at(-1)?.length ?? 0) pieces.push(makePiece(pieces.length));
  return pieces.join('');
}

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.example}
spec:
  group: acme.example
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
`;

function field(index: number): string {
  return `          field${index}:
            description: |-
              Field ${index} configures how the widget behaves when it meets other widgets of its kind.
              It is a long text over several lines, as they are made from comments.
            type: object
            properties:
              name: {description: The name of the thing that is meant, type: string}
            required: [name]
`;
}

const configMap = (index: number): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a${index}}\ndata:\n`;

function jsonItem(index: number): string {
  const data = { text: line.repeat(20) };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `a${index}` }, data });
}

/** Files of 20 MiB, by what they hold. */
export const largeManifests: Readonly<Record<string, () => string>> = {
  '20,000 documents': () => repeated((index) => `---\n${configMap(index)}  text: |\n${`    ${line}`.repeat(20)}`),
  'a list in JSON': () =>
    `{"apiVersion":"v1","kind":"List","items":[${repeated((index) => `${jsonItem(index)},`).slice(0, -1)}]}`,
  'one definition': () => definition + repeated(field),
  'one long text': () => `${configMap(0)}  text: |\n${repeated(() => `    ${line}`)}`,
};

/** Writes an operator's bundle with one more manifest into `folder`. */
export async function writeBundle(folder: string, manifest: string): Promise<string> {
  const annotations = { 'operators.operatorframework.io.bundle.package.v1': 'acme-widget' };
  for (const name of ['manifests', 'metadata']) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'metadata/annotations.yaml'), JSON.stringify({ annotations }));
  await writeFile(join(folder, 'manifests/acme.clusterserviceversion.yaml'), JSON.stringify(acmeCsv()));
  if (manifest !== '') await writeFile(join(folder, 'manifests/large.yaml'), manifest);
  return folder;
}

const programPath = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));
const reporterPath = fileURLToPath(new URL('../../bench/peak-child.ts', import.meta.url));

async function peakOf(args: readonly string[]): Promise<number> {
  const run = promisify(execFile)(process.execPath, ['--import', reporterPath, programPath, ...args], {
    maxBuffer: 256 * mebibyte,
    encoding: 'buffer',
  });
  const { stderr } = await run.catch((thrown: unknown) => thrown as { stderr: Buffer });
  const peak = /^peak (\d+)$/m.exec(stderr.toString())?.[1];
  if (peak === undefined) throw new Error(`longshore ${args.join(' ')}: ${stderr.toString()}`);
  return Number(peak);
}

/** What memory `longshore bundle COMMAND` takes for a bundle of `folder`, as a multiple of the file's size; `smallFolder` has the same
 *  bundle without the file. */
export async function memoryRatio(command: string, smallFolder: string, folder: string): Promise<number> {
  const small = await peakOf(['bundle', command, smallFolder]);
  const large = await peakOf(['bundle', command, folder]);
  const { size } = await stat(join(folder, 'manifests/large.yaml'));
  return (large - small) / size;
}
