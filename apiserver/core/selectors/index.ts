/** Label and field selectors: parses their text forms, matches LabelSelector objects. Main type: `LabelSelector`.
 *  Never decides which fields a kind lets select. */
export { type FieldRequirement, matchesFields, parseFieldSelector } from './field-selector.ts';
export { type LabelSelector, type Labels, matchesLabelSelector, parseLabelSelector } from './label-selector.ts';
export type { LabelRequirement } from './label-syntax.ts';
