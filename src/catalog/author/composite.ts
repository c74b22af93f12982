import { goQuote, type JsonObject, listOfTexts, objectAt, objectsAt, textAt } from '../../base/index.ts';
import { refuseTemplate, templateDocument } from './template.ts';

const compositeSchema = 'olm.composite';
const catalogsSchema = 'olm.composite.catalogs';

/** How a component is built: by a template, from a catalog as it is, or by a program. */
const builders = {
  'olm.builder.basic': 'basic',
  'olm.builder.semver': 'semver',
  'olm.builder.raw': 'raw',
  'olm.builder.custom': 'custom',
} as const;
type BuilderSchema = keyof typeof builders;

/** A part of a composite catalog, and where it is to go. */
export interface CompositeComponent {
  /** Of the catalog that it belongs to. */
  readonly name: string;
  readonly builder: (typeof builders)[BuilderSchema];
  /** Path of a template or catalog; empty for a program. */
  readonly input: string;
  /** Folder and file that the result is written to. */
  readonly folder: string;
  readonly output: string;
  /** A program with its arguments. */
  readonly command: readonly string[];
}

interface TargetCatalog {
  readonly workingDir: string;
  readonly builders: readonly string[];
}

function isBuilder(schema: string): schema is BuilderSchema {
  return Object.hasOwn(builders, schema);
}

function readCatalogs(text: string): ReadonlyMap<string, TargetCatalog> {
  const document = templateDocument(text);
  if (textAt(document, 'schema') !== catalogsSchema) {
    refuseTemplate(`catalog configuration file has unknown schema, should be ${goQuote(catalogsSchema)}`);
  }
  const catalogs = objectsAt(document, 'catalogs').map((catalog, index): [string, TargetCatalog] => {
    const name = textAt(catalog, 'name');
    if (name === '') refuseTemplate(`catalogs[${index}]: name must not be an empty string`);
    const workingDir = textAt(objectAt(catalog, 'destination'), 'workingDir');
    if (workingDir === '') {
      refuseTemplate(`catalog ${goQuote(name)}: destination.workingDir must not be an empty string`);
    }
    const listed = listOfTexts(catalog, 'builders');
    const unknown = listed.find((schema) => !isBuilder(schema));
    if (unknown !== undefined) refuseTemplate(`catalog ${goQuote(name)}: unknown schema ${goQuote(unknown)}`);
    return [name, { workingDir, builders: listed }];
  });
  return new Map(catalogs);
}

/** Whether a path stays below where it begins. */
function isBelow(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..');
}

function localPath(path: string, what: string): string {
  if (isBelow(path)) return path;
  return refuseTemplate(`${what}: expected a path below destination.workingDir, found ${goQuote(path)}`);
}

function readComponent(component: JsonObject, catalogs: ReadonlyMap<string, TargetCatalog>): CompositeComponent {
  const name = textAt(component, 'name');
  const at = `building component ${goQuote(name)}`;
  const catalog = catalogs.get(name);
  if (catalog === undefined) {
    const known = [...catalogs.keys()].join(' ');
    const text = `component does not exist in the catalog configuration. Available components are: [${known}]`;
    return refuseTemplate(`${at}: ${text}`);
  }
  const template = objectAt(component, 'strategy', 'template');
  const schema = textAt(template, 'schema');
  if (!catalog.builders.includes(schema) || !isBuilder(schema)) {
    return refuseTemplate(`${at}: no builder found for template schema ${goQuote(schema)}`);
  }
  const config = objectAt(template, 'config');
  const path = localPath(textAt(objectAt(component, 'destination'), 'path'), `${at}: destination.path`);
  const made = {
    name,
    builder: builders[schema],
    input: textAt(config, 'input'),
    folder: `${catalog.workingDir}/${path}`,
    output: localPath(textAt(config, 'output'), `${at}: config.output`),
    command: [textAt(config, 'command'), ...listOfTexts(config, 'args')],
  };
  const isProgram = made.builder === 'custom';
  if (isProgram && made.command[0] === '') refuseTemplate(`${at}: config.command must not be an empty string`);
  if (!isProgram && made.input === '') refuseTemplate(`${at}: config.input must not be an empty string`);
  return made;
}

/** The components of a composite template; `catalogsText` lists where catalogs are.
 *  @throws TerminalError InvalidTemplate
 *  @see docs/spec/catalogs.md#templates */
export function readComposite(text: string, catalogsText: string): readonly CompositeComponent[] {
  const document = templateDocument(text);
  if (textAt(document, 'schema') !== compositeSchema) {
    refuseTemplate(`composite configuration file has unknown schema, should be ${goQuote(compositeSchema)}`);
  }
  const catalogs = readCatalogs(catalogsText);
  return objectsAt(document, 'components').map((component) => readComponent(component, catalogs));
}
