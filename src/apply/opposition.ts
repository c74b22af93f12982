import { isForbidden, isNotFound, type KubeObject } from '../kube/index.ts';
import { type CheckContext, checkAll } from './check.ts';
import { PermissionsMissing } from './permissions/index.ts';
import { listProblems, type Problem, throwProblems } from './problems.ts';

/** What is known against an installation before its objects are compared with the cluster. */
export interface Opposition {
  readonly missing: PermissionsMissing | undefined;
  readonly problems: readonly Problem[];
}

/** What `work` finds missing.
 *  @throws everything else that it throws */
export async function missingPermissions(work: () => Promise<void>): Promise<PermissionsMissing | undefined> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof PermissionsMissing) return thrown;
    throw thrown;
  }
}

/** Missing kinds and permissions end an installation early: `objects` are checked all the same, so that one message has everything.
 *  @throws PermissionsMissing, InstallBlocked, InstallRefused */
export async function assertUnopposed(
  { missing, problems: known }: Opposition,
  check: CheckContext,
  { objects, all }: { readonly objects: readonly KubeObject[]; readonly all: readonly KubeObject[] },
): Promise<void> {
  if (missing === undefined && known.length === 0) return;
  if (missing === undefined) {
    throwProblems([...known, ...(await checkAll(check, objects, all))]);
    return;
  }
  // Missing permissions of the account are reported; nothing is tried for it with our own permissions.
  const found = await checkAll({ ...check, installNamespace: undefined }, objects, []);
  const others = found.filter(({ cause }) => !isForbidden(cause) && !isNotFound(cause));
  const problems = [...known, ...others];
  if (problems.length === 0) throw missing;
  throw new PermissionsMissing(`${missing.message}; besides: ${listProblems(problems)}`, missing.namespaces);
}
