import { styleText } from 'node:util';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { ObjectChange } from '../../../src/apply/index.ts';
import { formatYaml, type JsonObject } from '../../../src/base/index.ts';
import { groupOf, type KubeObject, type ObjectRef } from '../../../src/kube/index.ts';
import { shownPair } from './shown.ts';
import { withoutDefaults } from './without-defaults.ts';

/** One object that would change. */
export interface ShownChange {
  readonly action: 'create' | 'update' | 'delete';
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** A unified diff of both states as YAML. */
  readonly diff: string;
}

/** Comparing texts that have little in common takes long and helps no one. */
const maxEdits = 2000;

/** `Deployment.apps combo/web` */
export function titleOf({ apiVersion, kind, namespace, name }: ObjectRef): string {
  const group = groupOf(apiVersion);
  return `${kind}${group === '' ? '' : `.${group}`} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function yamlOf(value: JsonObject | undefined): string {
  return value === undefined ? '' : formatYaml(value);
}

function patchText(title: string, before: string, after: string): string {
  const [from, to] = [
    before === '' ? '/dev/null' : `installed: ${title}`,
    after === '' ? '/dev/null' : `desired: ${title}`,
  ];
  const options = { context: 3, maxEditLength: maxEdits, headerOptions: FILE_HEADERS_ONLY };
  const text = createTwoFilesPatch(from, to, before, after, undefined, undefined, options);
  return text ?? `--- ${from}\n+++ ${to}\ntoo much has changed to be shown\n`;
}

/** What is to be shown of a change; undefined when nothing would change. */
export function shownChange({ ref, before, after, manifest }: ObjectChange): ShownChange | undefined {
  const [live, answered, written] = [before, after, manifest] as unknown as (JsonObject | undefined)[];
  const desired = answered === undefined ? undefined : withoutDefaults(answered, live, written);
  const shown = shownPair(before, desired as unknown as KubeObject | undefined);
  const [from, to] = [yamlOf(shown.before), yamlOf(shown.after)];
  if (from === to) return undefined;
  const action = before === undefined ? 'create' : after === undefined ? 'delete' : 'update';
  const { apiVersion, kind, namespace, name } = ref;
  const place = namespace === undefined ? {} : { namespace };
  return { action, apiVersion, kind, ...place, name, diff: patchText(titleOf(ref), from, to) };
}

function styleOf(line: string): 'bold' | 'green' | 'red' | 'cyan' | undefined {
  if (/^(\+\+\+|---) /.test(line)) return 'bold';
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : undefined;
}

/** A unified diff, coloured where `stream` is a terminal that wants it. */
export function colouredDiff(text: string, stream: NodeJS.WriteStream): string {
  const colour = (line: string): string => {
    const style = styleOf(line);
    return style === undefined ? line : styleText(style, line, { stream });
  };
  return text.split('\n').map(colour).join('\n');
}
