import { isJsonObject, type JsonObject, parseJson, textAt } from '../../../src/base/index.ts';
import type { LogLine } from '../wire.ts';

/** What lines are to be about. */
export interface LoggedInstallation {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

const maxLines = 500;
const maxTextCharacters = 2_000;
const maxFields = 200;
const levels: ReadonlyMap<number, LogLine['level']> = new Map([
  [20, 'debug'],
  [30, 'info'],
  [40, 'warn'],
  [50, 'error'],
]);

function entryOf(line: string): JsonObject | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry = parseJson('log', line, { maxValues: maxFields });
    return isJsonObject(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a line is about the object, a Bundle of the deployment, or for a Subscription about anything of Operator Lifecycle Manager in its namespace. */
function isAbout(entry: JsonObject, { kind, namespace, name }: LoggedInstallation): boolean {
  const [controller, object] = [textAt(entry, 'controller'), textAt(entry, 'object')];
  if (object === (namespace === '' ? name : `${namespace}/${name}`)) return true;
  if (kind === 'Subscription') return object.startsWith(`${namespace}/`);
  return controller === 'bundle' && object.startsWith(`${name}-`) && /^[a-z0-9]+$/.test(object.slice(name.length + 1));
}

const known: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'reconcileId', 'stack']);

function factText(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value);
}

function lineOf(entry: JsonObject, pod: string): LogLine {
  const facts = Object.entries(entry).filter(([field]) => !known.has(field));
  return {
    time: textAt(entry, 'time'),
    level: levels.get(Number(entry['level'])) ?? 'info',
    message: textAt(entry, 'msg').slice(0, maxTextCharacters),
    facts: facts
      .map(([field, value]) => `${field}=${factText(value)}`)
      .join(' ')
      .slice(0, maxTextCharacters),
    pod,
  };
}

/** The latest lines of a log that are about an installation, the oldest first. Lines that are no JSON are left out. */
export function installationLines(
  lines: readonly string[],
  about: LoggedInstallation,
  pod: string,
): readonly LogLine[] {
  const found: LogLine[] = [];
  const mark = about.kind === 'Subscription' ? about.namespace : about.name;
  for (const line of lines) {
    // Most lines are about something else: parsing is what costs.
    const entry = line.includes(mark) ? entryOf(line.trimEnd()) : undefined;
    if (entry !== undefined && isAbout(entry, about)) found.push(lineOf(entry, pod));
  }
  return found.slice(-maxLines);
}
