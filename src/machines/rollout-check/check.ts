import type { MachineConfigPool, RolloutCheck } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import type { KubeClient, KubeObject } from '../../kube/index.ts';
import { expressionProblem } from './expression.ts';
import { jobProblem } from './job.ts';
import type { CheckProblem } from './problem.ts';

/** A check that does not pass. */
export interface FailedCheck extends CheckProblem {
  readonly name: string;
}

export interface CheckFacts {
  readonly kube: KubeClient;
  readonly pool: MachineConfigPool;
  /** The node that was updated; absent before a batch. */
  readonly node?: KubeObject;
  /** The nodes of the pool, before a batch. */
  readonly nodes?: readonly KubeObject[];
  /** What Jobs are run for: the same text is run once. */
  readonly subject: string;
  /** How long Jobs may take. */
  readonly timeoutMs: number;
  /** Checks that are left out. */
  readonly skipped: ReadonlySet<string>;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

async function problemOf(check: RolloutCheck, facts: CheckFacts): Promise<CheckProblem | undefined> {
  const { pool, node, nodes } = facts;
  if (check.expression !== undefined) {
    const variables = { pool, ...(node === undefined ? {} : { node }), ...(nodes === undefined ? {} : { nodes }) };
    const problem = expressionProblem(check.expression, variables as unknown as { readonly pool: JsonObject });
    return problem === undefined ? undefined : { message: check.message ? `${check.message} (${problem})` : problem };
  }
  if (check.job === undefined) return { message: 'it has neither an expression nor a Job' };
  const request = { ...facts, check, job: check.job, nodeName: node?.metadata.name };
  return await jobProblem(request, facts);
}

/** The first check that does not pass, expressions before Jobs; undefined if all do. */
export async function failedCheck(facts: CheckFacts): Promise<FailedCheck | undefined> {
  const { checks = [] } = facts.pool.spec.rollout?.gates ?? {};
  const when = facts.node === undefined ? 'BeforeBatch' : 'AfterNode';
  const own = checks.filter((check) => check.when === when && !facts.skipped.has(check.name));
  // A Job is started only where everything else passes.
  for (const check of own.toSorted((a, b) => Number(a.job !== undefined) - Number(b.job !== undefined))) {
    const problem = await problemOf(check, facts);
    if (problem !== undefined) return { ...problem, name: check.name };
  }
  return undefined;
}
