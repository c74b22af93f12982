/** Runs an assertion again and again until it holds; fails with its last error after `timeoutMs`. The default of a minute is for slow
 *  machines: what fails within it fails a test, what takes long does not. Tests may take longer than that (vitest.config.ts). */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  options: { readonly timeoutMs?: number; readonly intervalMs?: number } = {},
): Promise<T> {
  const endMs = Date.now() + (options.timeoutMs ?? 60_000);
  for (;;) {
    try {
      return await assertion();
    } catch (thrown) {
      if (Date.now() > endMs) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, options.intervalMs ?? 25));
  }
}
