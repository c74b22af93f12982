import type { JSX } from 'preact';
import { texts } from '../texts.ts';

interface Rule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Rules in a namespace; in the whole cluster with an empty one. */
export interface Grant {
  readonly namespace: string;
  readonly rules: readonly Rule[];
}

function what({ resources = [], apiGroups = [], nonResourceURLs = [] }: Rule): string {
  if (nonResourceURLs.length > 0) return nonResourceURLs.join(', ');
  const [group = ''] = apiGroups;
  const suffix = apiGroups.length === 1 && group !== '' ? `.${group}` : '';
  return resources.map((resource) => `${resource}${suffix}`).join(', ');
}

/** A rule that gives away the cluster, or what is secret in it. */
function isWide({ namespace, rule }: { readonly namespace: string; readonly rule: Rule }): boolean {
  const { verbs = [], resources = [], resourceNames = [] } = rule;
  const isSecrets = resources.includes('secrets') && resourceNames.length === 0 && namespace === '';
  return (
    isSecrets ||
    (verbs.includes('*') && resources.includes('*')) ||
    verbs.includes('escalate') ||
    verbs.includes('bind')
  );
}

/** Permissions as sentences, what is dangerous first. */
export function Grants({ grants }: { readonly grants: readonly Grant[] }): JSX.Element {
  const rows = grants.flatMap(({ namespace, rules }) => rules.map((rule) => ({ namespace, rule })));
  const sorted = rows.toSorted((a, b) => Number(isWide(b)) - Number(isWide(a)));
  return (
    <ul class="list">
      {sorted.map((row, index) => {
        const { namespace, rule } = row;
        const place = namespace === '' ? texts.installation.everywhere : texts.installation.inNamespace(namespace);
        const named = rule.resourceNames?.length ? ` named ${rule.resourceNames.join(', ')}` : '';
        return (
          <li key={index} class={isWide(row) ? 'tone-danger break' : 'break'}>
            can <strong>{rule.verbs?.join(', ')}</strong> {what(rule)}
            {named} {rule.nonResourceURLs === undefined ? place : ''}
          </li>
        );
      })}
    </ul>
  );
}
