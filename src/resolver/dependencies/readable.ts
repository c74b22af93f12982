import type { Property } from '../../constraints/index.ts';
import type { PresentBundle, ResolutionRequest } from './request.ts';
import { isRequirement } from './requirement.ts';

/** What the requirements of installed bundles may have, which are read before anything is resolved: a rule takes microseconds for each character, anything else
 *  for each requirement. Hundreds of ordinary bundles have a tenth. */
const maxWeight = 65_536;
const requirementWeight = 16;

function weightOf({ value }: Property): number {
  const text = JSON.stringify(value);
  return requirementWeight + (text.includes('"cel"') ? text.length : text.length / requirementWeight);
}

function weightOfAll({ properties }: PresentBundle): number {
  return properties.filter(isRequirement).reduce((sum, one) => sum + weightOf(one), 0);
}

/** The installed bundles, as far as others decide what they ask for, with requirements within limits: those of the bundles with the most are left out. */
export function readable({ installed, installedConstraints }: ResolutionRequest): readonly PresentBundle[] {
  if (installedConstraints !== 'BestEffort') return installed;
  const weighed = installed.map((bundle) => ({ bundle, weight: weightOfAll(bundle) }));
  let left = maxWeight;
  return weighed
    .toSorted((a, b) => a.weight - b.weight)
    .map(({ bundle, weight }) => {
      left -= weight;
      return left >= 0 ? bundle : { ...bundle, properties: bundle.properties.filter((one) => !isRequirement(one)) };
    });
}
