import { failureText } from '../ui/action.tsx';
import { runCommand } from './api.ts';

/** An object by its kind and name. */
export interface Reference {
  readonly kind: string;
  /** Empty for objects of the cluster. */
  readonly namespace: string;
  readonly name: string;
}

/** What an installed bundle needs, and who needs it. */
export interface Standing extends Reference {
  /** What a user made for it. */
  readonly installation: Reference;
  readonly version: string;
  readonly isPending: boolean;
  readonly needs: readonly { readonly text: string; readonly isMet: boolean; readonly metBy: readonly Reference[] }[];
  readonly requiredBy: readonly Reference[];
}

/** What a removal does. */
export interface Removal {
  readonly breaks: readonly (Reference & { readonly needs: readonly string[] })[];
  readonly definitions: readonly {
    readonly name: string;
    readonly kind: string;
    readonly objects: number;
    readonly isMore: boolean;
    readonly fate: 'kept' | 'deleted' | 'unattended';
  }[];
}

/** What `longshore dependencies -o json` prints. */
export interface Relations {
  readonly installations: readonly Standing[];
  readonly removal?: Removal;
  readonly command: string;
  /** What could not be read; empty where everything was. */
  readonly unread: string;
}

/** Identifies an object in lists. */
export function referenceKey({ kind, namespace, name }: Reference): string {
  return `${kind}/${namespace}/${name}`;
}

/** Reads all relations, or those of one installation with what its removal does. */
export async function readRelations(one: Reference | undefined, signal: AbortSignal): Promise<Relations> {
  const body = one === undefined ? {} : { kind: one.kind, namespace: one.namespace, name: one.name };
  const result = await runCommand('dependencies', body, signal);
  if (typeof result.output === 'string') throw new Error(failureText(result));
  const found = result.output as Pick<Relations, 'installations' | 'removal'>;
  return { ...found, command: result.command, unread: failureText({ ...result, output: '' }) };
}
