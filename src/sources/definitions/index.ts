/** What differs by the type of a source, apart from fetching: addresses, inputs, pins, descriptions and rules of admission. One row a type; main function:
 *  `definitionOf`. Pure, and loads no client: the webhook and commands use it as well.
 *  @imports src/api, src/base */
export {
  type ConfigMapFacts,
  type SourceDescription,
  type SourceFinding,
  type SourceRuleName,
  sourceRuleNames,
} from './definition.ts';
export { parseSshRemote, type SshRemote } from './ssh-address.ts';
export { definitionOf } from './table.ts';
