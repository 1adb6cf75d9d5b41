/** Makes an executable of everything: the code, its workers, the embedded data; and beside it what it is made of. `--target` names another system, `--out` another folder than dist. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import about from '../package.json' with { type: 'json' }
import { manualPage } from '../src/cli/manual-page.ts'
import type { BuildInfo } from '../src/cli/version.ts'
import { readEmbeddedInfo } from '../src/packs/embedded-info.ts'
import { bundledIn } from './build/bundled.ts'
import { CannotBuild } from './build/cannot-build.ts'
import { commitHere } from './build/commit.ts'
import { embeddedLayers } from './build/embedded.ts'
import { noticesOf } from './build/notices.ts'
import { pageMetafile } from './build/page.ts'
import { root } from './build/root.ts'
import { integrityOf, runtimeOf } from './build/runtime.ts'
import { sbomOf } from './build/sbom.ts'
import { sha256Of, sumsOf } from './build/sums.ts'
import { targetOf, thisMachine } from './build/targets.ts'

const compressionLevel = 9

const { target: requested, out } = parseArgs({
  options: { target: { type: 'string' }, out: { type: 'string', default: join(root, 'dist') } },
}).values
const here = thisMachine()
const target = orStop(() => (requested === undefined ? here : targetOf(requested)))
const runtime = target.runtime === here.runtime ? null : await runtimeOf(target).catch(stop)

const folder = resolve(out)
// The names of assets and of files in the bundle are told from here.
process.chdir(root)
const outfile = join(folder, target.file)
mkdirSync(folder, { recursive: true })
rmSync(outfile, { force: true })

const embedded = join(root, 'dist', 'embedded.gpkg')
const packed = join(root, 'dist', 'embedded.gpkg.zst')
const part = `${packed}.${process.pid}.part`
await Bun.write(part, Bun.zstdCompressSync(await Bun.file(embedded).bytes(), { level: compressionLevel }))
renameSync(part, packed)

// One by one and sorted: a folder lists its files in an order of its own.
const page = [...new Bun.Glob('dist/web/**/*').scanSync(root)].sort().map((file) => join(root, file))
if (!page.includes(join(root, 'dist', 'web', 'index.html')))
  throw new Error(
    'dist/web has no page, and without it the executable would have none: run `npm run build`, which makes it first.',
  )

// Every worker is a bundle of its own, found from src/workers.ts.
const workers = ['raster', 'import', 'run', 'backup'].map((name) => join(root, 'src', 'workers', `${name}.ts`))
const build: BuildInfo = { commit: commitHere(), target: target.name, embedded: readEmbeddedInfo(embedded) }

const built = await Bun.build({
  entrypoints: [join(root, 'src', 'main.ts'), ...workers],
  format: 'esm',
  target: 'bun',
  bytecode: true,
  metafile: true,
  // Elysia asks for it where files are uploaded, which they are nowhere here; nine packages come with it.
  external: ['file-type'],
  minify: { whitespace: true, syntax: true, identifiers: false },
  // Bun writes the folder of a CommonJS file into the bundle (h3-js asks for it): two folders would make two executables.
  define: {
    'process.env.NODE_ENV': '"production"',
    __dirname: '"/"',
    __filename: '"/"',
    FIELDSTONE_BUILD: JSON.stringify(build),
  },
  compile: {
    outfile,
    assets: [packed, ...page],
    autoloadDotenv: false,
    autoloadBunfig: false,
    autoloadTsconfig: false,
    autoloadPackageJson: false,
    ...(runtime === null ? {} : { target: target.name, executablePath: runtime }),
  },
})
for (const message of built.logs) console.error(message)
for (const file of new Bun.Glob('*.map').scanSync(folder)) rmSync(join(folder, file))
if (!built.success || !existsSync(outfile)) throw new Error('The executable was not built.')

const packages = bundledIn(built.metafile!, await pageMetafile())
const layers = embeddedLayers(embedded)
const integrity = integrityOf(target.runtime)
const { version } = about
writeFileSync(
  join(folder, `${target.file}.cdx.json`),
  sbomOf({
    version,
    target: target.name,
    file: target.file,
    sha256: sha256Of(outfile),
    bun: { version: Bun.version, runtime: target.runtime, integrity },
    packages,
    layers,
  }),
)
writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), noticesOf(packages, layers))
writeFileSync(join(folder, 'fieldstone.1'), `${manualPage(version)}\n`)
writeFileSync(join(folder, 'SHA256SUMS'), sumsOf(folder))
console.log(
  `${outfile}: ${(Bun.file(outfile).size / 1e6).toFixed(1)} MB for ${target.name}, of ${packages.length} packages and ${layers.length} embedded layers`,
)

/** What is wrong with the command line or the network is said in its sentence; anything else is shown whole. */
function stop(error: unknown): never {
  if (!(error instanceof CannotBuild)) throw error
  console.error(error.message)
  process.exit(1)
}

function orStop<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    return stop(error)
  }
}
