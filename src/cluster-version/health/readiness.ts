import { cutText, type JsonObject, TerminalError } from '../../base/index.ts';
import {
  basicTypes,
  compileProgram,
  dynamicValue,
  type Environment,
  Failure,
  isFaulty,
  kubernetesFunctions,
  type Program,
} from '../../cel/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { ReleaseManifest, ReleaseTask } from '../../release/index.ts';
import { annotationOf } from '../apply/desired-object.ts';
import { objectOf } from '../failures/api-failure.ts';
import { UpdateFailure } from '../failures/update-failure.ts';

/** On a manifest: an expression of CEL over `self`, the object in the cluster, which is true once the update may go on. */
const readyAnnotation = 'release.openshift.io/ready';

const maxCharacters = 4_096;
const maxIssueCharacters = 500;
/** As much as kube-apiserver allows one expression. */
const maxCost = 1_000_000;

let environment: Environment | undefined;

function compile(text: string): Program {
  if (text.length > maxCharacters) {
    throw new TerminalError('InvalidReadyExpression', `${readyAnnotation}: longer than ${maxCharacters} characters`);
  }
  environment ??= {
    functions: kubernetesFunctions(),
    variables: new Map([['self', basicTypes.dyn]]),
    structs: new Map(),
  };
  const program = compileProgram(text, environment);
  if (!isFaulty(program)) return program;
  const issues = cutText(program.issues ?? program.instantiation ?? 'no expression', maxIssueCharacters);
  throw new TerminalError('InvalidReadyExpression', `${readyAnnotation}: ${issues}`);
}

/** Whether the manifest defines when its object is ready. */
export function hasReadyExpression(manifest: ReleaseManifest): boolean {
  return annotationOf(manifest, readyAnnotation) !== '';
}

/** Whether an object is ready, as its manifest defines it. A field that does not exist yet is no fault: the object is not ready.
 *  @throws UpdateFailure · TerminalError InvalidReadyExpression
 *  @see docs/spec/cluster-version.md#health-rule-per-kind */
export function assertReady(task: ReleaseTask, live: KubeObject): void {
  const text = annotationOf(task.manifest, readyAnnotation);
  if (text === '') return;
  const self = dynamicValue(live as JsonObject);
  const { value } = compile(text).run((name) => (name === 'self' ? self : undefined), maxCost);
  if (value === true) return;
  const { kind, namespace, name } = task.manifest.key;
  const why = value instanceof Failure ? value.message : `${readyAnnotation} is not true`;
  const place = namespace === '' ? name : `${namespace}/${name}`;
  throw new UpdateFailure('WorkloadUpdating', `${kind} ${place} is not ready: ${why}`, {
    effect: 'None',
    names: [name],
    object: objectOf(task),
    plural: { reason: 'WorkloadsUpdating', message: (names) => `Objects ${names} are not ready` },
  });
}
