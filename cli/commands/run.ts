import { createContentClient } from '../content-client.ts';
import type { OptionValues } from '../options.ts';
import { createProgress } from '../progress.ts';
import { deployFolder } from '../upload-deployment.ts';

/** `longshore run NAME DIR` */
export async function run(values: OptionValues, [name = '', folder = '']: readonly string[]): Promise<number> {
  const print = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  using client = await createContentClient(values);
  // The lines on standard output are those of the original; what goes on is for a person who watches.
  using progress = createProgress(process.stderr, { isQuiet: !process.stderr.isTTY });
  const wish = {
    name,
    folder,
    deploymentClass: values['bundle-deployment-provisioner-class'] as string,
    bundleClass: values['bundle-provisioner-class'] as string,
  };
  const { bundle, isNew } = await deployFolder(client, wish, {
    onApplied: () => print(`bundledeployment.core.rukpak.io "${name}" applied`),
    onSent: (done, total) => progress.show(`uploading ${folder}`, { done, total, unit: 'bytes' }),
  });
  progress.clear();
  print(isNew ? `successfully uploaded bundle content for "${bundle}"` : `bundle "${bundle}" is already up-to-date`);
  return 0;
}
