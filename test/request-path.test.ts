import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { documentNamed } from './readme/documents.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const folder = temporaryFolder()
const [few, many] = [3, 9]

/** How often each line of the source files ran. */
type LineCounts = Map<string, number>

const paths = new Map<string, Promise<string[]>>()

/** Returns the source files with a line that runs once more for each further request of a kind. */
function filesOnPathOf(kind: string): Promise<string[]> {
  return paths.getOrInsertComputed(kind, findFilesOnPathOf)
}

async function findFilesOnPathOf(kind: string): Promise<string[]> {
  const [first, second] = [await lineCountsOf(kind, few), await lineCountsOf(kind, many)]
  const lines = [...second].filter(([line, count]) => count - (first.get(line) ?? 0) >= many - few)
  return [...new Set(lines.map(([line]) => line.split(' ')[0]!))].toSorted()
}

async function lineCountsOf(kind: string, count: number): Promise<LineCounts> {
  const into = join(folder, `${kind}-${count}`)
  const coverage = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${into}`]
  const child = Bun.spawn([process.execPath, '--no-env-file', 'test', ...coverage, './test/support/request-path.ts'], {
    cwd: join(import.meta.dir, '..'),
    env: { ...process.env, REQUEST_KIND: kind, REQUEST_COUNT: String(count) },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(said)
  const counts: LineCounts = new Map()
  for (const record of readFileSync(join(into, 'lcov.info'), 'utf8').split('end_of_record')) {
    const file = /^SF:(src\/.*)$/m.exec(record)?.[1]
    for (const [, line, times] of file ? record.matchAll(/^DA:(\d+),(\d+)/gm) : [])
      counts.set(`${file} ${line}`, Number(times))
  }
  return counts
}

test('the architecture page names each file on the path of an embedded field, and no other', async () => {
  const [, walk] = documentNamed('architecture').text.split('## The life of a request')
  const named = [...walk!.split('\n## ')[0]!.matchAll(/`(?!src\/|test\/)([\w./-]+\.ts)`/g)].map(
    ([, file]) => `src/${file}`,
  )
  expect([...new Set(named)].toSorted()).toEqual(await filesOnPathOf('embedded'))
}, 120_000)

test.each([
  ['embedded', 44],
  ['arcgis', 89],
  ['run', 120],
])(
  'the path of a request passes through few files: %s',
  async (kind, budget) => expect((await filesOnPathOf(kind)).length).toBeLessThanOrEqual(budget),
  120_000,
)
