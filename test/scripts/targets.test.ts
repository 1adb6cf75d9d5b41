import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findPrebundled, packageFolderOf, readPackage } from '../../scripts/build/bundled-packages.ts'
import { integrityOf } from '../../scripts/build/runtime.ts'
import { targetNames, targetOf, hostTarget } from '../../scripts/build/targets.ts'
import { words } from '../support/words.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const build = join(import.meta.dir, '..', '..', 'scripts', 'build.ts')

test('every target has a runtime of this version with a pinned checksum', () => {
  expect(
    targetNames.map((name) => [name, integrityOf(targetOf(name).runtime)?.startsWith('sha512-') ?? false]),
  ).toEqual(targetNames.map((name) => [name, true]))
})

test('the file name of an executable has the platform only if it is not the platform of this machine', () => {
  expect(hostTarget().file).toMatch(/^fieldstone(\.exe)?$/)
  expect(targetOf('bun-linux-arm64')).toEqual({
    name: 'bun-linux-arm64',
    runtime: '@oven/bun-linux-aarch64',
    file: 'fieldstone-linux-arm64',
  })
  expect(targetOf('bun-windows-x64').file).toBe('fieldstone-windows-x64.exe')
})

test.each(['bun-plan9', 'linux-arm64', 'bun-__proto__', ''])(
  'the unknown target %j is rejected with the valid names',
  (name) => expect(() => targetOf(name)).toThrow('--target takes one of bun-linux-x64, '),
)

test('an unknown target ends the build with one sentence and exit code 1', () => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([
    process.execPath,
    '--no-env-file',
    build,
    '--target',
    'bun-plan9',
  ])
  expect([exitCode, stdout.toString(), stderr.toString().split('\n').length]).toEqual([1, '', 2])
})

// A downloaded runtime is not downloaded again.
const kept = join(
  import.meta.dir,
  '..',
  '..',
  'node_modules',
  '.cache',
  'fieldstone',
  `@oven-bun-windows-aarch64@${Bun.version}`,
)

test.skipIf(existsSync(kept))(
  'a runtime that cannot be downloaded ends the build with one sentence that names it and says what to do',
  () => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(
      [process.execPath, '--no-env-file', build, '--target', 'bun-windows-arm64', '--out', '/nowhere'],
      {
        env: {
          ...process.env,
          npm_config_registry: 'http://127.0.0.1:9',
          npm_config_cache: folder,
          npm_config_offline: 'true',
        },
      },
    )
    const said = stderr.toString()
    expect([exitCode, stdout.toString(), said.split('\n').length]).toEqual([1, '', 2])
    expect(said).toContain(
      `For bun-windows-arm64 the runtime @oven/bun-windows-aarch64@${Bun.version} is needed, and npm could not fetch it (`,
    )
  },
)

test('the package of a file is the innermost one that contains it', () => {
  expect(
    [
      'src/main.ts',
      'node_modules/elysia/dist/index.mjs',
      '../x/node_modules/@oven/a/b.js',
      'node_modules/proj4/node_modules/mgrs/mgrs.js',
      'node_modules\\zod\\index.js',
      'node_modules/.cache/x/node_modules/@a/b/c.js',
    ].map(packageFolderOf),
  ).toEqual([
    null,
    'node_modules/elysia',
    'node_modules/@oven/a',
    'node_modules/proj4/node_modules/mgrs',
    'node_modules/zod',
    'node_modules/.cache/x/node_modules/@a/b',
  ])
})

test('the packages inside a published file are found by its source map, each with its license', () => {
  const inside = findPrebundled('node_modules/maplibre-gl/dist/maplibre-gl.mjs')
  expect(inside.map(({ folder }) => folder.split('node_modules/').at(-1)!).toSorted()).toEqual(words`
    @mapbox/point-geometry @mapbox/tiny-sdf @mapbox/unitbezier @mapbox/vector-tile @maplibre/geojson-vt
    @maplibre/maplibre-gl-style-spec @maplibre/mlt @maplibre/vt-pbf bidi-js earcut gl-matrix kdbush murmurhash-js pbf
    potpack quickselect tinyqueue
  `)
  const packages = inside.map(({ folder, inside: outer }) => readPackage(folder, outer))
  expect(packages.filter(({ license, integrity }) => license === '' || integrity === null)).toEqual([])
  expect(new Set(packages.map(({ inside: outer }) => outer))).toEqual(new Set(['maplibre-gl']))
})
