/**
 * Runs tests: `npm test` those that take few minutes, `npm run test:all` the long rest, and either with paths only
 * these. Prints what was skipped, and `N passed, N failed` as the last line.
 */
import { existsSync } from 'node:fs'
import { testFiles } from './test-files.ts'

/** Long, because a busy machine must not fail a test. */
const testMax_ms = 120_000
/**
 * Tests that kill processes, set clocks or render pages can fail on a busy machine. A test that passes only on the
 * retry is listed.
 */
const retries = 1
/** Test files run in two processes side by side, each with one module registry. */
const workers = 2
/** The programs whose absence skips tests, by the Debian package that has them. */
const packageOf = {
  chromium: 'chromium',
  initdb: 'postgresql',
  openssl: 'openssl',
  ogr2ogr: 'gdal-bin',
  pgbouncer: 'pgbouncer',
  faketime: 'faketime',
  parallel: 'parallel',
  nginx: 'nginx-light',
}
/** Without these, whole suites are skipped, which is a failure with `FIELDSTONE_TESTS=complete`, as in .ci/run. */
const needed = ['chromium', 'initdb', 'openssl']

process.chdir(`${import.meta.dir}/..`)
const [part, ...rest] = process.argv.slice(2)
const isPart = part === 'short' || part === 'long'
const paths = isPart ? rest : process.argv.slice(2)
const absent = Object.keys(packageOf).filter((program) => !isHere(program))
if (process.env.FIELDSTONE_TESTS === 'complete' && needed.some((program) => absent.includes(program))) {
  process.stderr.write(`Suites would be skipped. ${remedyOfSkipped()}\n`)
  process.exit(1)
}
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
    ...(isPart && paths.length === 0 ? testFiles(part) : paths),
  ],
  { stdout: 'inherit', stderr: 'pipe' },
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
const skipped = last(/^\s*(\d+) skip\b/gm)
if (skipped > 0) process.stdout.write(`${skipped} skipped. ${remedyOfSkipped()}\n`)
if (part === 'short' && paths.length === 0) process.stdout.write('The long rest: npm run test:all\n')
process.stdout.write(`${last(/^\s*(\d+) pass\b/gm)} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1

/** Says how to install what is missing. */
function remedyOfSkipped(): string {
  const packages = absent.map((program) => packageOf[program as keyof typeof packageOf])
  const install = packages.length === 0 ? '' : `To run more on Debian: apt-get install ${packages.join(' ')}. `
  return `${install}Each skipped test says above what it needs.`
}

function isHere(program: string): boolean {
  const folders = ['/usr/sbin', ...new Bun.Glob('/usr/lib/postgresql/*/bin').scanSync({ cwd: '/', onlyFiles: false })]
  return Bun.which(program) !== null || folders.some((folder) => existsSync(`${folder}/${program}`))
}
