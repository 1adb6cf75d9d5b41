import { join } from 'node:path'
import { newFolder, startFieldstone } from '../../cli/fieldstone.ts'
import type { Service } from '../../upstreams/service.ts'
import { openUpstreams } from '../../upstreams/upstreams.ts'

/** A data folder for which packs are fetched from the upstream world by the real command. */
export type Fetching = {
  upstreams: ReturnType<typeof openUpstreams>
  folder: string
  packs: string
  downloads: string
  /** `fieldstone pack …`: its exit code and what was said. */
  pack(words: string[], env?: Record<string, string>): Promise<{ code: number; out: string; err: string }>
  close(): void
}

/** Without `services`, all of the upstream world. */
export function openFetching(services?: Service[]): Fetching {
  const upstreams = openUpstreams(services && { services })
  const { folder, remove } = newFolder()
  return {
    upstreams,
    folder,
    packs: join(folder, 'data', 'packs'),
    downloads: join(folder, 'data', 'downloads'),
    pack: (words, env = {}) =>
      startFieldstone(
        ['pack', ...words],
        { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url, ...env },
        folder,
      ).end(),
    close() {
      upstreams.close()
      remove()
    },
  }
}
