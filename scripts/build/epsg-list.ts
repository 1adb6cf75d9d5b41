import { projectionOf } from '../../src/geo/projection.ts'

/**
 * Puts only those EPSG codes into the executable that it can read, and compresses them: as text, the list takes 0.8 MB
 * of the bundle, and as much again of its bytecode.
 */
export const epsgListPlugin: Bun.BunPlugin = {
  name: 'epsg-list',
  setup(build) {
    build.onLoad({ filter: /proj4-list[\\/]dist[\\/]list\.min\.js$/ }, async ({ path }) => {
      const text = readableEntriesOf(await Bun.file(path).text())
      const packed = Buffer.from(Bun.zstdCompressSync(text, { level: 19 })).toString('base64')
      return {
        loader: 'js',
        contents: `export default Bun.zstdDecompressSync(Buffer.from("${packed}","base64")).toString()`,
      }
    })
  },
}

/** Returns the entries `["EPSG:4326","+proj=…"]` of the list whose definitions can be read. */
export function readableEntriesOf(list: string): string {
  const entries = [...list.matchAll(/\["(EPSG:\d+)","[^"]*"\]/g)]
  return entries.flatMap(([entry, code]) => (isReadable(code!) ? [entry] : [])).join('')
}

function isReadable(code: string): boolean {
  try {
    projectionOf(code)
    return true
  } catch {
    return false
  }
}
