import { readDeploymentConfig, type ServiceAccountName } from '../../../src/api/index.ts';
import { errorMessage, TerminalError } from '../../../src/base/index.ts';

/** The value of `--service-account`, `NAMESPACE/NAME`.
 *  @throws TerminalError InvalidOption */
export function readAccountOption(text: string | undefined): ServiceAccountName | undefined {
  if (text === undefined) return undefined;
  const [namespace = '', name = '', ...rest] = text.split('/');
  try {
    if (rest.length > 0) throw new TerminalError('InvalidOption', 'more than one /');
    return readDeploymentConfig({ serviceAccount: { namespace, name } }).serviceAccount;
  } catch (thrown) {
    const why = `--service-account: expected NAMESPACE/NAME, found "${text}"`;
    throw new TerminalError('InvalidOption', `${why} (${errorMessage(thrown)})`, { cause: thrown });
  }
}
