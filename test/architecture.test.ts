import { expect, test } from 'bun:test'
import { basename, dirname, join, relative } from 'node:path'

/**
 * The layers of the code, lowest first, each with its folders and files. A file imports from its own folder and from
 * lower layers.
 */
const layers = [
  ['src/model'],
  ['src/async'],
  ['src/geo', 'src/telemetry', 'src/address'],
  ['src/files'],
  ['src/net', 'src/raster', 'src/packs', 'src/store'],
  ['src/drivers', 'src/operators'],
  ['src/storage'],
  ['src/catalog'],
  ['catalog', 'src/log.ts', 'src/server-process.ts'],
  ['src/scheduler.ts'],
  ['src/place'],
  ['src/fetch'],
  ['src/lookup', 'src/ask', 'src/tiles', 'src/pack-plans', 'src/areas'],
  ['src/ogc'],
  ['src/auth'],
  ['src/runs'],
  ['src/bulk'],
  ['src/settings-reader.ts'],
  ['src/config.ts'],
  ['src/backup'],
  ['src/build-packs'],
  ['src/app-state.ts'],
  ['src/app-database.ts'],
  ['src/app-packs.ts'],
  ['src/app-sources.ts'],
  ['src/workers'],
  ['src/workers.ts'],
  ['src/fetch-contexts.ts'],
  ['src/stuck-work.ts', 'src/nodes.ts'],
  ['src/app-runs.ts', 'src/app-location.ts'],
  ['src/app-background.ts'],
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

const isIn = (file: string, folder: string) => file === folder || file.startsWith(`${folder}/`)
const layerOf = (file: string) => layers.findIndex((folders) => folders.some((folder) => isIn(file, folder)))
const folderOf = (file: string) => layers.flat().find((folder) => isIn(file, folder))
const importsOf = (file: string) =>
  [...texts.get(file)!.matchAll(/from '(\.[^']+)'|new URL\('(\.[^']+)'|\bimport\('(\.[^']+)'/g)]
    .map((match) => relative(root, join(root, dirname(file), match[1] ?? match[2] ?? match[3]!)))
    .filter((path) => path !== 'package.json')

test('every file belongs to a layer', () => expect(files.filter((file) => layerOf(file) < 0)).toEqual([]))

test('imports go to lower layers, and folders of one layer do not import each other', () => {
  const violations = files.flatMap((file) =>
    importsOf(file)
      .filter((to) => layerOf(to) > layerOf(file) || (layerOf(to) === layerOf(file) && folderOf(to) !== folderOf(file)))
      .map((to) => `${file} -> ${to}`),
  )
  expect(violations).toEqual([])
})

test('only the command line and its worker build packs', () => {
  const builders = ['src/build-packs', 'src/cli/pack', 'src/workers/import.ts']
  const outside = files.filter((file) => !builders.some((place) => isIn(file, place)))
  expect(outside.filter((file) => importsOf(file).some((to) => isIn(to, 'src/build-packs')))).toEqual([])
})

test('imports have no cycle', () => {
  const done = new Set<string>()
  const visit = (file: string, path: string[]): string[] => {
    if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' -> ')]
    if (done.has(file)) return []
    const cycles = importsOf(file).flatMap((to) => (texts.has(to) ? visit(to, [...path, file]) : []))
    done.add(file)
    return cycles
  }
  expect(files.flatMap((file) => visit(file, []))).toEqual([])
})

test('a file outside the catalog has at most 300 lines', () => {
  expect(files.filter((file) => !isIn(file, 'catalog') && texts.get(file)!.split('\n').length > 300)).toEqual([])
})

test('a folder shows at most 25 files', () => {
  const counts = Object.groupBy(
    files.filter((file) => isIn(file, 'src')),
    (file) => dirname(file),
  )
  expect(Object.entries(counts).filter(([, inFolder]) => inFolder!.length > 25)).toEqual([])
})

/**
 * The most lines that each folder may have. A change that makes the whole easier to explain lowers a number; one that
 * raises it says why in its commit.
 */
const lineBudgets: Readonly<Record<string, number>> = {
  'src/web': 12_800,
  'src/cli': 12_490,
  'src/http': 10_450,
  'src/drivers': 9_020,
  'src/store': 7_400,
  'src/packs': 6_210,
  'src/files': 5_760,
  'src/fetch': 5_200,
  'src/runs': 5_190,
  'src/areas': 4_620,
  'src/geo': 3_870,
  'src/ask': 3_650,
  'src/build-packs': 3_320,
  'src/operators': 3_010,
  'src/auth': 2_940,
  'src/bulk': 2_360,
  'src/place': 2_310,
  'src/catalog': 2_010,
  'src/address': 1_950,
  'src/raster': 1_800,
  'src/net': 1_690,
  'src/pack-plans': 1_170,
  'src/model': 1_200,
  'src/tiles': 1_050,
  'src/mcp': 990,
  'src/storage': 1_020,
  'src/async': 1_140,
  'src/backup': 770,
  'src/telemetry': 620,
  'src/workers': 570,
  'src/ogc': 490,
  'src/lookup': 470,
}

test('a folder of src has at most the lines of its budget', () => {
  const folders = [...new Set(files.flatMap((file) => /^src\/[^/]+(?=\/)/.exec(file) ?? []))]
  const linesOf = (folder: string) => {
    const inside = files.filter((file) => file.startsWith(`${folder}/`))
    return inside.reduce((sum, file) => sum + texts.get(file)!.split('\n').length - 1, 0)
  }
  expect(folders.filter((folder) => linesOf(folder) > (lineBudgets[folder] ?? 0))).toEqual([])
})

test('each folder of src says at the top of one file what lives there', () => {
  const folders = new Set(files.flatMap((file) => file.match(/^src\/[^/]+(?=\/)/)?.[0] ?? []))
  const said = files.filter((file) => /^src\/[^/]+\/[^/]+$/.test(file) && isIntroduction(texts.get(file)!))
  expect(said.map((file) => dirname(file))).toEqual([...folders].toSorted())
})

/** A comment at the top of a file, before the imports, that belongs to no import and no declaration. */
function isIntroduction(text: string): boolean {
  return /^\/\*\*(?:[^*]|\*(?!\/))*\*\/\nimport /.test(text)
}

test('only main.ts reads the environment of the process, which it passes to config.ts', () => {
  expect(files.filter((file) => /process\.env|Bun\.env/.test(texts.get(file)!))).toEqual(['src/main.ts'])
})

test('only src/store/sqlite knows SQLite, apart from the readers and writers of packs', () => {
  const readers = ['src/store/sqlite', 'src/packs', 'src/files', 'src/build-packs']
  const outside = files.filter((file) => !readers.some((folder) => isIn(file, folder)))
  expect(outside.filter((file) => /bun:sqlite|SQLITE_/.test(texts.get(file)!))).toEqual([])
})

test('only src/store/postgres knows PostgreSQL', () => {
  const outside = files.filter((file) => !isIn(file, 'src/store/postgres'))
  const client = /import \{[^}]*\bSQL\b[^}]*\} from 'bun'|Bun\.(SQL|sql)\b|ERR_POSTGRES_|SQLSTATE/
  expect(outside.filter((file) => client.test(texts.get(file)!))).toEqual([])
})

/** The statements of a text that write a table, by its name. */
const tablesWrittenIn = (text: string) =>
  [...text.matchAll(/\b(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM|CREATE TABLE) ([a-z_]+)/g)].map(
    (match) => match[1]!,
  )

test('there is one way to store a record: a statement in src/store, with one text for both databases', () => {
  const writers = ['src/store', 'src/packs', 'src/files', 'src/build-packs']
  const outside = files.filter((file) => isIn(file, 'src') && !writers.some((folder) => isIn(file, folder)))
  const ours = new Set(
    files.filter((file) => isIn(file, 'src/store')).flatMap((file) => tablesWrittenIn(texts.get(file)!)),
  )
  expect(outside.filter((file) => tablesWrittenIn(texts.get(file)!).some((table) => ours.has(table)))).toEqual([])
  const [sqlite, postgres] = ['sqlite', 'postgres'].map(
    (folder) =>
      new Set(
        files.filter((file) => isIn(file, `src/store/${folder}`)).flatMap((file) => tablesWrittenIn(texts.get(file)!)),
      ),
  )
  // The rows of runs are in blocks in PostgreSQL, where their leases expire. A copy of the state replaces the epoch.
  expect([...sqlite!.intersection(postgres!)].toSorted()).toEqual([
    'access_epoch',
    'run_epochs',
    'run_locations',
    'run_results',
    'runs',
  ])
})

test.each([
  ['read the values of a field', /\/compiled-read\.ts'/, ['src/fetch/fetch-plan.ts', 'src/fetch/field-plan.ts']],
  ['split CSV into records', /class CsvSplitter/, ['src/files/table/csv-records.ts']],
  ['split a record of CSV on the server', /'@fast-csv\/parse'/, ['src/files/table/csv-cells.ts']],
  ['print a number as bytes', /\baddNumber\(value: /, ['src/bulk/byte-buffer.ts']],
  ['test an edge against a point', /\by1 > y\b/, ['src/geo/polygon.ts']],
])('there is one way to %s', (_what, mark, places) => {
  expect(files.filter((file) => mark.test(texts.get(file)!))).toEqual(places)
})

test('every fetch of the service turns off decompression, which Bun does without a size limit', () => {
  const callers = files.filter(
    (file) =>
      !isIn(file, 'src/web') &&
      file !== 'src/http/pages/docs.ts' &&
      /(?:await|return|[?:=]) fetch\(|httpFetch: fetch\b/.test(texts.get(file)!),
  )
  expect(callers).toContain('src/net/transport.ts')
  expect(callers.filter((file) => !texts.get(file)!.includes('decompress: false'))).toEqual([])
})

test('the catalog holds data, and functions only in the families of fields and datasets', () => {
  const families = ['catalog/families.ts', 'catalog/families-subjects.ts', 'catalog/families-datasets.ts']
  const catalog = files.filter((file) => isIn(file, 'catalog') && !families.includes(file))
  expect(
    catalog.filter((file) =>
      /=>|\bfunction\b(?!:)/.test(texts.get(file)!.replace(/'(?:[^'\\]|\\.)*'|`[^`]*`|\/\*[\s\S]*?\*\//g, '')),
    ),
  ).toEqual([])
})

test('no file has a generic name such as utils or helpers', () => {
  expect(
    files.filter((file) => /\/(index|utils?|helpers?|common|types|constants|service|manager|base)\.ts$/.test(file)),
  ).toEqual([])
})

test('comments, the README and the guide name only source files that exist', async () => {
  const pages = ['README.md', ...new Bun.Glob('src/web/guide/*.md').scanSync(root)]
  const prose = [
    ...files.map((file) => [file, commentsOf(texts.get(file)!)] as const),
    ...(await Promise.all(pages.map(async (page) => [page, await Bun.file(join(root, page)).text()] as const))),
  ]
  const sources = new Set(
    [...new Bun.Glob('{src,catalog,test,scripts}/**/*.{ts,tsx}').scanSync(root)].map((file) => basename(file)),
  )
  const missing = prose.flatMap(([file, text]) =>
    [...text.matchAll(/(?<=[\s`/(])[a-z0-9-]+\.tsx?(?=[\s`:;,.)])/g)]
      .filter(([name]) => !sources.has(name))
      .map(([name]) => `${file}: ${name}`),
  )
  // The guide makes a client of this name.
  expect(missing.filter((it) => !it.endsWith('connect.md: fieldstone.ts'))).toEqual([])
})

function commentsOf(text: string): string {
  return [...text.matchAll(/\/\*[\s\S]*?\*\/|\/\/ .*/g)].join('\n')
}

test('no file has the markers of a merge conflict', async () => {
  const written = ['src', 'catalog', 'test', 'scripts'].flatMap((folder) => [
    ...new Bun.Glob(`${folder}/**/*.{ts,tsx,css,md,json,yml}`).scanSync(root),
  ])
  expect(written).toContain('src/web/guide/architecture.md')
  const marker = /^(<{7}|={7}|>{7})( |$)/m
  const marked = await Promise.all(
    written.map(async (file) => (marker.test(await Bun.file(join(root, file)).text()) ? [file] : [])),
  )
  expect(marked.flat()).toEqual([])
})
