import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type JsonObject, type JsonValue, mapLimit, sortedKeys } from '../../src/base/index.ts';
import { openRegistryCaller, type RegistryCaller } from '../support/registry-caller.ts';
import type { Question } from './questions.ts';

const path = fileURLToPath(new URL('seen.json', import.meta.url));
const callsAtOnce = 8;

/** Number and digest of the answers to all questions, by method, then by package. */
export type Recording = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Text that is JSON means the same whatever the order of its keys. */
function withSortedTexts(message: JsonObject): JsonObject {
  const text = JSON.stringify(message, (key, value: unknown) => {
    if (typeof value !== 'string' || !/^[[{]/.test(value)) return value;
    return key === 'csvJson' || key === 'value' || /^\d+$/.test(key)
      ? sortedKeys(JSON.parse(value) as JsonValue)
      : value;
  });
  return JSON.parse(text) as JsonObject;
}

/** An answer as a line. What comes in a stream has no order that is promised. */
async function answerOf(caller: RegistryCaller, { method, request }: Question): Promise<string> {
  const [messages, fault] = await caller.call(`api.Registry.${method}`, request);
  const lines = messages.map((message) => JSON.stringify(withSortedTexts(message))).toSorted();
  return [...lines, fault].join('\n');
}

/** What the registry on a port of this machine answers, question by question. */
export async function askAll(port: number, questions: readonly Question[]): Promise<readonly string[]> {
  using caller = openRegistryCaller(port);
  return await mapLimit(questions, callsAtOnce, (question) => answerOf(caller, question));
}

/** The form in which answers are recorded. */
export function recordingOf(questions: readonly Question[], answers: readonly string[]): Recording {
  const lines: Record<string, Record<string, string[]>> = {};
  for (const [index, { method, packageName, request }] of questions.entries()) {
    const line = `${JSON.stringify(request)}\n${answers[index] ?? ''}`;
    const about = packageName === '' ? '(all)' : packageName;
    ((lines[method] ??= {})[about] ??= []).push(line);
  }
  const digests = Object.entries(lines).map(([method, packages]) => {
    const short = Object.entries(packages).map(([name, found]) => {
      const digest = createHash('sha256').update(found.toSorted().join('\n\n')).digest('hex').slice(0, 16);
      return [name, `${found.length} ${digest}`] as const;
    });
    return [method, Object.fromEntries(short.toSorted(([a], [b]) => (a < b ? -1 : 1)))] as const;
  });
  return Object.fromEntries(digests.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What the real opm answered. */
export async function readRecording(): Promise<Recording> {
  return JSON.parse(await readFile(path, 'utf8')) as Recording;
}

export async function writeRecording(recording: Recording): Promise<void> {
  await writeFile(path, `${JSON.stringify(recording, null, 1)}\n`);
}
