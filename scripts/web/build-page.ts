import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { writeBaseMap } from './base-map.ts'

const root = join(import.meta.dir, '../..')
const zstdLevel = 19
/** Text: everything that is worth compressing. */
const compressible = /\.(js|mjs|css|json|html|svg)$/

/** What a browser loads at most before the map, what the map takes beside it, and what is asked for when it is needed: bytes as sent with gzip. */
export type Sizes = { first_bytes: number; map_bytes: number; later_bytes: number }

/** Builds the dashboard into a folder: `index.html`, and what it loads, compressed, with the hash of each file in its name. No folder within: the executable holds files by their bare names. */
export async function buildPage(folder: string): Promise<Sizes> {
  const made = join(folder, 'made')
  mkdirSync(made, { recursive: true })
  writeBaseMap(made, folder)
  const style = await bundled([join(root, 'src/web/style/main.css')], folder, '')
  const script = await bundled([join(root, 'src/web/main.tsx')], folder, made)
  rmSync(made, { recursive: true })
  const [styleName, scriptName] = [entryOf(style), entryOf(script)]
  writeFileSync(join(folder, 'index.html'), pageOf(styleName, scriptName))
  const sizes = new Map(readdirSync(folder).map((name) => [name, compress(join(folder, name))]))
  const sum = (wanted: (name: string) => boolean) =>
    [...sizes].filter(([name]) => wanted(name)).reduce((total, [, bytes]) => total + bytes, 0)
  const isOfMap = (name: string) => /maplibre|draw-map|base-/.test(name)
  const isLater = (name: string) => /^base-(?:near-|places|counties)|^changes-/.test(name)
  return {
    first_bytes: sum((name) => !isOfMap(name) && !isLater(name)),
    map_bytes: sum((name) => isOfMap(name) && !isLater(name)),
    later_bytes: sum(isLater),
  }
}

type Output = { path: string; kind: string }

async function bundled(entrypoints: string[], outdir: string, made: string): Promise<Output[]> {
  const built = await Bun.build({
    entrypoints,
    outdir,
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    publicPath: '/assets/',
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    // The data of the map are files that it asks for, not code.
    loader: { '.json': 'file' },
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    plugins: [
      {
        name: 'made while building',
        setup(build) {
          // Named without its folder: where the page is built would otherwise be in the hash of its names.
          build.onResolve({ filter: /^made:/ }, ({ path }) => ({ path: path.slice('made:'.length), namespace: 'made' }))
          build.onLoad({ filter: /./, namespace: 'made' }, ({ path }) => ({
            contents: readFileSync(join(made, path)),
            loader: 'file',
          }))
        },
      },
    ],
  })
  for (const message of built.logs) console.error(message)
  if (!built.success) throw new Error('The dashboard was not built.')
  return built.outputs
}

function entryOf(outputs: Output[]): string {
  const entry = outputs.find(({ path, kind }) => kind === 'entry-point' || path.endsWith('.css'))
  if (!entry) throw new Error('The dashboard was built without its beginning.')
  return basename(entry.path)
}

/** Puts the compressed forms in the place of a file, which would make the executable larger for nobody; how long the gzip form is. The document stays as it is. */
function compress(path: string): number {
  const bytes = readFileSync(path)
  if (!compressible.test(path)) throw new Error(`${path} is no text: nothing is known of how it is served.`)
  const zipped = Bun.gzipSync(bytes, { level: 9 })
  if (path.endsWith('.html')) return zipped.length
  writeFileSync(`${path}.gz`, zipped)
  writeFileSync(`${path}.zst`, Bun.zstdCompressSync(bytes, { level: zstdLevel }))
  rmSync(path)
  return zipped.length
}

function pageOf(style: string, script: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="description" content="What is true of this place? Named fields of any US coordinate or address, each with its source.">
    <title>Fieldstone</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/assets/${style}">
    <script type="module" src="/assets/${script}"></script>
  </head>
  <body>
    <div id="page"><noscript><p>This page takes scripts. Without them, the <a href="/v1/openapi.json">description of the interface</a> can be read, and everything can be asked with any program.</p></noscript></div>
  </body>
</html>
`
}
