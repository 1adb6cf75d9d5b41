import { join } from 'node:path'
import { newFolder, startFieldstone } from '../cli/fieldstone.ts'
import { testKeys } from '../upstreams/online-service.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'

/** The service with its dashboard in a separate process: the built executable if one is configured, else the source. */
export type Site = {
  address: string
  token: string
  /** The fake upstreams. */
  upstreams: ReturnType<typeof openUpstreams>
  close(): Promise<void>
}

/**
 * Starts the service with `FIELDSTONE_AUTH=off` by default. Set `FIELDSTONE_OFFLINE=1` for a service without a network.
 */
export async function openSite(env: Record<string, string> = {}): Promise<Site> {
  const upstreams = openUpstreams()
  const { folder, remove } = newFolder()
  const child = startFieldstone(
    ['serve', '--data', join(folder, 'data')],
    { FIELDSTONE_AUTH: 'off', FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url, ...testKeys, ...env },
    folder,
  )
  const [, address] = await child.waitForOutput(/answers at (http:\S+)/)
  const [, token] = await child.waitForOutput(/(fst_pat_\w+)/)
  return {
    address: address!,
    token: token!,
    upstreams,
    async close() {
      child.signal('SIGTERM')
      await child.end()
      upstreams.close()
      remove()
    },
  }
}
