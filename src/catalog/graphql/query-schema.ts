import { setImmediate as breathe } from 'node:timers/promises';
import type { GraphQLFieldConfig, GraphQLOutputType, GraphQLSchema } from 'graphql';
import { isJsonObject, type JsonObject, parseJson, TerminalError } from '../../base/index.ts';
import type { CatalogIndex } from '../store/catalog-index.ts';
import type { SurveyedField, SurveyedSchema } from './field-survey.ts';

/** The package, which is loaded with the first query. */
export type GraphqlPackage = typeof import('graphql');

/** What one query may use. */
export interface QueryContext {
  readonly index: CatalogIndex;
  readonly signal: AbortSignal;
  /** That may still be read of documents, and answered of what was read. */
  leftBytes: number;
}

const pageSize = 100;
/** A value in an answer counts as so many at least. */
const minValueBytes = 16;

type FieldConfig = GraphQLFieldConfig<JsonObject, QueryContext>;
type RootConfig = GraphQLFieldConfig<unknown, QueryContext>;

function shown(value: unknown): unknown {
  return value === undefined || value === null || typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a field gives of an object; what does not have the type that all of them have is nothing. */
function readField({ key, type, isList, members }: SurveyedField, object: JsonObject): unknown {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (members !== undefined) return Array.isArray(value) ? value.filter(isJsonObject) : undefined;
  if (type !== 'json') return value;
  return isList && Array.isArray(value) ? value.map(shown) : shown(value);
}

function spend(context: QueryContext, sizeBytes: number): void {
  context.leftBytes -= sizeBytes;
  if (context.leftBytes < 0) throw new TerminalError('QueryTooLarge', 'query reads too much: ask for fewer objects');
}

/** One document can be asked for again and again, by aliases. Of what is too much the first is a fault, all that follows is nothing. */
function answerField(field: SurveyedField, object: JsonObject, context: QueryContext): unknown {
  if (context.leftBytes < 0) return undefined;
  const value = readField(field, object);
  for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
    spend(context, typeof one === 'string' ? Math.max(one.length, minValueBytes) : minValueBytes);
  }
  return value;
}

class SchemaBuilder {
  readonly #graphql: GraphqlPackage;

  constructor(graphql: GraphqlPackage) {
    this.#graphql = graphql;
  }

  build(schemas: readonly SurveyedSchema[]): GraphQLSchema {
    const { GraphQLObjectType, GraphQLSchema: Schema } = this.#graphql;
    const roots = schemas.map((schema): [string, RootConfig] => [schema.root, this.#root(schema)]);
    const fields = { ...Object.fromEntries(roots), summary: this.#summary(schemas) };
    return new Schema({ query: new GraphQLObjectType({ name: 'Query', fields }) });
  }

  #object(name: string, fields: readonly SurveyedField[]): GraphQLOutputType {
    const { GraphQLObjectType, GraphQLList } = this.#graphql;
    const configs = fields.map((field): [string, FieldConfig] => {
      const item = this.#type(`${name}_${field.name}`, field);
      const type = field.isList ? new GraphQLList(item) : item;
      return [field.name, { type, resolve: (object, _given, context) => answerField(field, object, context) }];
    });
    return new GraphQLObjectType({ name, fields: Object.fromEntries(configs) });
  }

  #type(name: string, { type, members }: SurveyedField): GraphQLOutputType {
    const { GraphQLBoolean, GraphQLFloat, GraphQLInt, GraphQLString } = this.#graphql;
    if (members !== undefined) return this.#object(name, members);
    if (type === 'boolean') return GraphQLBoolean;
    if (type === 'integer') return GraphQLInt;
    return type === 'number' ? GraphQLFloat : GraphQLString;
  }

  #root({ schema, root, fields }: SurveyedSchema): RootConfig {
    const { GraphQLInt, GraphQLList } = this.#graphql;
    return {
      type: new GraphQLList(this.#object(root, fields)),
      args: { limit: { type: GraphQLInt, defaultValue: pageSize }, offset: { type: GraphQLInt, defaultValue: 0 } },
      resolve: async (_source, { limit, offset }: { limit: number | null; offset: number | null }, context) => {
        const page = { limit: Math.min(Math.max(limit ?? pageSize, 0), pageSize), offset: Math.max(offset ?? 0, 0) };
        return await readPage(schema, page, context);
      },
    };
  }

  #summary(schemas: readonly SurveyedSchema[]): RootConfig {
    const { GraphQLInt, GraphQLList, GraphQLObjectType, GraphQLString } = this.#graphql;
    const one = new GraphQLObjectType({
      name: 'SchemaSummary',
      fields: { name: { type: GraphQLString }, totalObjects: { type: GraphQLInt }, totalFields: { type: GraphQLInt } },
    });
    const type = new GraphQLObjectType({
      name: 'CatalogSummary',
      fields: { totalSchemas: { type: GraphQLInt }, schemas: { type: new GraphQLList(one) } },
    });
    const found = schemas.map(({ schema, count, fields }) => {
      return { name: schema, totalObjects: count, totalFields: fields.length };
    });
    return { type, resolve: () => ({ totalSchemas: found.length, schemas: found }) };
  }
}

async function readPage(
  schema: string,
  page: { readonly limit: number; readonly offset: number },
  context: QueryContext,
): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (const line of context.index.select({ schema, ...page }).lines()) {
    await breathe();
    context.signal.throwIfAborted();
    spend(context, line.length);
    const value = parseJson(schema, line.toString());
    if (isJsonObject(value)) found.push(value);
  }
  return found;
}

/** The schema by which a catalog is asked: a field for the documents of each schema, and `summary`.
 *  @see docs/spec/catalogs.md#v1-http-api */
export function buildQuerySchema(graphql: GraphqlPackage, schemas: readonly SurveyedSchema[]): GraphQLSchema {
  return new SchemaBuilder(graphql).build(schemas);
}
