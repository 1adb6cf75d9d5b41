import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import about from '../../package.json' with { type: 'json' }
import { words } from '../support/words.ts'

const root = join(import.meta.dir, '..', '..')
const sources = words`
  src catalog scripts package.json package-lock.json tsconfig.json bunfig.toml LICENSE
`
/** Maximum packages in the executable; the promise is 30. */
const packages_max = 34

type Component = {
  type: string
  'bom-ref': string
  name: string
  version: string
  purl?: string
  licenses: { license?: { id?: string; name?: string }; expression?: string }[]
  hashes?: { alg: string; content: string }[]
  properties?: { name: string; value: string }[]
}
type Bom = {
  bomFormat: string
  specVersion: string
  serialNumber: string
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** Inside node_modules, so that installed packages can be linked instead of copied. */
const cache = join(root, 'node_modules', '.cache', 'fieldstone')
mkdirSync(cache, { recursive: true })
const folder = mkdtempSync(join(cache, 'built-'))
const copies = [join(folder, 'one'), join(folder, 'deeper', 'than', 'another')] as const
const dist = join(copies[0], 'dist')
afterAll(() => rmSync(folder, { recursive: true, force: true }), 900_000)

beforeAll(() => {
  for (const copy of copies) copied(copy)
  built(copies[0], copies[0])
  built(copies[1], folder)
}, 900_000)

const textOf = (name: string) => readFileSync(join(dist, name), 'utf8')
const bom = () => JSON.parse(textOf('fieldstone.cdx.json')) as Bom
const sha256 = (file: string) => new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex')

test('builds of two copies of the source in different folders are byte-identical', () => {
  const [one, other] = copies.map((copy) => readFileSync(join(copy, 'dist', 'SHA256SUMS'), 'utf8'))
  expect(one).toContain('  fieldstone\n')
  expect(other).toBe(one)
  expect(readFileSync(join(dist, 'fieldstone')).includes(folder)).toBe(false)
})

test('SHA256SUMS has the checksums of all release files', () => {
  const lines = textOf('SHA256SUMS')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('  '))
  expect(lines.map(([, name]) => name)).toEqual([
    'THIRD-PARTY-NOTICES.txt',
    'fieldstone',
    'fieldstone.1',
    'fieldstone.cdx.json',
  ])
  for (const [sum, name] of lines) expect([name, sha256(join(dist, name!))]).toEqual([name, sum!])
})

test('the SBOM has the checksum of the executable, and each component once, with version and license', () => {
  const { bomFormat, specVersion, serialNumber, metadata, components, dependencies } = bom()
  expect([bomFormat, specVersion]).toEqual(['CycloneDX', '1.6'])
  expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(metadata.component).toMatchObject({
    name: 'fieldstone',
    version: about.version,
    hashes: [{ alg: 'SHA-256', content: sha256(join(dist, 'fieldstone')) }],
  })
  const refs = components.map((it) => it['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  expect(
    components.filter(
      ({ version, licenses: [first] }) =>
        version === '' || !(first?.license?.id ?? first?.license?.name ?? first?.expression),
    ),
  ).toEqual([])
  expect(dependencies.map(({ ref }) => ref)).toEqual(['fieldstone', ...refs])
  expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref))).toEqual([])
})

test('the SBOM has Bun, the packages of server and dashboard with their checksums, and the embedded layers', () => {
  const { components } = bom()
  expect(components.find(({ name }) => name === 'bun')).toMatchObject({ version: Bun.version })
  expect(components.filter(({ type }) => type === 'data').map(({ name }) => name)).toEqual(words`
    airports coastline counties english_words geoid places tide_stations timezones weather_stations zips
  `)
  const libraries = components.filter(({ type }) => type === 'library')
  const names = libraries.map(({ name }) => name)
  for (const name of ['elysia', 'h3-js', 'preact', 'swagger-ui-dist', 'zod']) expect(names).toContain(name)
  for (const name of ['typescript', 'oxlint', 'knip', 'playwright-core', 'fast-check', 'file-type'])
    expect(names).not.toContain(name)
  expect(libraries.filter(({ hashes }) => hashes?.[0]?.alg !== 'SHA-512').map(({ name }) => name)).toEqual([])
})

test(`at most ${packages_max} packages are bundled, besides those inside the files of another package`, () => {
  const libraries = bom().components.filter(({ type }) => type === 'library')
  const names = new Set(libraries.filter(({ properties }) => properties === undefined).map(({ name }) => name))
  expect(names.size).toBeLessThanOrEqual(packages_max)
})

test('the packages inside the files of maplibre-gl are components of their own, and it depends on them', () => {
  const { components, dependencies } = bom()
  const inside = components.filter(({ properties }) =>
    properties?.some(({ name, value }) => name === 'fieldstone:inside' && value === 'maplibre-gl'),
  )
  expect(inside.map(({ name }) => name)).toContain('earcut')
  expect(inside).toHaveLength(17)
  const { dependsOn } = dependencies.find(({ ref }) => ref === 'node_modules/maplibre-gl')!
  expect(dependsOn).toContain('node_modules/maplibre-gl/node_modules/quickselect')
})

test('the notices have every package, every layer and Bun, with the texts of their licenses', () => {
  const notices = textOf('THIRD-PARTY-NOTICES.txt')
  for (const { type, name, version } of bom().components) {
    if (type === 'library') expect(notices).toContain(`--- ${name} ${version} (`)
    if (type === 'data') expect(notices).toContain(`(${version})\n  publisher: `)
  }
  for (const words of [
    'OpenStreetMap contributors',
    'opendatacommons.org/licenses/odbl',
    'creativecommons.org/licenses/by/4.0',
    `Bun ${Bun.version}`,
    'JavaScriptCore',
    '--- world-atlas ',
    'Lakes and rivers on the maps',
    'Permission is hereby granted',
    'Apache License',
  ])
    expect(notices).toContain(words)
})

test('the manual page is next to the executable', () =>
  expect(textOf('fieldstone.1')).toStartWith('.TH FIELDSTONE 1 "" "Fieldstone '))

function copied(to: string): void {
  mkdirSync(join(to, 'dist'), { recursive: true })
  for (const name of sources) cpSync(join(root, name), join(to, name), { recursive: true })
  for (const name of ['embedded.bin', 'embedded.gpkg']) cpSync(join(root, 'dist', name), join(to, 'dist', name))
  mkdirSync(join(to, 'node_modules'))
  const names = readdirSync(join(root, 'node_modules')).filter((it) => !it.startsWith('.'))
  expect(
    Bun.spawnSync(['cp', '-al', ...names.map((name) => join(root, 'node_modules', name)), join(to, 'node_modules')])
      .exitCode,
  ).toBe(0)
}

/** Builds the dashboard and the executable of a copy. */
function built(copy: string, cwd: string): void {
  for (const script of ['web.ts', 'build.ts']) {
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, '--no-env-file', join(copy, 'scripts', script)], {
      cwd,
      stdout: 'ignore',
      stderr: 'pipe',
    })
    expect([script, exitCode, stderr.toString()]).toEqual([script, 0, ''])
  }
}
