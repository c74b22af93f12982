import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { isJsonObject, type JsonObject, parseYaml, TerminalError } from '../base/index.ts';

/** An index that is parsed as a whole. */
const maxWholeBytes = 512 * 1024;
/** Of one version of a chart in a larger index. */
const maxVersionCharacters = 256 * 1024;
const maxVersions = 20_000;
/** Of all versions of the chart. */
const maxChartCharacters = 8 * 1024 * 1024;
/** An index of the largest size has two million lines of the usual length. */
const maxLines = 4_000_000;

/** Which part is read: `what` names the index in messages. */
export interface IndexPart {
  readonly what: string;
  readonly path: string;
  readonly chart: string;
}

function tooLarge(what: string): TerminalError {
  const text = `${what}: what the index has of one version of the chart is larger than ${maxVersionCharacters / 1024} KiB, or what it has of all of them larger than ${maxChartCharacters / 1024 / 1024} MiB or ${maxVersions} versions: expected less, and each member on a line of its own, as helm repo index writes it`;
  return new TerminalError('InvalidIndex', text);
}

function tooManyLines(what: string): TerminalError {
  return new TerminalError('InvalidIndex', `${what}: the index has more than the limit of ${maxLines} lines`);
}

/** The lines of a piece of the file at once: to wait for each one takes ten times as long. */
async function* linesOf({ what, path }: IndexPart): AsyncGenerator<readonly string[]> {
  let rest = '';
  let count = 0;
  for await (const piece of createReadStream(path, 'utf8')) {
    const lines = (rest + (piece as string)).split('\n');
    rest = lines.pop() ?? '';
    count += lines.length;
    if (count > maxLines) throw tooManyLines(what);
    if (rest.length > maxVersionCharacters) throw tooLarge(what);
    yield lines;
  }
  yield [rest];
}

/** Where in an index a line is, by its indentation: in which key of the mapping `entries`. */
class Place {
  readonly #chart: string;
  #indent: number | undefined;
  #isInEntries = false;
  isInChart = false;

  constructor(chart: string) {
    this.#chart = chart;
  }

  /** `word` is the first of the line. */
  enter(indent: number, word: string): void {
    const key = word.replace(/^(["']?)(.*)\1:$/, '$2');
    if (indent === 0 && word !== '-' && key !== word) {
      this.#isInEntries = key === 'entries';
      this.isInChart = false;
    } else if (this.#isInEntries) {
      this.#indent ??= indent;
      if (indent === this.#indent && word !== '-') this.isInChart = key === this.#chart;
    }
  }
}

/** The versions of the chart, each as its text, from line to line. */
class Versions {
  readonly #part: IndexPart;
  readonly #place: Place;
  #lines: string[] = [];
  #characters = 0;
  #itemIndent: number | undefined;

  constructor(part: IndexPart) {
    this.#part = part;
    this.#place = new Place(part.chart);
  }

  /** The version that ends before this line, if one does. */
  take(line: string): string | undefined {
    const wasInChart = this.#place.isInChart;
    const isItem = this.#enter(line);
    // The line of the key itself is none of a version.
    const isWithin = this.#place.isInChart && wasInChart;
    const ended = isItem || !isWithin ? this.end() : undefined;
    if (isWithin) this.#keep(line);
    return ended;
  }

  /** Whether the line begins an item of the chart's list. */
  #enter(line: string): boolean {
    const [, spaces = '', word = ''] = /^( *)([^\s#]\S*)/.exec(line) ?? [];
    if (word === '') return false;
    this.#place.enter(spaces.length, word);
    if (!this.#place.isInChart || word !== '-') return false;
    this.#itemIndent ??= spaces.length;
    return spaces.length === this.#itemIndent;
  }

  end(): string | undefined {
    const text = this.#lines.join('\n');
    this.#lines = [];
    this.#characters = 0;
    return text === '' ? undefined : text;
  }

  #keep(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length + 1;
    if (this.#characters > maxVersionCharacters) throw tooLarge(this.#part.what);
  }
}

async function* versionsIn(part: IndexPart): AsyncGenerator<string> {
  const versions = new Versions(part);
  for await (const lines of linesOf(part)) {
    for (const line of lines) {
      const text = versions.take(line);
      if (text !== undefined) yield text;
    }
  }
  const last = versions.end();
  if (last !== undefined) yield last;
}

/** What decides which version is chosen, and where it is. */
function shortened(what: string, text: string): JsonObject[] {
  const list = parseYaml(what, text);
  return (Array.isArray(list) ? list : []).filter(isJsonObject).map(({ version, urls, digest }) => {
    const [url = null] = Array.isArray(urls) ? urls : [];
    return { version: version ?? null, urls: [url], digest: digest ?? null };
  });
}

/** The text of an index, or of a large one what concerns one chart, without what is not needed: parsed as a whole, a large index takes more memory than
 *  a process has.
 *  @throws TerminalError InvalidIndex for what is too large · InvalidYaml */
export async function readIndexPart(part: IndexPart): Promise<string> {
  if ((await stat(part.path)).size <= maxWholeBytes) return await readFile(part.path, 'utf8');
  const kept: string[] = [];
  let characters = 0;
  for await (const text of versionsIn(part)) {
    characters += text.length;
    if (kept.length > maxVersions || characters > maxChartCharacters) throw tooLarge(part.what);
    kept.push(...shortened(part.what, text).map((one) => JSON.stringify(one)));
  }
  return `{"entries":{${JSON.stringify(part.chart)}:[${kept.join(',')}]}}`;
}
