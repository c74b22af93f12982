/** Every setting of the processes of the platform: the options of `up`, `controllers` and `webhook`, and their values, checked.
 *  Main functions: `readConfig`, `readControllersConfig`, `readWebhookConfig`.
 *  @imports cli/command, manager, provisioners, src/api, src/base */
export {
  type ControllersConfig,
  controllersOptions,
  type ProcessConfig,
  readControllersConfig,
  readWebhookConfig,
  webhookOptions,
} from './processes.ts';
export type { ProvisionerConfig } from './provisioners.ts';
export { type Config, readConfig, upOptions } from './up.ts';
