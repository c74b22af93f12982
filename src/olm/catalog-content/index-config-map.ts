import { TerminalError, withDeadline } from '../../base/index.ts';
import { configMapMetas } from './config-map-metas.ts';
import { indexMetas } from './index-metas.ts';
import { type ConfigMapJob, contentFault, type UnpackedCatalog } from './unpack-job.ts';

/** Makes the index of a catalog in the old format of ConfigMaps.
 *  @throws TerminalError CatalogContentFault */
export async function indexConfigMap(job: ConfigMapJob, signal: AbortSignal): Promise<UnpackedCatalog> {
  const options = { deadlineMs: job.settings.deadlineMs, signal };
  return await withDeadline(`read configmap ${job.configMap}`, options, async (ending) => {
    try {
      return await indexMetas(configMapMetas(job.configMap, job.data), job.file, ending);
    } catch (thrown) {
      if (!(thrown instanceof TerminalError) || thrown.reason !== 'UnreadableCatalog') throw thrown;
      throw new TerminalError(contentFault, `configmap ${job.configMap}: ${thrown.message}`, { cause: thrown });
    }
  });
}
