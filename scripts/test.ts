/** Runs `bun test` with the given arguments and prints `N passed, N failed` as the last line. */

/** Long, because a busy machine must not fail a test. */
const testMax_ms = 120_000
/**
 * Tests that kill processes, set clocks or render pages can fail on a busy machine. A test that passes only on the
 * retry is listed.
 */
const retries = 1
/** Test files run in two processes side by side, each with one module registry. */
const workers = 2
const child = Bun.spawn(
  [
    process.execPath,
    '--no-env-file',
    'test',
    '--timeout',
    String(testMax_ms),
    '--retry',
    String(retries),
    `--parallel=${workers}`,
    '--no-isolate',
    ...process.argv.slice(2),
  ],
  { stdout: 'inherit', stderr: 'pipe', cwd: `${import.meta.dir}/..` },
)
const decoder = new TextDecoder()
let said = ''
for await (const chunk of child.stderr) {
  process.stderr.write(chunk)
  said += decoder.decode(chunk, { stream: true })
}
const exit = await child.exited
const last = (pattern: RegExp) => Number([...said.matchAll(pattern)].at(-1)?.[1] ?? 0)
const wasWhole = exit === 0 && /^Ran \d+ tests? across/m.test(said)
const counted = Math.max(last(/^\s*(\d+) fail\b/gm), last(/^\s*(\d+) errors?\b/gm))
const failed = wasWhole ? counted : Math.max(1, counted)
for (const [line] of said.matchAll(/^\(pass\) .* \(attempt \d+\).*$/gm))
  process.stdout.write(`Only at the second attempt: ${line.slice('(pass) '.length)}\n`)
process.stdout.write(`${last(/^\s*(\d+) pass\b/gm)} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
