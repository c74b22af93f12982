/** What every command is made of: its name, options and help text. Main type: `Command`.
 *  Speaks to nothing; loads nothing that `--help` does not need.
 *  @imports src/base */
export { chartOptions, helmOption } from './chart-options.ts';
export { clusterOptions, documentOption, kubeconfigOption, longOutputOption, outputOption } from './client-options.ts';
export { type Command, defineCommand } from './command.ts';
export { collectWhenIdle, keepHeapSmall, keepHeapTight, optimizeLater } from './heap.ts';
export { imageFormOption, imageTargetOptions } from './image-options.ts';
export { logLevelOption, processLogOption } from './log-option.ts';
export type { OptionSpec, OptionSpecs, OptionValues } from './option-spec.ts';
export { formatOptions, optionTitle, type ParsedOptions, parseOptions, readOrigin, shownDefault } from './options.ts';
export { printDocument } from './print-document.ts';
export { loginText, registryOptions } from './registry-options.ts';
