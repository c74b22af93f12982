import { readFile, writeFile } from 'node:fs/promises';

const place = new URL('results.json', import.meta.url);

/** What a test showed when it last ran; `kube` is absent where the test needs no cluster. */
export interface TestResult {
  readonly file: string;
  readonly title: string;
  readonly embedded: string;
  readonly kube?: string;
}

/** What the tests of rows showed when they were last run for the record. */
export interface Results {
  /** The version of kube-apiserver that `kube` speaks of. */
  readonly kubeVersion: string;
  readonly tests: readonly TestResult[];
}

export async function readResults(): Promise<Results> {
  return JSON.parse(await readFile(place, 'utf8')) as Results;
}

/** Keeps the results, sorted, one a line, so that two records can be compared. */
export async function writeResults({ kubeVersion, tests }: Results): Promise<void> {
  const keyOf = ({ file, title }: TestResult): string => `${file} ${title}`;
  const sorted = tests.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const lines = sorted.map(({ file, title, embedded, kube }) => {
    const result = { file, title, embedded, ...(kube === undefined ? {} : { kube }) };
    return `    ${JSON.stringify(result)}`;
  });
  await writeFile(place, `{\n  "kubeVersion": "${kubeVersion}",\n  "tests": [\n${lines.join(',\n')}\n  ]\n}\n`);
}
