/**
 * Runs tests: `npm test` those that take few minutes, `npm run test:all` the long rest, and either with paths only
 * these. Prints what was skipped, and `N passed, N failed` as the last line.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { testFiles } from './test-files.ts'

/** Long, because a busy machine must not fail a test. */
const testMax_ms = 120_000
/**
 * Tests that kill processes, set clocks or render pages can fail on a busy machine. A test that passes only on the
 * retry is listed.
 */
const retries = 1
/** So many processes run test files side by side. Tests also wait, so two processors can take three processes. */
const processes = 3
/** A process that runs more files spends much of its time on the garbage of those before. */
const filesPerProcess = 10
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
const groups = groupsOf(isPart && paths.length === 0 ? testFiles(part) : paths)
const counts = { pass: 0, skip: 0, fail: 0 }
const retried: string[] = []
const failures: string[] = []
await Promise.all(Array.from({ length: processes }, runGroups))
if (failures.length > 0) process.stdout.write(`\nWhat failed, once more:\n\n${failures.join('\n')}\n`)
for (const title of retried) process.stdout.write(`Only at the second attempt: ${title}\n`)
if (counts.skip > 0) process.stdout.write(`${counts.skip} skipped. ${remedyOfSkipped()}\n`)
if (part === 'short' && paths.length === 0) process.stdout.write('The long rest: npm run test:all\n')
process.stdout.write(`${counts.pass} passed, ${counts.fail} failed\n`)
process.exitCode = counts.fail === 0 ? 0 : 1

/** Splits the files into groups of neighbors, which import the same modules. */
function groupsOf(files: string[]): string[][] {
  return Array.from({ length: Math.ceil(files.length / filesPerProcess) }, (_none, i) =>
    files.slice(i * filesPerProcess, (i + 1) * filesPerProcess),
  )
}

async function runGroups(): Promise<void> {
  // The last folders have the longest groups, which must not begin last.
  for (let group = groups.pop(); group; group = groups.pop()) await runGroup(group)
}

/** Runs test files in a process of their own, and prints what it says of each file in one piece. */
async function runGroup(files: string[]): Promise<void> {
  const limits = ['--timeout', String(testMax_ms), '--retry', String(retries)]
  const child = spawn(process.execPath, ['--no-env-file', 'test', ...limits, ...files], {
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  let piece: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    if (/^test\/\S+:$/.test(line)) {
      report(piece)
      piece = []
    }
    piece.push(line)
  }
  report(piece)
  const summary = piece.join('\n')
  const counted = (pattern: RegExp) => Number([...summary.matchAll(pattern)].at(-1)?.[1] ?? 0)
  const failed = Math.max(counted(/^ *(\d+) fail\b/gm), counted(/^ *(\d+) errors?\b/gm))
  const wasWhole = /^Ran \d+ tests? across/m.test(summary)
  counts.pass += counted(/^ *(\d+) pass\b/gm)
  counts.skip += counted(/^ *(\d+) skip\b/gm)
  counts.fail += (await exited) === 0 && wasWhole ? failed : Math.max(1, failed)
  if (!wasWhole) failures.push(...piece)
}

/** Prints what was said of a file, and keeps what failed for the end. */
function report(piece: string[]): void {
  process.stderr.write(`${piece.join('\n')}\n`)
  retried.push(
    ...piece.filter((line) => /^\(pass\) .* \(attempt \d+\)/.test(line)).map((line) => line.slice('(pass) '.length)),
  )
  if (isFailure(piece)) failures.push(...piece.filter((line) => !/^\((pass|skip)\)/.test(line)))
}

/** Whether a test failed, or an error came from outside the tests. */
function isFailure(piece: string[]): boolean {
  return piece.some((line) => /^(\(fail\)|# Unhandled error)/.test(line))
}

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
