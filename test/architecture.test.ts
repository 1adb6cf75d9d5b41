import { expect, test } from 'bun:test'
import { dirname, join, relative } from 'node:path'

/** The rooms from the ground up. A file imports from its own floor's room and from lower floors, never upward. */
const floors = [
  ['src/model'],
  ['src/async'],
  ['src/geo', 'src/telemetry', 'src/address'],
  ['src/net', 'src/raster', 'src/packs', 'src/store'],
  ['src/drivers', 'src/operators'],
  ['src/catalog'],
  ['catalog', 'src/log.ts'],
  ['src/scheduler.ts'],
  ['src/place'],
  ['src/fetch'],
  ['src/lookup', 'src/ask'],
  ['src/auth'],
  ['src/runs'],
  ['src/config.ts'],
  ['src/backup'],
  ['src/workers'],
  ['src/workers.ts'],
  ['src/fetch-contexts.ts'],
  ['src/app.ts'],
  ['src/web'],
  ['src/mcp'],
  ['src/http'],
  ['src/cli'],
  ['src/main.ts'],
]
const root = join(import.meta.dir, '..')
const files = [...new Bun.Glob('{src,catalog}/**/*.{ts,tsx}').scanSync(root)]
  .filter((file) => !file.endsWith('.d.ts'))
  .toSorted()
const texts = new Map(
  await Promise.all(files.map(async (file) => [file, await Bun.file(join(root, file)).text()] as const)),
)

const isIn = (file: string, room: string) => file === room || file.startsWith(`${room}/`)
const floorOf = (file: string) => floors.findIndex((rooms) => rooms.some((room) => isIn(file, room)))
const roomOf = (file: string) => floors.flat().find((room) => isIn(file, room))
const importsOf = (file: string) =>
  [...texts.get(file)!.matchAll(/from '(\.[^']+)'|new URL\('(\.[^']+)'|\bimport\('(\.[^']+)'/g)]
    .map((match) => relative(root, join(root, dirname(file), match[1] ?? match[2] ?? match[3]!)))
    .filter((path) => path !== 'package.json')

test('every file is in a room', () => {
  expect(files.filter((file) => floorOf(file) < 0)).toEqual([])
})

test('imports go down, and two rooms of one floor do not know each other', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((to) => floorOf(to) > floorOf(file) || (floorOf(to) === floorOf(file) && roomOf(to) !== roomOf(file)))
      .map((to) => `${file} -> ${to}`),
  )
  expect(wrong).toEqual([])
})

test('imports make no circle', () => {
  const done = new Set<string>()
  const visit = (file: string, path: string[]): string[] => {
    if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' -> ')]
    if (done.has(file)) return []
    const circles = importsOf(file).flatMap((to) => (texts.has(to) ? visit(to, [...path, file]) : []))
    done.add(file)
    return circles
  }
  expect(files.flatMap((file) => visit(file, []))).toEqual([])
})

test('a file outside the catalog has at most 300 lines', () => {
  expect(files.filter((file) => !isIn(file, 'catalog') && texts.get(file)!.split('\n').length > 300)).toEqual([])
})

test('only main.ts touches the environment of the process, to hand it to config.ts', () => {
  expect(files.filter((file) => /process\.env|Bun\.env/.test(texts.get(file)!))).toEqual(['src/main.ts'])
})

test('no fetch of the service decompresses a body by itself: Bun does it without a limit', () => {
  const callers = files.filter(
    (file) =>
      !isIn(file, 'src/web') &&
      file !== 'src/http/docs-page.ts' &&
      /(?:await|return|[?:=]) fetch\(|httpFetch: fetch\b/.test(texts.get(file)!),
  )
  expect(callers).toContain('src/net/transport.ts')
  expect(callers.filter((file) => !texts.get(file)!.includes('decompress: false'))).toEqual([])
})

test('the catalog holds data and no functions', () => {
  const catalog = files.filter((file) => isIn(file, 'catalog'))
  expect(
    catalog.filter((file) =>
      /=>|\bfunction\b(?!:)/.test(texts.get(file)!.replace(/'(?:[^'\\]|\\.)*'|`[^`]*`|\/\*[\s\S]*?\*\//g, '')),
    ),
  ).toEqual([])
})

test('there is no drawer: no file is named for what it might hold', () => {
  expect(
    files.filter((file) => /\/(index|utils?|helpers?|common|types|constants|service|manager|base)\.ts$/.test(file)),
  ).toEqual([])
})
