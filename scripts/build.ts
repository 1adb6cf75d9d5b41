import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Makes `dist/fieldstone`, the one executable: the code, its workers, the embedded data. */
const root = join(import.meta.dir, '..')
const dist = join(root, 'dist')
const compressionLevel = 9

// A single asset lies in the executable by its bare name, beside the bundle.
const packed = join(dist, 'embedded.gpkg.zst')
await Bun.write(packed, Bun.zstdCompressSync(await Bun.file(join(dist, 'embedded.gpkg')).bytes(), { level: compressionLevel }))

// Every worker is a bundle of its own, found from src/workers.ts.
const workers = ['raster', 'import', 'run'].map((name) => join(root, 'src', 'workers', `${name}.ts`))

const outfile = join(dist, 'fieldstone')
rmSync(outfile, { force: true })
const built = await Bun.build({
  entrypoints: [join(root, 'src', 'main.ts'), ...workers],
  format: 'esm',
  target: 'bun',
  bytecode: true,
  minify: { whitespace: true, syntax: true, identifiers: false },
  define: { 'process.env.NODE_ENV': '"production"' },
  compile: { outfile, assets: [packed], autoloadDotenv: false, autoloadBunfig: false, autoloadTsconfig: false, autoloadPackageJson: false },
})
for (const message of built.logs) console.error(message)
for (const file of new Bun.Glob('*.map').scanSync(dist)) rmSync(join(dist, file))
if (!built.success || !existsSync(outfile)) throw new Error('The executable was not built.')
console.log(`dist/fieldstone: ${(Bun.file(outfile).size / 1e6).toFixed(1)} MB`)

