import { isJsonEqual, type JsonObject, type JsonValue, objectAt, valueAt } from '../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  type FieldError,
  goLabelSelector,
  invalidField,
  requiredField,
} from '../../../src/schema/index.ts';
import { asJson, type KubeObject } from '../../core/index.ts';
import { immutable } from './checks.ts';
import { podWarnings } from './pod/warnings.ts';
import { isEmptySelector, isUsableSelector, selectorErrors } from './selectors.ts';

/** Parts of rules that kinds with a pod template share. */

/** `spec` of an object that is only read; an absent one is empty. */
export function readSpec(object: KubeObject): JsonObject {
  return objectAt(asJson(object), 'spec') ?? {};
}

/** What a kind calls itself where its selector is wrong. */
export interface SelectorWords {
  readonly kind: string;
  readonly malformed: string;
}

/** Errors of a selector that must not be empty, and then, unless it is malformed, of the template. */
export function selectorAndTemplateErrors(
  spec: JsonObject,
  words: SelectorWords,
  templateRule: (selector: JsonObject | undefined) => FieldError[],
): FieldError[] {
  const selector = objectAt(spec, 'selector');
  const field = 'spec.selector';
  if (selector === undefined) return [requiredField(field), ...templateRule(undefined)];
  const errors = selectorErrors(selector, field);
  if (isEmptySelector(selector)) {
    const text = `empty selector is invalid for ${words.kind}`;
    // An empty selector is not held against the template: it chooses everything.
    return [...errors, invalidField(field, goLabelSelector(selector), text), ...templateRule(selector)];
  }
  if (isUsableSelector(selector)) return [...errors, ...templateRule(selector)];
  return [...errors, invalidField(field, goLabelSelector(selector), words.malformed)];
}

/** A selector that is to stay as it was. */
export function fixedSelectorErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const [now, before] = [readSpec(object), readSpec(old)].map((spec) => objectAt(spec, 'selector'));
  return immutable('spec.selector', { now, before }, () => goLabelSelector(now));
}

/** Warnings about the name of something whose pods are called after it. */
export function nameWarnings({ metadata }: KubeObject, word = 'Pod names and hostnames'): string[] {
  const problems = dns1123LabelProblems(metadata.name ?? '');
  if (problems.length === 0) return [];
  const text = 'which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: this is used in ${word}, ${text}: [${problems.join(' ')}]`];
}

/** Warnings of a kind with a template at `spec.template`; on update only where a part of the object was changed. */
export function templateWarnings(
  object: KubeObject,
  old: KubeObject | undefined,
  options: { readonly warnsOfName: boolean; readonly parts: readonly string[] },
): string[] {
  const ofTemplate = (): string[] => podWarnings(objectAt(readSpec(object), 'template'), 'spec.template.');
  if (old === undefined) return [...(options.warnsOfName ? nameWarnings(object) : []), ...ofTemplate()];
  const isChanged = options.parts.some((part) => !isJsonEqual(partAt(object, part) ?? null, partAt(old, part) ?? null));
  return isChanged ? ofTemplate() : [];
}

function partAt(object: KubeObject, part: string): JsonValue | undefined {
  const steps = part.split('.');
  return valueAt(objectAt(asJson(object), ...steps.slice(0, -1)), steps.at(-1) ?? '');
}

/** Sets the status that Go prints for an object that no controller has seen yet. */
export function beginsWith(status: JsonObject): (object: KubeObject) => void {
  return (object) => {
    asJson(object)['status'] = structuredClone(status);
  };
}
