/**
 * Plants seeded mutations in src, one at a time, and runs the tests that are nearest to the changed file, then those of
 * its users. Prints the mutations that no test noticed:
 * `npm run mutants -- [--count 100] [--seed 1] [--in src/fetch] [--from 40] [--minutes 60]`. It works on a copy of the
 * last commit, so the tree stays as it is. `--from` continues with the mutation of this number.
 */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { nearestTests } from './mutants/nearest-tests.ts'
import { mutationsOf, type Mutation } from './mutants/mutations.ts'
import { randomOf } from './bench/random.ts'

/** A mutation that makes the tests hang is noticed as well. */
const testsMax_ms = 240_000

const root = join(import.meta.dir, '..')
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string', default: 'src' },
    from: { type: 'string', default: '0' },
    minutes: { type: 'string', default: 'Infinity' },
  },
})
const copy = mkdtempSync(join(tmpdir(), 'mutants-'))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
await Bun.$`git archive HEAD | tar -x -C ${copy}`.cwd(root).quiet()
for (const folder of ['node_modules', 'dist']) symlinkSync(join(root, folder), join(copy, folder))

const files = [...new Bun.Glob(`${values.in}/**/*.ts`).scanSync(copy)]
  .filter((file) => !file.endsWith('.d.ts') && !file.startsWith('src/web/'))
  .toSorted()
const testsOf = nearestTests(copy)
const tested = files.filter((file) => testsOf(file).length > 0)
const mutations = tested.flatMap((file) => mutationsOf(file, readFileSync(join(copy, file), 'utf8')))
const random = randomOf(Number(values.seed))
const chosen = Array.from({ length: Math.min(Number(values.count), mutations.length) }, () => {
  const [mutation] = mutations.splice(Math.floor(random() * mutations.length), 1)
  return mutation!
})
console.log(`${chosen.length} of ${chosen.length + mutations.length} mutations in ${tested.length} files`)
for (const file of files.filter((it) => !tested.includes(it))) console.log(`no test imports ${file}`)

const endsAt = Date.now() + 60_000 * Number(values.minutes)
const passesWithout = new Map<string, Promise<boolean>>()
const survivors: Mutation[] = []
let judged = 0
for (const [i, mutation] of chosen.entries()) {
  if (i < Number(values.from)) continue
  if (Date.now() > endsAt) {
    console.log(`\nThe time is over. Continue with --from ${i}`)
    break
  }
  const path = join(copy, mutation.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.slice(0, mutation.start) + mutation.after + text.slice(mutation.end))
  const failing = await firstFailing(testsOf(mutation.file))
  writeFileSync(path, text)
  if (failing !== null) {
    const key = failing.join(' ')
    if (!passesWithout.has(key))
      passesWithout.set(
        key,
        firstFailing([failing]).then((it) => it === null),
      )
    if (!(await passesWithout.get(key))) {
      console.log(`not judged, because these tests fail without it: ${key}`)
      continue
    }
  }
  judged += 1
  if (failing === null) survivors.push(mutation)
  console.log(`${failing === null ? 'SURVIVED' : 'noticed '} ${describe(mutation)}`)
}
console.log(`\n${survivors.length} of ${judged} survived:`)
for (const mutation of survivors)
  console.log(`${describe(mutation)}\n  tests: ${testsOf(mutation.file).flat().join(' ')}`)
console.log(`${(((judged - survivors.length) / Math.max(1, judged)) * 100).toFixed(0)} % noticed`)

/** Runs tests in stages, and returns the file that failed, or the stage that hung; null if all pass. */
async function firstFailing(stages: readonly (readonly string[])[]): Promise<readonly string[] | null> {
  for (const tests of stages) {
    const child = Bun.spawn(
      [process.execPath, '--no-env-file', 'test', '--bail', '--timeout', '60000', ...tests.map((file) => `./${file}`)],
      { cwd: copy, stdout: 'ignore', stderr: 'pipe', timeout: testsMax_ms, killSignal: 'SIGKILL' },
    )
    const said = await child.stderr.text()
    if ((await child.exited) === 0) continue
    const failed = [...said.matchAll(/^(test\/\S+):$/gm)].at(-1)?.[1]
    return failed !== undefined && child.signalCode === null ? [failed] : tests
  }
  return null
}

function describe({ file, line, before, after }: Mutation): string {
  const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 60)
  return `${file}:${line}: ${short(before)} -> ${short(after) || 'nothing'}`
}
