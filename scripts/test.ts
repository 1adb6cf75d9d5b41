/** Runs `bun test` with the words it is given, and ends with the plain line `N passed, N failed`. */

/** A machine that is busy with other things is no fault of a test. */
const testMax_ms = 120_000
/** Processes are killed, clocks set and pages drawn on a machine that does other things too. What passes only the second time is named, to be looked into. */
const retries = 1
const child = Bun.spawn(
  [
    process.execPath,
    '--no-env-file',
    'test',
    '--timeout',
    String(testMax_ms),
    '--retry',
    String(retries),
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
