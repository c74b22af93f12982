import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { printable, TerminalError } from '../../../src/base/index.ts';
import { drawMermaid, drawSvg, drawText } from '../../../src/catalog/index.ts';
import { type CatalogPackage, describeEdge, findInstalled, offerOf, pathBetween } from '../../../src/resolver/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import { type GraphMarks, graphDocument } from '../graph/document.ts';
import type { graphOptions } from '../graph/options.ts';
import { knownBundle, knownChannel, readNamedPackage } from '../named-package.ts';
import type { catalogOption } from '../options.ts';

type Values = OptionValues<typeof catalogOption & typeof graphOptions & typeof registryOptions>;

type Form = 'text' | 'mermaid' | 'svg' | 'json';

const formsByExtension: ReadonlyMap<string, Form> = new Map([
  ['.svg', 'svg'],
  ['.mmd', 'mermaid'],
  ['.mermaid', 'mermaid'],
  ['.txt', 'text'],
  ['.json', 'json'],
]);

function formOf(values: Values): Form {
  const file = values.file;
  const named = values.output;
  const form = named ?? (file === undefined ? 'text' : formsByExtension.get(extname(file).toLowerCase()));
  if (form === undefined) {
    const endings = [...formsByExtension.keys()].join(', ');
    throw new TerminalError(
      'InvalidOption',
      `--file ${file}: expected a name that ends with ${endings}, or the form with --output`,
    );
  }
  return form;
}

/** What is installed, what is requested, and the updates between; a graph without order has no such updates, which is reported. */
function marksOf(found: CatalogPackage, channels: readonly string[], values: Values): GraphMarks {
  const target = knownBundle(found, values.to);
  const named = values.installed;
  const marked = target === undefined ? {} : { target: target.name };
  if (named === undefined) return marked;
  const installed = findInstalled(found, named);
  try {
    const { hops, end } = pathBetween(offerOf(values.policy, found, channels), installed, target);
    const path = hops.map(({ from, to, channel, edge }) => {
      return { from: from.name, to: to.name, channel, reason: `${to.name} ${describeEdge(edge)}` };
    });
    return { ...marked, installed, path, end };
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    process.stderr.write(`longshore: no updates are marked: ${printable(thrown.message)}\n`);
    return { ...marked, installed };
  }
}

function draw(found: CatalogPackage, form: Form, values: Values): string {
  const channels = knownChannel(found, values.channel);
  const requested = channels.length === 0 ? undefined : channels;
  if (form === 'mermaid') {
    const minimumEdge = values['minimum-edge'];
    return drawMermaid([found], {
      channels: requested,
      minimumEdge,
      hasV0Semantics: values['draw-v0-semantics'] === true,
    });
  }
  const marks = marksOf(found, channels, values);
  if (form === 'json') return `${JSON.stringify(graphDocument(found, requested, marks))}\n`;
  return form === 'svg' ? drawSvg(found, requested, marks) : drawText(found, requested, marks);
}

/** `longshore catalog graph PACKAGE --catalog REF` */
export async function catalogGraph(values: Values, [name]: readonly [string]): Promise<number> {
  const form = formOf(values);
  const found = await readNamedPackage('catalog graph', values, name);
  const drawn = draw(found, form, values);
  const file = values.file;
  if (file === undefined) process.stdout.write(drawn);
  else await writeFile(file, drawn);
  return 0;
}
