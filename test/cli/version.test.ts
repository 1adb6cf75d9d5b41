import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { version as catalog } from '../../catalog/version.ts'
import about from '../../package.json' with { type: 'json' }
import { sourceBuildInfo } from '../../src/cli/version.ts'
import { migrations } from '../../src/store/migrations.ts'
import { startFieldstone } from './fieldstone.ts'
import { words } from '../support/words.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const root = join(import.meta.dir, '..', '..')

test('`version --json` prints build details', async () => {
  const { code, out, err } = await startFieldstone(['version', '--json'], {}, folder).end()
  expect([code, err]).toEqual([0, ''])
  const { commit, target, embedded, ...rest } = JSON.parse(out) as {
    commit: string
    target: string
    embedded: { sha256: string; vintages: Record<string, string> }
  }
  expect(rest).toEqual({ version: about.version, bun: Bun.version, catalog, schema: migrations.length } as object)
  expect(embedded.sha256).toBe(
    new Bun.CryptoHasher('sha256').update(await Bun.file(join(root, 'dist', 'embedded.bin')).bytes()).digest('hex'),
  )
  expect(Object.keys(embedded.vintages)).toEqual(words`
    airports coastline counties english_words geoid places tide_stations timezones weather_stations zips
  `)
  const isBuilt = Boolean(process.env.FIELDSTONE_EXECUTABLE)
  expect(commit).toMatch(isBuilt ? /^[0-9a-f]{40}(-modified)?$|^unknown$/ : /^unknown$/)
  expect(target).toMatch(isBuilt ? /^bun-(linux|darwin|windows)-(x64|arm64)/ : /^source$/)
})

test('`version` prints the version', async () =>
  expect((await startFieldstone(['version'], {}, folder).end()).out).toBe(`fieldstone ${about.version}\n`))

test('from source, the embedded data is null until it is built', () =>
  expect(sourceBuildInfo(folder)).toEqual({ commit: 'unknown', target: 'source', embedded: null }))
