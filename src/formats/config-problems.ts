import { errorMessage, isJsonObject, type JsonValue, TerminalError } from '../base/index.ts';

/** What readers of a configuration refuse, field by field, so that all of it is reported at once. */
export function configProblemsOf(
  config: JsonValue,
  readers: readonly ((config: JsonValue) => unknown)[],
): readonly string[] {
  const parts = isJsonObject(config) ? Object.entries(config).map(([name, value]) => ({ [name]: value })) : [config];
  const problems = parts.flatMap((part) =>
    readers.flatMap((read) => {
      try {
        read(part);
        return [];
      } catch (thrown) {
        if (!(thrown instanceof TerminalError)) throw thrown;
        return [errorMessage(thrown)];
      }
    }),
  );
  return [...new Set(problems)];
}
