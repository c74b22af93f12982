import { isJsonObject, type JsonValue, parseYaml, withoutSecret } from '../src/base/index.ts';
import type { ValuesDocument } from '../src/formats/index.ts';

/** Shorter ones would be found in any text. */
const leastCharacters = 6;
/** Of all Secrets together. */
const maxCharacters = 128 * 1024;
const maxForms = 4_000;
/** Of a message, times the values that are looked for in it: a tenth of a second. */
const maxCompared = 64 * 1024 * 1024;

/** Texts and numbers in a document, at any depth; its keys are not secret. */
function leavesOf(document: JsonValue): readonly string[] {
  const found: string[] = [];
  const left = [document];
  while (left.length > 0) {
    const value = left.pop() ?? null;
    if (typeof value === 'string' || typeof value === 'number') found.push(String(value));
    else if (Array.isArray(value)) left.push(...value);
    else if (isJsonObject(value)) left.push(...Object.values(value).map((one) => one ?? null));
  }
  return found;
}

/** The values in the text of a Secret, which is one value or a document of values. */
function valuesIn({ text, targetPath }: ValuesDocument): readonly string[] {
  if (targetPath !== undefined) return [text];
  try {
    // As Helm reads it.
    return leavesOf(parseYaml('values', text, { isLastKeyTaken: true }));
  } catch {
    return [text];
  }
}

/** As programs write a value into a text: all of it, encoded, or one of its lines. */
function formsOf(value: string): readonly string[] {
  const encoded = Buffer.from(value).toString('base64');
  const lines = value.split('\n').map((line) => line.trim());
  return [value, encoded, ...lines].filter(({ length }) => length >= leastCharacters);
}

/** What is to be hidden, longer texts first; undefined: too much. */
function hiddenIn(secrets: readonly ValuesDocument[]): readonly string[] | undefined {
  if (secrets.reduce((sum, { text }) => sum + text.length, 0) > maxCharacters) return undefined;
  const forms = [...new Set(secrets.flatMap(valuesIn).flatMap(formsOf))];
  return forms.length > maxForms ? undefined : forms.toSorted((a, b) => b.length - a.length);
}

/** The message without the values; undefined: it is too long to look for all of them in it. */
function withoutValues(message: string, hidden: readonly string[]): string | undefined {
  return message.length * hidden.length > maxCompared ? undefined : hidden.reduce(withoutSecret, message);
}

/** Takes the values of Secrets out of the message of an error: what a chart, its schema and the API server report of values is shown to users who may not
 *  read these Secrets. */
export function conceal(thrown: unknown, secrets: readonly ValuesDocument[] = []): void {
  if (!(thrown instanceof Error) || secrets.length === 0) return;
  const hidden = hiddenIn(secrets);
  thrown.message =
    (hidden === undefined ? undefined : withoutValues(thrown.message, hidden)) ??
    'The failure may contain values of the Secrets in spec.config.valuesFrom, which are too many to be hidden in it: longshore bundle render shows it';
}
