/** What every command is made of: its name, options and help text. Main type: `Command`.
 *  Speaks to nothing; loads nothing that `--help` does not need.
 *  @imports src/base */
export { clusterOptions, documentOption, kubeconfigOption, longOutputOption, outputOption } from './client-options.ts';
export type { Command } from './command.ts';
export { keepHeapTight, keepYoungHeapSmall, optimizeLater } from './heap.ts';
export { logLevelOption, processLogOption, readLogLevel } from './log-option.ts';
export {
  formatOptions,
  inRange,
  type OptionSpec,
  type OptionValues,
  oneOf,
  type ParsedOptions,
  parseOptions,
  readOrigin,
} from './options.ts';
export { printDocument } from './print-document.ts';
export { loginText, registryOptions } from './registry-options.ts';
