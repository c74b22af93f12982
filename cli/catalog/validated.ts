import { TerminalError } from '../../src/base/index.ts';
import { type CatalogFinding, type CatalogReport, createCatalogCheck, type Meta } from '../../src/catalog/index.ts';

/** Findings that are reported one by one; the others are counted. */
const maxReported = 20;

function findingText({ message, package: packageName, channel, bundle, advice }: CatalogFinding): string {
  const about = [packageName, channel, bundle].filter((name) => name !== undefined && !message.includes(name));
  return `${about.length === 0 ? '' : `${about.join(', ')}: `}${message}${advice === undefined ? '' : ` (${advice})`}`;
}

function errorsOf(findings: readonly CatalogFinding[]): readonly CatalogFinding[] {
  return findings.filter(({ severity }) => severity === 'error');
}

function limited(texts: readonly string[], more: number): readonly string[] {
  const left = texts.length - maxReported + more;
  const rest = left > 0 ? [`and ${left} more: see longshore catalog validate`] : [];
  return [...texts.slice(0, maxReported), ...rest];
}

/** Bundles that are rendered alone are in no channel, and their packages are elsewhere. */
const rulesOfWhole: ReadonlySet<string> = new Set(['S10', 'S19']);

/** Passes the documents on; after the last, `warn` reports why they are not a valid catalog. */
export async function* validated(metas: AsyncIterable<Meta>, warn: (text: string) => void): AsyncGenerator<Meta> {
  const check = createCatalogCheck();
  for await (const meta of metas) {
    check.add(meta);
    yield meta;
  }
  const { findings, more } = check.finish();
  const errors = errorsOf(findings)
    .filter(({ rule }) => !rulesOfWhole.has(rule))
    .map(findingText);
  if (errors.length === 0) return;
  warn(
    `the result is not a valid catalog by itself:\n${limited(errors, more)
      .map((text) => `  ${text}\n`)
      .join('')}`.trimEnd(),
  );
}

/** The errors of a report, one a line; undefined when there are none. */
export function errorText({ findings, more }: CatalogReport): string | undefined {
  const errors = errorsOf(findings).map(findingText);
  if (errors.length === 0) return undefined;
  return limited(errors, more)
    .map((line) => `  ${line}`)
    .join('\n');
}

/** Refuses documents that are no valid catalog; `what` is what they come from.
 *  @throws TerminalError InvalidCatalog */
export function assertValid(metas: Iterable<Meta>, what: string): void {
  const check = createCatalogCheck();
  for (const meta of metas) check.add(meta);
  const errors = errorText(check.finish());
  if (errors !== undefined) throw new TerminalError('InvalidCatalog', `${what} is not a valid catalog:\n${errors}`);
}
