/**
 * Builds the executable from the code, its workers and the embedded data, and writes its SBOM, notices and checksums
 * next to it. `--target` selects another platform, `--out` another folder than dist, and `--sign-key` signs the
 * checksums.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import * as contents from '../catalog/contents.ts'
import about from '../package.json' with { type: 'json' }
import { requireValidContents } from '../src/catalog/catalog.ts'
import { manualPage } from '../src/cli/manual-page.ts'
import { readEmbeddedInfo, type BuildInfo } from '../src/cli/version.ts'
import { mapFile } from '../src/packs/embedded/embedded-data.ts'
import { encodePacked, type IndexedLayout } from '../src/packs/embedded/embedded-layout.ts'
import { decodeLayout } from '../src/packs/embedded/layout-file.ts'
import { findBundledPackages } from './build/bundled-packages.ts'
import { BuildError } from './build/build-error.ts'
import { currentCommit } from './build/commit.ts'
import { embeddedLayers } from './build/embedded.ts'
import { catalogContentsPlugin } from './build/catalog-contents.ts'
import { epsgListPlugin } from './build/epsg-list.ts'
import { noticesOf } from './build/notices.ts'
import { pageMetafile } from './build/page.ts'
import { root } from './build/root.ts'
import { integrityOf, fetchRuntime } from './build/runtime.ts'
import { sbomOf } from './build/sbom.ts'
import { readSigningKey, signBytes } from './build/sign.ts'
import { sha256Of, sumsOf } from './build/sums.ts'
import { targetOf, hostTarget } from './build/targets.ts'

const compressionLevel = 19
/** The most bytes of an executable, for every target. */
const executableMax = 150_000_000

const {
  target: requested,
  out,
  'sign-key': keyFile,
} = parseArgs({
  options: {
    target: { type: 'string' },
    out: { type: 'string', default: join(root, 'dist') },
    'sign-key': { type: 'string' },
  },
}).values
const here = hostTarget()
const target = orStop(() => (requested === undefined ? here : targetOf(requested)))
const signingKey = keyFile === undefined ? null : orStop(() => readSigningKey(keyFile))
const runtime = target.runtime === here.runtime ? null : await fetchRuntime(target).catch(stop)

const folder = resolve(out)
requireValidContents(contents)
// Names of assets and files in the bundle are relative to this folder.
process.chdir(root)
const outfile = join(folder, target.file)
mkdirSync(folder, { recursive: true })
rmSync(outfile, { force: true })

const embedded = join(root, 'dist', 'embedded.bin')
const packed = join(root, 'dist', 'embedded.bin.zst')
const part = `${packed}.${process.pid}.part`
const content = encodePacked(decodeLayout<IndexedLayout>(mapFile(embedded)))
await Bun.write(part, Bun.zstdCompressSync(content, { level: compressionLevel }))
renameSync(part, packed)

// Sorted, because the order of files in a folder is not fixed.
const page = [...new Bun.Glob('dist/web/**/*').scanSync(root)].sort().map((file) => join(root, file))
if (!page.includes(join(root, 'dist', 'web', 'index.html')))
  throw new Error('dist/web has no dashboard. Run `npm run build`, which builds it first.')

// Each worker is an entry point. src/workers.ts loads them.
const workers = readdirSync(join(root, 'src', 'workers'))
  .toSorted()
  .map((name) => join(root, 'src', 'workers', name))
const build: BuildInfo = { commit: currentCommit(), target: target.name, embedded: readEmbeddedInfo(embedded) }

const built = await Bun.build({
  entrypoints: [join(root, 'src', 'main.ts'), ...workers],
  format: 'esm',
  target: 'bun',
  bytecode: true,
  // The bundles share their common code. src/workers.ts names the workers relative to `root`.
  splitting: true,
  root: join(root, 'src'),
  metafile: true,
  // Elysia imports it only for file uploads, which are not used. It would add nine packages.
  external: ['file-type'],
  plugins: [catalogContentsPlugin, epsgListPlugin],
  // Names stay readable in the stack traces of logs.
  minify: { whitespace: true, syntax: true, identifiers: false },
  // Bun writes the folder of a CommonJS file into the bundle (h3-js uses it), so a build in another folder would
  // differ.
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
const { size } = Bun.file(outfile)
if (size > executableMax) stop(new BuildError(`${outfile} has ${size} bytes. The most is ${executableMax}.`))

const packages = findBundledPackages(built.metafile!, await pageMetafile())
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
rmSync(join(folder, 'SHA256SUMS.sig'), { force: true })
if (signingKey !== null) {
  const { signature, publicKey } = signBytes(readFileSync(join(folder, 'SHA256SUMS')), signingKey)
  writeFileSync(join(folder, 'SHA256SUMS.sig'), signature)
  console.log(`Signed SHA256SUMS. The line for allowed_signers: fieldstone ${publicKey}`)
}
console.log(
  `${outfile}: ${(size / 1e6).toFixed(1)} MB for ${target.name}, with ${packages.length} packages and ${layers.length} embedded layers`,
)

/** Prints only the message of an expected build error. Other errors are thrown with their stack. */
function stop(error: unknown): never {
  if (!(error instanceof BuildError)) throw error
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
