import { goQuote, TerminalError } from '../../base/index.ts';

/** What a catalog image is made of. */
export interface DockerfileOptions {
  /** Name of the folder beside the file. */
  readonly folder: string;
  readonly baseImage: string;
  readonly builderImage: string;
  /** `key=value` */
  readonly labels: readonly string[];
}

/** Label of catalog images that names the folder of the catalog. */
export const configsLabel = 'operators.operatorframework.io.index.configs.v1';

/** A word as it stands where that is safe; else in quotes, with nothing that would be put in for variables. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : JSON.stringify(text).replaceAll('$', '\\$');
}

function labelLines(labels: readonly string[]): string {
  const lines = labels.map((label) => {
    const [, key, value] = /^([^=\s"]+)=([^\n\r]*)$/.exec(label) ?? [];
    if (key === undefined || value === undefined) {
      throw new TerminalError('InvalidOption', `invalid label ${goQuote(label)}: expected KEY=VALUE`);
    }
    return `LABEL ${quoted(key)}=${quoted(value)}\n`;
  });
  if (lines.length === 0) return '';
  return `\n# Set other labels\n${lines.join('')}`;
}

function assertImageName(what: string, image: string): void {
  if (/^[\w][\w.:/@-]*$/.test(image)) return;
  throw new TerminalError('InvalidOption', `invalid ${what} image: ${goQuote(image)}`);
}

function added(instruction: 'ADD' | 'COPY', folder: string): string {
  const isPlain = /^[\w./-]+$/.test(folder);
  return `${instruction} ${isPlain ? `${folder} /configs` : JSON.stringify([folder, '/configs'])}`;
}

const catalogLabel = `
# Where readers of catalogs find this one
LABEL ${configsLabel}=/configs
`;

function dataOnly(folder: string): string {
  return `# The image has data only and no program: a CatalogSource of it must set grpcPodConfig.extractContent.
FROM scratch

${added('COPY', folder)}
`;
}

function serving(folder: string, { baseImage, builderImage }: DockerfileOptions): string {
  return `# Builds the cache of the catalog, so that it is served at once
FROM ${builderImage} AS builder

${added('ADD', folder)}
RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]

FROM ${baseImage}

ENTRYPOINT ["/bin/opm"]
CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]

COPY --from=builder /configs /configs
COPY --from=builder /tmp/cache /tmp/cache
`;
}

/** The text of a Dockerfile for a catalog image.
 *  @throws TerminalError InvalidOption
 *  @see docs/spec/catalogs.md#init-dockerfile-list */
export function catalogDockerfile(options: DockerfileOptions): string {
  const { folder, baseImage, builderImage, labels } = options;
  if (builderImage === 'scratch') throw new TerminalError('InvalidOption', 'invalid builder image: "scratch"');
  assertImageName('base', baseImage);
  assertImageName('builder', builderImage);
  const body = baseImage === 'scratch' ? dataOnly(folder) : serving(folder, options);
  return `${body}${catalogLabel}${labelLines(labels)}`;
}
