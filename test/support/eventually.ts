/** Runs an assertion again and again until it holds; fails with its last error after `timeoutMs` (default 10 s). */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  options: { readonly timeoutMs?: number; readonly intervalMs?: number } = {},
): Promise<T> {
  const endMs = Date.now() + (options.timeoutMs ?? 10_000);
  for (;;) {
    try {
      return await assertion();
    } catch (thrown) {
      if (Date.now() > endMs) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, options.intervalMs ?? 25));
  }
}
