import type { KindRules } from '../kind-rules.ts';

interface Row {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const table: ReadonlyMap<string, KindRules> = new Map<string, KindRules>();

/** The rules of one kind; empty for kinds with nothing special. */
export function rulesOf({ group, version, kind }: Row): KindRules {
  return table.get(`${group}/${version}/${kind}`) ?? {};
}
