import type { Step } from '../../src/controller/index.ts';
import { actingOwnerOf } from '../installed-record.ts';
import { notInstalled } from './conditions.ts';
import { describeIncomplete, withLeft } from './incomplete.ts';
import { type DeploymentRun, setStatus } from './run.ts';

const advice =
  'spec.config.serviceAccount must name the service account to install with, because these provisioners run with --require-service-account; until then nothing is installed, changed or corrected';

/** Where every deployment is to have an account of its own, one without is left as it is. */
export const requireAccount: Step<DeploymentRun> = async (run, { signal }) => {
  if (!run.context.isAccountRequired || actingOwnerOf(run.object).account !== undefined) return undefined;
  const message = withLeft(advice, await describeIncomplete(run, signal));
  const installed = { type: 'Installed', status: 'False', reason: 'PermissionsMissing', message } as const;
  setStatus(run, [installed, notInstalled]);
  return 'stop';
};
