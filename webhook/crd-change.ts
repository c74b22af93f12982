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
import { denyAtLength, sayAll, silence, type Verdict, warnOf } from './rules/rule.ts';

/** Shorter than what the API server waits, so that what was found is told in time. */
const readDeadlineMs = 7_000;

function isText(entry: [string, JsonValue | undefined]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

function annotationsOf({ metadata }: JsonObject): Record<string, string> {
  const annotations = isJsonObject(metadata) ? metadata.annotations : undefined;
  return isJsonObject(annotations) ? Object.fromEntries(Object.entries(annotations).filter(isText)) : {};
}

async function judge(
  change: CrdChange,
  operation: ReviewRequest['operation'],
  options: SafetyOptions,
): Promise<Verdict> {
  const findings = await checkCrdChange(change, options);
  if (findings.length === 0) return silence;
  const note = `(NOTE: to disable this validation, set the "${safeCrdUpgradeAnnotation}" annotation to "false")`;
  const how = howToIgnore(
    findings.map(({ check }) => check),
    'CustomResourceDefinition',
  );
  const what = `failed to validate safety of ${operation} for CRD "${crdNameOf(change.after)}" ${note}`;
  return denyAtLength(`${what}: ${describeFindings(change, findings)}\n${how}`);
}

/** Judges a change of a CustomResourceDefinition. What the provisioners apply was judged by them before, with what their BundleDeployment ignores.
 *  @throws TerminalError InvalidObject */
export async function checkCrd(
  request: ReviewRequest,
  { facts, rules, signal }: { readonly facts: FactsReader; readonly rules: RuleTally; readonly signal: AbortSignal },
): Promise<Verdict> {
  const { operation, object: after = {}, oldObject: before } = request;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return silence;
  const switches = readSwitches(annotationsOf(after));
  const ofSwitches = rules.ask('crd-safety-annotations', () => warnOf(switches.warnings));
  if (before === undefined || request.fieldManager === installFieldManager) return ofSwitches;
  const options = { switches, read: facts.readObjects, deadlineMs: readDeadlineMs, signal };
  const ofChange = await rules.askPatiently('crd-upgrade', () => judge({ before, after }, operation, options));
  return sayAll([ofSwitches, ofChange]);
}
