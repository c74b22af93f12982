import { type TermsReading, termsFor } from '../../../provisioners/index.ts';
import { errorMessage, TerminalError } from '../../../src/base/index.ts';
import type { Staging } from '../../../src/content/index.ts';
import { type ChartRenderer, findFormat, readStaged } from '../../../src/formats/index.ts';
import { type DeploymentSpec, deploymentObject } from './apply.ts';

/** Reads and renders the bundle as the provisioners do, with the configuration of the deployment. Formats of other provisioners are not validated.
 *  @throws TerminalError InvalidBundle, naming the bundle and what is wrong with it */
export async function validateBundle(
  staging: Staging,
  spec: DeploymentSpec,
  { what, charts, ...reading }: TermsReading & { readonly what: string; readonly charts: ChartRenderer },
): Promise<void> {
  const { bundleClass } = spec;
  const format = findFormat(bundleClass);
  if (format === undefined) return;
  try {
    const content = await readStaged(format, staging, '');
    const terms = await termsFor(deploymentObject(spec), bundleClass, reading);
    await content.render(terms, { charts, signal: reading.signal });
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    const text = `${what} is not a valid ${format.name} bundle (class ${bundleClass}): ${errorMessage(thrown)}`;
    throw new TerminalError('InvalidBundle', text, { cause: thrown });
  }
}
