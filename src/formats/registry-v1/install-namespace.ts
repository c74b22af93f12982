import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, parseJson, TerminalError, trimEnd } from '../../base/index.ts';
import type { RegistryBundle } from './registry-bundle.ts';

/** The default install namespace of an operator. */
export interface SuggestedNamespace {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const templateAnnotation = 'operatorframework.io/suggested-namespace-template';
const nameAnnotation = 'operatorframework.io/suggested-namespace';
const maxLabel = 63;
const suffix = '-system';

function texts(value: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function fromTemplate(text: string): SuggestedNamespace | undefined {
  const namespace = parseJson(`the annotation ${templateAnnotation}`, text);
  const metadata: JsonObject | undefined =
    isJsonObject(namespace) && isJsonObject(namespace['metadata']) ? namespace['metadata'] : undefined;
  if (typeof metadata?.['name'] !== 'string' || metadata['name'] === '') return undefined;
  return { name: metadata['name'], labels: texts(metadata['labels']), annotations: texts(metadata['annotations']) };
}

/** A package's name as the beginning of a namespace's; a short hash distinguishes names that would become equal. */
function fromPackage(packageName: string): string {
  const words = packageName.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-');
  const plain = trimEnd(words.replace(/^-+/, ''), '-');
  if (plain === packageName && plain.length + suffix.length <= maxLabel) return `${plain}${suffix}`;
  const hash = createHash('sha256').update(packageName).digest('hex').slice(0, 6);
  const room = maxLabel - suffix.length - hash.length - 1;
  return `${plain.slice(0, room).replace(/-+$/, '') || 'operator'}-${hash}${suffix}`;
}

/** The namespace that a bundle suggests: by template, by name, else `<package>-system`.
 *  @throws TerminalError InvalidBundle for a template that cannot be read
 *  @see docs/spec/registry-v1-rendering.md#unsupported-features */
export function defaultInstallNamespace({ csv, packageName }: RegistryBundle): SuggestedNamespace {
  const annotations = csv.metadata.annotations ?? {};
  const template = annotations[templateAnnotation];
  if (template !== undefined) {
    const suggested = fromTemplate(template);
    if (suggested !== undefined) return suggested;
    throw new TerminalError('InvalidBundle', `the annotation ${templateAnnotation} holds no Namespace with a name`);
  }
  const name = annotations[nameAnnotation];
  return { name: name === undefined || name === '' ? fromPackage(packageName) : name, labels: {}, annotations: {} };
}
