import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { faviconHref } from '../../src/http/pages/page-style.ts'
import { writeBaseMap } from './base-map.ts'

const root = join(import.meta.dir, '../..')
const zstdLevel = 19
/** All files are text. */
const compressible = /\.(js|mjs|css|json|html|svg)$/

/** The files of the API reference, which are published as they are sent. */
export const referenceFiles = [
  import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
].map((url) => fileURLToPath(url))

/** Gzip sizes: the pages without the map, the map, and the files that are loaded on demand. */
type Sizes = { first_bytes: number; map_bytes: number; deferred_bytes: number }
/** The result of a build. `inputs` are the bundled files of the project, relative to its folder. */
type PageBuild = { sizes: Sizes; inputs: string[] }

/**
 * Builds the dashboard into a folder: `index.html`, and compressed files with their hash in the name. There are no
 * subfolders, because the executable holds files by their bare names.
 */
export async function buildPage(folder: string): Promise<PageBuild> {
  const made = join(folder, 'made')
  mkdirSync(made, { recursive: true })
  writeBaseMap(made, folder)
  const inputs = new Set<string>()
  const style = await bundled(join(root, 'src/web/style/main.css'), { folder, made: '', inputs })
  const script = await bundled(join(root, 'src/web/main.tsx'), { folder, made, inputs })
  rmSync(made, { recursive: true })
  const [styleName, scriptName] = [entryOf(style), entryOf(script)]
  for (const file of referenceFiles) copyFileSync(file, join(folder, basename(file)))
  writeFileSync(join(folder, 'index.html'), pageOf(styleName, scriptName))
  const sizeByName = new Map(readdirSync(folder).map((name) => [name, compress(join(folder, name))]))
  const sum = (isCounted: (name: string) => boolean) =>
    [...sizeByName].filter(([name]) => isCounted(name)).reduce((total, [, bytes]) => total + bytes, 0)
  const isMapFile = (name: string) => /maplibre|draw-map|base-/.test(name)
  const isDeferred = (name: string) =>
    /^base-(?:near-|places|zips|counties|shapes)|^(?:changes|shapes-file|swagger-ui)-/.test(name)
  const sizes = {
    first_bytes: sum((name) => !isMapFile(name) && !isDeferred(name)),
    map_bytes: sum((name) => isMapFile(name) && !isDeferred(name)),
    deferred_bytes: sum(isDeferred),
  }
  return { sizes, inputs: [...inputs].sort() }
}

type Output = { path: string; kind: string }

type BundleOptions = { folder: string; made: string; inputs: Set<string> }

/** Bundles an entry point. Adds the files of the project that it consists of to `inputs`. */
async function bundled(entrypoint: string, { folder, made, inputs }: BundleOptions): Promise<Output[]> {
  const built = await Bun.build({
    entrypoints: [entrypoint],
    outdir: folder,
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    publicPath: '/assets/',
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    // The map requests its data as files.
    loader: { '.json': 'file' },
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    plugins: [
      {
        name: 'generated files',
        setup(build) {
          build.onLoad({ filter: /^(?!.*node_modules).*\.(?:tsx?|css|md)$/ }, ({ path }) => {
            if (path.startsWith(root)) inputs.add(relative(root, path))
            return undefined
          })
          // Named without the folder, which would otherwise change the hashes.
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
  if (!entry) throw new Error('The dashboard was built without an entry point.')
  return basename(entry.path)
}

/** Replaces a file with its zstd form and returns the compressed size. HTML files stay uncompressed. */
function compress(path: string): number {
  const bytes = readFileSync(path)
  if (!compressible.test(path))
    throw new Error(`${path} is not a text file. Add its type to src/http/pages/dashboard.ts.`)
  const packed = Bun.zstdCompressSync(bytes, { level: zstdLevel })
  if (path.endsWith('.html')) return packed.length
  writeFileSync(`${path}.zst`, packed)
  rmSync(path)
  return packed.length
}

function pageOf(style: string, script: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="description" content="Named fields for any US coordinate or address, each with its source.">
    <title>Fieldstone</title>
    <link rel="icon" href="${faviconHref}">
    <link rel="alternate" type="application/ld+json" href="/catalog.jsonld">
    <link rel="stylesheet" href="/assets/${style}">
    <script type="module" src="/assets/${script}"></script>
  </head>
  <body>
    <div id="page"><noscript><p>The dashboard needs JavaScript. The <a href="/guide">guide</a> and the <a href="/v1/openapi.json">API description</a> do not.</p></noscript></div>
  </body>
</html>
`
}
