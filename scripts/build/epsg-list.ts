import { epsgDefinitions } from '../../src/geo/epsg-definitions.ts'
import { projectionOf } from '../../src/geo/projection.ts'

/**
 * Puts only those EPSG codes into the executable that it can read, and compresses them: as text, the list takes 0.8 MB
 * of the bundle, and as much again of its bytecode. Decompressing takes milliseconds, so the first use does it.
 */
export const epsgListPlugin: Bun.BunPlugin = {
  name: 'epsg-list',
  setup(build) {
    build.onLoad({ filter: /src[\\/]geo[\\/]epsg-definitions\.ts$/ }, () => {
      const packed = Buffer.from(Bun.zstdCompressSync(readableEntriesOf(epsgDefinitions()), { level: 19 }))
      return {
        loader: 'js',
        contents: `let text; export const epsgDefinitions = () =>
          (text ??= Bun.zstdDecompressSync(Buffer.from("${packed.toString('base64')}","base64")).toString())`,
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
