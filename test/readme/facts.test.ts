import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import about from '../../package.json' with { type: 'json' }
import { exitCodeMeanings } from '../../src/cli/exit-codes.ts'
import { commandNames } from '../../src/cli/help.ts'
import { settingDescriptions } from '../../src/cli/settings.ts'
import { fields } from '../../catalog/contents.ts'
import { newFolder } from '../cli/fieldstone.ts'
import { openHouse } from '../house.ts'
import { answered } from './reader.ts'
import { blocks, readme, tableUnder } from './readme.ts'

const longest_ms = 120_000

const root = join(import.meta.dir, '..', '..')
const json = blocks.filter(({ language }) => language === 'json').map(({ text }) => text)
const code = [...readme.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, text]) => text!)

test('every variable that it names is a setting', () => {
  const named = [
    ...readme.matchAll(/\b(?:FIELDSTONE|OTEL|ANTHROPIC|CENSUS|NLR|AIRNOW|GEOCODIO|REGRID)_[A-Z_]+\b/g),
  ].map(([name]) => name)
  const ofTests = ['FIELDSTONE_SAMPLE_DATA', 'FIELDSTONE_EXECUTABLE']
  expect(named.filter((name) => settingDescriptions[name] === undefined && !ofTests.includes(name))).toEqual([])
})

test('the exit codes are those of the program', () => {
  expect(Object.fromEntries(tableUnder('When something is wrong'))).toEqual(
    Object.fromEntries(Object.entries(exitCodeMeanings).map(([exit, words]) => [exit, words])),
  )
})

test('every package that the program is made of has its reason, and no other', () => {
  const rows = tableUnder('Packages')
  expect(rows.flatMap(([names]) => names!.split(', ')).toSorted()).toEqual(Object.keys(about.dependencies).toSorted())
  for (const [, reason] of rows) expect(reason!.length).toBeGreaterThan(5)
})

test('every example in JSON is JSON', () => {
  const all = [...json, ...code.filter((text) => text.startsWith('{ "'))]
  expect(all.length).toBeGreaterThan(3)
  for (const text of all) expect(Object.keys(JSON.parse(text) as object).length).toBeGreaterThan(0)
})

test('the answer that it shows is the one that is given', async () => {
  const house = openHouse()
  try {
    const shown = json.map((text) => JSON.parse(text) as { fields?: object }).find(({ fields }) => fields)!
    const given = (await (
      await house.post('/v1/fetch', { lat: 39.7392, lng: -104.9903, fields: ['county'] })
    ).json()) as object
    expect(given).toMatchObject(shown)
  } finally {
    house.close()
  }
})

test(
  'an agent that is configured as it shows gets an answer',
  async () => {
    type Servers = Record<string, { command: string; args: string[] }>
    const configured = json
      .map((text) => JSON.parse(text) as { mcpServers?: Servers; servers?: Servers })
      .map((it) => it.mcpServers ?? it.servers)
      .filter((it) => it !== undefined)
    expect(configured).toHaveLength(2)
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'reader', version: '1' } },
    }
    for (const { fieldstone } of configured) {
      const { folder, remove } = newFolder()
      const said = await answered(
        fieldstone!.args.map((word) => word.replace('/path/to/folder', folder)),
        JSON.stringify(hello),
        folder,
      )
      remove()
      expect(JSON.parse(said)).toMatchObject({
        id: 1,
        result: { serverInfo: { name: expect.stringContaining('ieldstone') as string } },
      })
    }
  },
  longest_ms,
)

test('it says how many fields there are', () => expect(readme).toContain(`: ${fields.length} named fields`))

test('every address of the interface that it names is there', async () => {
  const house = openHouse()
  try {
    const paths = new Set(
      code
        .map((text) => text.replace(/^(?:GET|POST) /, ''))
        .filter((text) => /^\/(?:v1|healthz|readyz|metrics|mcp)\b[\w/{}]*$/.test(text)),
    )
    expect(paths.size).toBeGreaterThan(10)
    for (const path of paths)
      expect([path, (await house.send(path.replace('{id}', 'run_0'), { method: 'PUT' })).status]).toEqual([path, 405])
  } finally {
    house.close()
  }
})

test('every command of the program and of npm that it names is there', () => {
  const words = [...code, ...blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n'))]
  const named = (pattern: RegExp) => words.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name!))
  expect(named(/(?:^|; |&& )(?:\w+=\S+ )*fieldstone ([a-z]+)/g).filter((name) => !commandNames.includes(name))).toEqual(
    [],
  )
  expect(named(/npm (?:run )?(start|test|(?<=run )[a-z]+)/g).filter((name) => !(name in about.scripts))).toEqual([])
})

test('every file of this folder that it names is there', () => {
  const named = [...code, ...[...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path!)].filter((text) =>
    /^(?:src|test|scripts|catalog)\/[\w./-]*$/.test(text),
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('the picture is there, and is no larger than 300 kB', () => {
  const [, path] = /!\[[^\]]+\]\(([^)]+)\)/.exec(readme)!
  expect(Bun.file(join(root, path!)).size).toBeWithin(10_000, 300_001)
})
