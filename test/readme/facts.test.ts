import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fields } from '../../catalog/contents.ts'
import about from '../../package.json' with { type: 'json' }
import { targetNames } from '../../scripts/build/targets.ts'
import { renderGuidePage } from '../../scripts/web/build-guide.ts'
import { commandErrorCodes } from '../../src/cli/command-error.ts'
import { commandNames } from '../../src/cli/help.ts'
import { settingDescriptions } from '../../src/cli/settings.ts'
import { apiCodes, upstreamCodes } from '../../src/model/error.ts'
import { guidePageNames } from '../../src/web/guide/pages.ts'
import { newFolder } from '../cli/fieldstone.ts'
import { openTestService } from '../support/test-service.ts'
import { firstLineFrom } from './reader.ts'
import { blocks, codeSpans, documentNamed, guideDocuments, tableUnder } from './documents.ts'

const processMax_ms = 120_000
const readmeMax_bytes = 6_000
const root = join(import.meta.dir, '..', '..')
const jsonBlocks = blocks.filter(({ language }) => language === 'json')
const allText = guideDocuments.map(({ text }) => text).join('\n')

test('the README has at most 6 kB', () => {
  expect(Buffer.byteLength(documentNamed('README').text)).toBeLessThanOrEqual(readmeMax_bytes)
})

test('the README names every target of the build', () => {
  const text = documentNamed('README').text
  const named = [...text.matchAll(/`((?:linux|darwin|windows)-[\w-]+)`/g)].map(([, name]) => `bun-${name}`)
  expect(named.toSorted()).toEqual(targetNames.toSorted())
})

test('every page of the guide is in the list of pages, and the README links to each', async () => {
  const files = [...new Bun.Glob('*.md').scanSync(join(root, 'src/web/guide'))].map((file) => file.replace('.md', ''))
  expect(files.toSorted()).toEqual([...guidePageNames].toSorted())
  for (const name of guidePageNames) expect(documentNamed('README').text).toContain(`(src/web/guide/${name}.md)`)
})

test('every link leads to an existing file and heading', () => {
  const anchorsOf = (path: string) =>
    renderGuidePage(path, guideDocuments.find((it) => it.path === path)!.text).headings.map(({ id }) => id)
  const links = guideDocuments.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([, file, anchor]) => ({
      from: path,
      to: file === '' ? path : join(dirname(path), file!),
      anchor,
    })),
  )
  expect(links.length).toBeGreaterThan(20)
  const broken = links.filter(
    ({ to, anchor }) => !existsSync(join(root, to)) || (anchor !== undefined && !anchorsOf(to).includes(anchor)),
  )
  expect(broken).toEqual([])
})

test('every variable in the documents is a setting', () => {
  const named = [...allText.matchAll(/\b(?:FIELDSTONE|OTEL|ANTHROPIC|CENSUS|NLR|AIRNOW|GEOCODIO|REGRID)_[A-Z_]+\b/g)]
  const ofTests = [
    'FIELDSTONE_SAMPLE_DATA',
    'FIELDSTONE_EXECUTABLE',
    'FIELDSTONE_SCREENSHOTS',
    'FIELDSTONE_TEST_DATABASE',
  ]
  const unknown = named
    .map(([name]) => name)
    .filter((name) => settingDescriptions[name] === undefined && !ofTests.includes(name))
  expect(unknown).toEqual([])
})

test('the errors page has every error code with its status or exit code', () => {
  const [ofFields, ofRequests, ofCommands] = documentNamed('errors').text.split(
    /## Errors of (?:a request|the command line)/,
  )
  const rowsOf = (text: string) => [...text.matchAll(/^\| `(\w+)` \| (?:(\d+) \|)?/gm)]
  expect(
    rowsOf(ofFields!)
      .map(([, code]) => code!)
      .toSorted(),
  ).toEqual(Object.keys(upstreamCodes).toSorted())
  expect(Object.fromEntries(rowsOf(ofRequests!).map(([, code, status]) => [code, Number(status)]))).toEqual(
    Object.fromEntries(Object.entries(apiCodes).map(([code, { status }]) => [code, status])),
  )
  expect(Object.fromEntries(rowsOf(ofCommands!).map(([, code, exitCode]) => [code, Number(exitCode)]))).toEqual(
    commandErrorCodes,
  )
})

test('the errors page says for each field error whether it is retryable', () => {
  const [retryable, permanent] = documentNamed('errors')
    .text.split('## Errors of a request')[0]!
    .split('A retry does not help with these errors')
  for (const [code, { retryable: isRetryable }] of Object.entries(upstreamCodes))
    expect((isRetryable ? retryable : permanent)!).toContain(`| \`${code}\` |`)
})

test('the architecture page has every source folder', () => {
  const folders = [...new Bun.Glob('src/*/').scanSync({ cwd: root, onlyFiles: false })].map((folder) =>
    folder.replace(/\/?$/, '/'),
  )
  const text = documentNamed('architecture').text
  expect(folders.length).toBeGreaterThan(20)
  expect(folders.filter((folder) => !text.includes(`\`${folder}\``))).toEqual([])
})

test('the architecture page is read in fifteen minutes', () => {
  expect(new TextEncoder().encode(documentNamed('architecture').text).length).toBeLessThanOrEqual(8192)
})

test('the number of fields appears only in generated text', () => {
  const count = new RegExp(`\\b${fields.length}(?: \\w+)? fields\\b`)
  expect(guideDocuments.filter(({ text }) => count.test(text)).map(({ name }) => name)).toEqual([
    'packs-and-offline',
    'datasets',
  ])
})

test('every package of the executable has a reason, and no other package is listed', () => {
  const rows = tableUnder('develop', 'Packages')
  expect(rows.flatMap(([names]) => names!.split(', ')).toSorted()).toEqual(Object.keys(about.dependencies).toSorted())
  for (const [, reason] of rows) expect(reason!.length).toBeGreaterThan(5)
})

test('every JSON example is valid JSON', () => {
  const examples = [...jsonBlocks.map(({ text }) => text), ...codeSpans.filter((code) => code.startsWith('{ "'))]
  expect(examples.length).toBeGreaterThan(4)
  for (const example of examples) expect(Object.keys(JSON.parse(example) as object).length).toBeGreaterThan(0)
})

test('the answers in the documents are the answers of the service', async () => {
  const anyTime = (): unknown => expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/)
  const withAnyTime = (name: string, value: unknown) => (name === 'fetched_at' ? anyTime() : value)
  const shown = jsonBlocks
    .map(({ text }) => JSON.parse(text, withAnyTime) as { fields?: object })
    .filter(({ fields }) => fields)
  expect(shown).toHaveLength(2)
  await using service = openTestService()
  const response = await service.post('/v1/fetch', { lat: 39.7392, lng: -104.9903, fields: ['county'] })
  const answer = await response.text()
  for (const example of shown) expect(JSON.parse(answer)).toMatchObject(example)
})

test(
  'an agent configured as in the guide gets an answer',
  async () => {
    type Servers = Record<string, { command: string; args: string[] }>
    const configurations = jsonBlocks
      .map(({ text }) => JSON.parse(text) as { mcpServers?: Servers; servers?: Servers })
      .map(({ mcpServers, servers }) => mcpServers ?? servers)
      .filter((it) => it !== undefined)
    expect(configurations).toHaveLength(2)
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'reader', version: '1' } },
    }
    for (const { fieldstone } of configurations) {
      const { folder, remove } = newFolder()
      const args = fieldstone!.args.map((arg) => arg.replace('/path/to/folder', folder))
      const line = await firstLineFrom(args, JSON.stringify(initialize), folder)
      remove()
      expect(JSON.parse(line)).toMatchObject({
        id: 1,
        result: { serverInfo: { name: expect.stringContaining('ieldstone') as string } },
      })
    }
  },
  processMax_ms,
)

test('every endpoint in the documents exists', async () => {
  const paths = new Set(
    codeSpans
      .map((code) => code.replace(/^(?:GET|POST) /, ''))
      .filter((code) => /^\/(?:v1\/|healthz|readyz|metrics|mcp)\b[\w/{}]*$/.test(code)),
  )
  expect(paths.size).toBeGreaterThan(10)
  await using service = openTestService()
  for (const path of paths)
    expect([path, (await service.send(path.replace('{id}', 'run_0'), { method: 'PUT' })).status]).toEqual([path, 405])
})

test('every fieldstone and npm command in the documents exists', () => {
  const lines = [
    ...codeSpans,
    ...blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n')),
  ]
  const named = (pattern: RegExp) => lines.flatMap((line) => [...line.matchAll(pattern)].map(([, name]) => name!))
  const commands = named(/(?:^|; |&& )(?:\w+=\S+ )*fieldstone ([a-z][a-z-]*)/g)
  expect(commands.filter((name) => !commandNames.includes(name))).toEqual([])
  expect(named(/npm (?:run )?(start|test|(?<=run )[a-z]+)/g).filter((name) => !(name in about.scripts))).toEqual([])
})

test('every repository file in the documents exists', () => {
  const named = codeSpans.filter((code) => /^(?:src|test|scripts|catalog)\/[\w./-]*$/.test(code))
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('the screenshot exists and has at most 300 kB', () => {
  const [, path] = /!\[[^\]]+\]\(([^)]+)\)/.exec(documentNamed('README').text)!
  expect(Bun.file(join(root, path!)).size).toBeWithin(10_000, 300_001)
})
