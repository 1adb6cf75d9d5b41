import { existsSync, readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ApiError } from '../../model/error.ts'
import { negotiateEncoding } from './static-body.ts'

/** The executable embeds the assets beside the bundle. From source, scripts/web.ts writes them to dist/web. */
export const assetFolder = Bun.isStandaloneExecutable
  ? import.meta.dir
  : join(import.meta.dir, '..', '..', '..', 'dist', 'web')

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
}

/** Returns a handler that serves the files of the pages by their names. */
export function createAssetHandler(cacheControl: string): (request: Request, name: string) => Promise<Response> {
  const names = new Set(existsSync(assetFolder) ? readdirSync(assetFolder) : [])
  const zipped = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
  return async ({ headers }, name) => {
    if (!names.has(`${name}.zst`) || !(extname(name) in contentTypes))
      throw new ApiError(
        'not_found',
        'Asset not found. The page may be from an older version of this server. Reload it.',
      )
    const encoding = negotiateEncoding(headers.get('accept-encoding') ?? '')
    const file = Bun.file(join(assetFolder, `${name}.zst`))
    const unpack = async () => Bun.zstdDecompress(await file.bytes())
    // The executable holds only zstd. For browsers without it, the gzip of a file is made once.
    const zip = async () => new Uint8Array(await promisify(gzip)(await unpack()))
    if (encoding === 'gzip' && !zipped.has(name)) zipped.set(name, zip())
    const body = encoding === 'zstd' ? file : await (encoding === 'gzip' ? zipped.get(name)! : unpack())
    return new Response(body, {
      headers: {
        'content-type': contentTypes[extname(name)]!,
        'cache-control': cacheControl,
        vary: 'accept-encoding',
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      },
    })
  }
}
