import { readDeploymentConfig } from '../../src/api/index.ts';
import { errorMessage, TerminalError } from '../../src/base/index.ts';
import { denyAdded, silence, type Verdict } from './rule.ts';

/** What is understood of `spec.config` of a BundleDeployment has its form. */
export function deploymentConfig(config: unknown): Verdict {
  try {
    readDeploymentConfig(config);
    return silence;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return denyAdded(errorMessage(thrown));
  }
}
