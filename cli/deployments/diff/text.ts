import type { ObjectChange } from '../../../src/apply/index.ts';
import { formatYaml, type JsonObject } from '../../../src/base/index.ts';
import { groupOf, type KubeObject, type ObjectRef } from '../../../src/kube/index.ts';
import { unifiedDiff } from '../../output/index.ts';
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

/** `Deployment.apps combo/web` */
export function titleOf({ apiVersion, kind, namespace, name }: ObjectRef): string {
  const group = groupOf(apiVersion);
  return `${kind}${group === '' ? '' : `.${group}`} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function yamlOf(value: JsonObject | undefined): string {
  return value === undefined ? '' : formatYaml(value);
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
  const title = titleOf(ref);
  const diff = unifiedDiff({ title: `installed: ${title}`, text: from }, { title: `desired: ${title}`, text: to });
  return { action, apiVersion, kind, ...place, name, diff };
}
