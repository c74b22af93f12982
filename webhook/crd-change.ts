import { installFieldManager, safeCrdUpgradeAnnotation } from '../src/api/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../src/base/index.ts';
import {
  type CrdChange,
  checkCrdChange,
  crdNameOf,
  describeFindings,
  howToIgnore,
  readSwitches,
  type SafetyOptions,
} from '../src/crd-safety/index.ts';
import type { FactsReader } from './facts.ts';
import type { ReviewRequest } from './review.ts';
import type { RuleTally } from './rule-tally.ts';
import { type AdmissionResult, allowed, denyAtLength, mergeResults, warn } from './rules/rule.ts';

/** Shorter than the API server's timeout, so that findings are reported in time. */
const readDeadlineMs = 7_000;

function isText(entry: [string, JsonValue | undefined]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

function annotationsOf({ metadata }: JsonObject): Record<string, string> {
  const annotations = isJsonObject(metadata) ? metadata.annotations : undefined;
  return isJsonObject(annotations) ? Object.fromEntries(Object.entries(annotations).filter(isText)) : {};
}

async function evaluate(
  change: CrdChange,
  operation: ReviewRequest['operation'],
  options: SafetyOptions,
): Promise<AdmissionResult> {
  const findings = await checkCrdChange(change, options);
  if (findings.length === 0) return allowed;
  const note = `(NOTE: to disable this validation, set the "${safeCrdUpgradeAnnotation}" annotation to "false")`;
  const how = howToIgnore(
    findings.map(({ check }) => check),
    'CustomResourceDefinition',
  );
  const what = `failed to validate safety of ${operation} for CRD "${crdNameOf(change.after)}" ${note}`;
  return denyAtLength(`${what}: ${describeFindings(change, findings)}\n${how}`);
}

/** Validates a change of a CustomResourceDefinition. The provisioners have validated what they apply, with the checks that their BundleDeployment ignores.
 *  @throws TerminalError InvalidObject */
export async function checkCrd(
  request: ReviewRequest,
  { facts, rules, signal }: { readonly facts: FactsReader; readonly rules: RuleTally; readonly signal: AbortSignal },
): Promise<AdmissionResult> {
  const { operation, object: after = {}, oldObject: before } = request;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return allowed;
  const switches = readSwitches(annotationsOf(after));
  const ofSwitches = rules.ask('crd-safety-annotations', () => warn(switches.warnings));
  if (before === undefined || request.fieldManager === installFieldManager) return ofSwitches;
  const options = { switches, read: facts.readObjects, deadlineMs: readDeadlineMs, signal };
  const ofChange = await rules.askPatiently('crd-upgrade', () => evaluate({ before, after }, operation, options));
  return mergeResults([ofSwitches, ofChange]);
}
