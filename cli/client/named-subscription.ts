import type { Subscription } from '../../src/api/index.ts';
import { TerminalError } from '../../src/base/index.ts';

/** The Subscription of a name, or to the package of that name. Names of Subscriptions are free: where one has the name of the package of another one, a command must
 *  not take it for that one.
 *  @throws TerminalError OperatorAmbiguous */
export function namedSubscription(all: readonly Subscription[], name: string): Subscription | undefined {
  const named = all.find(({ metadata }) => metadata.name === name);
  const ofPackage = all.filter(({ spec }) => spec.name === name);
  const [other] = ofPackage;
  if (named === undefined || other === undefined || ofPackage.includes(named)) return named ?? other;
  const { namespace = '' } = named.metadata;
  const text = `namespace "${namespace}" has Subscription "${name}", which is to package "${named.spec.name}", and Subscription "${other.metadata.name}" to package "${name}": use "${named.spec.name}" or "${other.metadata.name}"; nothing was changed`;
  throw new TerminalError('OperatorAmbiguous', text);
}
